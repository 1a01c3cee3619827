package history

// Span is where the text of an entry is in a request: bytes of the content of one of its messages. A message that
// has no text, such as an answer of tool calls alone, has an empty span.
type Span struct {
	Entry    int // index into Plan.Entries, -1 for the draft
	Message  int // index into Plan.Messages
	From, To int
	Recalled bool // in the block of recalled texts, with the label in front of it
	Calls    bool // the tool calls of the entry are written out in it
}

// EntryOf is the entry of a message by its id. Ids rise along a conversation, but not strictly across branches, so
// the entry is looked for from the end, where the new ones are.
func (p Plan) EntryOf(message int64) (Entry, bool) {
	for i := len(p.Entries) - 1; i >= 0; i-- {
		if p.Entries[i].ID == message {
			return p.Entries[i], true
		}
	}
	return Entry{}, false
}

// SpansOf are the spans of the entry at an index, in the order of the request: one for a message that is in its
// place, one more where it is recalled, none for one that is not sent.
func (p Plan) SpansOf(entry int) []Span {
	var list []Span
	for _, s := range p.Spans {
		if s.Entry == entry {
			list = append(list, s)
		}
	}
	return list
}

// Shown lists for every message of the request the entries whose text it is, in order. A message that several were
// joined to is the text of all of them; the system prompt and what nobody said is no entry's. A text in the block of
// recalled texts does not count.
func (p Plan) Shown() [][]int {
	shown := make([][]int, len(p.Messages))
	for _, s := range p.Spans {
		if s.Entry < 0 || s.Recalled || p.Entries[s.Entry].Role == System {
			continue
		}
		shown[s.Message] = append(shown[s.Message], s.Entry)
	}
	return shown
}

// SpansAmong are a plan's spans for other entries of the same messages, such as those of a record: each entry is
// found by its ID. What the other entries do not have, or do not send, has no span.
func (p Plan) SpansAmong(entries []Entry) []Span {
	at := make(map[int64]int, len(entries))
	for i, e := range entries {
		if e.Sent() {
			at[e.ID] = i
		}
	}
	var list []Span
	for _, s := range p.Spans {
		if s.Entry >= 0 {
			i, sent := at[p.Entries[s.Entry].ID]
			if !sent {
				continue
			}
			s.Entry = i
		}
		list = append(list, s)
	}
	return list
}
