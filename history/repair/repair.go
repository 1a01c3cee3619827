// Package repair turns a history with tool calls into one that every server accepts. Rules run in a fixed order; each
// works on a run of messages and leaves valid ones alone. The result says for each message what was wrong and what is
// sent instead. The package does not select, cut, count or store anything, and does not modify the messages it is
// given.
package repair

import (
	"slices"
	"strings"
	"unicode/utf8"

	"winnow/history/cause"
	"winnow/history/message"
)

// Candidate is a message as it may be sent.
type Candidate struct {
	message.Message
	Wrapping                    // how the text was changed
	From          int           // position of the message that it was made from
	Placeholder   bool          // a result that winnow inserted because the call has none
	JoinsPrevious bool          // it continues the answer before it
	CallsAsText   bool          // its calls are written out in its text
	Head          *Candidate    // of a result: the message with its call, nil for none
	results       []*Candidate  // the result of each of its calls, nil for none
	lost          []string      // for each of its calls, the arguments that could not be read
	orphaned      *orphanReason // of a result without a call: why; nil if the call is missing
	owner         *Candidate    // of a result that is sent as text: the message with its call
}

// Wrapping says how the text of a repaired message differs from the stored text.
type Wrapping struct {
	Lead, Tail int  // code points added before and after the stored text
	Caption    int  // bytes added before a result that is sent as text; cuts never shorten them
	Replaced   bool // nothing of the stored text is left
}

// wrap adds text before and after the stored text.
func (d *Candidate) wrap(front, behind string) {
	d.Replaced = d.Replaced || message.IsBlank(d.Content)
	d.Lead += utf8.RuneCountInString(front)
	d.Tail += utf8.RuneCountInString(behind)
	d.Content, d.Tokens = front+d.Content+behind, 0
}

// replace replaces the text with a note.
func (d *Candidate) replace(note string) { d.Content, d.Tokens, d.Replaced = note, 0, true }

// ToolHistory says how past tool calls are sent.
type ToolHistory string

// The ways to send past tool calls.
const (
	ToolsKeep ToolHistory = "keep"
	ToolsText ToolHistory = "text"
	ToolsDrop ToolHistory = "drop"

	// ToolsStrip is like ToolsDrop, but also drops results that ToolsDrop sends as text because their call is missing.
	ToolsStrip ToolHistory = "strip"
)

// Options holds what a repair depends on besides the messages.
type Options struct {
	Offset   int                      // how many messages of the conversation come before these
	Used     func(id string) bool     // reports whether an earlier part of the request uses a call id; nil for none
	IDs      map[string]bool          // call ids in use; new ones are added
	Remedies map[int64]message.Remedy // what the user chose instead of repairs, by Message.ID
	Tools    ToolHistory              // "" is ToolsKeep
	NoImages bool                     // the model does not support images
}

// Result holds the repaired messages, and maps with more about them, by position.
type Result struct {
	Messages []*Candidate
	Repairs  map[int][]message.Repair
	Unsent   map[int]cause.Code      // messages that are not blank but of which nothing is sent, and why
	Heads    map[int]int             // for results that belong to a call, sent or not, the position of its message
	Before   map[int]message.Message // messages that are changed by choice, as they would be sent without it
}

// run is the state of one repair. The messages must not begin inside a tool group.
type run struct {
	Options
	Result
	past []message.Message
}

// Messages repairs messages of a conversation.
func Messages(past []message.Message, o Options) Result {
	m := &run{Options: o, past: past}
	m.Repairs, m.Unsent = map[int][]message.Repair{}, map[int]cause.Code{}
	m.Heads, m.Before = map[int]int{}, map[int]message.Message{}
	drafts := make([]Candidate, len(past))
	for i := range past {
		drafts[i] = Candidate{Message: past[i], From: i}
		m.Messages = append(m.Messages, &drafts[i])
	}
	for _, rule := range rules {
		rule(m)
	}
	return m.Result
}

// Sentences says what Messages would repair, as "Label: sentence", with the label of each message.
func Sentences(past []message.Message, o Options) (all []string) {
	repairs := Messages(past, o).Repairs
	for i, m := range past {
		for _, one := range repairs[i] {
			all = append(all, m.Label+": "+one.Sentence())
		}
	}
	return all
}

// rules are the repairs in order, with the kinds of damage that they repair. Applying them a second time changes
// nothing.
var rules = []func(*run){
	keeping((*run).readable), // C15
	each((*run).binary),      // C13
	each((*run).images),      // C13
	each((*run).notText),     // C14
	each((*run).lateSystem),  // C12
	(*run).namelessCalls,     // C11
	each((*run).toolNames),   // C11
	(*run).pair,
	each((*run).unrunCalls),  // C5
	each((*run).callIDs),     // C7
	each((*run).arguments),   // C4 C2 C3 C1
	(*run).order,             // C10 C5
	each((*run).orphan),      // C6
	each((*run).blankResult), // C9
	keeping((*run).notBlank), // C8
	each((*run).brokenOff),
	(*run).remedy,
	keeping((*run).toolHistory),
}

// each returns a rule that is applied to every message.
func each(repair func(*run, *Candidate)) func(*run) {
	return func(m *run) {
		for _, d := range m.Messages {
			repair(m, d)
		}
	}
}

// keeping returns a rule that removes the messages for which ok reports false.
func keeping(ok func(*run, *Candidate) bool) func(*run) {
	return func(m *run) {
		m.Messages = slices.DeleteFunc(m.Messages, func(d *Candidate) bool { return !ok(m, d) })
	}
}

// note records a repair of a message.
func (m *run) note(d *Candidate, kind string, code cause.Code, before, after string) {
	r := message.Repair{Kind: kind, Cause: cause.Cause{Code: code}, Before: before, After: after}
	m.Repairs[d.From] = append(m.Repairs[d.From], r)
}

// readable removes rows that cannot be read and messages with unknown roles.
func (m *run) readable(d *Candidate) bool {
	bad := d.Message.Unreadable()
	if bad {
		m.note(d, "C15", cause.RowUnreadable, d.Content, "")
	}
	return !bad
}

// maxSample is how many bytes of a result are examined to tell text from binary data.
const maxSample = 4096

// binary replaces a result that is binary data with a note of its size. Data is binary if more than 30 % of its first
// characters are control characters or invalid UTF-8.
func (m *run) binary(d *Candidate) {
	if d.Role != message.Tool {
		return
	}
	all, bad := 0, 0
	for _, r := range d.Content[:min(len(d.Content), maxSample)] {
		all++
		if r == utf8.RuneError || r < ' ' && !strings.ContainsRune("\t\n\r\x1b", r) {
			bad++
		}
	}
	if bad*10 > all*3 {
		note := "[binary result of " + message.WithCommas(len(d.Content)) + " bytes, not sent]"
		m.note(d, "C13", cause.ResultBinary, d.Content, note)
		d.replace(note)
	}
}

// images replaces images that cannot be sent with notes: images that are not from the user, incomplete ones, and all of
// them if the model does not support images.
func (m *run) images(d *Candidate) {
	for k, p := range d.Parts {
		code := cause.ImageUnseen
		switch {
		case p.Kind != message.ImagePart:
			continue
		case !p.IsSendableImage():
			code = cause.ImageDamaged
		case d.Role != message.User:
			code = cause.ImageNotOfUser
		case !m.NoImages:
			continue
		}
		m.note(d, "C13", code, p.Name, p.NotSentLabel())
		d.Parts = slices.Clone(d.Parts)
		d.Parts[k] = p.AsNote()
	}
}

// notText replaces invalid UTF-8 and null characters.
func (m *run) notText(d *Candidate) {
	clean := func(text string) string {
		clean := message.ToValidUTF8(text)
		if clean != text {
			m.note(d, "C14", cause.TextBytes, text, clean)
		}
		return clean
	}
	d.Content, d.Reasoning = clean(d.Content), clean(d.Reasoning)
	for k, p := range d.Parts {
		if text := clean(p.Text); text != p.Text {
			d.Parts = slices.Clone(d.Parts)
			d.Parts[k].Text = text
		}
	}
}

// lateSystem notes system messages after the start of the conversation; the policy decides where they go.
func (m *run) lateSystem(d *Candidate) {
	said := func(before message.Message) bool { return before.Role != message.System }
	if d.Role == message.System && (m.Offset > 0 || slices.ContainsFunc(m.past[:d.From], said)) {
		m.note(d, "C12", cause.SystemLate, "", "")
	}
}

// blank reports whether a message has nothing that can be sent.
func (d *Candidate) blank() bool {
	return message.IsBlank(d.Content) && len(d.ToolCalls) == 0 && !d.HasParts()
}

// notBlank keeps messages that have something to send. It notes an empty answer as C8.
func (m *run) notBlank(d *Candidate) bool {
	if d.blank() && d.Role == message.Assistant {
		m.note(d, "C8", cause.AnswerEmpty, d.Content, "")
	}
	return !d.blank()
}

// brokenOff adds a suffix to the text of an interrupted answer. That is not a repair, because nothing that was received
// is missing.
func (m *run) brokenOff(d *Candidate) {
	noted := message.IsBlank(d.Content) || strings.HasSuffix(d.Content, message.InterruptedSuffix)
	if !d.JoinsPrevious && !noted && d.Message.WasInterrupted() {
		d.wrap("", message.InterruptedSuffix)
	}
}
