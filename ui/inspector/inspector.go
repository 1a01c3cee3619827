// Package inspector shows a message, or a request as a whole, in full: what of it is sent, what is not, and what
// is sent instead; what past requests made of a message; and the page of the repairs: what is stored against what is
// sent, and the remedies. It decides nothing about a request, and it does not read the request that the panel shows:
// that is given to it.
package inspector

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
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

// Screen is what the inspector has the rest of the screen do.
type Screen struct {
	Shown   func() Request                                           // the request that the panel shows
	Message func(id int64) (store.Message, bool)                     // a message of the conversation, as it is stored
	Prices  func(history.Entry) []key.Binding                        // the keys that flag a message, with their costs
	Before  func(of Request) func(context.Context) (*Request, error) // the request sent before one, nil for none
	Open    func(turn int, request int64) tea.Cmd                    // shows a request of the past
	Step    func(by int) tea.Cmd                                     // inspects another line of the request's list
	Flag    func(f history.Flag, message int64) tea.Cmd              // gives a message a flag, "" for none
	Copy    func(what, text string) tea.Cmd                          // copies a text
	Close   func()
	Draft   func() session.Draft                     // what the next request is planned with
	Done    func(sentence string, err error) tea.Cmd // a remedy was stored, or not
}

// Model shows one message of the request on show, or that request as a whole, in several views.
type Model struct {
	*app.Context
	Screen
	Request // the one on show

	On        Subject
	At        View
	shown     *view                    // nil until it is read
	reads     string                   // what is being read, "" for nothing
	number    int                      // of what is read: what comes late is dropped
	changes   *view                    // the list of changes that the message was opened from, nil for none
	compared  Subject                  // whose changes they are
	verdicts  []store.PastVerdict      // of the message in past requests, the newest first
	prices    []Price                  // of the remedies for the message, none until they are known
	remedy    history.Remedy           // the one under the cursor
	undo      map[int64]history.Remedy // what was sent of messages before another remedy was chosen for them
	collapsed map[string]bool          // the sections of the request that are collapsed
	w, h      int
}

// Forget lets go of what was inspected. What is still being read comes too late.
func (in *Model) Forget() {
	*in = Model{
		Context: in.Context, Screen: in.Screen, number: in.number + 1, collapsed: map[string]bool{},
		undo: map[int64]history.Remedy{}, w: in.w, h: in.h,
	}
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
	switch {
	case in.On.Request:
		return []View{TextView, JSONView, ChangesView}
	case in.On.Added > 0:
		return []View{TextView}
	}
	if e, ok := in.Plan.EntryOf(in.On.Message); ok && len(e.Repairs) > 0 {
		return []View{TextView, SentView, RepairView, PastView}
	}
	return []View{TextView, SentView, PastView}
}

// read makes what a view shows, or begins to read it.
func (in *Model) read(at View) tea.Cmd {
	in.Request = in.Shown()
	if in.On.Added > len(in.Added) {
		in.On = Subject{Request: true}
	}
	if list := in.views(); !slices.Contains(list, at) {
		at, in.shown = list[0], nil
	}
	in.At, in.reads = at, ""
	in.number++
	switch {
	case at == JSONView:
		return in.readBody()
	case at == ChangesView:
		return in.readChanges()
	case at == PastView:
		in.reads = "reading past requests"
		return in.readVerdicts()
	case at == RepairView:
		in.put(in.repairView())
		if in.Past == nil {
			return in.readPrices()
		}
	case in.On.Request:
		in.put(in.outline())
	case at == SentView:
		return in.putPage(in.sentPage())
	case in.On.Added > 0:
		return in.putPage(addedPage(&in.Request, in.Added[in.On.Added-1]))
	default:
		return tea.Batch(in.putPage(in.messagePage(in.On.Message)), in.readVerdicts())
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
				in.reads = ""
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
	if v.list && len(v.sections) == 0 {
		v.head.line(Quiet, "%s", v.none)
	}
	v.resize(in.w, in.h)
	if in.shown != nil {
		v.restore(in.shown)
	}
	in.shown, in.reads = v, ""
}

// putPage shows a page of a message without its secrets. In a large one they are looked for in a command.
func (in *Model) putPage(p Page) tea.Cmd {
	const atOnce = 64 << 10 // bytes
	hidden := func() func() {
		page, n := Hide(in.Secrets, p)
		return func() {
			v := &view{head: slices.Concat(in.hiddenLine(n), page)}
			e, judged := in.Plan.EntryOf(in.On.Message)
			v.wide = judged && e.Role != history.User && e.Role != history.Assistant
			if in.On.Message > 0 && in.At == TextView {
				v.below = in.history
			}
			in.put(v)
		}
	}
	if len(p.text()) <= atOnce {
		hidden()()
		return nil
	}
	in.reads = "reading the text"
	return in.later(func(context.Context) (func(), error) { return hidden(), nil })
}

// hiddenLine says how many secrets a page does not show.
func (in *Model) hiddenLine(n int) (p Page) {
	if n > 0 {
		p.line(Warning, "! %s hidden in this view; %s shows possible secrets.",
			theme.PluralOf(n, "secret is", "secrets are"), in.Keys.First(keymap.Reveal))
	}
	return p
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

// Update is a key or the wheel.
func (in *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return in.key(msg)
	case tea.MouseWheelMsg:
		if in.shown != nil {
			in.shown.Scroll(keymap.Wheel(msg, 3))
		}
	}
	return nil
}

// key is a key while the inspector is open.
func (in *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	k, v := &in.Keys, in.shown
	if cmd, done := in.repairKey(msg); done {
		return cmd
	}
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
	case v == nil:
		return in.Say("Still reading; " + k.First(keymap.Back) + " closes it.")
	case in.outlined() && k.Pressed(msg, keymap.Fold):
		v.fold(v.sections[v.at])
	case in.outlined() && k.Pressed(msg, keymap.FoldAll):
		v.fold(v.sections...)
	case k.Pressed(msg, keymap.ReadOn):
		v.Scroll(max(1, v.h-2))
	case k.Scrolled(msg, v, v.h):
	case v.list && k.Pressed(msg, keymap.Inspect):
		return in.openRow()
	case k.Pressed(msg, keymap.Copy):
		text := in.Text()
		return in.Copy(theme.Plural(utf8.RuneCountInString(text), "character"), text)
	default:
		return in.NoKey(msg, k.First(keymap.NextView)+" shows the next view, "+k.First(keymap.Back)+" closes this.")
	}
	return nil
}

// outlined reports whether the whole request is shown, message by message.
func (in *Model) outlined() bool {
	return in.On.Request && in.At == TextView && in.shown != nil && len(in.shown.sections) > 0
}

// close goes back to the list that the message was opened from, or closes the inspector.
func (in *Model) close() tea.Cmd {
	if in.changes == nil {
		in.Close()
		return nil
	}
	in.On, in.shown, in.changes = in.compared, in.changes, nil
	return in.read(ChangesView)
}

// turnView goes to the next view.
func (in *Model) turnView(by int) tea.Cmd {
	list := in.views()
	return in.show(list[(slices.Index(list, in.At)+by+len(list))%len(list)])
}

// step goes to the next message: of the whole request, or of its list, which another part of the screen has.
func (in *Model) step(by int) tea.Cmd {
	switch {
	case !in.On.Request:
		return in.Step(by)
	case !in.outlined():
		return in.Say("This is the whole request; " + in.Keys.First(keymap.Inspect) +
			" on a line of the panel shows one message.")
	case in.shown.choose(in.shown.at + by):
		return nil
	case by < 0:
		return in.Say("This is the first message.")
	}
	return in.Say("This is the last message.")
}

// flag has the message that is inspected given a flag.
func (in *Model) flag(f history.Flag) tea.Cmd {
	switch {
	case in.On.Request:
		return in.Say("This is the whole request; a single message can be pinned or excluded.")
	case in.On.Added > 0:
		return in.Say("winnow added this text; it depends on the messages around it.")
	}
	return in.Flag(f, in.On.Message)
}

// Text is what the view shows, for copying: of a message all that is stored.
func (in *Model) Text() string {
	if stored, ok := in.stored(in.On.Message); ok && in.At == TextView && stored.Content != "" {
		return stored.Content
	}
	if in.shown == nil {
		return ""
	}
	return ansi.Strip(in.shown.Text())
}

// Click puts the cursor on the section of a row, counted from the top; a second click opens or collapses it.
func (in *Model) Click(y int) tea.Cmd {
	if in.shown == nil {
		return nil
	}
	v := in.shown
	switch i := v.sectionAt(y); {
	case in.At == RepairView:
		in.point(y - v.h - 1) // the remedies are below the text and a blank line
	case i < 0:
	case i != v.at:
		v.choose(i)
	case v.list:
		return in.openRow()
	default:
		v.fold(v.sections[i])
	}
	return nil
}

// viewGap is how many cells are between the names of two views.
const viewGap = 3

// ClickView shows the view of a name, x cells from where the names begin.
func (in *Model) ClickView(x int) tea.Cmd {
	for _, v := range in.views() {
		w := theme.Width(string(v))
		if x >= 0 && x < w {
			return in.show(v)
		}
		x -= w + viewGap
	}
	return nil
}

// Views are the names of the subject's views. That of the one on show is underlined.
func (in *Model) Views(st theme.Styles) string {
	var names []string
	for _, v := range in.views() {
		style := st.Muted
		if v == in.At {
			style = st.Strong.Underline(true)
		}
		names = append(names, style.Render(string(v)))
	}
	return strings.Join(names, strings.Repeat(" ", viewGap))
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
	switch {
	case in.shown == nil:
		return ""
	case in.At == RepairView:
		list := Repaired(&in.Plan)
		return fmt.Sprintf("repair %d of %d", in.repairNumber(list)+1, len(list))
	case in.shown.list:
		return theme.OneOf(in.shown.at, len(in.shown.sections))
	}
	return in.shown.position()
}

// Hints are the keys that matter now.
func (in *Model) Hints() []key.Binding {
	k := &in.Keys
	var hints []key.Binding
	e, judged := in.Plan.EntryOf(in.On.Message)
	switch {
	case in.outlined():
		hints = []key.Binding{
			k.Hint("message", keymap.Next, keymap.Prev), k.Hint("collapse", keymap.Fold),
			k.Hint("collapse all", keymap.FoldAll),
		}
	case in.At == RepairView:
		hints = in.repairHints()
	case in.shown != nil && in.shown.list:
		hints = []key.Binding{k.Hint("open", keymap.Inspect)}
	case judged && in.Past == nil:
		hints = in.Prices(e)
	}
	all := "copy"
	if in.On.Message != 0 && in.At == TextView {
		all = "copy all of it" // also what is not sent
	}
	next := k.Hint("next view", keymap.NextView)
	if in.On.Request {
		hints = append(hints, next, k.Hint(all, keymap.Copy))
	} else {
		hints = append(hints, k.Hint(all, keymap.Copy), k.Hint("other messages", keymap.Next, keymap.Prev), next)
	}
	return append(hints, k.Hint("other requests", keymap.Earlier, keymap.Later),
		k.Hint("scroll", keymap.Down, keymap.Up), k.Hint("help", keymap.Ask), k.Hint("close", keymap.Back))
}
