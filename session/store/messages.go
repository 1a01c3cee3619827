package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"winnow/history"
	"winnow/session/store/search"
	"winnow/session/store/sqlite"
)

// Message is one stored message: what was said, and how it came to be here.
type Message struct {
	history.Message
	Session      string
	Seq          int   // its place in the session, from 1, counting every branch
	Parent       int64 // the message before it on its branch, 0 for the first
	Siblings     int   // how many messages share its parent, itself included
	Sibling      int   // its place among them, from 1
	Request      int64 // the request that asked for it, 0 for none
	Endpoint     string
	Model        string // the model that answered
	FinishReason string
	Tokenizer    string // who counted Tokens, "" where they are not counted
	Queued       int64  // of a user's message that is being stored: its id in the queue, which it leaves with that
	Fault        string // why its turn failed behind it, where no request failed: JSON as Request.Fault, "" for none
	Alone        bool   // of a user's message: it is sent without the conversation before it, now and later
	Damaged      bool   // its bytes fail their hash: it is quarantined and comes without its text
	// Remains is what can be read of a damaged message's text: to be shown as damaged, never as said, and never sent.
	Remains string
	// Extra has unknown keys of the reply, or of the message in an imported file: raw JSON, nil for none. Replay is
	// read from it and never stored.
	Extra []byte
}

// MessageLine is a message with the facts of its row.
type MessageLine struct {
	Message
	session int64  // the session's short key
	hash    []byte // of what was said when it was stored
	owner   string // who streams it, "" for nobody
	parts   []part // Message.Parts as they are stored
}

func (l *MessageLine) columns() []column {
	m := &l.Message
	return []column{
		{"id", &m.ID, fixed},
		{"session", &l.session, local | fixed},
		{"seq", &m.Seq, local | fixed},
		{"parent", &m.Parent, fixed},
		{"role", &m.Role, 0},
		{"status", &m.Status, 0},
		{"created_ms", &m.CreatedMS, fixed},
		{"tokens", &m.Tokens, 0},
		{"tokenizer", &m.Tokenizer, 0},
		{"request", &m.Request, 0},
		{"alone", &m.Alone, fixed},
		{"owner", &l.owner, local},
		{"endpoint", &m.Endpoint, 0},
		{"model", &m.Model, 0},
		{"finish_reason", &m.FinishReason, 0},
		{"fault", &m.Fault, secret | fixed},
		{"label", &m.Label, 0},
		{"name", blob{&m.Name}, secret},
		{"tool_call_id", blob{&m.ToolCallID}, 0},
		{"hash", &l.hash, 0},
		{"extra", raw{&m.Extra}, secret},
		{"reasoning", blob{&m.Reasoning}, secret},
		{"content", blob{&m.Content}, secret},
		{"tool_calls", nested[history.ToolCall]{&m.ToolCalls, callColumns}, lineOnly},
		{"parts", nested[part]{&l.parts, partColumns}, lineOnly},
	}
}

// Redacted is a message without the secrets that clean takes out of its texts. Its tokens are to be counted anew
// where that changed it. The caller's message stays as it is.
func (m Message) Redacted(clean func(string) string) Message {
	out := m
	out.ToolCalls, out.Parts = slices.Clone(m.ToolCalls), slices.Clone(m.Parts)
	texts := []*string{&out.Content, &out.Reasoning, &out.Name, &out.Fault}
	for i := range out.ToolCalls {
		texts = append(texts, &out.ToolCalls[i].Name, &out.ToolCalls[i].Arguments)
	}
	for i := range out.Parts {
		texts = append(texts, &out.Parts[i].Name, &out.Parts[i].Text)
	}
	extra := string(m.Extra)
	changed := false
	for _, text := range append(texts, &extra) {
		now := clean(*text)
		changed = changed || now != *text
		*text = now
	}
	if changed {
		out.Extra, out.Tokens = []byte(extra), 0
	}
	return out
}

// clean is a text without the secrets that must not be stored.
func (s *Store) clean(text string) string {
	if s.redact == nil {
		return text
	}
	return s.redact(text)
}

// cleanMessage is a message without the secrets that must not be stored.
func (s *Store) cleanMessage(m Message) Message {
	if s.redact == nil {
		return m
	}
	return m.Redacted(s.redact)
}

// Begin stores a new session with its first message. A session without a message is never on disk.
// An empty session id gets a new one. The draft of the chat that had not begun is emptied with it.
func (s *Store) Begin(ctx context.Context, in Session, first Message) (session Session, message Message, err error) {
	in.ID = cmp.Or(in.ID, newID())
	first.Session, first.Parent = in.ID, 0
	err = s.save(ctx, "begin the session", func(t *tx) {
		n := s.addSession(t, in)
		t.exec(`DELETE FROM drafts WHERE session = 0`)
		message = s.append(t, first, "")
		session = sessionByKey(t, n).Session
	})
	return session, message, err
}

// Append stores a message behind its parent and makes it the session's leaf. With a parent that
// already has a message behind it, it begins a new branch. It sets ID, Seq and CreatedMS where that
// is 0; an empty status is complete. A user's message empties the session's draft; one that was queued leaves the queue
// instead.
func (s *Store) Append(ctx context.Context, m Message) (Message, error) {
	if m.Status == history.Streaming {
		return Message{}, errors.New("save the message: one that is still arriving is stored by StartAnswer")
	}
	return inTx(ctx, s.save, "save the message", func(t *tx) Message { return s.append(t, m, "") })
}

func (s *Store) append(t *tx, m Message, owner string) Message {
	m = s.cleanMessage(m)
	n := sessionKey(t, m.Session)
	inSession(t, n, m.Parent)
	m.Status = cmp.Or(m.Status, history.Complete)
	m.CreatedMS = cmp.Or(m.CreatedMS, s.now().UnixMilli())
	m.ID, m.Seq = s.newID(t), nextSeq(t, n)
	insertMessage(t, n, m, owner)
	turn := m.Role == history.User
	t.exec(`
		UPDATE sessions
		SET changes = changes + 1, messages = messages + 1, turns = turns + ?, leaf = ?
		WHERE n = ?`, turn, m.ID, n)
	if turn && m.Queued != 0 { // the draft is the message after it
		dequeue(t, n, m.Queued)
	} else if turn {
		t.exec(`DELETE FROM drafts WHERE session = ?`, n)
	}
	m.Siblings = value[int](t, `SELECT count(*) FROM messages WHERE session = ? AND parent = ?`, n, m.Parent)
	m.Sibling, m.Queued, m.Damaged = m.Siblings, 0, false
	m.readExtra()
	s.use(t, n)
	return m
}

// inSession fails with ErrNotFound where a message is not one of the session's. 0 is none and fits
// everywhere.
func inSession(t *tx, n, message int64) {
	if message != 0 && value[int64](t, `SELECT id FROM messages WHERE id = ? AND session = ?`, message, n) == 0 {
		t.missing("find message %d in its session", message)
	}
}

// nextSeq is the place of the next message of a session.
func nextSeq(t *tx, n int64) int {
	return value[int](t, `SELECT coalesce(max(seq), 0) + 1 FROM messages WHERE session = ?`, n)
}

// insertMessage writes a message with its calls and parts. Where it is whole, its words go to the index.
func insertMessage(t *tx, n int64, m Message, owner string) {
	l := MessageLine{Message: m, session: n, owner: owner}
	keys := l.attach(t)
	t.insert("messages", l.columns())
	l.insertContent(t, keys)
}

// insertContent writes the calls and parts of a message, whose bytes have these keys, and where it is whole its words.
func (l *MessageLine) insertContent(t *tx, keys []int64) {
	l.insertCallsAndParts(t, keys)
	if l.Status != history.Streaming {
		t.fail(search.Add(t.ctx, t.Tx, l.ID, search.Text(l.Message.Message)))
	}
}

// message reads one message by its id, and fails with ErrNotFound where there is none.
func message(t *tx, id int64) Message {
	for _, m := range messagesWith(t, []int64{id}) {
		return m
	}
	t.missing("find message %d", id)
	return Message{}
}

// MessagesWith returns the messages of one session that have these ids, in the order of their ids. Ids that no message
// has are left out.
func (s *Store) MessagesWith(ctx context.Context, ids []int64) ([]Message, error) {
	return inTx(ctx, s.view, "read the messages", func(t *tx) []Message { return messagesWith(t, ids) })
}

func messagesWith(t *tx, ids []int64) []Message {
	all := readMessages(t, "json_each(?) CROSS JOIN messages m ON m.id = json_each.value", sqlite.IDs(ids))
	if len(all) == 0 {
		return nil
	}
	return complete(t, sessionByKey(t, all[0].session).ID, all)
}

// Messages returns all messages of a session, those of every branch, in the order in which they were
// stored: a message comes behind its parent.
func (s *Store) Messages(ctx context.Context, session string) ([]Message, error) {
	return withSession(ctx, s.view, "read the messages", session, func(t *tx, n int64) []Message {
		return complete(t, session, readMessages(t, "messages m WHERE m.session = ?", n))
	})
}

// readMessages reads messages without their calls and parts, in the order of their ids: a parent is older than its
// child, so that is the order of a branch. from is what follows FROM in the query, in which a message is called m.
func readMessages(t *tx, from string, args ...any) (all []MessageLine) {
	var l MessageLine  // one for all rows, so that its columns are listed once
	var siblings int64 // how many there are, and in the lower half the message's place among them
	into := append(fields(l.columns()), &siblings)
	t.each(func(scan func(...any) error) error {
		l = MessageLine{}
		err := scan(into...)
		l.Siblings, l.Sibling = int(siblings>>32), int(siblings&(1<<32-1))
		if len(all) == cap(all) {
			all = slices.Grow(all, max(4, len(all))) // large rows: append would copy them more often
		}
		all = append(all, l)
		return err
	}, `
		SELECT `+names(new(MessageLine).columns(), "m")+`, (
			SELECT count(*) << 32 | sum(x.id <= m.id)
			FROM messages x
			WHERE x.session = m.session AND x.parent = m.parent
		)
		FROM `+from, args...)
	slices.SortFunc(all, func(a, b MessageLine) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// assemble adds their calls and parts to the rows, and returns of each whether it fails its fingerprint. images
// is whether parts that are no texts come with their bytes, and are checked.
func assemble(t *tx, rows []MessageLine, images bool) (damaged []bool) {
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	calls, parts := callsOf(t, ids), partsOf(t, ids, images)
	damaged = make([]bool, len(rows))
	for i := range rows {
		r := &rows[i]
		r.ToolCalls, r.parts = calls[r.ID], parts[r.ID]
		for _, p := range r.parts {
			r.Parts = append(r.Parts, p.Part)
			damaged[i] = damaged[i] || p.damaged
		}
		damaged[i] = damaged[i] || string(r.fingerprint()) != string(r.hash)
	}
	return damaged
}

// complete assembles the rows and adds their places. A damaged one comes quarantined and without its text:
// what may not be what was said is neither shown as said nor sent.
func complete(t *tx, session string, rows []MessageLine) []Message {
	damaged := assemble(t, rows, true)
	out := make([]Message, len(rows))
	for i, r := range rows {
		m := r.Message
		m.Session = session
		if damaged[i] {
			m.Damaged, m.Status, m.Remains = true, history.Quarantined, m.Content
			m.Content, m.Reasoning, m.ToolCalls, m.Parts, m.Extra = "", "", nil, nil, nil
			m.Name, m.ToolCallID = "", ""
		}
		m.readExtra()
		out[i] = m
	}
	return out
}

// readExtra sets what a message's row says of the reply beside the text: who wrote it, and the keys
// that only its server understands. Extra has those in one object: under message the keys of the
// message, under tool_calls those of each call by its place from 0, and under chunk what came beside
// the message and belongs to nobody. The values keep their bytes. The result of a recall has under read_again the
// positions of the messages that it holds.
func (m *Message) readExtra() {
	m.Origin = history.Origin{Endpoint: m.Endpoint, Model: m.Model}
	m.Replay, m.ReadAgain = "", nil
	if len(m.Extra) == 0 {
		return
	}
	var extra struct {
		Message   json.RawMessage            `json:"message"`
		ToolCalls map[string]json.RawMessage `json:"tool_calls"`
		ReadAgain []int                      `json:"read_again"`
	}
	if json.Unmarshal(m.Extra, &extra) != nil {
		return // Not a reply's: it is kept as it is and goes nowhere.
	}
	m.Replay = string(extra.Message)
	if m.Role == history.Tool {
		m.ReadAgain = extra.ReadAgain
	}
	if len(extra.ToolCalls) == 0 {
		return
	}
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for place := range m.ToolCalls {
		m.ToolCalls[place].Replay = string(extra.ToolCalls[strconv.Itoa(place)])
	}
}

// SetFault keeps why a turn failed behind a message, as Message.Fault. It changes nothing that was said. The error is
// ErrNotFound where the message is gone.
func (s *Store) SetFault(ctx context.Context, message int64, fault string) error {
	return s.jot(ctx, "record why the turn failed", func(t *tx) {
		session := sessionHolding(t, message)
		fault := s.clean(fault)
		text, err := marshalText(fault)
		t.fail(err)
		t.exec(`UPDATE messages SET fault = ? WHERE id = ?`, fault, message)
		s.setRegister(t, session, message, faultValue, string(text))
	})
}

// SetTokens caches what a tokenizer counted, by message. It changes nothing that was said. Answers
// that still arrive are left alone, and so are messages that are gone.
func (s *Store) SetTokens(ctx context.Context, tokenizer string, counts map[int64]int) error {
	return s.jot(ctx, "keep the token counts", func(t *tx) {
		// In the order of the ids neighbours in the file are written together.
		for _, id := range slices.Sorted(maps.Keys(counts)) {
			t.exec(`UPDATE messages SET tokens = ?, tokenizer = ? WHERE id = ? AND status <> ?`,
				counts[id], tokenizer, id, history.Streaming)
		}
	})
}
