package store

import (
	"context"

	"winnow/history"
)

// Line is one row of the history as an archive and a segment have it: exactly one of its fields is set, and its JSON is
// an object of the row's columns under the field's name. A session comes before the rows that belong to it, a message
// behind the one that it follows and behind its attachments, a request behind the messages that it names. Times are
// Unix milliseconds; ids are the same on every machine, and 0 is none. A line of a kind that is not known is empty.
//
// Apply writes lines: into another history, of another machine too, and as often as anybody likes.
type Line struct {
	Session    *Session    `json:"session,omitempty"`
	Draft      *Draft      `json:"draft,omitempty"`
	Queued     *Queued     `json:"queued,omitempty"`
	Attachment *Attachment `json:"attachment,omitempty"`
	Message    *Message    `json:"message,omitempty"`
	Request    *Request    `json:"request,omitempty"`
	Summary    *Summary    `json:"summary,omitempty"`
	Register   *Register   `json:"register,omitempty"`
	Tombstone  *Tombstone  `json:"tombstone,omitempty"`
}

// The rows write themselves by their columns.

func (s *Session) MarshalJSON() ([]byte, error)    { return marshal(s.columns()) }
func (d *Draft) MarshalJSON() ([]byte, error)      { return marshal(d.columns()) }
func (q *Queued) MarshalJSON() ([]byte, error)     { return marshal(q.columns()) }
func (a *Attachment) MarshalJSON() ([]byte, error) { return marshal(a.columns()) }
func (m *Message) MarshalJSON() ([]byte, error)    { return marshal(m.columns()) }
func (r *Request) MarshalJSON() ([]byte, error)    { return marshal(r.columns()) }
func (m *Summary) MarshalJSON() ([]byte, error)    { return marshal(m.columns()) }
func (r *Register) MarshalJSON() ([]byte, error)   { return marshal(r.columns()) }
func (l *Tombstone) MarshalJSON() ([]byte, error)  { return marshal(l.columns()) }

func (s *Session) UnmarshalJSON(data []byte) error    { return unmarshal(data, s.columns()) }
func (d *Draft) UnmarshalJSON(data []byte) error      { return unmarshal(data, d.columns()) }
func (q *Queued) UnmarshalJSON(data []byte) error     { return unmarshal(data, q.columns()) }
func (a *Attachment) UnmarshalJSON(data []byte) error { return unmarshal(data, a.columns()) }
func (m *Message) UnmarshalJSON(data []byte) error    { return unmarshal(data, m.columns()) }
func (r *Request) UnmarshalJSON(data []byte) error    { return unmarshal(data, r.columns()) }
func (m *Summary) UnmarshalJSON(data []byte) error    { return unmarshal(data, m.columns()) }
func (r *Register) UnmarshalJSON(data []byte) error   { return unmarshal(data, r.columns()) }
func (l *Tombstone) UnmarshalJSON(data []byte) error  { return unmarshal(data, l.columns()) }

// Attachment is the bytes of an image, a file or a text part.
type Attachment struct {
	Hash string // hex SHA-256 of Data
	Data []byte
}

func (a *Attachment) columns() []column {
	return []column{{"hash", &a.Hash, 0}, {"data", &a.Data, 0}}
}

// Tombstone says that a session was purged.
type Tombstone struct {
	ID       int64
	Session  string
	Messages []int64 // those that went with it
}

func (l *Tombstone) columns() []column {
	return []column{{"id", &l.ID, 0}, {"session", &l.Session, 0}, {"messages", &asJSON{&l.Messages}, 0}}
}

// Dump passes everything that is kept of a session to take, line by line and all of one moment: every
// branch, what was sent for them and what was decided of them. It holds one line in memory at a
// time, however long the session is. Damaged rows come as they are stored. An
// answer that still arrives comes as an interrupted one. An error of take ends it and comes back.
func (s *Store) Dump(ctx context.Context, session string, take func(Line) error) error {
	return s.view(ctx, "read the session", func(t *tx) { dumpSession(t, sessionKey(t, session), take) })
}

// dump hands out rows of the history as lines, in one transaction.
type dump struct {
	*tx
	take     func(Line)      // it does nothing after the first error
	attached map[string]bool // hashes of the attachments that were taken
}

// newDump hands out lines until the context ends. That is looked at between two lines: the driver watches one that can
// end with a goroutine for every statement.
func newDump(t *tx, take func(Line) error) *dump {
	ctx := t.ctx
	t.ctx = context.WithoutCancel(ctx)
	return &dump{tx: t, attached: map[string]bool{}, take: func(l Line) {
		if t.fail(ctx.Err()); t.err == nil {
			t.fail(take(l))
		}
	}}
}

func dumpSession(t *tx, session int64, take func(Line) error) {
	d := newDump(t, take)
	row := sessionByKey(t, session)
	d.take(Line{Session: &row})
	for r := range each[Draft](t, "drafts WHERE session = ?", session) {
		d.take(Line{Draft: r})
	}
	for r := range each[Queued](t, "queued WHERE session = ? ORDER BY id", session) {
		d.take(Line{Queued: r})
	}
	d.shared(session, nil)
}

// shared hands out the rows of a session that are shared with other machines: messages with their calls and parts, each
// behind what its parts hold, requests with what their plans have otherwise than those before them, summaries and
// registers. and are conditions more, by the names of the tables.
func (d *dump) shared(session int64, and map[string]string) {
	from := func(table string) string { return table + " WHERE session = ?" + and[table] + " ORDER BY id" }
	for m := range each[Message](d.tx, from("messages"), session) {
		if m.Status == history.Streaming {
			m.Status = history.Interrupted
		}
		addContent(d.tx, []*Message{m}, true)
		for i := range m.parts {
			if p := &m.parts[i]; !d.attached[p.hash] {
				d.take(Line{Attachment: &Attachment{p.hash, p.data()}})
				d.attached[p.hash] = true
			}
		}
		d.take(Line{Message: m})
	}
	for r := range each[Request](d.tx, from("requests"), session) {
		r.verdicts = readVerdicts(d.tx, "verdicts WHERE session = ? AND first_request = ?", session, r.ID)
		d.take(Line{Request: r})
	}
	for r := range each[Summary](d.tx, from("summaries"), session) {
		d.take(Line{Summary: r})
	}
	for r := range each[Register](d.tx, from("registers"), session) {
		d.take(Line{Register: r})
	}
}
