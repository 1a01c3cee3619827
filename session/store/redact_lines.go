package store

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"unicode/utf8"
)

// Cleaner takes the secrets that must not be stored out of the lines of one session, in their order.
type Cleaner struct {
	clean   func(string) string
	hashes  map[string]string // hex hashes of attachments that hold other bytes now, by those of before
	changed bool
}

// Cleaner returns a Cleaner for one session of an archive, which changes nothing where the store takes no
// secrets out.
func (s *Store) Cleaner() *Cleaner { return &Cleaner{clean: s.clean, hashes: map[string]string{}} }

// Changed says whether one of the lines so far held a secret.
func (c *Cleaner) Changed() bool { return c.changed }

// Line is a line without secrets; the line itself stays. A damaged message or attachment stays damaged.
func (c *Cleaner) Line(l Line) Line {
	switch {
	case l.Session != nil:
		v := *l.Session
		c.text(&v.Title)
		c.text(&v.System)
		if v.Draft != nil {
			d := *v.Draft
			if c.text(&d.Text) {
				d.Files = "" // Their places in the text moved.
			}
			v.Draft = &d
		}
		return Line{Session: &v}
	case l.Request != nil:
		v := *l.Request
		c.text(&v.Error)
		c.json(&v.Options)
		v.Plan = c.plan(v.Plan)
		return Line{Request: &v}
	case l.Attachment != nil:
		return Line{Attachment: c.attachment(*l.Attachment)}
	case l.Message != nil:
		return Line{Message: c.message(*l.Message)}
	case l.Repair != nil:
		v := *l.Repair
		c.text(&v.What)
		c.text(&v.Sent)
		return Line{Repair: &v}
	case l.Summary != nil:
		v := *l.Summary
		c.text(&v.Text)
		return Line{Summary: &v}
	}
	return l
}

// message cleans a message. What it costs is counted anew where that changed it.
func (c *Cleaner) message(v MessageLine) *MessageLine {
	changed := c.text(&v.Content, &v.Reasoning, &v.Name)
	if len(v.ToolCalls) > 0 {
		v.ToolCalls = append([]CallLine(nil), v.ToolCalls...)
		for i := range v.ToolCalls {
			changed = c.text(&v.ToolCalls[i].Name, &v.ToolCalls[i].Arguments) || changed
		}
	}
	if len(v.Parts) > 0 {
		v.Parts = append([]PartLine(nil), v.Parts...)
		for i := range v.Parts {
			p := &v.Parts[i]
			another, other := c.hashes[p.Hash]
			if other {
				p.Hash, p.Tokens = another, 0
			}
			changed = c.text(&p.Name) || other || changed
		}
	}
	c.json(&v.Extra)
	if changed {
		v.Tokens = 0
	}
	return &v
}

// attachment cleans bytes that are a text.
func (c *Cleaner) attachment(v AttachmentLine) *AttachmentLine {
	if !utf8.Valid(v.Data) {
		return &v
	}
	text := Text(v.Data)
	if !c.text(&text) {
		return &v
	}
	if sum := sha256.Sum256(v.Data); hex.EncodeToString(sum[:]) == v.Hash {
		now := sha256.Sum256([]byte(text))
		was := v.Hash
		v.Hash = hex.EncodeToString(now[:])
		c.hashes[was] = v.Hash
	}
	v.Data = []byte(text)
	return &v
}

// text cleans texts and says whether one of them held a secret.
func (c *Cleaner) text(texts ...*Text) bool {
	changed := false
	for _, text := range texts {
		if now := Text(c.clean(string(*text))); now != *text {
			*text, changed = now, true
		}
	}
	c.changed = c.changed || changed
	return changed
}

// json cleans a text that is JSON, and leaves nothing of it where it would not be JSON any more.
func (c *Cleaner) json(text *Text) {
	was := json.Valid([]byte(*text))
	if c.text(text) && was && !json.Valid([]byte(*text)) {
		*text = ""
	}
}

// plan cleans the packed record of a request's plan.
func (c *Cleaner) plan(packed []byte) []byte {
	raw, ok := unzip(packed)
	if !ok {
		return packed
	}
	text := Text(raw)
	c.json(&text)
	if string(text) == string(raw) {
		return packed
	}
	if text == "" {
		return nil
	}
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	if _, err := z.Write([]byte(text)); err != nil {
		return nil
	}
	if err := z.Close(); err != nil {
		return nil
	}
	return buf.Bytes()
}
