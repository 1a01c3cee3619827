package inspector

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/event"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Deps are what the inspector works with.
type Deps struct {
	Keys     keymap.Map
	Secrets  theme.Secrets
	Message  func(id int64) (store.Message, bool) // a message of the conversation, as it is stored
	Settings func() (string, error)               // which settings decide the next request, and where each was set
	// The keys that flag a message, with what each costs in the next request.
	Prices func(history.Entry) []key.Binding
}

// Request is a request as it is inspected.
type Request struct {
	Plan  history.Plan
	Added []history.Added  // the texts that nobody said, in the order of the conversation
	Past  *record.Replayed // its record and proof, nil for the next request
	Name  string
	Ready bool   // there is a plan
	Note  string // why it cannot be sent, "" where it can
	Busy  bool   // it has left, and its answer arrives
	Tried bool   // it is one by other settings
}

// Subject is what is inspected: a message, an added text, or the request.
type Subject struct {
	Message int64 // its id
	Added   int   // the number of an added text among those of the request, from 1
	Request bool
	From    *Request // another request that this one is compared with, nil for the one before
}

// View is a way to show a subject: its name in the title.
type View string

// The views.
const (
	TextView    View = "text"
	SentView    View = "as sent"
	RepairView  View = "repair"
	PastView    View = "past requests"
	JSONView    View = "json"
	ChangesView View = "changes"
)

// Model shows one message of the request on show, or that request as a whole, in several views.
type Model struct {
	Deps
	Request // the one on show
	event.Queue

	On     Subject
	At     View
	shown  Content // nil until it is read
	reads  string  // what is being read, "" for nothing
	Number int     // of what is read: what comes late is dropped
	opener *Model  // the list that this was opened from, nil for none
	then   View    // the view of the request that is being loaded, "" for the same

	changes   []history.Change    // of the view of changes
	verdicts  []store.PastVerdict // of the view of past requests
	more      int                 // so many of them were asked for and there may be more, 0 where there are not
	collapsed map[string]bool     // the sections of the request that are collapsed

	w, h    int
	oneName bool // Views had room for one name alone
}

// Forget lets go of what was inspected. What is still being read comes too late.
func (in *Model) Forget() {
	*in = Model{Deps: in.Deps, Number: in.Number + 1, collapsed: map[string]bool{}, w: in.w, h: in.h}
}

// Resize gives the inspector its size in cells.
func (in *Model) Resize(w, h int) {
	in.w, in.h = w, h
	if in.shown != nil {
		in.shown.Resize(w, h)
	}
}

// Content is what is shown, nil until it is read.
func (in *Model) Content() Content { return in.shown }

// outlined says that the whole request is shown, message by message.
func (in *Model) outlined() bool { return in.On.Request && in.At == TextView }

// views are those that the subject has.
func (in *Model) views() []View {
	switch {
	case in.On.Request:
		return []View{TextView, JSONView, ChangesView}
	case in.On.Added > 0:
		return []View{TextView, SentView}
	}
	list := []View{TextView, SentView}
	if e, ok := in.Plan.EntryOf(in.On.Message); ok && len(e.Repairs) > 0 {
		list = append(list, RepairView)
	}
	return append(list, PastView)
}

// showView shows a view of the subject, from its beginning.
func (in *Model) showView(at View) tea.Cmd {
	in.shown = nil
	return in.read(at)
}

// refresh shows the same once more, after the request on show has changed. What is read again replaces
// what is shown when it arrives.
func (in *Model) refresh() tea.Cmd {
	if in.On.Added > len(in.Added) {
		in.On = Subject{Request: true}
	}
	if !slices.Contains(in.views(), in.At) {
		in.then = TextView
	}
	if in.then != "" {
		return in.showView(in.then)
	}
	return in.read(in.At)
}

// read makes what a view shows, or begins to read it.
func (in *Model) read(at View) tea.Cmd {
	if list := in.views(); !slices.Contains(list, at) {
		at = list[0]
	}
	in.At, in.reads, in.then = at, "", ""
	in.Number++
	switch at {
	case SentView:
		return in.putPage(in.sentPage())
	case RepairView:
		in.put(in.repairDrawing())
	case PastView:
		return in.readVerdicts(firstVerdicts)
	case JSONView:
		in.reads = "encoding the request"
		return in.Emit(ReadBody{in.Number})
	case ChangesView:
		return in.readChanges()
	default:
		switch {
		case in.On.Request:
			in.put(in.outline())
		case in.On.Added > 0:
			return in.putPage(addedPage(&in.Request, in.Added[in.On.Added-1]), -1)
		default:
			shown := in.putPage(in.messagePage(in.On.Message), -1)
			return tea.Batch(shown, in.Emit(ReadVerdicts{in.Number, in.On.Message, firstVerdicts}))
		}
	}
	return nil
}

// put shows a content, at the place where the one before it was.
func (in *Model) put(c Content) {
	before := in.shown
	in.shown, in.reads = c, ""
	c.Resize(in.w, in.h)
	if before != nil {
		c.GoTo(before.Offset())
	}
}

// close goes back to the list that the subject was opened from, or closes the inspector.
func (in *Model) close() tea.Cmd {
	list := in.opener
	if list == nil {
		return in.Emit(Closed{})
	}
	list.Request, list.Queue, list.Number = in.Request, in.Queue, in.Number
	w, h := in.w, in.h
	*in = *list
	in.Resize(w, h)
	return in.refresh()
}

// turnView goes to the next view.
func (in *Model) turnView(by int) tea.Cmd {
	list := in.views()
	at := slices.Index(list, in.At) + by
	return in.showView(list[(at+len(list))%len(list)])
}

// stored is a message as it is stored.
func (in *Model) stored(id int64) (store.Message, bool) {
	if in.Past != nil {
		if m, there, err := in.Past.Messages.ByID(id); there && err == nil {
			return m, true
		}
	}
	return in.Message(id)
}

// step goes to the next message: of the whole request, or of its list, which another one has.
func (in *Model) step(by int) tea.Cmd {
	switch o, outlined := in.shown.(*Outline); {
	case !in.On.Request:
		return in.Emit(Step{by})
	case in.At != TextView:
		return in.Say("This is the whole request; " + in.Keys.First(keymap.Inspect) +
			" on a line of the panel shows one message.")
	case outlined && o.Step(by):
		return nil
	case by < 0:
		return in.Say("This is the first message.")
	}
	return in.Say("This is the last message.")
}

// viewGap is how many cells are between the names of two views.
const viewGap = 3

// Views are the names of the subject's views, in at most w cells. That of the one on show is underlined; where there is
// no room for all, it stands alone, with its number.
func (in *Model) Views(st theme.Styles, w int) string {
	list := in.views()
	var names []string
	for _, v := range list {
		if v == in.At {
			names = append(names, st.Strong.Underline(true).Render(string(v)))
			continue
		}
		names = append(names, st.Muted.Render(string(v)))
	}
	all := strings.Join(names, strings.Repeat(" ", viewGap))
	if in.oneName = theme.Width(all) > w; !in.oneName {
		return all
	}
	at := slices.Index(list, in.At)
	return st.Strong.Underline(true).Render(string(in.At)) + st.Muted.Render(" "+theme.OneOf(at, len(list)))
}

// Title names the subject.
func (in *Model) Title() string {
	switch {
	case in.On.From != nil:
		before, after := inOrder(in.On.From, &in.Request)
		return before.Name + " to " + after.Name
	case in.On.Request:
		return in.Name
	case in.On.Added > 0:
		return "added: " + string(in.Added[in.On.Added-1].Kind)
	}
	if e, ok := in.Plan.EntryOf(in.On.Message); ok {
		return "message " + theme.Thousands(e.Index+1)
	}
	return "message"
}

// View is what it shows, or what is still being read.
func (in *Model) View(st theme.Styles) []string {
	switch {
	case in.shown != nil:
		return in.shown.View(st)
	case in.reads != "":
		return indented(st.Muted, theme.UpperFirst(in.reads)+" …", in.w)
	}
	return nil
}

// Position says how far down the screen is.
func (in *Model) Position() string {
	if in.shown == nil {
		return ""
	}
	return in.shown.Position()
}

// Hints are the keys that matter now.
func (in *Model) Hints() []key.Binding {
	k := &in.Keys
	all := "copy"
	if in.At == TextView && in.On.Message != 0 {
		all = "copy all of it" // also what is not sent
	}
	last := []key.Binding{
		k.Hint(all, keymap.Copy),
		k.Hint("other requests", keymap.Earlier, keymap.Later),
		k.Hint("scroll", keymap.Down, keymap.Up),
		k.Hint("help", keymap.Ask),
		k.Hint("close", keymap.Back),
	}
	if in.outlined() {
		return append([]key.Binding{
			k.Hint("message", keymap.Next, keymap.Prev),
			k.Hint("collapse", keymap.Fold),
			k.Hint("collapse all", keymap.FoldAll),
			k.Hint("next view", keymap.NextView),
		}, last...)
	}
	first := in.prices()
	if in.At == ChangesView || in.At == PastView {
		first = []key.Binding{k.Hint("open", keymap.Inspect)}
	}
	if !in.On.Request {
		first = append(first, last[0], k.Hint("other messages", keymap.Next, keymap.Prev))
		last = last[1:]
	}
	return append(append(first, k.Hint("next view", keymap.NextView)), last...)
}

// prices are the keys that flag the message, with what each costs in the next request.
func (in *Model) prices() []key.Binding {
	e, ok := in.Plan.EntryOf(in.On.Message)
	if !ok || in.Past != nil || in.Prices == nil {
		return nil
	}
	return in.Prices(e)
}
