// Package repair makes a history with tool calls one that every server takes: ordered rules, each of which
// works on a stretch of messages and leaves alone what is sound. It says for each message what was wrong and
// what is sent instead. It does not choose, cut, count or store anything, and changes no message it was given.
package repair

import (
	"slices"
	"strings"
	"unicode/utf8"

	"winnow/history/cause"
	"winnow/history/message"
)

// Draft is a message as it may be sent.
type RepairedMessage struct {
	message.Message
	Wrapping                         // where the text that was said is in Content
	From          int                // the position of the message that it was made of
	Placeholder   bool               // nobody said it: a stand-in for a missing result
	JoinsPrevious bool               // it continues the answer in front of it
	CallsAsText   bool               // its calls are written out in its text
	Head          *RepairedMessage   // the message whose call it answers, nil for none
	results       []*RepairedMessage // the result of each of its calls, nil where there is none
	lost          []string           // of each of its calls, the arguments that could not be read
	orphaned      *orphanReason      // why it is behind no call, of a result; nil where its call is missing
	owner         *RepairedMessage   // the message of its call, of a result that is sent as text beside that
}

// Frame is where the text that a message has in the store is in the one that is sent.
type Wrapping struct {
	Lead, Tail int  // code points in front of it and behind it
	Caption    int  // bytes in front of a result that is sent as text, which no cut shortens
	Replaced   bool // nothing of it is left
}

// wrap puts words in front of the text that was said and behind it.
func (d *RepairedMessage) wrap(front, behind string) {
	d.Replaced = d.Replaced || message.IsBlank(d.Content)
	d.Lead += utf8.RuneCountInString(front)
	d.Tail += utf8.RuneCountInString(behind)
	d.Content, d.Tokens = front+d.Content+behind, 0
}

// replace sends a note in place of what was said.
func (d *RepairedMessage) replace(note string) { d.Content, d.Tokens, d.Replaced = note, 0, true }

// ToolHistory says how tool calls of the past are sent.
type ToolHistory string

// The ways to send tool calls of the past.
const (
	ToolsKeep ToolHistory = "keep"
	ToolsText ToolHistory = "text"
	ToolsDrop ToolHistory = "drop"

	// ToolsStrip is ToolsDrop, and leaves out results too that are sent as text because their call is missing.
	ToolsStrip ToolHistory = "strip"
)

// Options are what a run depends on beside the messages.
type Options struct {
	Offset   int                      // how many messages of the request's conversation are in front of these
	Used     func(id string) bool     // reports whether an earlier part of the request has a call id; nil for none
	IDs      map[string]bool          // the call ids taken so far; a run adds its own
	Remedies map[int64]message.Remedy // what the user chose instead of repairs, by Message.ID
	Tools    ToolHistory              // "" is ToolsKeep
	NoImages bool                     // the model takes no images
}

// Result is what a run made of the messages, by their position.
type Result struct {
	Messages []*RepairedMessage
	Repairs  map[int][]message.Repair
	Unsent   map[int]cause.Code      // messages of which nothing is sent though they are not blank, and why
	Heads    map[int]int             // results that belong to a call, sent or not, and the position of its message
	Before   map[int]message.Message // messages that are sent otherwise by choice, as they would be sent without it
}

// run is one run over a stretch of a conversation that begins outside any tool group.
type run struct {
	Options
	Result
	past []message.Message
}

// Run repairs messages of a conversation.
func Messages(past []message.Message, o Options) Result {
	m := &run{Options: o, past: past}
	m.Repairs, m.Unsent = map[int][]message.Repair{}, map[int]cause.Code{}
	m.Heads, m.Before = map[int]int{}, map[int]message.Message{}
	drafts := make([]RepairedMessage, len(past))
	for i := range past {
		drafts[i] = RepairedMessage{Message: past[i], From: i}
		m.Messages = append(m.Messages, &drafts[i])
	}
	for _, rule := range rules {
		rule(m)
	}
	return m.Result
}

// rules are the repairs in their order, with the kinds of damage that they repair. Each works on the whole stretch and
// leaves alone what is sound, so that a second pass changes nothing.
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

// each is a rule for every draft.
func each(repair func(*run, *RepairedMessage)) func(*run) {
	return func(m *run) {
		for _, d := range m.Messages {
			repair(m, d)
		}
	}
}

// keeping is a rule that leaves only the drafts for which ok holds.
func keeping(ok func(*run, *RepairedMessage) bool) func(*run) {
	return func(m *run) {
		m.Messages = slices.DeleteFunc(m.Messages, func(d *RepairedMessage) bool { return !ok(m, d) })
	}
}

// log notes a repair of a draft.
func (m *run) note(d *RepairedMessage, kind string, code cause.Code, before, after string) {
	r := message.Repair{Kind: kind, Cause: cause.Cause{Code: code}, Before: before, After: after}
	m.Repairs[d.From] = append(m.Repairs[d.From], r)
}

// readable takes out rows that cannot be read and roles that nobody knows.
func (m *run) readable(d *RepairedMessage) bool {
	bad := d.Message.Unreadable()
	if bad {
		m.note(d, "C15", cause.RowUnreadable, d.Content, "")
	}
	return !bad
}

// maxSample is how many bytes of a result are looked at to tell text from binary data.
const maxSample = 4096

// binary replaces a result that is binary data with a note of its size: one in which more than three in ten of the
// first characters are control characters or not UTF-8.
func (m *run) binary(d *RepairedMessage) {
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

// images replaces the images that are not sent by a note: those that anybody but the user shows, those that are not all
// there, and all of them where the model takes none.
func (m *run) images(d *RepairedMessage) {
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

// notText replaces bytes that are not UTF-8, and null characters.
func (m *run) notText(d *RepairedMessage) {
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

// lateSystem notes system messages behind the start; the policy says where they go.
func (m *run) lateSystem(d *RepairedMessage) {
	said := func(before message.Message) bool { return before.Role != message.System }
	if d.Role == message.System && (m.Offset > 0 || slices.ContainsFunc(m.past[:d.From], said)) {
		m.note(d, "C12", cause.SystemLate, "", "")
	}
}

// blank reports whether a draft has nothing that can be sent.
func (d *RepairedMessage) blank() bool {
	return message.IsBlank(d.Content) && len(d.ToolCalls) == 0 && !d.HasParts()
}

// notBlank keeps a draft that has something to send, and notes an empty answer, which is not kept, as C8.
func (m *run) notBlank(d *RepairedMessage) bool {
	if d.blank() && d.Role == message.Assistant {
		m.note(d, "C8", cause.AnswerEmpty, d.Content, "")
	}
	return !d.blank()
}

// brokenOff says behind the text of an answer that was not finished that it was not. It is no repair: nothing of what
// was said is missing.
func (m *run) brokenOff(d *RepairedMessage) {
	noted := message.IsBlank(d.Content) || strings.HasSuffix(d.Content, message.InterruptedSuffix)
	if !d.JoinsPrevious && !noted && d.Message.WasInterrupted() {
		d.wrap("", message.InterruptedSuffix)
	}
}
