package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
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
	redact(clean, &m.Fault)
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
	out, row := l.copied()
	if !row.IsValid() {
		return l
	}
	changed := c.row(row)
	switch {
	case out.Session != nil:
		c.unsent(out.Session)
	case out.Request != nil:
		out.Request.Plan = c.plan(out.Request.Plan)
	case out.Attachment != nil:
		c.attachment(out.Attachment)
	case out.Message != nil:
		c.message(out.Message, changed)
	}
	return out
}

// unsent cleans the draft and the queued messages of a session. What is folded has its place in the text: where that
// changed, the text stands unfolded.
func (c *Cleaner) unsent(l *SessionLine) {
	if l.Draft != nil {
		draft := *l.Draft
		if c.row(reflect.ValueOf(&draft).Elem()) {
			draft.Files = ""
		}
		l.Draft = &draft
	}
	l.Queued = slices.Clone(l.Queued)
	for i := range l.Queued {
		if c.row(reflect.ValueOf(&l.Queued[i]).Elem()) {
			l.Queued[i].Folds = ""
		}
	}
}

// row cleans the texts of a row and says whether one that is no JSON held a secret.
func (c *Cleaner) row(row reflect.Value) bool {
	changed := false
	for i := range row.NumField() {
		switch kind := row.Type().Field(i).Tag.Get("secret"); kind {
		case "text":
			changed = c.text(row.Field(i).Addr().Interface().(*Text)) || changed
		case "json":
			c.json(row.Field(i).Addr().Interface().(*Text))
		}
	}
	return changed
}

// message cleans the calls and parts of a message. What it costs is counted anew where something changed it.
func (c *Cleaner) message(v *MessageLine, changed bool) {
	v.ToolCalls = slices.Clone(v.ToolCalls)
	for i := range v.ToolCalls {
		changed = c.row(reflect.ValueOf(&v.ToolCalls[i]).Elem()) || changed
	}
	v.Parts = slices.Clone(v.Parts)
	for i := range v.Parts {
		p := &v.Parts[i]
		another, other := c.hashes[p.Hash]
		if other {
			p.Hash, p.Tokens = another, 0
		}
		changed = c.row(reflect.ValueOf(p).Elem()) || other || changed
	}
	if changed {
		v.Tokens = 0
	}
}

// attachment cleans bytes that are a text.
func (c *Cleaner) attachment(v *AttachmentLine) {
	text := Text(v.Data)
	if !utf8.Valid(v.Data) || !c.text(&text) {
		return
	}
	if sum := sha256.Sum256(v.Data); hex.EncodeToString(sum[:]) == v.Hash {
		now := sha256.Sum256([]byte(text))
		was := v.Hash
		v.Hash = hex.EncodeToString(now[:])
		c.hashes[was] = v.Hash
	}
	v.Data = []byte(text)
}

// text cleans a text and says whether it held a secret.
func (c *Cleaner) text(text *Text) bool {
	changed := redact(c.clean, text)
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

// plan cleans the plan of a request. There is none where its JSON would not be JSON any more.
func (c *Cleaner) plan(plan *verdicts.Change) *verdicts.Change {
	if plan == nil {
		return nil
	}
	raw, err := json.Marshal(plan)
	if err != nil {
		return nil
	}
	text := Text(raw)
	if c.json(&text); string(text) == string(raw) {
		return plan
	}
	var cleaned verdicts.Change
	if json.Unmarshal([]byte(text), &cleaned) != nil {
		return nil
	}
	return &cleaned
}
