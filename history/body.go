package history

import (
	"hash/fnv"
	"strconv"

	"winnow/history/cause"
)

// bridgeText stands between a tool result and a user's message, where the endpoint wants an answer
// there.
const bridgeText = "[no answer recorded]"

// put writes a message to the end of the body, or joins it to the last one where the endpoint wants the roles to
// alternate. It returns the index of the message that holds it and the byte that its text begins at there.
func (r *renderer) put(m Message, joins bool) (at, from int) {
	m.Name = ""
	if m.Role != Assistant {
		m.ToolCalls = nil
	}
	if m.Role != Tool {
		m.ToolCallID = ""
	}
	r.frame += frameMessage
	n := r.len()
	if n == 0 {
		r.list = append(r.list, m)
		return 0, 0
	}
	last := r.message(n - 1)
	if r.merges(last, m, joins) {
		join(last, m)
		return n - 1, len(last.Content) - len(m.Content)
	}
	if r.bridged(last, m) {
		r.added = append(r.added, Added{Kind: AddedBridge, Before: n, To: len(bridgeText), Text: bridgeText, Tokens: r.c.remembered(bridgeText), Cause: Cause{Code: cause.Bridge}})
		r.list = append(r.list, Message{Role: Assistant, Content: bridgeText})
		r.frame += frameMessage
	}
	r.list = append(r.list, m)
	return r.len() - 1, 0
}

// bridged says that an answer has to stand between last and a message.
func (r *renderer) bridged(last *Message, m Message) bool {
	return r.o.Profile.NoToolToUser && last.Role == Tool && m.Role == User
}

// merges says that a message is no message of its own behind last, but joined to it.
func (r *renderer) merges(last *Message, m Message, joins bool) bool {
	alike := last.Role == m.Role && m.Role != Tool && len(last.ToolCalls) == 0
	return alike && (r.o.Profile.MergeSameRole || joins && m.Role == Assistant && len(m.ToolCalls) == 0)
}

// join puts a message behind the text of one of the same role. Calls stay with what came with them:
// the text in front of them becomes theirs.
func join(m *Message, next Message) {
	if len(next.ToolCalls) > 0 {
		m.ToolCalls, m.Reasoning, m.Origin, m.Replay = next.ToolCalls, next.Reasoning, next.Origin, next.Replay
	}
	if m.Content != "" && next.Content != "" {
		m.Content += joint
	}
	m.Content += next.Content
	m.Parts = append(m.Parts[:len(m.Parts):len(m.Parts)], next.Parts...)
	m.ID, m.Label, m.Tokens = 0, "", 0
}

// bridge is what a bridge may cost behind candidate i, 0 where none can be needed.
func (b *chooser) bridge(v *candidate) int {
	if !b.o.Profile.NoToolToUser || v.role() != Tool {
		return 0
	}
	return b.c.remembered(bridgeText) + frameMessage
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
