package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"winnow/history"
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
	Extra        []byte // unknown keys of the reply, or of the message in an imported file, raw JSON, nil for none; Replay is read from it and never stored
	Queued       int64  // of a user's message that is being stored: its id in the session's queue, which it leaves with that; 0 for none
	Fault        string // why its turn failed behind it, where no request failed: JSON as Request.Fault, "" for none
	Alone        bool   // of a user's message: it is sent without the conversation before it, whenever it is asked again
	Damaged      bool   // its bytes fail their hash: it is quarantined and comes without its text
	Remains      string // what can be read of a damaged message's text: to be shown as damaged, never as said, and never sent
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
		{"fault", &m.Fault, secretJSON | fixed},
		{"label", &m.Label, 0},
		{"name", blob{&m.Name}, secret},
		{"tool_call_id", blob{&m.ToolCallID}, 0},
		{"hash", &l.hash, 0},
		{"extra", raw{&m.Extra}, secretJSON},
		{"reasoning", blob{&m.Reasoning}, secret},
		{"content", blob{&m.Content}, secret},
		{"tool_calls", nested[history.ToolCall]{&m.ToolCalls, callColumns}, lineOnly},
		{"parts", nested[part]{&l.parts, partColumns}, lineOnly},
	}
}

// Redacted is a message without the secrets that clean takes out of its texts. Its tokens are to be counted anew
// where that changed it. The caller's message stays as it is.
func (m Message) Redacted(clean func(string) string) Message {
	m.ToolCalls, m.Parts = slices.Clone(m.ToolCalls), slices.Clone(m.Parts)
	l := MessageLine{Message: m}
	changed := redactColumns(l.columns(), clean)
	for i := range m.Parts {
		p := &m.Parts[i]
		name, text := clean(p.Name), clean(p.Text)
		changed = changed || name != p.Name || text != p.Text
		p.Name, p.Text = name, text
	}
	if changed {
		l.Tokens = 0
	}
	return l.Message
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
func (s *Store) Begin(ctx context.Context, in Session, first Message) (Session, Message, error) {
	if in.ID == "" {
		in.ID = newID()
	}
	var session Session
	first.Session, first.Parent = in.ID, 0
	message, err := inTx(ctx, s.save, "begin the session", func(tx *sql.Tx) (Message, error) {
		n, err := s.addSession(ctx, tx, in)
		if err != nil {
			return Message{}, err
		}
		if err := execute(ctx, tx, `DELETE FROM drafts WHERE session = 0`); err != nil {
			return Message{}, err
		}
		message, err := s.append(ctx, tx, first, "")
		if err != nil {
			return Message{}, err
		}
		row, err := sessionByKey(ctx, tx, n)
		session = row.Session
		return message, err
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
	return inTx(ctx, s.save, "save the message", func(tx *sql.Tx) (Message, error) { return s.append(ctx, tx, m, "") })
}

func (s *Store) append(ctx context.Context, tx *sql.Tx, m Message, owner string) (Message, error) {
	m = s.cleanMessage(m)
	n, err := sessionKey(ctx, tx, m.Session)
	if err != nil {
		return Message{}, err
	}
	if err := inSession(ctx, tx, n, m.Parent); err != nil {
		return Message{}, err
	}
	m.Status = cmp.Or(m.Status, history.Complete)
	m.CreatedMS = cmp.Or(m.CreatedMS, s.now().UnixMilli())
	if m.ID, err = s.newID(ctx, tx); err != nil {
		return Message{}, err
	}
	if m.Seq, err = nextSeq(ctx, tx, n); err != nil {
		return Message{}, err
	}
	if err := insertMessage(ctx, tx, n, m, owner); err != nil {
		return Message{}, err
	}
	turn := m.Role == history.User
	err = execute(ctx, tx, `
		UPDATE sessions
		SET changes = changes + 1, messages = messages + 1, turns = turns + ?, leaf = ?
		WHERE n = ?`, turn, m.ID, n)
	switch {
	case err != nil:
	case turn && m.Queued != 0: // the draft is the message after it
		err = dequeue(ctx, tx, n, m.Queued)
	case turn:
		err = execute(ctx, tx, `DELETE FROM drafts WHERE session = ?`, n)
	}
	if err != nil {
		return Message{}, err
	}
	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM messages WHERE session = ? AND parent = ?`, n, m.Parent).
		Scan(&m.Siblings)
	if err != nil {
		return Message{}, err
	}
	m.Sibling, m.Queued, m.Damaged = m.Siblings, 0, false
	m.readExtra()
	return m, s.use(ctx, tx, n)
}

// inSession returns ErrNotFound where a message is not one of the session's. 0 is none and fits
// everywhere.
func inSession(ctx context.Context, tx *sql.Tx, n, message int64) error {
	if message == 0 {
		return nil
	}
	err := tx.QueryRowContext(ctx, `SELECT id FROM messages WHERE id = ? AND session = ?`, message, n).Scan(&message)
	return found(fmt.Sprintf("find message %d in its session", message), err)
}

// nextSeq is the place of the next message of a session.
func nextSeq(ctx context.Context, tx *sql.Tx, n int64) (seq int, err error) {
	err = tx.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) + 1 FROM messages WHERE session = ?`, n).Scan(&seq)
	return seq, err
}

// insertMessage writes a message with its calls and parts. Where it is whole, its words go to the index.
func insertMessage(ctx context.Context, tx *sql.Tx, n int64, m Message, owner string) error {
	l := MessageLine{Message: m, session: n, owner: owner}
	keys, err := l.attach(ctx, tx)
	if err != nil {
		return err
	}
	if err := insertRow(ctx, tx, "messages", &l); err != nil {
		return err
	}
	return l.insertContent(ctx, tx, keys)
}

// insertContent writes the calls and parts of a message, whose bytes have these keys, and where it is whole its words.
func (l *MessageLine) insertContent(ctx context.Context, tx *sql.Tx, keys []int64) error {
	if err := l.insertCallsAndParts(ctx, tx, keys); err != nil || l.Status == history.Streaming {
		return err
	}
	return index(ctx, tx, l.ID, l.Message.Message)
}

// Message returns one message by its id, or ErrNotFound.
func (s *Store) Message(ctx context.Context, id int64) (Message, error) {
	return inTx(ctx, s.view, "read the message", func(tx *sql.Tx) (Message, error) { return message(ctx, tx, id) })
}

func message(ctx context.Context, tx *sql.Tx, id int64) (Message, error) {
	all, err := messagesWith(ctx, tx, []int64{id})
	if err == nil && len(all) == 0 {
		err = found(fmt.Sprintf("find message %d", id), sql.ErrNoRows)
	}
	if err != nil {
		return Message{}, err
	}
	return all[0], nil
}

// MessagesWith returns the messages of one session that have these ids, in the order of their ids. Ids that no message
// has are left out.
func (s *Store) MessagesWith(ctx context.Context, ids []int64) ([]Message, error) {
	return inTx(ctx, s.view, "read the messages", func(tx *sql.Tx) ([]Message, error) {
		return messagesWith(ctx, tx, ids)
	})
}

func messagesWith(ctx context.Context, tx *sql.Tx, ids []int64) ([]Message, error) {
	all, err := readMessages(ctx, tx, "json_each(?) CROSS JOIN messages m ON m.id = json_each.value", sqlite.IDs(ids))
	if err != nil || len(all) == 0 {
		return nil, err
	}
	session, err := sessionByKey(ctx, tx, all[0].session)
	if err != nil {
		return nil, err
	}
	return complete(ctx, tx, session.ID, all)
}

// Messages returns all messages of a session, those of every branch, in the order in which they were
// stored: a message comes behind its parent.
func (s *Store) Messages(ctx context.Context, session string) ([]Message, error) {
	return withSession(ctx, s.view, "read the messages", session, func(tx *sql.Tx, n int64) ([]Message, error) {
		all, err := readMessages(ctx, tx, "messages m WHERE m.session = ?", n)
		if err != nil {
			return nil, err
		}
		return complete(ctx, tx, session, all)
	})
}

// readMessages reads messages without their calls and parts, in the order of their ids: a parent is older than its
// child, so that is the order of a branch. from is what follows FROM in the query, in which a message is called m.
func readMessages(ctx context.Context, tx *sql.Tx, from string, args ...any) ([]MessageLine, error) {
	all, err := sqlite.Collect(ctx, tx, func(scan func(...any) error) (l MessageLine, err error) {
		var siblings int64 // how many there are, and in the lower half the message's place among them
		err = scan(append(fields(l.columns()), &siblings)...)
		l.Siblings, l.Sibling = int(siblings>>32), int(siblings&(1<<32-1))
		return l, err
	}, `
		SELECT `+names(new(MessageLine).columns(), "m")+`, (
			SELECT count(*) << 32 | sum(x.id <= m.id)
			FROM messages x
			WHERE x.session = m.session AND x.parent = m.parent
		)
		FROM `+from, args...)
	slices.SortFunc(all, func(a, b MessageLine) int { return cmp.Compare(a.ID, b.ID) })
	return all, err
}

// assemble adds their calls and parts to the rows, and returns of each whether it fails its fingerprint. images
// is whether parts that are no texts come with their bytes, and are checked.
func assemble(ctx context.Context, tx *sql.Tx, rows []MessageLine, images bool) (damaged []bool, err error) {
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	calls, err := callsOf(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	parts, err := partsOf(ctx, tx, ids, images)
	if err != nil {
		return nil, err
	}
	print := newPrinter()
	damaged = make([]bool, len(rows))
	for i := range rows {
		r := &rows[i]
		r.ToolCalls, r.parts = calls[r.ID], parts[r.ID]
		for _, p := range r.parts {
			r.Parts = append(r.Parts, p.Part)
			damaged[i] = damaged[i] || p.damaged
		}
		damaged[i] = damaged[i] || string(print.print(r)) != string(r.hash)
	}
	return damaged, nil
}

// complete assembles the rows and adds their places. A damaged one comes quarantined and without its text:
// what may not be what was said is neither shown as said nor sent.
func complete(ctx context.Context, tx *sql.Tx, session string, rows []MessageLine) ([]Message, error) {
	damaged, err := assemble(ctx, tx, rows, true)
	if err != nil {
		return nil, err
	}
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
	return out, nil
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
	return s.jot(ctx, "record why the turn failed", func(tx *sql.Tx) error {
		session, err := sessionHolding(ctx, tx, message)
		if err != nil {
			return err
		}
		if err := execute(ctx, tx, `UPDATE messages SET fault = ? WHERE id = ?`, s.clean(fault), message); err != nil {
			return err
		}
		return s.setRegister(ctx, tx, session, message, faultValue)
	})
}

// SetTokens caches what a tokenizer counted, by message. It changes nothing that was said. Answers
// that still arrive are left alone, and so are messages that are gone.
func (s *Store) SetTokens(ctx context.Context, tokenizer string, counts map[int64]int) error {
	// In the order of the ids neighbours in the file are written together.
	ids := slices.SortedFunc(maps.Keys(counts), cmp.Compare[int64])
	return s.jot(ctx, "keep the token counts", func(tx *sql.Tx) error {
		for _, id := range ids {
			err := execute(ctx, tx, `UPDATE messages SET tokens = ?, tokenizer = ? WHERE id = ? AND status <> ?`,
				counts[id], tokenizer, id, history.Streaming)
			if err != nil {
				return err
			}
		}
		return nil
	})
}
