package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// callColumns are the columns of a tool call, as received.
func callColumns(c *history.ToolCall) []column {
	return []column{
		{"call_id", (*blob)(&c.ID), 0},
		{"name", (*blob)(&c.Name), secret},
		{"arguments", (*blob)(&c.Arguments), secret},
	}
}

// part is a part of a message as it is stored: its bytes are an attachment.
type part struct {
	history.Part
	attachment int64  // its key
	hash       string // hex SHA-256 of the bytes when they were stored
}

func partColumns(p *part) []column {
	return []column{
		{"kind", &p.Kind, 0},
		{"name", &p.Name, secret},
		{"media_type", &p.MediaType, 0},
		{"tokens", &p.Tokens, 0},
		{"attachment", &p.attachment, local},
		{"hash", &p.hash, lineOnly},
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

// attach sets the parts of a message as they are stored, and its fingerprint. keep stores the bytes of a part and
// returns their key.
func (m *Message) attach(keep func(hash string, data []byte) (key int64)) {
	m.parts = nil
	for _, of := range m.Parts {
		p := part{Part: of}
		p.hash = hashOf(p.data())
		p.attachment = keep(p.hash, p.data())
		m.parts = append(m.parts, p)
	}
	m.hash = m.fingerprint()
}

// attach stores bytes under a hash, once however often they are attached, and returns their key. Where other bytes stand
// under it already, those that have the hash are kept: a good copy repairs every message with a damaged one.
func (t *tx) attach(hash string, data []byte) (key int64) {
	sum, err := hex.DecodeString(hash)
	t.fail(err)
	t.exec(`
		INSERT INTO attachments (hash, data)
		VALUES (?1, ?2)
		ON CONFLICT (hash) DO UPDATE
		SET data = ?2
		WHERE ?3 AND data <> ?2`, sum, append([]byte{}, data...), hashOf(data) == hash)
	return value[int64](t, `SELECT id FROM attachments WHERE hash = ?`, sum)
}

// addContent adds the calls and parts of messages to them, and finds those that are damaged. images is whether parts
// that are no texts come with their bytes, and are checked.
func addContent(t *tx, messages []*Message, images bool) {
	var ids []int64
	of := map[int64]*Message{}
	for _, m := range messages {
		ids, of[m.ID] = append(ids, m.ID), m
	}
	var id int64
	var c history.ToolCall
	names, into := scanned(callColumns(&c))
	for range t.rows(append(into, &id), `
		SELECT `+names+`, message
		FROM tool_calls
		WHERE message`+these+`
		ORDER BY message, place`, sqlite.IDs(ids)) {
		of[id].ToolCalls = append(of[id].ToolCalls, c)
	}
	var p part
	var hash, data []byte
	names, into = scanned(partColumns(&p))
	for range t.rows(append(into, &id, &hash, &data), `
		SELECT `+names+`, p.message, a.hash, iif(p.kind = 'text' OR ?2, a.data, NULL)
		FROM parts p
		JOIN attachments a ON a.id = p.attachment
		WHERE p.message IN (SELECT value FROM json_each(?1))
		ORDER BY p.message, p.place`, sqlite.IDs(ids), images) {
		p.hash, p.Text, p.Data = hex.EncodeToString(hash), "", nil
		p.setData(data)
		m := of[id]
		m.parts, m.Parts = append(m.parts, p), append(m.Parts, p.Part)
		m.Damaged = m.Damaged || (p.Kind == history.TextPart || images) && hashOf(data) != p.hash
	}
	for _, m := range messages {
		m.Damaged = m.Damaged || string(m.fingerprint()) != string(m.hash)
	}
}

// fingerprint is the SHA-256 of everything a message says: who speaks, the text, the reasoning, the calls and the
// parts. A row whose hash differs was damaged on disk. What may change while the message stays the same, such as its
// status, is left out.
func (m *Message) fingerprint() []byte {
	texts := []string{string(m.Role), m.Name, m.Label, m.Content, m.Reasoning, m.ToolCallID, string(m.Extra)}
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
