// Package inspector shows a message, or a request as a whole, in full: what of it is sent, what is not, and what is
// sent instead; what past requests made of it; and its repairs: what is stored against what is sent, and the remedies.
// It decides nothing about a request: the one that the panel shows is given to it.
package inspector

import (
	"cmp"
	"context"
	"slices"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/session"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Request is a request as it is inspected.
type Request struct {
	Plan  history.Plan
	Added []history.Added  // the texts that nobody said, in the order of the conversation
	Past  *record.Replayed // its record and proof, nil for the next request
	Name  string
	Ready bool   // there is a plan
	Note  string // why it cannot be sent, "" where it can
	Tried bool   // it is one by other settings
}

// Subject is what is inspected: a message or the request.
type Subject struct {
	Message int64    // its id, 0 for the request
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

// Screen is what the inspector has the rest of the screen do.
type Screen struct {
	Shown   func() Request                                           // the request that the panel shows
	Message func(id int64) (store.Message, bool)                     // a message as it is stored
	Prices  func(history.Entry) []key.Binding                        // the keys that flag a message
	Before  func(of Request) func(context.Context) (*Request, error) // reads the request before one, nil for none
	Draft   func() session.Draft                                     // what the next request is planned with
	Open    func(turn int, request int64) tea.Cmd                    // shows a request of the past
	Step    func(by int) tea.Cmd                                     // inspects another line of the panel
	Copy    func(what, text string) tea.Cmd                          // copies a text
	Done    func(sentence string, err error) tea.Cmd                 // a remedy was stored, or not
	Close   func()
}

// Model shows one message of the request on show, or that request as a whole, in several views.
type Model struct {
	*app.Context
	Screen
	Request // the one on show

	On       Subject
	At       View
	shown    *view               // nil until it is read
	number   int                 // of what is read: what comes late is dropped
	changes  *view               // the list of changes that the message was opened from, nil for none
	verdicts []store.PastVerdict // of the message in past requests, the newest first
	prices   []Price             // of the remedies for the message, none until they are known
	remedy   history.Remedy      // the one under the cursor
	w, h     int
}

// Forget lets go of what was inspected. What is still being read comes too late.
func (in *Model) Forget() {
	*in = Model{Context: in.Context, Screen: in.Screen, number: in.number + 1, w: in.w, h: in.h}
}

// Resize gives the inspector its size in cells.
func (in *Model) Resize(w, h int) {
	wider := w != in.w
	in.w, in.h = w, h
	switch {
	case in.shown == nil:
	case wider && in.At == RepairView:
		in.put(in.repairView())
	default:
		in.shown.resize(w, h)
	}
}

// Inspect shows a subject; without a view in the one on show.
func (in *Model) Inspect(on Subject, at View) tea.Cmd {
	in.On, in.changes, in.verdicts, in.prices = on, nil, nil, nil
	return in.show(cmp.Or(at, in.At))
}

// Refresh shows the same once more, after the request on show has changed. What is read again replaces what is shown
// when it arrives.
func (in *Model) Refresh() tea.Cmd {
	if in.At == "" {
		return nil
	}
	return in.read(in.At)
}

// show shows a view of the subject, from its beginning.
func (in *Model) show(at View) tea.Cmd {
	in.shown = nil
	return in.read(at)
}

// views are those that the subject has.
func (in *Model) views() []View {
	e, _ := in.Plan.EntryOf(in.On.Message)
	switch {
	case in.On.Message == 0:
		return []View{TextView, JSONView, ChangesView}
	case len(e.Repairs) > 0:
		return []View{TextView, SentView, RepairView, PastView}
	}
	return []View{TextView, SentView, PastView}
}

// read makes what a view shows, or begins to read it.
func (in *Model) read(at View) tea.Cmd {
	in.Request = in.Shown()
	if list := in.views(); !slices.Contains(list, at) {
		at, in.shown = list[0], nil
	}
	in.At = at
	in.number++
	switch {
	case at == JSONView:
		return in.readBody()
	case at == ChangesView:
		return in.readChanges()
	case at == PastView:
		return in.readVerdicts()
	case at == RepairView:
		in.put(in.repairView())
		return in.readPrices()
	case at == SentView:
		in.put(in.hidden(in.sentPage()))
	case in.On.Message == 0:
		in.put(in.hidden(in.requestPage()))
	default:
		v := in.hidden(in.messagePage(in.On.Message))
		v.below = in.history
		in.put(v)
		return in.readVerdicts()
	}
	return nil
}

// later reads in a command, and shows what was read unless something else is inspected by then.
func (in *Model) later(read func(context.Context) (show func(), err error)) tea.Cmd {
	number := in.number
	return in.Run(func(ctx context.Context) tea.Msg {
		show, err := read(ctx)
		return app.Then(func() tea.Cmd {
			switch {
			case number != in.number:
			case err != nil:
				return in.Fail(theme.Sentence(err))
			default:
				show()
			}
			return nil
		})
	})
}

// put shows a view, at the place where the one before it was.
func (in *Model) put(v *view) {
	v.resize(in.w, in.h)
	if in.shown != nil {
		v.choose(in.shown.at)
		v.goTo(in.shown.top.line)
	}
	in.shown = v
}

// hidden is a view of a page without its secrets, which says how many they were.
func (in *Model) hidden(p Page) *view {
	shown, n := Hide(in.Secrets, p)
	v := &view{}
	if n > 0 {
		v.head.line(Warning, "! %s hidden in this view; %s shows possible secrets.",
			theme.PluralOf(n, "secret is", "secrets are"), in.Keys.First(keymap.Reveal))
	}
	v.head = append(v.head, shown...)
	e, _ := in.Plan.EntryOf(in.On.Message)
	v.wide = e.Role == history.Tool
	return v
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

// Text is what the view shows, for copying: of a message all that is stored.
func (in *Model) Text() string {
	if stored, ok := in.stored(in.On.Message); ok && in.At == TextView && stored.Content != "" {
		return stored.Content
	}
	if in.shown == nil {
		return ""
	}
	return ansi.Strip(in.shown.text())
}

// Title names the subject.
func (in *Model) Title() string {
	e, ok := in.Plan.EntryOf(in.On.Message)
	switch {
	case in.On.Message == 0 && in.On.From != nil:
		before, after := inOrder(in.On.From, &in.Request)
		return before.Name + " to " + after.Name
	case in.On.Message == 0:
		return in.Name
	case !ok:
		return "message"
	}
	return "message " + theme.Thousands(e.Index+1)
}

// View is what it shows, or what is still being read.
func (in *Model) View(st theme.Styles) []string {
	if in.shown == nil {
		return indented(st.Muted, "Reading …", in.w)
	}
	return in.shown.View(st)
}

// Position says where the screen is: how far down, or at which of the items or repairs.
func (in *Model) Position() string {
	switch {
	case in.shown == nil:
		return ""
	case in.At == RepairView:
		list := Repaired(&in.Plan)
		return "repair " + theme.Thousands(in.repairNumber(list)+1) + " of " + theme.Thousands(len(list))
	case in.shown.list:
		return theme.OneOf(in.shown.at, len(in.shown.items))
	}
	return in.shown.position()
}

// ShowMessage scrolls the whole request to one of its messages.
func (in *Model) ShowMessage(i int) {
	for range i + 1 {
		in.shown.jump(1)
	}
}

// copy copies what the view shows.
func (in *Model) copy() tea.Cmd {
	text := in.Text()
	return in.Copy(theme.Plural(utf8.RuneCountInString(text), "character"), text)
}
