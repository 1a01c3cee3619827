package store

import (
	"context"
	"encoding/json"
	"errors"

	"winnow/history"
)

// Line is one row of the history as an archive and a segment have it: exactly one of its fields is set, and its JSON is
// an object of the row's columns under the field's name. A session comes before the rows that belong to it, a message
// behind the one that it follows and behind its attachments, a request behind the messages that it names. Times are
// Unix milliseconds; ids are the same on every machine, and 0 is none.
//
// Apply writes lines: into another history, of another machine too, and as often as anybody likes.
type Line struct {
	Session    *SessionLine
	Draft      *Draft
	Queued     *Queued
	Attachment *AttachmentLine
	Message    *MessageLine
	Request    *RequestLine
	Repair     *RepairLine
	Summary    *Summary
	Register   *RegisterLine
	Tombstone  *TombstoneLine
}

// AttachmentLine is the bytes of an image, a file or a text part.
type AttachmentLine struct {
	Hash string // hex SHA-256 of Data
	Data []byte
}

func (l *AttachmentLine) columns() []column {
	return []column{{"hash", &l.Hash, 0}, {"data", &l.Data, 0}}
}

// RepairLine is the record of a repair.
type RepairLine struct {
	Message int64
	Kind    string
	Before  []byte // SHA-256 of the damaged bytes
	What    string // a sentence for the user
	Sent    string // what is sent instead
	Rules   int    // history's version of the rules
	First   int64  // when it was applied first, in Unix milliseconds
	Last    int64
	Undone  bool
}

func (l *RepairLine) columns() []column {
	return []column{
		{"message", &l.Message, 0},
		{"kind", &l.Kind, 0},
		{"before_hash", &l.Before, 0},
		{"what", &l.What, secret},
		{"sent", blob{&l.Sent}, secret},
		{"rules", &l.Rules, 0},
		{"first_ms", &l.First, 0},
		{"last_ms", &l.Last, 0},
		{"undone", &l.Undone, 0},
	}
}

// TombstoneLine says that a session was purged.
type TombstoneLine struct {
	ID       int64
	Session  string
	Messages []int64 // those that went with it
}

func (l *TombstoneLine) columns() []column {
	return []column{
		{"id", &l.ID, 0},
		{"session", &l.Session, 0},
		{"messages", asJSON{in: &l.Messages}, 0},
	}
}

// RequestLine is the record of a request with what its plan has otherwise than that of another one.
type RequestLine struct {
	Request
	record
	base     int64           // the request, 0 for none
	verdicts []history.Entry // those that base does not have; without a disposition for a message that is not here
}

func (l *RequestLine) columns() []column {
	return append(append(l.Request.columns(), l.record.columns()...), []column{
		{"base", &l.base, lineOnly},
		{"verdicts", nested[history.Entry]{&l.verdicts, verdictColumns}, lineOnly},
	}...)
}

// kinds are the kinds of lines. to sets the field of a line to an empty row where make is true.
var kinds = []struct {
	name string
	row  func(l *Line, empty bool) row
}{
	{"session", func(l *Line, empty bool) row { return field(&l.Session, empty) }},
	{"draft", func(l *Line, empty bool) row { return field(&l.Draft, empty) }},
	{"queued", func(l *Line, empty bool) row { return field(&l.Queued, empty) }},
	{"attachment", func(l *Line, empty bool) row { return field(&l.Attachment, empty) }},
	{"message", func(l *Line, empty bool) row { return field(&l.Message, empty) }},
	{"request", func(l *Line, empty bool) row { return field(&l.Request, empty) }},
	{"repair", func(l *Line, empty bool) row { return field(&l.Repair, empty) }},
	{"summary", func(l *Line, empty bool) row { return field(&l.Summary, empty) }},
	{"register", func(l *Line, empty bool) row { return field(&l.Register, empty) }},
	{"tombstone", func(l *Line, empty bool) row { return field(&l.Tombstone, empty) }},
}

// field is the row that a field of a line has, nil for none. With empty it gets an empty one.
func field[T any, P interface {
	*T
	row
}](of *P, empty bool) row {
	if empty {
		*of = P(new(T))
	}
	if *of == nil {
		return nil
	}
	return *of
}

// row is the row of the line, and the name of its kind.
func (l *Line) row() (string, row) {
	for _, kind := range kinds {
		if r := kind.row(l, false); r != nil {
			return kind.name, r
		}
	}
	return "", nil
}

// MarshalJSON writes the line.
func (l Line) MarshalJSON() ([]byte, error) {
	name, r := l.row()
	if r == nil {
		return []byte("{}"), nil
	}
	text, err := marshalColumns(r.columns())
	return append(append([]byte(`{"`+name+`":`), text...), '}'), err
}

// UnmarshalJSON reads a line. One of a kind that is not known is empty.
func (l *Line) UnmarshalJSON(data []byte) error {
	*l = Line{}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	for _, kind := range kinds {
		if text, there := all[kind.name]; there && string(text) != "null" {
			return unmarshalColumns(text, kind.row(l, true).columns())
		}
	}
	return nil
}

// Dump passes everything that is kept of a session to take, line by line and all of one moment: every
// branch, what was sent for them and what was decided of them. It holds one line in memory at a
// time, however long the session is. Damaged rows come as they are stored. An
// answer that still arrives comes as an interrupted one. An error of take ends it and comes back.
func (s *Store) Dump(ctx context.Context, session string, take func(Line) error) error {
	return s.view(ctx, "read the session", once(func(t *tx) { dumpSession(t, sessionKey(t, session), take) }))
}

// once is a transaction that hands out lines: they cannot be handed out from the first on again.
func once(f func(t *tx)) func(t *tx) {
	begun := false
	return func(t *tx) {
		if begun {
			t.fail(errors.New("the reading was interrupted by another program"))
			return
		}
		begun = true
		f(t)
	}
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
		t.fail(ctx.Err())
		if t.err == nil {
			t.fail(take(l))
		}
	}}
}

func dumpSession(t *tx, session int64, take func(Line) error) {
	d := newDump(t, take)
	row := sessionByKey(t, session)
	d.take(Line{Session: &row})
	eachRow(t, "drafts WHERE session = ?", func(r *Draft) { d.take(Line{Draft: r}) }, session)
	eachRow(t, "queued WHERE session = ? ORDER BY id", func(r *Queued) { d.take(Line{Queued: r}) }, session)
	d.messages("session = ? ORDER BY id", session)
	d.requests("session = ? ORDER BY id", session)
	// Asked of each repair, because there are few of them and many messages.
	const ofSession = "EXISTS (SELECT 1 FROM messages m WHERE m.id = message AND m.session = ?)"
	eachRow(t, "repairs WHERE "+ofSession+" ORDER BY message, id",
		func(r *RepairLine) { d.take(Line{Repair: r}) }, session)
	d.summaries("session = ? ORDER BY id", session)
	d.registers("session = ? ORDER BY stamp", session)
}

func (d *dump) registers(where string, args ...any) {
	eachRow(d.tx, "registers WHERE "+where, func(r *RegisterLine) { d.take(Line{Register: r}) }, args...)
}

func (d *dump) summaries(where string, args ...any) {
	eachRow(d.tx, "summaries WHERE "+where, func(r *Summary) { d.take(Line{Summary: r}) }, args...)
}

// requests hands out requests with what their plans have otherwise. One whose plan is damaged comes without it.
func (d *dump) requests(where string, args ...any) {
	eachRow(d.tx, "requests WHERE "+where, func(r *Request) {
		l := RequestLine{Request: *r}
		plan := &tx{Tx: d.Tx, ctx: d.ctx}
		if readChange(plan, &l); errors.Is(plan.err, errColumn) {
			l = RequestLine{Request: *r}
		} else {
			d.fail(plan.err)
		}
		d.take(Line{Request: &l})
	}, args...)
}

// messages hands out messages with their calls and parts, each behind what its parts hold.
func (d *dump) messages(where string, args ...any) {
	eachRow(d.tx, "messages WHERE "+where, func(m *MessageLine) {
		if m.Status == history.Streaming {
			m.Status = history.Interrupted
		}
		m.ToolCalls, m.parts = callsOf(d.tx, []int64{m.ID})[m.ID], partsOf(d.tx, []int64{m.ID}, true)[m.ID]
		for i := range m.parts {
			p := &m.parts[i]
			if !d.attached[p.hash] {
				d.take(Line{Attachment: &AttachmentLine{p.hash, p.data()}})
				d.attached[p.hash] = true
			}
		}
		d.take(Line{Message: m})
	}, args...)
}
