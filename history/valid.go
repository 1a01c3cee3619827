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

// invalidRequestError names the first message of a request that breaks a rule of servers, and the rule.
type invalidRequestError struct {
	Rule  string // V1 to V8
	Index int    // position of the message, from 0; the length of the list if a message is missing at its end
}

// Error names the message, counted from 1, and the rule.
func (e *invalidRequestError) Error() string {
	return fmt.Sprintf("message %d breaks rule %s", e.Index+1, e.Rule)
}

// validate returns an *invalidRequestError for the first message that breaks a rule, or nil. The rules are those of the
// strictest known servers, plus what p requires. They see only the messages and not the plan behind them, so a fault in
// planning cannot hide itself.
//
//	V1  a user message comes first, after at most one system prompt
//	V2  the last message is from the user or a tool: servers continue an assistant message or refuse it
//	V3  each call has a name, a unique id and one result directly after its message; there are no other results
//	V4  arguments are a JSON object
//	V5  a message has content or tool calls
//	V6  roles follow each other as the endpoint requires; a message with calls may follow the assistant's text
//	V7  a message has only the keys of its role
//	V8  ids of calls have the characters and the length that the endpoint accepts
func validate(messages []Message, p Profile) error {
	first := 0
	if len(messages) > 0 && messages[0].Role == System {
		first = 1
	}
	if first == len(messages) || messages[first].Role != User {
		return &invalidRequestError{"V1", first}
	}
	seen, open, from := map[string]bool{}, map[string]bool{}, 0 // calls so far, those without a result, their message
	for i := range messages {
		m := &messages[i]
		rule := brokenRule(messages, i, p)
		switch {
		case m.Role == Tool && rule == "" && !open[m.ToolCallID]:
			rule = "V3"
		case m.Role != Tool && len(open) > 0:
			return &invalidRequestError{"V3", from}
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
			return &invalidRequestError{rule, i}
		}
		if m.Role == Tool {
			delete(open, m.ToolCallID)
		}
	}
	if len(open) > 0 {
		return &invalidRequestError{"V3", from}
	}
	return nil
}

// brokenRule returns the rule that a message breaks, apart from its calls, or "".
func brokenRule(messages []Message, i int, p Profile) string {
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

// Ids of calls: the general form, and the one for endpoints that require a length.
var (
	plainID = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	shortID = regexp.MustCompile(`^[A-Za-z0-9]+$`)
)

// brokenCallRule returns the rule that a call breaks, or "".
func brokenCallRule(call ToolCall, seen bool, p Profile) string {
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

// fitsID reports whether an id consists of exactly n letters and digits.
func fitsID(id string, n int) bool { return len(id) == n && shortID.MatchString(id) }

// shortIDs replaces the ids of calls with ids of exactly n letters and digits. The new id depends on the old one alone,
// so it is the same in every request.
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
