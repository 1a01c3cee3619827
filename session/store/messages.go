package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"iter"
	"maps"
	"slices"

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
	Queued       int64  // of a user's message that is being stored: its id in the queue, which it leaves with that
	Fault        string // set by SetFault: why its turn failed behind it, where no request failed; "" for none
	Alone        bool   // of a user's message: it is sent without the conversation before it, now and later
	Damaged      bool   // its bytes fail their hash: it is quarantined and comes without its text
	// Remains is what can be read of a damaged message's text: to be shown as damaged, never as said, and never sent.
	Remains string
	// Extra has unknown keys of the reply, or of the message in an imported file: raw JSON, "" for none. Replay is
	// read from it and never stored.
	Extra string

	stored
}

// stored is what the row of a message has besides. Callers get messages without it.
type stored struct {
	session int64  // the session's short key
	hash    []byte // of what was said when it was stored
	owner   string // who streams it, "" for nobody
	parts   []part // Parts as they are stored
}

func (m *Message) columns() []column {
	return []column{
		{"id", &m.ID, fixed},
		{"session", &m.session, local | fixed},
		{"seq", &m.Seq, local | fixed},
		{"parent", &m.Parent, fixed},
		{"role", &m.Role, 0},
		{"status", &m.Status, 0},
		{"created_ms", &m.CreatedMS, fixed},
		{"tokens", &m.Tokens, 0},
		{"tokenizer", &m.Tokenizer, 0},
		{"request", &m.Request, 0},
		{"alone", &m.Alone, fixed},
		{"owner", &m.owner, local},
		{"endpoint", &m.Endpoint, 0},
		{"model", &m.Model, 0},
		{"finish_reason", &m.FinishReason, 0},
		{"label", &m.Label, 0},
		{"name", (*blob)(&m.Name), secret},
		{"tool_call_id", (*blob)(&m.ToolCallID), 0},
		{"hash", &m.hash, 0},
		{"tool_calls", &jsonColumn{&nested[history.ToolCall]{&m.ToolCalls, callColumns}}, 0},
		{"parts", &jsonColumn{&nested[part]{&m.parts, partColumns}}, 0},
		{"extra", (*blob)(&m.Extra), secret},
		{"reasoning", (*blob)(&m.Reasoning), secret},
		{"content", (*blob)(&m.Content), secret},
		{"session_id", &m.Session, given},
		{"fault", &m.Fault, given},
		{"siblings", &m.Siblings, given},
		{"sibling", &m.Sibling, given},
	}
}

// Redacted is a message without the secrets that clean takes out of its texts, as in history.Message.
func (m Message) Redacted(clean func(string) string) Message {
	m.Message, m.Extra = m.Message.Redacted(clean), clean(m.Extra)
	return m
}

// Begin stores a new session with its first message. A session without a message is never on disk.
// An empty session id gets a new one. The draft of the chat that had not begun is emptied with it.
func (s *Store) Begin(ctx context.Context, in Session, first Message) (session Session, message Message, err error) {
	in.ID = cmp.Or(in.ID, newSessionID())
	first.Session, first.Parent = in.ID, 0
	err = s.save(ctx, "begin the session", func(t *tx) {
		n := s.addSession(t, in)
		t.Exec(`DELETE FROM drafts WHERE session = 0`)
		message = s.append(t, first)
		session = sessionByKey(t, n)
	})
	return session, message, err
}

// Append stores a message behind its parent and makes it the session's leaf. With a parent that
// already has a message behind it, it begins a new branch. It sets ID, Seq and CreatedMS where that
// is 0; an empty status is complete. A user's message empties the session's draft; one that was queued leaves the queue
// instead.
func (s *Store) Append(ctx context.Context, m Message) (Message, error) {
	return inTx(ctx, s.save, "save the message", func(t *tx) Message { return s.append(t, m) })
}

func (s *Store) append(t *tx, m Message) Message {
	m = m.Redacted(s.clean)
	m.session = sessionKey(t, m.Session)
	inSession(t, m.session, m.Parent)
	m.Status = cmp.Or(m.Status, history.Complete)
	m.CreatedMS = cmp.Or(m.CreatedMS, s.now().UnixMilli())
	m.ID, m.Seq = s.newID(t), nextSeq(t, m.session)
	m.attach(t.attach)
	t.put("INSERT INTO messages", m.columns(), "")
	m.index(t)
	turn := m.Role == history.User
	t.Exec(`
		UPDATE sessions
		SET changes = changes + 1, messages = messages + 1, turns = turns + ?, leaf = ?
		WHERE n = ?`, turn, m.ID, m.session)
	if turn && m.Queued != 0 { // the draft is the message after it
		dequeue(t, m.session, m.Queued)
	} else if turn {
		t.Exec(`DELETE FROM drafts WHERE session = ?`, m.session)
	}
	s.use(t, m.session)
	return message(t, m.ID)
}

// inSession fails with ErrNotFound where a message is not one of the session's. 0 is none and fits
// everywhere.
func inSession(t *tx, n, message int64) {
	if message != 0 && sessionHolding(t, message) != n {
		t.missing("find message %d in its session", message)
	}
}

// nextSeq is the place of the next message of a session.
func nextSeq(t *tx, n int64) int {
	return sqlite.Value[int](t, `SELECT coalesce(max(seq), 0) + 1 FROM messages WHERE session = ?`, n)
}

// message reads one message by its id, and fails with ErrNotFound where there is none.
func message(t *tx, id int64) Message {
	for _, m := range messagesWith(t, []int64{id}) {
		return m
	}
	t.missing("find message %d", id)
	return Message{}
}

// MessagesWith returns the messages that have these ids, in the order of their ids. Ids that no message
// has are left out.
func (s *Store) MessagesWith(ctx context.Context, ids []int64) ([]Message, error) {
	return inTx(ctx, s.view, "read the messages", func(t *tx) []Message { return messagesWith(t, ids) })
}

func messagesWith(t *tx, ids []int64) []Message {
	return complete(messagesThat(t, true, "id"+these, sqlite.IDs(ids)))
}

// these is the condition that an id is one of a JSON array.
const these = ` IN (SELECT value FROM json_each(?))`

// Messages returns all messages of a session, those of every branch, in the order in which they were
// stored: a message comes behind its parent.
func (s *Store) Messages(ctx context.Context, session string) ([]Message, error) {
	return withSession(ctx, s.view, "read the messages", session, func(t *tx, n int64) []Message {
		return complete(messagesThat(t, true, "session = ?", n))
	})
}

// messagesThat reads the messages that a condition picks, as eachMessage does.
func messagesThat(t *tx, images bool, condition string, args ...any) (all []Message) {
	for m := range eachMessage(t, images, condition, args...) {
		all = append(all, m)
	}
	return all
}

// eachMessage reads the messages that a condition picks as they are stored, one by one in the order of their ids: a
// parent is older than its child, so that is the order of a branch. images is as in Message.load.
func eachMessage(t *tx, images bool, condition string, args ...any) iter.Seq[Message] {
	return func(yield func(Message) bool) {
		for m := range each[Message](t, "placed_messages WHERE "+condition+" ORDER BY id", args...) {
			if m.load(t, images); !yield(*m) {
				return
			}
		}
	}
}

// complete makes messages what callers get. A damaged one comes quarantined and without its text: what
// may not be what was said is neither shown as said nor sent.
func complete(all []Message) []Message {
	for i := range all {
		m := &all[i]
		if m.Damaged {
			m.Status, m.Remains = history.Quarantined, m.Content
			m.Content, m.Reasoning, m.ToolCalls, m.Parts = "", "", nil, nil
			m.Extra, m.Name, m.ToolCallID = "", "", ""
		}
		m.Origin = history.Origin{Endpoint: m.Endpoint, Model: m.Model}
		m.ParseExtra(m.Extra)
		m.stored = stored{}
	}
	return all
}

// SetTokens caches what a tokenizer counted, by message. It changes nothing that was said. Answers
// that still arrive are left alone, and so are messages that are gone.
func (s *Store) SetTokens(ctx context.Context, tokenizer string, counts map[int64]int) error {
	return s.jot(ctx, "keep the token counts", func(t *tx) {
		// In the order of the ids neighbours in the file are written together.
		for _, id := range slices.Sorted(maps.Keys(counts)) {
			t.Exec(`UPDATE messages SET tokens = ?, tokenizer = ? WHERE id = ? AND status <> ?`,
				counts[id], tokenizer, id, history.Streaming)
		}
	})
}

// callColumns are what is stored of a tool call, as received.
func callColumns(c *history.ToolCall) []column {
	return []column{
		{"call_id", (*blob)(&c.ID), 0},
		{"name", (*blob)(&c.Name), 0},
		{"arguments", (*blob)(&c.Arguments), 0},
	}
}

// part is a part of a message as it is stored: its bytes are an attachment.
type part struct {
	history.Part
	hash string // hex SHA-256 of the bytes when they were stored
}

func partColumns(p *part) []column {
	return []column{
		{"kind", &p.Kind, 0},
		{"name", (*blob)(&p.Name), 0},
		{"media_type", (*blob)(&p.MediaType), 0},
		{"tokens", &p.Tokens, 0},
		{"hash", &p.hash, 0},
	}
}

// data returns what a part is stored as.
func (p *part) data() []byte {
	if p.Kind == history.TextPart {
		return []byte(p.Text)
	}
	return p.Data
}

// setData sets what a part holds.
func (p *part) setData(data []byte) {
	if p.Kind == history.TextPart {
		p.Text = string(data)
	} else {
		p.Data = data
	}
}

// hashOf is the SHA-256 of bytes in hexadecimal.
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// attach sets the parts of a message as they are stored, and its fingerprint. keep stores the bytes of a part.
func (m *Message) attach(keep func(hash string, data []byte)) {
	m.parts = nil
	for _, of := range m.Parts {
		p := part{Part: of}
		p.hash = hashOf(p.data())
		keep(p.hash, p.data())
		m.parts = append(m.parts, p)
	}
	m.hash = m.fingerprint()
}

// attach stores bytes under a hash, once however often they are attached. Where other bytes stand under it already,
// those that have the hash are kept: a good copy repairs every message with a damaged one.
func (t *tx) attach(hash string, data []byte) {
	t.Exec(`
		INSERT INTO attachments (hash, data)
		VALUES (?1, ?2)
		ON CONFLICT (hash) DO UPDATE
		SET data = ?2
		WHERE ?3 AND data <> ?2`, hash, append([]byte{}, data...), hashOf(data) == hash)
}

// readAttachment reads the bytes under a hash, and reports whether there are any.
func (t *tx) readAttachment(hash string) (data []byte, there bool) {
	there = t.Row([]any{&data}, `SELECT data FROM attachments WHERE hash = ?`, hash)
	return data, there
}

// load sets the parts of a message, and finds out whether it is damaged. images is whether parts that are no texts come
// with their bytes, and are checked.
func (m *Message) load(t *tx, images bool) {
	for _, p := range m.parts {
		if images || p.Kind == history.TextPart {
			data, _ := t.readAttachment(p.hash)
			p.setData(data)
			m.Damaged = m.Damaged || hashOf(data) != p.hash
		}
		m.Parts = append(m.Parts, p.Part)
	}
	m.Damaged = m.Damaged || !bytes.Equal(m.fingerprint(), m.hash)
}

// fingerprint is the SHA-256 of everything a message says: who speaks, the text, the reasoning, the calls and the
// parts. A row whose hash differs was damaged on disk. What may change while the message stays the same, such as its
// status, is left out.
func (m *Message) fingerprint() []byte {
	texts := []string{string(m.Role), m.Name, m.Label, m.Content, m.Reasoning, m.ToolCallID, m.Extra}
	for _, c := range m.ToolCalls {
		texts = append(texts, c.ID, c.Name, c.Arguments)
	}
	for _, part := range m.parts {
		texts = append(texts, string(part.Kind), part.Name, part.MediaType, part.hash)
	}
	var all []byte
	for _, text := range texts { // each after its length, so that text moved from one to the next is noticed
		all = binary.LittleEndian.AppendUint64(all, uint64(len(text)))
		all = append(all, text...)
	}
	sum := sha256.Sum256(all)
	return sum[:]
}
