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

// Message is a stored message with the columns of its row.
type Message struct {
	history.Message
	Session      string
	Seq          int   // position in the session across all branches, from 1
	Parent       int64 // the message before it on its branch, 0 for the first
	Siblings     int   // the number of messages with the same parent, including itself
	Sibling      int   // position among them, from 1
	Request      int64 // the request that it answers, 0 for none
	Endpoint     string
	Model        string // the model that wrote it
	FinishReason string
	Tokenizer    string // the tokenizer that counted Tokens, "" if they are not counted
	Queued       int64  // set by the caller of AppendMessage: the id of the queued message that this one was
	Fault        string // set by SetFault: why the turn after it failed although no request did; "" for none
	Alone        bool   // a user message that is always sent without the messages before it
	Damaged      bool   // the content does not match its hash: the message is quarantined and comes without its text
	// Remains is the text of a damaged message as it is stored now. It may be shown as damaged, and is never sent.
	Remains string
	// Extra holds unknown keys of the reply, or of the message in an imported file, as raw JSON; "" for none. The field
	// Replay of history.Message is read from it and not stored itself.
	Extra string

	stored
}

// stored holds the columns of a message that callers do not see. It is empty in the messages that they get.
type stored struct {
	session int64  // the short key of the session
	hash    []byte // fingerprint when the message was stored
	owner   string // token of the window that streams it, "" for none
	parts   []part // Parts in their stored form
}

func (m *Message) columns() []column {
	return []column{
		{"id", &m.ID, immutable},
		{"session", &m.session, local | immutable},
		{"seq", &m.Seq, local | immutable},
		{"parent", &m.Parent, immutable},
		{"role", &m.Role, 0},
		{"status", &m.Status, 0},
		{"created_ms", &m.CreatedMS, immutable},
		{"tokens", &m.Tokens, 0},
		{"tokenizer", &m.Tokenizer, 0},
		{"request", &m.Request, 0},
		{"alone", &m.Alone, immutable},
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
		{"session_id", &m.Session, generated},
		{"fault", &m.Fault, generated},
		{"siblings", &m.Siblings, generated},
		{"sibling", &m.Sibling, generated},
	}
}

// Redacted returns the message with clean applied to its texts. See history.Message.Redacted.
func (m Message) Redacted(clean func(string) string) Message {
	m.Message, m.Extra = m.Message.Redacted(clean), clean(m.Extra)
	return m
}

// BeginSession stores a new session with its first message; a session without messages is never stored. An empty
// session ID is replaced by a new one. It deletes the draft of the chat that was not stored yet.
func (s *Store) BeginSession(ctx context.Context, in Session, first Message) (session Session, m Message, err error) {
	in.ID = cmp.Or(in.ID, newSessionID())
	first.Session, first.Parent = in.ID, 0
	err = s.save(ctx, "start the chat", func(t *tx) {
		n := s.addSession(t, in)
		t.Exec(`DELETE FROM drafts WHERE session = 0`)
		m = s.append(t, first)
		session = readSession(t, n)
	})
	return session, m, err
}

// AppendMessage stores a message after its parent and makes it the leaf of its session. If the parent already has a
// child, the message begins a new branch. It sets ID, Seq and, if it is 0, CreatedMS; an empty status becomes complete.
// A user message removes its entry from the queue if Queued is set, and otherwise deletes the session's draft.
func (s *Store) AppendMessage(ctx context.Context, m Message) (Message, error) {
	return inTx(ctx, s.save, "save the message", func(t *tx) Message { return s.append(t, m) })
}

func (s *Store) append(t *tx, m Message) Message {
	m = m.Redacted(s.clean)
	m.session = sessionKey(t, m.Session)
	inSession(t, m.session, m.Parent)
	m.Status = cmp.Or(m.Status, history.Complete)
	m.CreatedMS = cmp.Or(m.CreatedMS, s.now().UnixMilli())
	m.ID, m.Seq = s.newID(t), nextSeq(t, m.session)
	m.storeParts(t.putAttachment)
	t.put("INSERT INTO messages", m.columns(), "")
	m.index(t)
	turn := m.Role == history.User
	t.Exec(`
		UPDATE sessions
		SET changes = changes + 1, messages = messages + 1, turns = turns + ?, leaf = ?
		WHERE n = ?`, turn, m.ID, m.session)
	if turn && m.Queued != 0 { // the draft is the next message, so it stays
		dequeue(t, m.session, m.Queued)
	} else if turn {
		t.Exec(`DELETE FROM drafts WHERE session = ?`, m.session)
	}
	s.markUsed(t, m.session)
	return message(t, m.ID)
}

// inSession fails with ErrNotFound if message does not belong to the session with key n. Message 0 stands for none and
// is always accepted.
func inSession(t *tx, n, message int64) {
	if message != 0 && sessionOfMessage(t, message) != n {
		t.notFound("find message %d in its chat", message)
	}
}

// nextSeq returns the Seq of the next message of a session.
func nextSeq(t *tx, n int64) int {
	return sqlite.QueryValue[int](t, `SELECT coalesce(max(seq), 0) + 1 FROM messages WHERE session = ?`, n)
}

// message reads one message by its id. It fails with ErrNotFound if there is none.
func message(t *tx, id int64) Message {
	for _, m := range messagesByID(t, []int64{id}) {
		return m
	}
	t.notFound("find message %d", id)
	return Message{}
}

// MessagesByID returns the messages with these ids in ascending order. Unknown ids are skipped.
func (s *Store) MessagesByID(ctx context.Context, ids []int64) ([]Message, error) {
	return inTx(ctx, s.view, "read the messages", func(t *tx) []Message { return messagesByID(t, ids) })
}

func messagesByID(t *tx, ids []int64) []Message {
	return quarantineDamaged(readMessages(t, true, "id"+inArray, sqlite.JSONArray(ids)))
}

// inArray is an SQL condition: the value is in a JSON array that is passed as a parameter.
const inArray = ` IN (SELECT value FROM json_each(?))`

// Messages returns the messages of all branches of a session in ascending order of id, so that each comes after its
// parent.
func (s *Store) Messages(ctx context.Context, session string) ([]Message, error) {
	return withSession(ctx, s.view, "read the messages", session, func(t *tx, n int64) []Message {
		return quarantineDamaged(readMessages(t, true, "session = ?", n))
	})
}

// readMessages reads the messages that match a condition. See eachMessage.
func readMessages(t *tx, images bool, condition string, args ...any) (all []Message) {
	for m := range eachMessage(t, images, condition, args...) {
		all = append(all, m)
	}
	return all
}

// eachMessage reads the messages that match a condition in their stored form, one by one in ascending order of id. A
// parent has a smaller id than its children, so this is also the order of a branch. images is as in Message.loadParts.
func eachMessage(t *tx, images bool, condition string, args ...any) iter.Seq[Message] {
	return func(yield func(Message) bool) {
		for m := range each[Message](t, "placed_messages WHERE "+condition+" ORDER BY id", args...) {
			if m.loadParts(t, images); !yield(*m) {
				return
			}
		}
	}
}

// quarantineDamaged prepares messages for callers. It removes the text of a damaged message, because text that may have
// changed must not be sent or shown as the original.
func quarantineDamaged(all []Message) []Message {
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

// SetTokens stores the token counts of messages by id. It skips messages that are still streaming or no longer exist.
func (s *Store) SetTokens(ctx context.Context, tokenizer string, counts map[int64]int) error {
	return s.saveFast(ctx, "save the token counts", func(t *tx) {
		// In ascending order of id, neighbouring rows are written together.
		for _, id := range slices.Sorted(maps.Keys(counts)) {
			t.Exec(`UPDATE messages SET tokens = ?, tokenizer = ? WHERE id = ? AND status <> ?`,
				counts[id], tokenizer, id, history.Streaming)
		}
	})
}

// callColumns lists the stored fields of a tool call.
func callColumns(c *history.ToolCall) []column {
	return []column{
		{"call_id", (*blob)(&c.ID), 0},
		{"name", (*blob)(&c.Name), 0},
		{"arguments", (*blob)(&c.Arguments), 0},
	}
}

// part is a message part in its stored form, which refers to its bytes by hash.
type part struct {
	history.Part
	hash string // SHA-256 in hexadecimal of the bytes when they were stored
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

// data returns the bytes of the part that are stored as an attachment.
func (p *part) data() []byte {
	if p.Kind == history.TextPart {
		return []byte(p.Text)
	}
	return p.Data
}

// setData sets the text or the bytes of the part from its attachment.
func (p *part) setData(data []byte) {
	if p.Kind == history.TextPart {
		p.Text = string(data)
	} else {
		p.Data = data
	}
}

// hashOf returns the SHA-256 of data in hexadecimal.
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// storeParts sets the stored form of the parts and the fingerprint of the message. It passes the bytes of each part to
// keep.
func (m *Message) storeParts(keep func(hash string, data []byte)) {
	m.parts = nil
	for _, of := range m.Parts {
		p := part{Part: of}
		p.hash = hashOf(p.data())
		keep(p.hash, p.data())
		m.parts = append(m.parts, p)
	}
	m.hash = m.fingerprint()
}

// putAttachment stores bytes under a hash unless they exist. Bytes that match the hash replace damaged ones, which
// repairs every message that refers to them.
func (t *tx) putAttachment(hash string, data []byte) {
	t.Exec(`
		INSERT INTO attachments (hash, data)
		VALUES (?1, ?2)
		ON CONFLICT (hash) DO UPDATE
		SET data = ?2
		WHERE ?3 AND data <> ?2`, hash, append([]byte{}, data...), hashOf(data) == hash)
}

// readAttachment reads the bytes stored under a hash and reports whether there are any.
func (t *tx) readAttachment(hash string) (data []byte, there bool) {
	there = t.Row([]any{&data}, `SELECT data FROM attachments WHERE hash = ?`, hash)
	return data, there
}

// loadParts reads the parts of a message and sets Damaged. If images is false, the bytes of parts other than text are
// neither read nor verified.
func (m *Message) loadParts(t *tx, images bool) {
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

// fingerprint returns the SHA-256 of the content of a message: its role, texts, reasoning, tool calls and parts. A
// message whose stored hash differs was damaged on disk. Fields that may change later, such as the status, are not
// covered.
func (m *Message) fingerprint() []byte {
	texts := []string{string(m.Role), m.Name, m.Label, m.Content, m.Reasoning, m.ToolCallID, m.Extra}
	for _, c := range m.ToolCalls {
		texts = append(texts, c.ID, c.Name, c.Arguments)
	}
	for _, part := range m.parts {
		texts = append(texts, string(part.Kind), part.Name, part.MediaType, part.hash)
	}
	var all []byte
	for _, text := range texts { // each after its length, so that moving text from one to the next is noticed
		all = binary.LittleEndian.AppendUint64(all, uint64(len(text)))
		all = append(all, text...)
	}
	sum := sha256.Sum256(all)
	return sum[:]
}
