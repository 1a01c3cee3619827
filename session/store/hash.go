package store

import (
	"crypto/sha256"
	"encoding/binary"
)

// fingerprint is the SHA-256 of everything a message says: who speaks, the text, the reasoning, the
// calls and the parts. A row whose fingerprint differs was damaged on disk. What may change while
// the message stays the same, such as its status, is left out. parts are the hashes of the parts'
// bytes, in order.
func fingerprint(m Message, parts [][]byte) []byte {
	h := sha256.New()
	var length [8]byte
	// Each field is preceded by its length, so that text moved from one field to the next is noticed.
	field := func(text []byte) {
		binary.LittleEndian.PutUint64(length[:], uint64(len(text)))
		h.Write(length[:])
		h.Write(text)
	}
	word := func(text string) { field([]byte(text)) }
	word(string(m.Role))
	word(m.Name)
	word(m.Label)
	word(m.Content)
	word(m.Reasoning)
	word(m.ToolCallID)
	field(m.Extra)
	for _, c := range m.ToolCalls {
		word(c.ID)
		word(c.Name)
		word(c.Arguments)
	}
	for i, p := range m.Parts {
		word(string(p.Kind))
		word(p.Name)
		word(p.MediaType)
		field(parts[i])
	}
	return h.Sum(nil)
}
