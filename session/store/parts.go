package store

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// callColumns are the columns of a tool call, as received.
func callColumns(c *history.ToolCall) []column {
	return []column{
		{"call_id", blob{&c.ID}, 0},
		{"name", blob{&c.Name}, secret},
		{"arguments", blob{&c.Arguments}, secret},
	}
}

// part is a part of a message as it is stored: its bytes are an attachment.
type part struct {
	history.Part
	hash    string // hex SHA-256 of the bytes when they were stored
	damaged bool   // the bytes that were read have another one
}

func partColumns(p *part) []column {
	return []column{
		{"kind", &p.Kind, 0},
		{"name", &p.Name, secret},
		{"media_type", &p.MediaType, 0},
		{"tokens", &p.Tokens, 0},
		{"hash", &p.hash, lineOnly},
	}
}

func newPart(of history.Part) part {
	p := part{Part: of}
	p.hash = hashOf(p.data())
	return p
}

// data returns what a part is stored as.
func (p *part) data() []byte {
	if p.Kind == history.TextPart {
		return []byte(p.Text)
	}
	return p.Data
}

// hashOf is the SHA-256 of bytes in hexadecimal.
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// insertCallsAndParts stores the calls and parts of a message, whose bytes have these keys, at their places.
func (l *MessageLine) insertCallsAndParts(t *tx, keys []int64) {
	for i := range l.ToolCalls {
		t.insert("tool_calls", callColumns(&l.ToolCalls[i]), sql.Named("message", l.ID), sql.Named("place", i))
	}
	for i := range keys {
		t.insert("parts", partColumns(&l.parts[i]),
			sql.Named("message", l.ID), sql.Named("place", i), sql.Named("attachment", keys[i]))
	}
}

// callsOf returns the calls of these messages, in order.
func callsOf(t *tx, messages []int64) map[int64][]history.ToolCall {
	calls := map[int64][]history.ToolCall{}
	t.each(func(scan func(...any) error) error {
		var id int64
		var c history.ToolCall
		err := scan(append(fields(callColumns(&c)), &id)...)
		calls[id] = append(calls[id], c)
		return err
	}, `
		SELECT `+names(callColumns(new(history.ToolCall)), "tool_calls")+`, message
		FROM tool_calls
		WHERE message IN (SELECT value FROM json_each(?))
		ORDER BY message, place`, sqlite.IDs(messages))
	return calls
}

// attach stores the bytes of a message's parts, each once however often it is attached, sets the fingerprint of the
// message and returns their keys.
func (l *MessageLine) attach(t *tx) (keys []int64) {
	l.parts = nil
	for _, of := range l.Parts {
		p := newPart(of)
		l.parts, keys = append(l.parts, p), append(keys, attachBytes(t, p.hash, p.data()))
	}
	l.hash = l.fingerprint()
	return keys
}

// attachBytes stores bytes under a hash and returns their key. Where other bytes stand under it already,
// those that have the hash are kept: a good copy repairs every message with a damaged one.
func attachBytes(t *tx, hash string, data []byte) (key int64) {
	sum, err := hex.DecodeString(hash)
	t.fail(err)
	written := t.exec(`
		INSERT INTO attachments (hash, data)
		VALUES (?1, ?2)
		ON CONFLICT (hash) DO UPDATE
		SET data = ?2
		WHERE ?3 AND data <> ?2`, sum, append([]byte{}, data...), hashOf(data) == hash)
	key = value[int64](t, `SELECT id FROM attachments WHERE hash = ?`, sum)
	if written > 0 { // While they were damaged they had no words to find.
		indexAgain(t, t.ids(`SELECT message FROM parts WHERE attachment = ?`, key))
	}
	return key
}

// partsOf returns the parts of these messages, those that are no texts with their bytes only where
// images is true.
func partsOf(t *tx, messages []int64, images bool) map[int64][]part {
	all := map[int64][]part{}
	t.each(func(scan func(...any) error) error {
		var id int64
		var p part
		var hash, data []byte
		err := scan(append(fields(partColumns(&p)), &id, &hash, &data)...)
		p.hash = hex.EncodeToString(hash)
		p.damaged = (p.Kind == history.TextPart || images) && hashOf(data) != p.hash
		if p.Kind == history.TextPart {
			p.Text = string(data)
		} else {
			p.Data = data
		}
		all[id] = append(all[id], p)
		return err
	}, `
		SELECT `+names(partColumns(new(part)), "p")+`, p.message, a.hash, iif(p.kind = 'text' OR ?2, a.data, NULL)
		FROM parts p
		JOIN attachments a ON a.id = p.attachment
		WHERE p.message IN (SELECT value FROM json_each(?1))
		ORDER BY p.message, p.place`, sqlite.IDs(messages), images)
	return all
}

// fingerprint is the SHA-256 of everything a message says: who speaks, the text, the reasoning, the calls and the
// parts. A row whose hash differs was damaged on disk. What may change while the message stays the same, such as its
// status, is left out.
func (l *MessageLine) fingerprint() []byte {
	texts := []string{string(l.Role), l.Name, l.Label, l.Content, l.Reasoning, l.ToolCallID, string(l.Extra)}
	for _, c := range l.ToolCalls {
		texts = append(texts, c.ID, c.Name, c.Arguments)
	}
	for _, part := range l.parts {
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
