package history

import (
	"slices"
	"strings"
	"unicode/utf8"

	"winnow/history/message"
)

// draft is a message on its way to a view.
type draft struct {
	Message
	from    int      // its position in the conversation
	made    bool     // a stand-in that nobody said
	joins   bool     // continues the answer in front of it
	head    *draft   // the message whose call it answers
	results []*draft // the result of each of its calls, nil where there is none
	raw     []string // what of each call's arguments could not be sent
	loose   loose    // why it stands behind no call, of a result that does not
	owner   *draft   // the message of its call, of a result that is sent as text beside that
	told    bool     // its calls are told in its text
}

// waiting is a call that has no result yet.
type waiting struct {
	id   string // as received
	from int    // position of the message that made it
}

// moved is a result that stands elsewhere than it was said.
type moved struct{ row, from int } // its position and that of its call

// mender mends a stretch of a conversation that begins outside any tool group.
type mender struct {
	past     []Message
	base     int // position of past[0] in the request's conversation, for names
	remedies map[int64]Remedy
	list     []*draft
	used     func(id string) bool // taken by an earlier part of the request
	ids      map[string]bool
	open     []waiting
	moved    []moved
	spent    []spent
	repairs  map[int][]Repair
	doubled  map[int]*draft  // results that stand there already, and the message of their call
	left     map[int]string  // why messages are left out by a remedy
	was      map[int]Message // what a remedy made something else of, as it was mended
}

func newMender(past []Message) *mender {
	return &mender{
		past: past, used: func(string) bool { return false }, ids: map[string]bool{},
		repairs: map[int][]Repair{}, doubled: map[int]*draft{},
	}
}

// rules are the repairs in their order. Each works on the whole stretch and leaves alone what is
// sound, so that a second pass changes nothing.
var rules = []struct {
	kinds string
	mend  func(*mender)
}{
	{"C15", (*mender).unreadable},
	{"C13", (*mender).binary},
	{"C13", (*mender).images},
	{"C14", (*mender).notText},
	{"C12", (*mender).lateSystem},
	{"C11", (*mender).halfCalls},
	{"C11", (*mender).toolNames},
	{"", (*mender).pair},
	{"C5", (*mender).unmade},
	{"C7", (*mender).names},
	{"C10", (*mender).order},
	{"C4 C2 C3 C1", (*mender).arguments},
	{"C6", (*mender).orphans},
	{"C5", (*mender).missing},
	{"C9", (*mender).blankResults},
	{"C8", (*mender).blankAnswers},
	{"", (*mender).brokenOff},
	{"", (*mender).remedy},
}

// mend turns the messages from position from on into drafts that may be sent.
func (m *mender) mend(from int) []*draft {
	for i := from; i < len(m.past); i++ {
		m.list = append(m.list, &draft{Message: m.past[i], from: i})
	}
	for _, r := range rules {
		r.mend(m)
	}
	return m.list
}

func (m *mender) log(d *draft, kind, what, before, after string) {
	m.repairs[d.from] = append(m.repairs[d.from], Repair{Kind: kind, What: what, Before: before, After: after})
}

// keep leaves only the drafts for which ok holds.
func (m *mender) keep(ok func(*draft) bool) {
	list := m.list[:0]
	for _, d := range m.list {
		if ok(d) {
			list = append(list, d)
		}
	}
	m.list = list
}

// unreadable takes out rows that cannot be read and roles that nobody knows.
func (m *mender) unreadable() {
	m.keep(func(d *draft) bool {
		if !d.Message.Unreadable() {
			return true
		}
		m.log(d, "C15", "This row cannot be read, or its role is unknown; it is kept and not sent.", d.Content, "")
		return false
	})
}

// mostSample is how much of a result is looked at to tell text from binary data.
const mostSample = 4096

// binary replaces results that are no text by a note of their size.
func (m *mender) binary() {
	for _, d := range m.list {
		if d.Role != Tool || !isBinary(d.Content) {
			continue
		}
		note := "[binary result of " + grouped(len(d.Content)) + " bytes, not sent]"
		m.log(d, "C13", "The tool's result is binary data; a note of its size is sent.", d.Content, note)
		d.Content = note
	}
}

// isBinary reports whether three of ten characters at the start are no text.
func isBinary(s string) bool {
	all, bad := 0, 0
	for _, r := range s[:min(len(s), mostSample)] {
		all++
		if r == utf8.RuneError || r < ' ' && !strings.ContainsRune("\t\n\r\x1b", r) {
			bad++
		}
	}
	return bad*10 > all*3
}

// notText replaces bytes that are not UTF-8, and null characters.
func (m *mender) notText() {
	for _, d := range m.list {
		if clean := message.Clean(d.Content); clean != d.Content {
			m.log(d, "C14", "Bytes that are not text are sent as replacement characters.", d.Content, clean)
			d.Content = clean
		}
		if clean := message.Clean(d.Reasoning); clean != d.Reasoning {
			m.log(d, "C14", "Bytes of the reasoning that are not text are replaced wherever it is sent.", d.Reasoning, clean)
			d.Reasoning = clean
		}
		for k, p := range d.Parts {
			if clean := message.Clean(p.Text); clean != p.Text {
				m.log(d, "C14", "Bytes of an attached text that are not text are sent as replacement characters.", p.Text, clean)
				d.Parts = slices.Clone(d.Parts)
				d.Parts[k].Text = clean
			}
		}
		for k, c := range d.ToolCalls {
			if clean := legalName(message.Clean(c.Name)); message.Clean(c.Name) != c.Name {
				m.log(d, "C14", "Bytes of a tool's name that are not text are sent as _.", c.Name, clean)
				d.ownCalls()[k].Name = clean
			}
		}
	}
}

// ownCalls are the draft's calls to be changed: the stored message keeps its own.
func (d *draft) ownCalls() []ToolCall {
	d.ToolCalls = append([]ToolCall(nil), d.ToolCalls...)
	return d.ToolCalls
}

// lateSystem notes system messages behind the start; the policy says where they go.
func (m *mender) lateSystem() {
	for _, d := range m.list {
		if d.Role != System {
			continue
		}
		first := d.from
		for first > 0 && m.past[first-1].Role == System {
			first--
		}
		if first > 0 {
			m.log(d, "C12", "A system message in the middle is sent where the model's format has a place for it.", "", "")
		}
	}
}

// blankAnswers takes out what has nothing in it.
func (m *mender) blankAnswers() {
	m.keep(func(d *draft) bool {
		if strings.TrimSpace(d.Content) != "" || len(d.ToolCalls) > 0 || d.HasParts() {
			return true
		}
		if d.Role == Assistant {
			m.log(d, "C8", "This answer has no text; it is left out.", d.Content, "")
		}
		return false
	})
}
