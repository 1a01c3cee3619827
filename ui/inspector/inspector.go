// Package inspector shows a message, or a request as a whole, in full: what of it is sent, what is not, and what is
// sent instead; what past requests made of it; and its repairs: what is stored against what is sent, and the remedies.
// It decides nothing about a request: the one that the panel shows is given to it.
package inspector

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/panel"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// request is a request as it is inspected.
type request panel.Request

// Subject is what is inspected: a message or the request.
type Subject struct {
	Message int64 // its id, 0 for the request
	Part    int   // of the request, the message of it that is scrolled to
}

// View is a way to show a subject: its name in the title.
type View string

// The views.
const (
	TextView   View = "text"
	SentView   View = "as sent"
	RepairView View = "repair"
	JSONView   View = "json"
)

// Model shows one message of the request that the panel shows, or that request as a whole, in several views.
type Model struct {
	*app.Context
	Panel *panel.Model
	Chat  *transcript.Model // has the messages as they are stored
	Close func()

	request  // the one that is read
	On       Subject
	At       View
	shown    *pager // nil until it is read
	reading  app.Latest
	then     func(func() tea.Cmd) app.Then // shows what is read for the view
	verdicts []store.PastVerdict           // of the message in past requests, the newest first
	prices   []Price                       // of the remedies for the message, none until they are known
	remedy   history.Remedy                // the one under the cursor
	w, h     int
}

// Forget lets go of what was inspected. What is still being read comes too late.
func (in *Model) Forget() {
	*in = Model{
		Context: in.Context, Panel: in.Panel, Chat: in.Chat, Close: in.Close, reading: in.reading + 1, w: in.w, h: in.h,
	}
}

// Resize gives the inspector its size in cells.
func (in *Model) Resize(w, h int) {
	in.w, in.h = w, h
	switch {
	case in.shown == nil:
	case in.At == RepairView: // it is drawn for one width
		in.write(0, in.repair)
	default:
		in.shown.resize(w, h)
	}
}

// Inspect shows a subject; without a view in the one on show.
func (in *Model) Inspect(on Subject, at View) tea.Cmd {
	in.On, in.verdicts, in.prices, in.shown = on, nil, nil, nil
	return in.read(cmp.Or(at, in.At))
}

// Refresh shows the same once more, after the request on show has changed. What is read again replaces what is shown
// when it arrives.
func (in *Model) Refresh() tea.Cmd {
	if in.At == "" {
		return nil
	}
	return in.read(in.At)
}

// entry is the message that is inspected, as the plan on show has it; the zero Entry where that does not.
func (in *Model) entry() history.Entry {
	e, _ := in.Plan.EntryByID(in.On.Message)
	return e
}

// views are those that the subject has.
func (in *Model) views() []View {
	switch {
	case in.On.Message == 0:
		return []View{TextView, JSONView}
	case len(in.entry().Repairs) > 0:
		return []View{TextView, SentView, RepairView}
	}
	return []View{TextView, SentView}
}

// read makes what a view shows, or begins to read it.
func (in *Model) read(at View) tea.Cmd {
	in.request = request(*in.Panel.Shown())
	if list := in.views(); !slices.Contains(list, at) {
		at, in.shown = list[0], nil
	}
	in.At = at
	in.then = in.reading.Begin()
	r, id := in.request, in.On.Message
	switch {
	case at == JSONView:
		return in.readBody()
	case at == RepairView:
		return tea.Batch(in.write(0, in.repair), in.readPrices())
	case at == SentView:
		return in.write(0, func(p *Page) { r.asSent(p, id) })
	case id == 0:
		return in.write(0, r.whole)
	}
	stored, _ := in.Panel.Stored(id)
	show := in.write(len(stored.Content), func(p *Page) { r.message(p, id, stored) })
	return tea.Batch(show, in.readVerdicts())
}

// later reads in a command, and shows what was read unless something else is inspected by then.
func (in *Model) later(read func(context.Context) (show func() tea.Cmd, err error)) tea.Cmd {
	then := in.then
	return in.Run(func(ctx context.Context) tea.Msg {
		show, err := read(ctx)
		if err != nil {
			show = func() tea.Cmd { return in.Failed(err) }
		}
		return then(show)
	})
}

// write shows a page that fill writes, at the place where the one before it was. One of so many bytes that the search
// for secrets takes long is written in a command: fill must not touch the model.
func (in *Model) write(size int, fill func(p *Page)) tea.Cmd {
	const searchedAtOnce = 1 << 20 // about 80 ms
	page := &Page{secrets: in.Secrets}
	show := func() tea.Cmd { in.put(page); return nil }
	if size <= searchedAtOnce {
		fill(page)
		return show()
	}
	return in.later(func(context.Context) (func() tea.Cmd, error) {
		fill(page)
		return show, nil
	})
}

// put shows a page.
func (in *Model) put(page *Page) {
	v := &pager{st: &in.Themes.Styles, page: page, wide: in.entry().Role == history.Tool || in.At == JSONView}
	switch in.At {
	case TextView:
		v.foot = in.history
	case RepairView:
		v.foot = in.remedies
	}
	if n := page.hidden; n > 0 {
		page.paragraphs = slices.Insert(page.paragraphs, 0, Paragraph{Kind: Warning, Text: "! " +
			theme.PluralOf(n, "secret is", "secrets are") + " hidden in this view; " + in.Keys.First(keymap.Reveal) +
			" shows possible secrets."})
	}
	v.resize(in.w, in.h)
	if in.shown != nil {
		v.goTo(in.shown.top.line)
	} else if in.On.Part > 0 {
		for range in.On.Part + 1 {
			v.jump(1)
		}
	}
	in.shown = v
}

// Text is what the view shows, for copying: of a message all that is stored.
func (in *Model) Text() string {
	if stored, ok := in.Panel.Stored(in.On.Message); ok && in.At == TextView && stored.Content != "" {
		return stored.Content
	}
	if in.shown == nil {
		return ""
	}
	return ansi.Strip(in.shown.page.text())
}

// Title names the subject.
func (in *Model) Title() string {
	e, ok := in.Plan.EntryByID(in.On.Message)
	switch {
	case ok:
		return "message " + theme.Thousands(e.Index+1)
	case in.On.Message != 0:
		return "message"
	}
	return in.Panel.Name(in.Panel.Shown())
}

// View is what it shows, or what is still being read. It has no cursor.
func (in *Model) View() (lines []string, x int) {
	st := in.Themes.Styles
	if in.shown == nil {
		return []string{st.Muted.PaddingLeft(theme.Gutter(in.w) + markCells).Render("Reading …")}, -1
	}
	return in.shown.View(), -1
}

// Position says how far down the screen is, or at which of the repairs.
func (in *Model) Position() string {
	if in.shown == nil {
		return ""
	}
	if in.At == RepairView {
		list := Repaired(&in.Plan)
		return "repair " + theme.Thousands(in.repairNumber(list)+1) + " of " + theme.Thousands(len(list))
	}
	return in.shown.position()
}

// Update is a key or the wheel.
func (in *Model) Update(msg tea.Msg) tea.Cmd {
	if wheel, ok := msg.(tea.MouseWheelMsg); ok && in.shown != nil {
		in.shown.scroll(keymap.Wheel(wheel, 3))
	}
	if press, ok := msg.(tea.KeyPressMsg); ok {
		return in.key(press)
	}
	return nil
}

// key is a key: the first ones are those of a repair.
func (in *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	k, v, repair := &in.Keys, in.shown, in.At == RepairView
	choice := repair && in.Past == nil
	a := k.Action(msg, keymap.InInspector|keymap.InRequest|keymap.InRepairs)
	switch {
	case repair && a == keymap.NextHit:
		return in.stepRepair(1)
	case repair && a == keymap.PrevHit:
		return in.stepRepair(-1)
	case choice && a == keymap.Down:
		return in.point(in.pointed() + 1)
	case choice && a == keymap.Up:
		return in.point(in.pointed() - 1)
	case choice && k.Pressed(msg, keymap.Choose):
		return in.choose(in.remedy)
	case choice && a == keymap.TakeBack:
		return in.choose(history.SendRepaired)
	case a == keymap.Back:
		in.Close()
		return nil
	case a == keymap.Focus:
		return in.turnView(1)
	case a == keymap.FocusBack:
		return in.turnView(-1)
	case a == keymap.Next:
		return in.step(1)
	case a == keymap.Prev:
		return in.step(-1)
	case v == nil:
		return in.Say("Still reading; " + k.First(keymap.Back) + " closes it.")
	case a == keymap.Copy:
		text := in.Text()
		return in.Copy(theme.Plural(utf8.RuneCountInString(text), "character"), text)
	case a == keymap.Earlier, a == keymap.Later:
		return in.Panel.Update(msg)
	case a == keymap.Request:
		return in.Do(a)
	case in.On.Message != 0 && (a == keymap.Pin || a == keymap.Exclude || a == keymap.TakeBack):
		in.Chat.GoTo(in.On.Message)
		return in.Do(a)
	}
	if by, ok := k.Stride(msg, max(1, v.h-1)); ok {
		v.scroll(by)
		return nil
	}
	return in.NoKey(msg, k.First(keymap.Focus)+" shows the next view, "+k.First(keymap.Back)+" closes this.")
}

// turnView goes to the next view.
func (in *Model) turnView(by int) tea.Cmd {
	list := in.views()
	return in.Inspect(in.On, list[(slices.Index(list, in.At)+by+len(list))%len(list)])
}

// step goes to another message: in the text of the whole request, or in its list, where the cursors of panel and
// transcript go along.
func (in *Model) step(by int) tea.Cmd {
	e, ok := in.Plan.EntryByID(in.On.Message)
	to := e.Index + by
	switch {
	case in.On.Message == 0 && in.shown != nil:
		in.shown.jump(by)
		return nil
	case in.On.Message == 0:
		return nil
	case !ok:
		return in.Say("This request has no such message.")
	case to < 0:
		return in.Say("This is the first message.")
	case to >= len(in.Plan.Entries):
		return in.Say("This is the last message.")
	}
	id := in.Plan.Entries[to].ID
	in.Panel.GoTo(id)
	in.Chat.GoTo(id)
	return in.Inspect(Subject{Message: id}, "")
}

// viewGap is how many cells are between the names of two views.
const viewGap = 3

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

// Hints are the keys that matter now.
func (in *Model) Hints() (hints []key.Binding) {
	k := &in.Keys
	if e, judged := in.Plan.EntryByID(in.On.Message); in.At == RepairView {
		hints = in.repairHints()
	} else if judged && in.Past == nil {
		hints = in.Panel.Prices(e)
	}
	return append(hints, k.Hint("copy", keymap.Copy), k.Hint("other messages", keymap.Next, keymap.Prev),
		k.Hint("next view", keymap.Focus), k.Hint("other requests", keymap.Earlier, keymap.Later),
		k.Hint("help", keymap.Help), k.Hint("close", keymap.Back))
}
