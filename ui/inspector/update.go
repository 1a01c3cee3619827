package inspector

import (
	"bytes"
	"cmp"
	"encoding/json"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// The events.
type (
	// Closed says that it is to be closed.
	Closed struct{}
	// Step asks for the subject that is By lines below the inspected one in the request's list.
	Step struct{ By int }
	// Open asks for a request of the past to be shown.
	Open struct {
		Turn    int
		Request int64
	}
	// Flag asks for a message to be given a flag, "" for none.
	Flag struct {
		Flag    history.Flag
		Message int64
	}
	// Copy asks for a text to be copied; What is what it is called.
	Copy struct{ What, Text string }
	// ReadBody asks for the body of the request on show. BodyMsg is the answer.
	ReadBody struct{ Number int }
	// ReadBefore asks for the request that was sent before the one on show. BeforeMsg is the answer.
	ReadBefore struct{ Number int }
	// ReadVerdicts asks for what became of a message in past requests. VerdictsMsg is the answer.
	ReadVerdicts struct {
		Number  int
		Message int64
		Limit   int
	}
)

// Inspect is the message that shows a subject. Without a view it is the one on show.
type Inspect struct {
	On Subject
	At View
}

// Refresh is the message that shows the same once more, after the request on show has changed.
type Refresh struct{}

// Msg is what was read.
type Msg interface{ answer() Answer }

// Answer is the number of what was read, or why it could not be.
type Answer struct {
	Number int
	Err    error
}

func (a Answer) answer() Answer { return a }

// The messages.
type (
	// BodyMsg is the body of a request, laid out for reading.
	BodyMsg struct {
		Answer
		Text    string
		Bytes   int // of the body as it is sent
		Secrets int // taken out of the text
	}
	// BeforeMsg is the request that was sent before another one, nil where there is none.
	BeforeMsg struct {
		Answer
		Before *Request
	}
	// VerdictsMsg is what became of a message in past requests, the newest first.
	VerdictsMsg struct {
		Answer
		List  []store.PastVerdict
		Limit int // so many were asked for
	}
	// pageMsg is a page whose secrets are hidden.
	pageMsg struct {
		Answer
		page   Page
		hidden int
		first  int // the segment to begin at, -1 for the top
	}
)

// NewBodyMsg lays the body of a request out for reading, without its secrets.
func NewBodyMsg(number int, raw []byte, err error, hidden theme.Secrets) BodyMsg {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		b.Reset()
		b.Write(raw)
	}
	text, n := hidden.Hide(b.String())
	return BodyMsg{Answer: Answer{number, err}, Text: text, Bytes: len(raw), Secrets: n}
}

// Update is a key, the wheel, a message of this package, or what was read.
func (in Model) Update(msg tea.Msg) (Model, tea.Cmd) {
	cmd := in.update(msg)
	return in, cmd
}

func (in *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return in.key(msg)
	case tea.MouseWheelMsg:
		if in.shown != nil {
			in.shown.Scroll(keymap.Wheel(msg, 3))
		}
	case Click:
		return in.click(msg.Y)
	case ClickView:
		return in.clickView(msg.X)
	case Inspect:
		in.On = msg.On
		return in.showView(cmp.Or(msg.At, in.At))
	case Refresh:
		if in.At != "" {
			return in.refresh()
		}
	case Msg:
		return in.answered(msg)
	}
	return nil
}

// answered shows what was read, unless something else is inspected by now.
func (in *Model) answered(msg Msg) tea.Cmd {
	switch a := msg.answer(); {
	case a.Number != in.Number:
		return nil
	case a.Err != nil:
		in.reads = ""
		return in.SayError(theme.Sentence(a.Err))
	}
	switch msg := msg.(type) {
	case BodyMsg:
		in.showBody(msg)
	case BeforeMsg:
		in.showBefore(msg.Before)
	case VerdictsMsg:
		in.showVerdicts(msg)
	case pageMsg:
		in.showPage(msg)
	}
	return nil
}

// key is a key while the inspector is open.
func (in *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	k := &in.Keys
	switch {
	case k.Pressed(msg, keymap.Back):
		return in.close()
	case k.Pressed(msg, keymap.NextView):
		return in.turnView(1)
	case k.Pressed(msg, keymap.PrevView):
		return in.turnView(-1)
	case k.Pressed(msg, keymap.Next):
		return in.step(1)
	case k.Pressed(msg, keymap.Prev):
		return in.step(-1)
	case k.Pressed(msg, keymap.Pin):
		return in.flag(history.Pin)
	case k.Pressed(msg, keymap.Exclude):
		return in.flag(history.Exclude)
	case k.Pressed(msg, keymap.Auto):
		return in.flag("")
	case in.shown == nil:
		return in.Say("Still reading; " + k.First(keymap.Back) + " closes it.")
	}
	o, sections := in.shown.(*Outline)
	switch {
	case sections && k.Pressed(msg, keymap.Fold):
		o.Toggle()
	case sections && k.Pressed(msg, keymap.FoldAll):
		o.toggleAll()
	case k.Pressed(msg, keymap.ReadOn):
		in.shown.Scroll(max(1, in.shown.Page()-1))
	case k.Scrolled(msg, in.shown, in.shown.Page()):
	case k.Pressed(msg, keymap.Inspect) && (in.At == ChangesView || in.At == PastView):
		return in.openLine()
	case k.Pressed(msg, keymap.Copy):
		return in.copy()
	default:
		return in.NoKey(msg, k.First(keymap.NextView)+" shows the next view, "+k.First(keymap.Back)+" closes this.")
	}
	return in.readOn()
}

// click chooses a line of a list, or opens the chosen one.
func (in *Model) click(y int) tea.Cmd {
	l, ok := in.shown.(*List)
	if !ok {
		return nil
	}
	switch i, on := l.drawn.item(y); {
	case !on:
		return nil
	case i == l.At:
		return in.openLine()
	default:
		l.At = i
		return in.readOn()
	}
}

// clickView shows the view of a name, x cells from where the names begin; where one name has room alone, the next view.
func (in *Model) clickView(x int) tea.Cmd {
	if in.oneName {
		return in.turnView(1)
	}
	for _, v := range in.views() {
		w := theme.Width(string(v))
		if x >= 0 && x < w {
			return in.showView(v)
		}
		x -= w + viewGap
	}
	return nil
}

// openLine opens the line under the cursor of a list.
func (in *Model) openLine() tea.Cmd {
	l, ok := in.shown.(*List)
	switch {
	case !ok || l.N == 0:
		return in.Say(l.None)
	case in.At == PastView:
		in.then = TextView
		return in.Emit(Open{in.verdicts[l.At].Turn, in.verdicts[l.At].Request})
	}
	list := *in
	in.opener = &list
	in.On = Subject{Message: in.changes[l.At].Entry().ID}
	return in.showView(TextView)
}

// readOn reads more of the verdicts of the past when the end of their list is reached.
func (in *Model) readOn() tea.Cmd {
	if l, ok := in.shown.(*List); !ok || in.more == 0 || in.At != PastView || l.At < l.N-1 {
		return nil
	}
	return in.readVerdicts(4 * in.more)
}

// copy copies what the view shows: of a message's text all that is stored.
func (in *Model) copy() tea.Cmd {
	text := in.shown.Text()
	if stored, ok := in.stored(in.On.Message); ok && in.At == TextView && stored.Content != "" {
		text = stored.Content
	}
	if text == "" {
		return in.SayError("There is no text to copy.")
	}
	return in.Emit(Copy{theme.Plural(utf8.RuneCountInString(text), "character"), text})
}

// flag asks for the message that is inspected to be given a flag.
func (in *Model) flag(f history.Flag) tea.Cmd {
	switch {
	case in.On.Request:
		return in.Say("This is the whole request; a single message can be pinned or excluded.")
	case in.On.Added > 0:
		return in.Say("winnow added this text; it depends on the messages around it.")
	}
	return in.Emit(Flag{f, in.On.Message})
}

// inOrder is two requests, the one that was sent first in front; the next one is the last.
func inOrder(a, b *Request) (before, after *Request) {
	if a.Past == nil || b.Past != nil && b.Past.Request.ID < a.Past.Request.ID {
		return b, a
	}
	return a, b
}

// same says that two are the same request of the past, or both the next one.
func same(a, b *Request) bool {
	if a.Past == nil || b.Past == nil {
		return a.Past == b.Past
	}
	return a.Past.Request.ID == b.Past.Request.ID
}
