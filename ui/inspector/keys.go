package inspector

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Update is a key or the wheel.
func (in *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if cmd, done := in.repairKey(msg); done {
			return cmd
		}
		return in.key(msg)
	case tea.MouseWheelMsg:
		if in.shown != nil {
			in.shown.Scroll(keymap.Wheel(msg, 3))
		}
	}
	return nil
}

// key is a key that more than one view has.
func (in *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	k, v := &in.Keys, in.shown
	switch {
	case k.Pressed(msg, keymap.Back):
		return in.close()
	case k.Pressed(msg, keymap.Focus):
		return in.turnView(1)
	case k.Pressed(msg, keymap.FocusBack):
		return in.turnView(-1)
	case k.Pressed(msg, keymap.Next):
		return in.step(1)
	case k.Pressed(msg, keymap.Prev):
		return in.step(-1)
	case v == nil:
		return in.Say("Still reading; " + k.First(keymap.Back) + " closes it.")
	case k.Scrolled(msg, v, v.h):
	case v.list && k.Pressed(msg, keymap.Inspect):
		return in.openItem()
	case k.Pressed(msg, keymap.Copy):
		return in.copy()
	default:
		return in.NoKey(msg, k.First(keymap.Focus)+" shows the next view, "+k.First(keymap.Back)+" closes this.")
	}
	return nil
}

// close goes back to the list that the message was opened from, or closes the inspector.
func (in *Model) close() tea.Cmd {
	if in.changes == nil {
		in.Close()
		return nil
	}
	in.On.Message, in.shown, in.changes = 0, in.changes, nil
	return in.read(ChangesView)
}

// turnView goes to the next view.
func (in *Model) turnView(by int) tea.Cmd {
	list := in.views()
	return in.show(list[(slices.Index(list, in.At)+by+len(list))%len(list)])
}

// step goes to the next message: of the whole request, or of the panel.
func (in *Model) step(by int) tea.Cmd {
	switch {
	case in.On.Message != 0:
		return in.Step(by)
	case in.shown == nil || in.shown.jump(by):
		return nil
	case by < 0:
		return in.Say("This is the first message.")
	}
	return in.Say("This is the last message.")
}

// Click puts the cursor on a row, counted from the top; a second click opens it.
func (in *Model) Click(y int) tea.Cmd {
	v := in.shown
	switch {
	case v == nil:
	case in.At == RepairView:
		in.point(y - v.h - 1) // the remedies are below the text and a blank line
	case y < v.h && v.list:
		i := v.move(v.top, y).line - v.lineOf(0)
		if i == v.at {
			return in.openItem()
		}
		if i >= 0 {
			v.choose(i)
		}
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

// Hints are the keys that matter now.
func (in *Model) Hints() []key.Binding {
	k := &in.Keys
	var hints []key.Binding
	all := "copy"
	switch e, judged := in.Plan.EntryOf(in.On.Message); {
	case in.At == RepairView:
		hints = in.repairHints()
	case in.shown != nil && in.shown.list:
		hints = []key.Binding{k.Hint("open", keymap.Inspect)}
	case judged && in.Past == nil:
		hints = in.Prices(e)
	}
	if in.At == TextView && in.On.Message != 0 {
		all = "copy all of it" // also what is not sent
	}
	return append(hints, k.Hint(all, keymap.Copy), k.Hint("other messages", keymap.Next, keymap.Prev),
		k.Hint("next view", keymap.Focus), k.Hint("other requests", keymap.Earlier, keymap.Later),
		k.Hint("help", keymap.Help), k.Hint("close", keymap.Back))
}
