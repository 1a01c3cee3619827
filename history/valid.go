package history

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"

	"winnow/history/message"
)

// InvalidError names a rule of the wire that a list of messages breaks, and the first message that breaks one.
type InvalidRequestError struct {
	Rule  string // V1 to V8
	Index int    // the message, from 0; the length of the list where one is missing at its end
}

// Error names rule and message, counted from 1 as a reader does.
func (e *InvalidRequestError) Error() string {
	return fmt.Sprintf("message %d breaks rule %s", e.Index+1, e.Rule)
}

// Valid reports the first message of a request that breaks a rule, as an *InvalidError. The rules are the strictest
// form that any known server asks for, and what p asks for beside it. They look at the messages alone: they know
// nothing of the plan that made them, so that a fault of the planning cannot excuse itself.
//
//	V1  the user's message comes first, behind at most one system prompt
//	V2  the last message can be answered: a server continues an answer at the end, or refuses it
//	V3  each call has a name, an id of its own and one result right behind its message; there are no other results
//	V4  arguments are a JSON object
//	V5  a message has content, unless it makes calls
//	V6  roles follow one another as the endpoint wants it; a message of calls may stand behind a text of its own
//	V7  a message has the keys of its role and no others
//	V8  ids of calls have the characters and the length that the endpoint takes
func Validate(messages []Message, p EndpointProfile) error {
	first := 0
	if len(messages) > 0 && messages[0].Role == System {
		first = 1
	}
	if first == len(messages) || messages[first].Role != User {
		return &InvalidRequestError{"V1", first}
	}
	seen, open, from := map[string]bool{}, map[string]bool{}, 0 // calls so far, those without a result, their message
	for i := range messages {
		m := &messages[i]
		rule := brokenRule(messages, i, p)
		switch {
		case m.Role == Tool && rule == "" && !open[m.ToolCallID]:
			rule = "V3"
		case m.Role != Tool && len(open) > 0:
			return &InvalidRequestError{"V3", from}
		case m.Role != Tool:
			from = i
		}
		for _, call := range m.ToolCalls {
			if rule == "" {
				rule = brokenCallRule(call, seen[call.ID], p)
			}
			seen[call.ID], open[call.ID] = true, true
		}
		if rule != "" {
			return &InvalidRequestError{rule, i}
		}
		if m.Role == Tool {
			delete(open, m.ToolCallID)
		}
	}
	if len(open) > 0 {
		return &InvalidRequestError{"V3", from}
	}
	return nil
}

// brokenRule is the rule that a message breaks beside its calls, "" for none.
func brokenRule(messages []Message, i int, p EndpointProfile) string {
	m, before := &messages[i], &Message{}
	if i > 0 {
		before = &messages[i-1]
	}
	calls := len(m.ToolCalls) > 0
	switch {
	case m.Role == System && i > 0:
		return "V1"
	case i == len(messages)-1 && m.Role != User && m.Role != Tool:
		return "V2"
	case message.IsBlank(m.Content) && !calls && !m.HasParts():
		return "V5"
	case p.NoToolToUser && before.Role == Tool && m.Role == User,
		p.MergeSameRole && before.Role == m.Role && m.Role != Tool && len(before.ToolCalls) == 0:
		return "V6"
	case m.Unreadable(), m.Name != "",
		m.Role != Tool && m.ToolCallID != "",
		m.Role != Assistant && (calls || m.Reasoning != "" || m.Replay != ""):
		return "V7"
	}
	return ""
}

// What ids of calls are made of, and what those are made of whose length an endpoint asks for.
var (
	plainID = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	shortID = regexp.MustCompile(`^[A-Za-z0-9]+$`)
)

// brokenCallRule is the rule that a call breaks, "" for none.
func brokenCallRule(call ToolCall, seen bool, p EndpointProfile) string {
	var object map[string]json.RawMessage
	switch {
	case message.IsBlank(call.ID), message.IsBlank(call.Name), seen:
		return "V3"
	case json.Unmarshal([]byte(call.Arguments), &object) != nil || object == nil:
		return "V4"
	case !plainID.MatchString(call.ID), p.ToolIDLength > 0 && !fitsID(call.ID, p.ToolIDLength):
		return "V8"
	}
	return ""
}

// fitsID reports whether an id has exactly n letters and digits.
func fitsID(id string, n int) bool { return len(id) == n && shortID.MatchString(id) }

// shortIDs gives the calls of a request ids of exactly n letters and digits. An id's new name is made from the old one
// alone, so that it is the same in every request.
func shortIDs(messages []Message, n int) {
	taken, name := map[string]bool{}, map[string]string{}
	for i := range messages {
		m := &messages[i]
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for k, c := range m.ToolCalls {
			id := c.ID
			for try := 0; !fitsID(id, n) || taken[id]; try++ {
				id = hashedID(c.ID, n, try)
			}
			taken[id], name[c.ID] = true, id
			m.ToolCalls[k].ID = id
		}
		if m.Role == Tool {
			m.ToolCallID = name[m.ToolCallID]
		}
	}
}

func hashedID(id string, n, try int) string {
	text := ""
	for k := 0; len(text) < n; k++ {
		h := fnv.New64a()
		fmt.Fprintf(h, "%s/%d/%d", id, try, k)
		text += strconv.FormatUint(h.Sum64(), 36)
	}
	return text[:n]
}
