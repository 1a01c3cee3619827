// Package inspector shows one message, or a whole request, in full: which parts are sent, which are not, and what is
// sent instead; what past requests did with it; and its repairs with the alternatives to them. It inspects the request
// that the panel shows.
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

// request adds the texts of the inspector to a panel.Request.
type request panel.Request

// Subject is what is inspected: a message, or the request as a whole.
type Subject struct {
	Message      int64 // id of the message, 0 for the request
	MessageIndex int   // for the request: index of the message to scroll to
}

// View is one of the ways to show a subject. Its value is its name on the screen.
type View string

// The views.
const (
	TextView   View = "text"
	SentView   View = "as sent"
	RepairView View = "repair"
	JSONView   View = "json"
)

// Model is the inspector of one message of the request that the panel shows, or of that request.
type Model struct {
	*app.Context
	Panel      *panel.Model
	Transcript *transcript.Model // its cursor follows the inspected message
	Close      func()

	request    // the request that the panel showed when the view was read
	Subject    Subject
	ActiveView View
	shown      *Pager // nil while it is being read
	reading    app.Latest
	then       func(func() tea.Cmd) app.Then // wraps the result of a reading, which is dropped if a newer one has begun
	verdicts   []store.PastVerdict           // of the message in past requests, newest first
	options    []RemedyOption                // remedies for the message, nil until they are known
	remedy     history.Remedy                // of the option under the cursor
	w, h       int
}

// Clear forgets what was inspected and drops what is still being read.
func (in *Model) Clear() {
	*in = Model{
		Context: in.Context, Panel: in.Panel, Transcript: in.Transcript, Close: in.Close,
		reading: in.reading + 1, w: in.w, h: in.h,
	}
}

// Resize sets the size in cells.
func (in *Model) Resize(w, h int) {
	in.w, in.h = w, h
	switch {
	case in.shown == nil:
	case in.ActiveView == RepairView: // its columns depend on the width
		in.write(0, in.repair)
	default:
		in.shown.Resize(w, h)
	}
}

// Inspect shows a subject in a view, "" for the view on show.
func (in *Model) Inspect(on Subject, at View) tea.Cmd {
	in.Subject, in.verdicts, in.options, in.shown = on, nil, nil, nil
	return in.read(cmp.Or(at, in.ActiveView))
}

// Refresh reads the view again after the request on show has changed. The old text stays until then.
func (in *Model) Refresh() tea.Cmd {
	if in.ActiveView == "" {
		return nil
	}
	return in.read(in.ActiveView)
}

// entry returns the plan's entry of the inspected message, the zero Entry if it has none.
func (in *Model) entry() history.Entry {
	e, _ := in.Plan.EntryByID(in.Subject.Message)
	return e
}

// views returns the views that the subject has.
func (in *Model) views() []View {
	switch {
	case in.Subject.Message == 0:
		return []View{TextView, JSONView}
	case len(in.entry().Repairs) > 0:
		return []View{TextView, SentView, RepairView}
	}
	return []View{TextView, SentView}
}

// read shows a view, or begins to read what it shows.
func (in *Model) read(at View) tea.Cmd {
	in.request = request(*in.Panel.ShownRequest())
	if list := in.views(); !slices.Contains(list, at) {
		at, in.shown = list[0], nil
	}
	in.ActiveView = at
	in.then = in.reading.Begin()
	r, id := in.request, in.Subject.Message
	switch {
	case at == JSONView:
		return in.readBody()
	case at == RepairView:
		return tea.Batch(in.write(0, in.repair), in.readRemedies())
	case at == SentView:
		return in.write(0, func(p *page) { r.asSent(p, id) })
	case id == 0:
		return in.write(0, r.whole)
	}
	stored, _ := in.Panel.StoredMessage(id)
	show := in.write(len(stored.Content), func(p *page) { r.message(p, id, stored) })
	return tea.Batch(show, in.readVerdicts())
}

// later runs read in a command and then show, unless something else is inspected by then.
func (in *Model) later(
	read func(context.Context) (show func() tea.Cmd, err error),
) tea.Cmd {
	then := in.then
	return in.Run(func(ctx context.Context) tea.Msg {
		show, err := read(ctx)
		if err != nil {
			show = func() tea.Cmd { return in.ReportError(err) }
		}
		return then(show)
	})
}

// write fills a page and shows it at the previous scroll position. If the text has more than a megabyte, fill runs in a
// command, because searching it for secrets is slow; fill must not use the model.
func (in *Model) write(size int, fill func(p *page)) tea.Cmd {
	const searchedAtOnce = 1 << 20 // about 80 ms
	page := &page{secrets: in.Secrets}
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
func (in *Model) put(page *page) {
	v := &Pager{
		st: &in.Themes.Styles, page: page, wide: in.entry().Role == history.Tool || in.ActiveView == JSONView,
	}
	switch in.ActiveView {
	case TextView:
		v.foot = in.history
	case RepairView:
		v.foot = in.remedies
	}
	if n := page.hidden; n > 0 {
		page.paragraphs = slices.Insert(page.paragraphs, 0, Paragraph{Kind: KindWarning, Text: "! " +
			theme.PluralOf(n, "secret is", "secrets are") + " hidden in this view; " + in.Keys.First(keymap.Reveal) +
			" shows possible secrets."})
	}
	v.Resize(in.w, in.h)
	if in.shown != nil {
		v.GoTo(in.shown.top.line)
	} else if in.Subject.MessageIndex > 0 {
		for range in.Subject.MessageIndex + 1 {
			v.jump(1)
		}
	}
	in.shown = v
}

// TextToCopy returns what the view shows as plain text; for the text of a message, the stored text.
func (in *Model) TextToCopy() string {
	stored, ok := in.Panel.StoredMessage(in.Subject.Message)
	if ok && in.ActiveView == TextView && stored.Content != "" {
		return stored.Content
	}
	if in.shown == nil {
		return ""
	}
	return ansi.Strip(in.shown.page.text())
}

// Title names the subject.
func (in *Model) Title() string {
	e, ok := in.Plan.EntryByID(in.Subject.Message)
	switch {
	case ok:
		return "message " + theme.Thousands(e.Index+1)
	case in.Subject.Message != 0:
		return "message"
	}
	return in.Panel.RequestName(in.Panel.ShownRequest())
}

// View draws the active view. It has no text cursor.
func (in *Model) View() (lines []string, x int) {
	st := in.Themes.Styles
	if in.shown == nil {
		return []string{st.Muted.PaddingLeft(theme.Gutter(in.w) + markCells).Render("Reading …")}, -1
	}
	return in.shown.View(), -1
}

// Position says how far down the view is scrolled, or which repair it shows.
func (in *Model) Position() string {
	if in.shown == nil {
		return ""
	}
	if in.ActiveView == RepairView {
		list := RepairedEntries(&in.Plan)
		return "repair " + theme.Thousands(in.repairNumber(list)+1) + " of " + theme.Thousands(len(list))
	}
	return in.shown.Position()
}

// Update handles a key or the mouse wheel.
func (in *Model) Update(msg tea.Msg) tea.Cmd {
	if wheel, ok := msg.(tea.MouseWheelMsg); ok && in.shown != nil {
		in.shown.Scroll(keymap.Wheel(wheel, 3))
	}
	if press, ok := msg.(tea.KeyPressMsg); ok {
		return in.key(press)
	}
	return nil
}

// key handles a key; the keys of the repair view come first.
func (in *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	k, v, repair := &in.Keys, in.shown, in.ActiveView == RepairView
	choice := repair && in.Past == nil
	a := k.Action(msg, keymap.InInspector|keymap.InRequest|keymap.InRepairs)
	switch {
	case repair && a == keymap.NextHit:
		return in.stepRepair(1)
	case repair && a == keymap.PrevHit:
		return in.stepRepair(-1)
	case choice && a == keymap.Down:
		return in.moveToOption(in.optionAtCursor() + 1)
	case choice && a == keymap.Up:
		return in.moveToOption(in.optionAtCursor() - 1)
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
		text := in.TextToCopy()
		return in.Copy(theme.Plural(utf8.RuneCountInString(text), "character"), text)
	case a == keymap.Earlier, a == keymap.Later:
		return in.Panel.Update(msg)
	case a == keymap.Request:
		return in.Do(a)
	case in.Subject.Message != 0 && (a == keymap.Pin || a == keymap.Exclude || a == keymap.TakeBack):
		in.Transcript.GoTo(in.Subject.Message)
		return in.Do(a)
	}
	if by, ok := k.Stride(msg, max(1, v.h-1)); ok {
		v.Scroll(by)
		return nil
	}
	return in.NoKey(msg, k.First(keymap.Focus)+" shows the next view, "+k.First(keymap.Back)+" closes this.")
}

// turnView goes to the next view.
func (in *Model) turnView(by int) tea.Cmd {
	list := in.views()
	return in.Inspect(in.Subject, list[(slices.Index(list, in.ActiveView)+by+len(list))%len(list)])
}

// step goes to another message and moves the cursors of panel and transcript along. In the view of the request it
// scrolls.
func (in *Model) step(by int) tea.Cmd {
	e, ok := in.Plan.EntryByID(in.Subject.Message)
	to := e.Index + by
	switch {
	case in.Subject.Message == 0 && in.shown != nil:
		in.shown.jump(by)
		return nil
	case in.Subject.Message == 0:
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
	in.Transcript.GoTo(id)
	return in.Inspect(Subject{Message: id}, "")
}

// viewGap is the number of cells between the names of two views.
const viewGap = 3

// ViewTabs draws the names of the subject's views, with the active one underlined.
func (in *Model) ViewTabs(st theme.Styles) string {
	var names []string
	for _, v := range in.views() {
		style := st.Muted
		if v == in.ActiveView {
			style = st.Strong.Underline(true)
		}
		names = append(names, style.Render(string(v)))
	}
	return strings.Join(names, strings.Repeat(" ", viewGap))
}

// Hints are the most useful keys.
func (in *Model) Hints() (hints []key.Binding) {
	k := &in.Keys
	if e, judged := in.Plan.EntryByID(in.Subject.Message); in.ActiveView == RepairView {
		hints = in.repairHints()
	} else if judged && in.Past == nil {
		hints = in.Panel.FlagHints(e)
	}
	return append(hints, k.Hint("copy", keymap.Copy), k.Hint("other messages", keymap.Next, keymap.Prev),
		k.Hint("next view", keymap.Focus), k.Hint("other requests", keymap.Earlier, keymap.Later),
		k.Hint("help", keymap.Help), k.Hint("close", keymap.Back))
}
