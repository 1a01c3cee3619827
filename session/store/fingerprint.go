package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// fingerprint is the SHA-256 of everything a message says: who speaks, the text, the reasoning, the
// calls and the parts. A row whose fingerprint differs was damaged on disk. What may change while
// the message stays the same, such as its status, is left out. parts are the hashes of the parts'
// bytes, in order.
func fingerprint(m Message, parts [][]byte) []byte {
	return newPrinter().print(m, parts)
}

// printer takes fingerprints, one after the other, with one hash and one buffer: a window of
// messages is checked whenever it is read.
type printer struct {
	hash  hash.Hash
	chunk []byte
	sum   []byte
}

func newPrinter() *printer { return &printer{hash: sha256.New(), chunk: make([]byte, 4096)} }

// print returns a fingerprint, which the next one overwrites.
func (p *printer) print(m Message, parts [][]byte) []byte {
	p.hash.Reset()
	p.field(string(m.Role))
	p.field(m.Name)
	p.field(m.Label)
	p.field(m.Content)
	p.field(m.Reasoning)
	p.field(m.ToolCallID)
	p.field(string(m.Extra))
	for _, c := range m.ToolCalls {
		p.field(c.ID)
		p.field(c.Name)
		p.field(c.Arguments)
	}
	for i, part := range m.Parts {
		p.field(string(part.Kind))
		p.field(part.Name)
		p.field(part.MediaType)
		p.field(string(parts[i]))
	}
	p.sum = p.hash.Sum(p.sum[:0])
	return p.sum
}

// field adds a text after its length, so that text moved from one field to the next is noticed.
func (p *printer) field(text string) {
	binary.LittleEndian.PutUint64(p.chunk, uint64(len(text)))
	n := 8 + copy(p.chunk[8:], text)
	text = text[n-8:]
	p.hash.Write(p.chunk[:n])
	for len(text) > 0 {
		n := copy(p.chunk, text)
		p.hash.Write(p.chunk[:n])
		text = text[n:]
	}
}

// line is the fingerprint of a message's line.
func (p *printer) line(l *MessageLine) []byte {
	hashes := make([][]byte, len(l.Parts))
	for i, part := range l.Parts {
		if hash, err := hex.DecodeString(part.Hash); err == nil && len(hash) == sha256.Size {
			hashes[i] = hash
		}
	}
	return p.print(l.message(), hashes)
}
