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
type Draft struct {
	message.Message
	From        int      // the position of the message that it was made of
	StandIn     bool     // nobody said it: a stand-in for a missing result
	Joins       bool     // it continues the answer in front of it
	CallsAsText bool     // its calls are written out in its text
	Head        *Draft   // the message whose call it answers, nil for none
	Frame                // where the text that was said is in Content
	results     []*Draft // the result of each of its calls, nil where there is none
	raw         []string // what of each call's arguments could not be sent
	loose       loose    // why it stands behind no call, of a result that does not
	owner       *Draft   // the message of its call, of a result that is sent as text beside that
}

// Frame is where the text that a message has in the store is in the one that is sent.
type Frame struct {
	Lead, Tail int  // code points in front of it and behind it
	Caption    int  // bytes in front of a result that is sent as text, which no cut shortens
	Replaced   bool // nothing of it is left
}

// Reword notes what is put in front of a text and behind it.
func (f *Frame) Reword(text, front, after string) {
	f.Replaced = f.Replaced || message.IsBlank(text) && front+after != ""
	f.Lead += utf8.RuneCountInString(front)
	f.Tail += utf8.RuneCountInString(after)
}

// WriteCalls is a message's text with its calls written behind it.
func (f *Frame) WriteCalls(m message.Message) string {
	text := m.TextWithCalls()
	calls, found := strings.CutPrefix(text, m.Content)
	if f.Replaced = f.Replaced || !found; found {
		f.Reword(m.Content, "", calls)
	}
	return text
}

// WriteResult is a result as text, behind words that say what it is.
func (f *Frame) WriteResult(caption, result string) string {
	f.Reword(result, caption, "")
	f.Caption = len(caption)
	return caption + result
}

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
	Begins   bool                     // nothing but system messages stands in front of the messages
	Offset   int                      // of positions from those in the request's conversation, for the names of calls
	Used     func(id string) bool     // reports whether an earlier part of the request has a call id; nil for none
	IDs      map[string]bool          // the call ids taken so far; a run adds its own
	Remedies map[int64]message.Remedy // what the user chose instead of repairs, by Message.ID
	Tools    ToolHistory              // "" is ToolsKeep
	NoImages bool                     // the model takes no images
}

// Result is what a run made of the messages, by their position.
type Result struct {
	Drafts  []*Draft
	Repairs map[int][]message.Repair
	Unsent  map[int]cause.Code      // messages of which nothing is sent though they are not blank, and why
	Heads   map[int]int             // results that belong to a call, sent or not, and the position of its message
	Before  map[int]message.Message // messages that something else is sent of by choice, as they are without it
}

// run is one run over a stretch of a conversation that begins outside any tool group.
type run struct {
	Options
	Result
	past []message.Message
	list []*Draft
}

// Run repairs messages of a conversation.
func Run(past []message.Message, o Options) Result {
	m := &run{Options: o, past: past}
	if m.IDs == nil {
		m.IDs = map[string]bool{}
	}
	m.Result = Result{
		Repairs: map[int][]message.Repair{}, Unsent: map[int]cause.Code{},
		Heads: map[int]int{}, Before: map[int]message.Message{},
	}
	drafts := make([]Draft, len(past))
	for i := range past {
		drafts[i] = Draft{Message: past[i], From: i}
		m.list = append(m.list, &drafts[i])
	}
	for _, rule := range rules {
		rule(m)
	}
	m.Drafts = m.list
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
	(*run).halfCalls,         // C11
	each((*run).toolNames),   // C11
	(*run).pair,
	each((*run).unmade),      // C5
	each((*run).names),       // C7
	(*run).order,             // C10
	each((*run).arguments),   // C4 C2 C3 C1
	each((*run).orphan),      // C6
	(*run).missing,           // C5
	each((*run).blankResult), // C9
	keeping((*run).speaks),   // C8
	each((*run).brokenOff),
	(*run).remedy,
	keeping((*run).toolHistory),
}

// each is a rule for every draft.
func each(repair func(*run, *Draft)) func(*run) {
	return func(m *run) {
		for _, d := range m.list {
			repair(m, d)
		}
	}
}

// keeping is a rule that leaves only the drafts for which ok holds.
func keeping(ok func(*run, *Draft) bool) func(*run) {
	return func(m *run) {
		m.list = slices.DeleteFunc(m.list, func(d *Draft) bool { return !ok(m, d) })
	}
}

// log notes a repair of a draft.
func (m *run) log(d *Draft, kind string, code cause.Code, before, after string) {
	m.logCause(d, kind, cause.Cause{Code: code}, before, after)
}

func (m *run) logCause(d *Draft, kind string, c cause.Cause, before, after string) {
	m.Repairs[d.From] = append(m.Repairs[d.From], message.Repair{Kind: kind, Cause: c, Before: before, After: after})
}

// readable takes out rows that cannot be read and roles that nobody knows.
func (m *run) readable(d *Draft) bool {
	if d.Message.Unreadable() {
		m.log(d, "C15", cause.RowUnreadable, d.Content, "")
		return false
	}
	return true
}

// maxSample is how much of a result is looked at to tell text from binary data.
const maxSample = 4096

// binary replaces results that are no text by a note of their size.
func (m *run) binary(d *Draft) {
	if d.Role == message.Tool && isBinary(d.Content) {
		note := "[binary result of " + message.Grouped(len(d.Content)) + " bytes, not sent]"
		m.log(d, "C13", cause.ResultBinary, d.Content, note)
		d.Content, d.Replaced = note, true
	}
}

// isBinary reports whether three of ten characters at the start are no text.
func isBinary(s string) bool {
	all, bad := 0, 0
	for _, r := range s[:min(len(s), maxSample)] {
		all++
		if r == utf8.RuneError || r < ' ' && !strings.ContainsRune("\t\n\r\x1b", r) {
			bad++
		}
	}
	return bad*10 > all*3
}

// images replaces the images that are not sent by a note: those that anybody but the user shows, those that are not all
// there, and all of them where the model takes none.
func (m *run) images(d *Draft) {
	for k, p := range d.Parts {
		code := cause.ImageUnseen
		switch {
		case p.Kind != message.ImagePart:
			continue
		case !p.Sendable():
			code = cause.ImageDamaged
		case d.Role != message.User:
			code = cause.ImageNotOfUser
		case !m.NoImages:
			continue
		}
		m.log(d, "C13", code, p.Name, p.Note())
		d.Parts = slices.Clone(d.Parts)
		d.Parts[k] = NoteFor(p)
	}
}

// NoteFor is the part that is sent in place of an image.
func NoteFor(image message.Part) message.Part {
	return message.Part{Kind: message.NotePart, Name: image.Name, Text: image.Note()}
}

// notText replaces bytes that are not UTF-8, and null characters.
func (m *run) notText(d *Draft) {
	clean := func(text string) string {
		clean := message.Clean(text)
		if clean != text {
			m.log(d, "C14", cause.TextBytes, text, clean)
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
	for k, c := range d.ToolCalls {
		if name := message.Clean(c.Name); name != c.Name {
			m.log(d, "C14", cause.CallName, c.Name, legalName(name))
			d.ownCalls()[k].Name = legalName(name)
		}
	}
}

// lateSystem notes system messages behind the start; the policy says where they go.
func (m *run) lateSystem(d *Draft) {
	said := func(before message.Message) bool { return before.Role != message.System }
	if d.Role == message.System && (!m.Begins || slices.ContainsFunc(m.past[:d.From], said)) {
		m.log(d, "C12", cause.SystemLate, "", "")
	}
}

// speaks takes out what has nothing in it.
func (m *run) speaks(d *Draft) bool {
	if !message.IsBlank(d.Content) || len(d.ToolCalls) > 0 || d.HasParts() {
		return true
	}
	if d.Role == message.Assistant {
		m.log(d, "C8", cause.AnswerEmpty, d.Content, "")
	}
	return false
}

// brokenOff says behind the text of an answer that was not finished that it was not. It is no repair: nothing of what
// was said is missing.
func (m *run) brokenOff(d *Draft) {
	if d.Joins || !d.Message.BrokeOff() || message.IsBlank(d.Content) ||
		strings.HasSuffix(d.Content, message.InterruptedSuffix) {
		return
	}
	d.Reword(d.Content, "", message.InterruptedSuffix)
	d.Content += message.InterruptedSuffix
}
