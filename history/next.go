package history

import (
	"bytes"
	"slices"
)

// nextToFall is the entries that lose text together when the request grows, and what each candidate was before: the
// steps that raised them are taken back, the last one first, until one of them takes text away.
func (b *chooser) nextToFall() ([]int, []change) {
	var all []change
	then := map[int]change{}
	for _, step := range slices.Backward(b.taken) {
		var list []int
		for _, c := range slices.Backward(step) {
			then[c.candidate] = c
			all = append(all, c)
		}
		for _, c := range step {
			v, was := &b.candidates[c.candidate], then[c.candidate]
			if v.standIn {
				continue
			}
			before, now := b.best(c.candidate, was.body, was.recall), b.best(c.candidate, b.bodyDetail[c.candidate], b.recallDetail[c.candidate])
			if before.chars == now.chars && images(before.parts) == images(now.parts) {
				continue
			}
			list = append(list, v.from)
		}
		if len(list) > 0 {
			slices.Sort(list)
			return slices.Compact(list), all
		}
	}
	return nil, nil
}

// best is the most that a request holds of a candidate: its text has -1 characters where the request does not hold it.
func (b *chooser) best(i int, body, recall detail) rendering {
	switch {
	case b.recallAdds(i, body, recall):
		return b.rendering(i, recall)
	case body == out:
		return rendering{chars: -1}
	}
	return b.rendering(i, body)
}

// alike renders the request a second time with some changes undone, in the order of the list, and counts the messages
// at its beginning that are the same as in the first rendering.
func (b *chooser) alike(messages []Message, undone []change) int {
	if len(undone) == 0 {
		return len(messages)
	}
	body, recall := b.bodyDetail, b.recallDetail
	b.bodyDetail, b.recallDetail = slices.Clone(body), slices.Clone(recall)
	for _, c := range undone {
		b.bodyDetail[c.candidate], b.recallDetail[c.candidate] = c.body, c.recall
	}
	second := b.lay()
	b.bodyDetail, b.recallDetail = body, recall
	return Alike(messages, second.messages())
}

// Alike counts the messages that two requests to one model begin with alike. A server that keeps what
// it read of the first need not read these again for the second.
func Alike(before, now []Message) int {
	n := 0
	for n < len(before) && n < len(now) && sameWords(&before[n], &now[n]) {
		n++
	}
	return n
}

// sameWords says that a model gets the same to see of both messages.
func sameWords(a, b *Message) bool {
	return a.Role == b.Role && a.Content == b.Content && a.ToolCallID == b.ToolCallID &&
		a.Reasoning == b.Reasoning && a.Replay == b.Replay &&
		slices.Equal(a.ToolCalls, b.ToolCalls) && slices.EqualFunc(a.Parts, b.Parts, samePart)
}

func samePart(a, b Part) bool {
	return a.Kind == b.Kind && a.MediaType == b.MediaType && a.Sent() == b.Sent() && bytes.Equal(a.Data, b.Data)
}

// Cost is what a message of a request costs with its frame, in counted tokens. Tokens of the message
// is not asked: it is of the text that was stored.
func Cost(m Message, count Counter) int { return count(m.Content) + overhead(m, count) + frameMessage }
