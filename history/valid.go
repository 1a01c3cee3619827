package history

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// InvalidError names the first rule of the wire that a list of messages breaks.
type InvalidError struct {
	Rule  string // V1 to V8
	Index int    // the message, from 0; the length of the list where one is missing at its end
	What  string // what is wrong with it
}

// Error names rule and message, counted from 1 as a reader does.
func (e *InvalidError) Error() string {
	return fmt.Sprintf("message %d breaks rule %s: %s", e.Index+1, e.Rule, e.What)
}

// Valid reports the first rule that the messages of a request break, as an *InvalidError. It is the strictest form that
// any known server asks for, and what p asks for beside it. It looks at the messages alone: it knows nothing of the plan
// that made them, so that a fault of the planning cannot excuse itself.
func Valid(messages []Message, p Profile) error {
	rules := []func(messages []Message, p Profile) *InvalidError{
		beginsWithUser, endsAnswerable, callsAnswered,
		each(argumentsObjects), each(contentPresent), each(rolesFollow), each(keysKnown), each(idsLegal),
	}
	for i, check := range rules {
		if e := check(messages, p); e != nil {
			e.Rule = fmt.Sprintf("V%d", i+1)
			return e
		}
	}
	return nil
}

func invalid(index int, format string, values ...any) *InvalidError {
	return &InvalidError{Index: index, What: fmt.Sprintf(format, values...)}
}

// each checks every message by a rule, which says what is wrong with the one at an index, "" for nothing.
func each(rule func(messages []Message, i int, p Profile) string) func([]Message, Profile) *InvalidError {
	return func(messages []Message, p Profile) *InvalidError {
		for i := range messages {
			if what := rule(messages, i, p); what != "" {
				return &InvalidError{Index: i, What: what}
			}
		}
		return nil
	}
}

// V1: a system prompt stands first or nowhere, and the first message after it is the user's.
func beginsWithUser(messages []Message, _ Profile) *InvalidError {
	first := 0
	if len(messages) > 0 && messages[0].Role == System {
		first = 1
	}
	if first == len(messages) {
		return invalid(first, "there is no user message")
	}
	if messages[first].Role != User {
		return invalid(first, "the conversation begins with a message of role %q", messages[first].Role)
	}
	late := slices.IndexFunc(messages[first:], func(m Message) bool { return m.Role == System })
	if late >= 0 {
		return invalid(first+late, "a system message stands behind the beginning")
	}
	return nil
}

// V2: an assistant message at the end is not answered but continued, or refused.
func endsAnswerable(messages []Message, _ Profile) *InvalidError {
	last := len(messages) - 1
	if role := messages[last].Role; role != User && role != Tool {
		return invalid(last, "the last message has role %q", role)
	}
	return nil
}

// V3: each call has an id of its own, a name, and one result right behind its message; there are no
// other results.
func callsAnswered(messages []Message, _ Profile) *InvalidError {
	seen := map[string]bool{}
	open := map[string]bool{} // the calls without a result yet
	from := 0                 // the message that made them
	for i := range messages {
		m := &messages[i]
		if m.Role == Tool {
			if !open[m.ToolCallID] {
				return invalid(i, "the result of call %q belongs to no open call", m.ToolCallID)
			}
			delete(open, m.ToolCallID)
			continue
		}
		if e := unanswered(open, &messages[from], from); e != nil {
			return e
		}
		from = i
		for _, call := range m.ToolCalls {
			switch {
			case strings.TrimSpace(call.ID) == "":
				return invalid(i, "the call of %q has no id", call.Name)
			case strings.TrimSpace(call.Name) == "":
				return invalid(i, "call %q names no function", call.ID)
			case seen[call.ID]:
				return invalid(i, "the id %q is used by two calls", call.ID)
			}
			seen[call.ID], open[call.ID] = true, true
		}
	}
	return unanswered(open, &messages[from], from)
}

func unanswered(open map[string]bool, m *Message, index int) *InvalidError {
	for _, call := range m.ToolCalls {
		if open[call.ID] {
			return invalid(index, "call %q has no result behind it", call.ID)
		}
	}
	return nil
}

// V4: arguments are a JSON object, never absent: several servers parse them again.
func argumentsObjects(messages []Message, i int, _ Profile) string {
	for _, call := range messages[i].ToolCalls {
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(call.Arguments), &object); err != nil || object == nil {
			return fmt.Sprintf("the arguments of call %q are no JSON object", call.ID)
		}
	}
	return ""
}

// V5: a message says something; only one that makes calls may be silent.
func contentPresent(messages []Message, i int, _ Profile) string {
	m := &messages[i]
	if strings.TrimSpace(m.Content) != "" || m.Role == Assistant && len(m.ToolCalls) > 0 || m.HasParts() {
		return ""
	}
	return "the content is blank"
}

// V6: which role may follow which, where the endpoint minds. Calls may stand behind a text of their
// own message, not behind another message.
func rolesFollow(messages []Message, i int, p Profile) string {
	if i == 0 {
		return ""
	}
	before, m := &messages[i-1], &messages[i]
	if p.NoToolToUser && before.Role == Tool && m.Role == User {
		return "a user message follows a tool result"
	}
	if p.MergeSameRole && before.Role == m.Role && m.Role != Tool && len(before.ToolCalls) == 0 {
		return fmt.Sprintf("two messages of role %q follow one another", m.Role)
	}
	return ""
}

// V7: a message has the keys of its role and no others; some servers refuse each unknown one.
func keysKnown(messages []Message, i int, _ Profile) string {
	m := &messages[i]
	switch {
	case m.Role != System && m.Role != User && m.Role != Assistant && m.Role != Tool:
		return fmt.Sprintf("the role %q is unknown", m.Role)
	case m.Name != "":
		return fmt.Sprintf("the name %q is sent", m.Name)
	case m.Role != Assistant && len(m.ToolCalls) > 0:
		return fmt.Sprintf("a message of role %q makes calls", m.Role)
	case m.Role != Tool && m.ToolCallID != "":
		return fmt.Sprintf("a message of role %q answers a call", m.Role)
	case m.Role != Assistant && (m.Reasoning != "" || m.Replay != ""):
		return fmt.Sprintf("a message of role %q carries what only an answer brings", m.Role)
	}
	return ""
}

// V8: a call's id is made of letters, digits, - and _; where the endpoint asks for a length, of that
// many letters and digits. V3 has already seen to it that results bear the same ids.
func idsLegal(messages []Message, i int, p Profile) string {
	for _, call := range messages[i].ToolCalls {
		id := call.ID
		if p.ToolIDLength > 0 && len(id) != p.ToolIDLength {
			return fmt.Sprintf("the id %q has not %d characters", id, p.ToolIDLength)
		}
		if p.ToolIDLength == 0 {
			id = strings.NewReplacer("-", "", "_", "").Replace(id)
		}
		if !alphanumeric(id) {
			return fmt.Sprintf("the id %q holds characters that no id has", call.ID)
		}
	}
	return ""
}

// fallback plans a request that is certainly valid: tool calls of the past as text, then nothing but
// the system prompt and the running turn, then its user's message alone.
func (c *Conversation) fallback(o Options) (Plan, error) {
	o.Policy.ToolHistory = ToolsText
	if plan, err := c.plan(o); sendable(plan, o) {
		return plan, err
	}
	o.Scope = &Scope{For: forValidity}
	if plan, err := c.plan(o); sendable(plan, o) {
		return plan, err
	}
	var questions []Message
	for _, m := range o.Turn {
		if m.Role == User {
			questions = append(questions, m)
		}
	}
	o.Turn = questions
	return c.plan(o)
}

// sendable checks what is about to be sent as the strictest server would. A preview without a
// current message is checked as if one followed.
func sendable(p Plan, o Options) bool {
	messages := p.Messages
	last := Role("")
	if n := len(messages); n > 0 {
		last = messages[n-1].Role
	}
	if len(o.Turn) == 0 && last != User && !(last == Tool && o.Profile.NoToolToUser) {
		messages = append(slices.Clip(messages), Message{Role: User, Content: "?"})
	}
	return Valid(messages, o.Profile) == nil
}

// shortIDs gives the calls of a request ids of exactly n letters and digits. An id's new name is made
// from the old one alone, so that it is the same in every request.
func shortIDs(messages []Message, n int) {
	taken, name := map[string]bool{}, map[string]string{}
	for i := range messages {
		m := &messages[i]
		if len(m.ToolCalls) > 0 {
			m.ToolCalls = append([]ToolCall(nil), m.ToolCalls...)
		}
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
		h.Write([]byte(id + "/" + strconv.Itoa(try) + "/" + strconv.Itoa(k)))
		text += strconv.FormatUint(h.Sum64(), 36)
	}
	return text[:n]
}

func alphanumeric(s string) bool {
	for _, r := range s {
		if (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return true
}
