package history

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"winnow/history/message"
)

// InvalidError names a rule of the wire that a list of messages breaks, in the first message that breaks one.
type InvalidError struct {
	Rule  string // V1 to V8
	Index int    // the message, from 0; the length of the list where one is missing at its end
	What  string // what is wrong with it
}

// Error names rule and message, counted from 1 as a reader does.
func (e *InvalidError) Error() string {
	return fmt.Sprintf("message %d breaks rule %s: %s", e.Index+1, e.Rule, e.What)
}

// Valid reports the first message of a request that breaks a rule, as an *InvalidError. The rules are the strictest
// form
// that any known server asks for, and what p asks for beside it. They look at the messages alone: they know nothing of
// the plan that made them, so that a fault of the planning cannot excuse itself.
//
//	V1  the user's message comes first, behind at most one system prompt
//	V2  the last message can be answered: a server continues an answer at the end, or refuses it
//	V3  each call has a name, an id of its own and one result right behind its message; there are no other results
//	V4  arguments are a JSON object
//	V5  a message has content, unless it makes calls
//	V6  roles follow one another as the endpoint wants it; a message of calls may stand behind a text of its own
//	V7  a message has the keys of its role and no others
//	V8  ids of calls have the characters and the length that the endpoint takes
func Valid(messages []Message, p Profile) error {
	first := 0
	if len(messages) > 0 && messages[0].Role == System {
		first = 1
	}
	if first == len(messages) || messages[first].Role != User {
		return &InvalidError{"V1", first, "the conversation begins with no user message"}
	}
	seen, open, from := map[string]bool{}, map[string]bool{}, 0 // calls so far, those without a result, their message
	for i := range messages {
		m := &messages[i]
		rule, what := invalidMessage(messages, i, p)
		switch {
		case m.Role == Tool && rule == "" && !open[m.ToolCallID]:
			rule, what = "V3", "the result of call "+strconv.Quote(m.ToolCallID)+" belongs to no open call"
		case m.Role != Tool && len(open) > 0:
			rule, what, i = "V3", "a call has no result behind it", from
		case m.Role != Tool:
			from = i
		}
		for _, call := range m.ToolCalls {
			if rule == "" {
				rule, what = invalidCall(call, seen[call.ID], p)
			}
			seen[call.ID], open[call.ID] = true, true
		}
		if rule != "" {
			return &InvalidError{rule, i, what}
		}
		if m.Role == Tool {
			delete(open, m.ToolCallID)
		}
	}
	if len(open) > 0 {
		return &InvalidError{"V3", from, "a call has no result behind it"}
	}
	return nil
}

// invalidMessage is the rule that a message breaks beside its calls, and how.
func invalidMessage(messages []Message, i int, p Profile) (rule, what string) {
	m, before := &messages[i], &Message{}
	if i > 0 {
		before = &messages[i-1]
	}
	calls := len(m.ToolCalls) > 0
	switch {
	case m.Role == System && i > 0:
		return "V1", "a system message is behind the beginning"
	case i == len(messages)-1 && m.Role != User && m.Role != Tool:
		return "V2", fmt.Sprintf("the last message has role %q", m.Role)
	case m.Unreadable():
		return "V7", fmt.Sprintf("the role %q is unknown", m.Role)
	case message.IsBlank(m.Content) && !calls && !m.HasParts():
		return "V5", "the content is blank"
	case p.NoToolToUser && before.Role == Tool && m.Role == User:
		return "V6", "a user message follows a tool result"
	case p.MergeSameRole && before.Role == m.Role && m.Role != Tool && len(before.ToolCalls) == 0:
		return "V6", fmt.Sprintf("two messages of role %q follow one another", m.Role)
	case m.Name != "":
		return "V7", fmt.Sprintf("the name %q is sent", m.Name)
	case m.Role != Tool && m.ToolCallID != "":
		return "V7", fmt.Sprintf("a message of role %q answers a call", m.Role)
	case m.Role != Assistant && (calls || m.Reasoning != "" || m.Replay != ""):
		return "V7", fmt.Sprintf("a message of role %q has what only an answer has", m.Role)
	}
	return "", ""
}

// invalidCall is the rule that a call breaks, and how.
func invalidCall(call ToolCall, seen bool, p Profile) (rule, what string) {
	id, length := call.ID, p.ToolIDLength
	if length == 0 {
		id, length = strings.NewReplacer("-", "", "_", "").Replace(id), len(id)
	}
	var object map[string]json.RawMessage
	switch {
	case message.IsBlank(call.ID) || message.IsBlank(call.Name):
		return "V3", fmt.Sprintf("call %q of function %q has no id or no name", call.ID, call.Name)
	case seen:
		return "V3", fmt.Sprintf("the id %q is used by two calls", call.ID)
	case json.Unmarshal([]byte(call.Arguments), &object) != nil || object == nil:
		return "V4", fmt.Sprintf("the arguments of call %q are no JSON object", call.ID)
	case len(call.ID) != length || !alphanumeric(id):
		return "V8", fmt.Sprintf("the id %q has another length or other characters than ids have", call.ID)
	}
	return "", ""
}

// shortIDs gives the calls of a request ids of exactly n letters and digits. An id's new name is made from the old one
// alone, so that it is the same in every request.
func shortIDs(messages []Message, n int) {
	taken, name := map[string]bool{}, map[string]string{}
	for i := range messages {
		m := &messages[i]
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for k, c := range m.ToolCalls {
			id := c.ID
			for try := 0; len(id) != n || !alphanumeric(id) || taken[id]; try++ {
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

// alphanumeric reports whether a text is letters and digits of ASCII.
func alphanumeric(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}
