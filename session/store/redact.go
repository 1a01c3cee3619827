package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"winnow/session/store/verdicts"
)

// clean is a text without the secrets that must not be stored.
func (s *Store) clean(text string) string {
	if s.redact == nil {
		return text
	}
	return s.redact(text)
}

// redact takes the secrets out of texts with clean and says whether one of them held a secret.
func redact[T ~string](clean func(string) string, texts ...*T) bool {
	changed := false
	for _, text := range texts {
		if now := T(clean(string(*text))); now != *text {
			*text, changed = now, true
		}
	}
	return changed
}

// cleanMessage is a message without the secrets that must not be stored.
func (s *Store) cleanMessage(m Message) Message {
	if s.redact == nil {
		return m
	}
	return m.Redacted(s.redact)
}

// Redacted is a message without the secrets that clean takes out of its texts. Its tokens are to be counted anew
// where that changed it. The caller's message stays as it is.
func (m Message) Redacted(clean func(string) string) Message {
	changed := redact(clean, &m.Content, &m.Reasoning, &m.Name)
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for i := range m.ToolCalls {
		changed = redact(clean, &m.ToolCalls[i].Name, &m.ToolCalls[i].Arguments) || changed
	}
	m.Parts = slices.Clone(m.Parts)
	for i := range m.Parts {
		changed = redact(clean, &m.Parts[i].Name, &m.Parts[i].Text) || changed
	}
	if extra := string(m.Extra); redact(clean, &extra) {
		m.Extra = []byte(extra)
	}
	if changed {
		m.Tokens = 0
	}
	return m
}

// cleanDraft is a draft without the secrets that must not be stored. What is folded has its place in the
// text: where that changed, the draft stands unfolded.
func (s *Store) cleanDraft(text string, folds []Fold) (string, []Fold) {
	now := s.clean(text)
	if now != text {
		folds = nil
	}
	return now, folds
}

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
	v.ToolCalls = slices.Clone(v.ToolCalls)
	for i := range v.ToolCalls {
		changed = c.text(&v.ToolCalls[i].Name, &v.ToolCalls[i].Arguments) || changed
	}
	v.Parts = slices.Clone(v.Parts)
	for i := range v.Parts {
		p := &v.Parts[i]
		another, other := c.hashes[p.Hash]
		if other {
			p.Hash, p.Tokens = another, 0
		}
		changed = c.text(&p.Name) || other || changed
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
	changed := redact(c.clean, texts...)
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
	raw, err := verdicts.Unzip(packed)
	if err != nil {
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
	cleaned, err := verdicts.Zip([]byte(text))
	if err != nil {
		return nil
	}
	return cleaned
}
