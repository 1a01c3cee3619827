package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/ui/conversation"
	"winnow/ui/dialog"
	"winnow/ui/frame"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/layout"
	"winnow/ui/markdown"
	"winnow/ui/notice"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// screen draws the application as it is.
type screen struct {
	m  *Model
	l  layout.Layout
	st theme.Styles
}

func screenOf(m *Model) screen { return screen{m, m.layout, m.Themes.Styles} }

// View draws the screen.
func (m *Model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.ReportFocus = true
	v.WindowTitle = "winnow · " + markdown.OneLine(m.Title(), 80)
	if m.frame.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	s := screenOf(m)
	if s.l.Width <= 0 || s.l.Height <= 0 {
		return v
	}
	var lines []string
	if m.dialogs.Floats() {
		lines = m.frame.Ghost(s.st, s.l.Width, s.l.Height, s.panes)
	} else {
		m.frame.Settle()
		lines = s.panes()
	}
	v.Cursor = s.cursor()
	if m.dialogs.Top() != nil {
		v.Cursor = m.dialogs.Draw(lines, m.layout)
	}
	foot, x := s.footer()
	theme.Lay(lines, s.l.Footer, foot)
	if x >= 0 && !s.l.Footer.Empty() {
		v.Cursor = tea.NewCursor(x, s.l.Footer.Y)
	}
	v.Content = strings.Join(lines, "\n")
	return v
}

// panes are all lines of the screen but the hints: header, page, panel and draft.
func (s screen) panes() []string {
	l, lines := s.l, make([]string, s.l.Height)
	put := func(b theme.Box, block []string) {
		for i, line := range theme.Blank(block, b.W, min(b.H, l.Height-b.Y)) {
			lines[b.Y+i] = theme.Fit(lines[b.Y+i], b.X) + line
		}
	}
	put(l.Header, []string{s.header()})
	put(l.Transcript, s.page())
	if !l.Panel.Empty() {
		put(l.Panel, s.m.Panel.Pane(l.Panel.W, l.Panel.H))
	}
	put(l.Alert, s.question())
	put(l.Rule, []string{s.rule()})
	put(l.Queue, s.queue(l.Queue.H))
	put(l.Composer, s.draft())
	for i := range lines {
		lines[i] = theme.Fit(lines[i], l.Width)
	}
	if list := s.m.composer.CompletionView(l.Overlay.W-2, l.Rule.Y-2); len(list) > 0 {
		b := theme.Box{X: l.Gutter, Y: l.Rule.Y - len(list) - 2, W: l.Overlay.W, H: len(list) + 2}
		theme.Lay(lines, b, frame.Float(s.st, b, list))
	}
	if b := l.Cover; !b.Empty() {
		theme.Lay(lines, b, theme.Blank(s.m.Panel.View(b.W, b.H), b.W, b.H))
	}
	return lines
}

// header is the line at the top: what is on the screen, and the model with what the next request takes.
func (s screen) header() string {
	m, st, w := s.m, s.st, s.l.Width
	switch {
	case s.l.Small:
		return frame.TooSmall(st, layout.WantWidth, layout.WantHeight, w)
	case m.dialogs.Top() != nil && !m.dialogs.Floats():
		title, right := s.dialogTitle()
		return frame.Header(st, st.Text.Render(title), "", right, w)
	}
	style, gauge := st.Text, ""
	if m.Chat.Empty() {
		style = st.Muted
	} else if s.l.Panel.Empty() {
		gauge = m.Panel.Gauge(w >= layout.GaugeWidth)
	}
	title := style.Render(markdown.OneLine(m.Title(), w))
	switch {
	case m.Panel.Whatif != nil:
		title += st.Muted.Render(frame.Crumb) + st.Cut.Bold(true).Render("what if")
	case m.Panel.Past != nil:
		title += st.Muted.Render(frame.Crumb + "as seen in " + panel.TurnName(m.Panel.Past.Past.RecordedRequest))
	case !s.l.Cover.Empty():
		title += st.Muted.Render(frame.Crumb + "context")
	}
	return frame.Header(st, title, st.Muted.Render(shownModel(m)), gauge, w)
}

// shownModel names the model in use, with its endpoint where there is more than one and it is not the service of the
// model's maker: whoever sends something sees where it goes.
func shownModel(m *Model) string {
	others := slices.ContainsFunc(m.With.Models.Endpoints(), func(other llm.Endpoint) bool {
		return other.Name != llm.Guide && other.Name != m.Endpoint().Name
	})
	if e := m.Endpoint(); e.Name != "" && !e.AtMaker() && !m.Guided() && others {
		return markdown.OneLine(m.Ref, 60)
	}
	return m.ModelName()
}

// page is the conversation with what its turn does now, or the first screen.
func (s screen) page() []string {
	m, b, tail := s.m, s.l.Transcript, s.tail()
	lines := m.Chat.View()
	if m.Chat.Empty() {
		parts := m.First(m.choice, m.notice.Is(notice.Unreachable))
		lines = frame.First(s.st, s.l.Gutter, b.W, max(0, b.H-len(tail)), parts...)
	}
	last := len(lines)
	for last > 0 && strings.TrimSpace(lines[last-1]) == "" {
		last--
	}
	return append(lines[:last:last], tail...)
}

// tail is what stands below the last message: what the turn does, or why the last one failed.
func (s screen) tail() []string {
	m, h := s.m, s.l.Transcript.H
	w := max(1, s.l.Transcript.W-s.l.Mark())
	ways := ""
	if !m.Turn.Stopping && !m.Question.Waits() {
		ways = s.st.Text.Render(m.Keys.First(keymap.Back)) + s.st.Muted.Render(" stops")
	}
	lines := m.Turn.View(s.st, m.Question.Waits(), ways, w)
	if len(lines) == 0 {
		lines = m.notice.AlertView(s.st, w, max(1, min(layout.MostTail, h/2)))
	}
	if len(lines) > 0 && h > 2*len(lines)+1 {
		lines = append([]string{""}, lines...)
	}
	for i := range lines {
		lines[i] = strings.Repeat(" ", s.l.Mark()) + lines[i]
	}
	return lines
}

// question is the question above the rule of the draft.
func (s screen) question() []string { return s.m.Question.View(s.st, s.m.focus == questionPane) }

// rule is the line above the draft: what is special about the draft, else what the next request sends where the panel
// does not say it.
func (s screen) rule() string {
	m, w, margin := s.m, s.l.Width, s.l.Gutter
	about, right := "", ""
	switch over := misfit(m); {
	case over != nil:
		return theme.Ruled(s.st.Repaired, w, margin, []string{s.st.Repaired.Bold(true).Render(over.Error())},
			s.st.Muted.Render(conversation.OversizeBreakdown(over)))
	case m.ReadOnly:
		about = "read-only"
	case m.entering:
		about = "opening the chat…"
	case m.editing():
		about = "editing " + m.Chat.NumbersOf(m.composer.Editing())
		right = s.st.Text.Render(m.Keys.First(keymap.Back)) + s.st.Muted.Render(" cancel")
	case s.l.Panel.Empty() && s.l.Context != layout.Hidden && !m.Chat.Empty():
		return m.Panel.Rule(w, margin, true)
	default:
		return m.Panel.Rule(w, margin, false)
	}
	return theme.Ruled(s.st.Lines, w, margin, []string{s.st.Muted.Render(about)}, right)
}

// queue is what is queued, right above the draft, in at most so many lines.
func (s screen) queue(most int) []string {
	lines := s.m.composer.Waiting.View(s.st, max(1, s.l.Width-2*s.l.Gutter), most)
	for i := range lines {
		lines[i] = strings.Repeat(" ", s.l.Gutter) + lines[i]
	}
	return lines
}

// draft is the draft behind its sign.
func (s screen) draft() []string {
	sign := s.st.Faint
	if s.m.focus == draftPane && !s.m.ReadOnly {
		sign = s.st.Seen.Bold(true)
	}
	margin := strings.Repeat(" ", s.l.Gutter)
	lead := margin + sign.Render("›") + " "
	lines := s.m.composer.View()
	if s.m.composer.Empty() {
		// The cursor stands in front of the words.
		lines = []string{"  " + s.st.Muted.Render(placeholder(s.m, s.l.DraftWidth()-2))}
	}
	for i := range lines {
		lines[i] = lead + lines[i]
		lead = margin + "  "
	}
	return lines
}

// cursor is where the draft, or the reason that a question asks for, is typed; nil where the keys go somewhere else.
func (s screen) cursor() *tea.Cursor {
	m, l := s.m, s.l
	if m.focus == questionPane {
		if x, y, ok := m.Question.Caret(s.st); ok {
			return tea.NewCursor(min(x, l.Width-1), min(y+l.Alert.Y, l.Height-1))
		}
	}
	if m.focus != draftPane || m.ReadOnly || m.covered() {
		return nil
	}
	x, y := m.composer.Area.Cursor()
	return tea.NewCursor(min(l.Mark()+x, l.Width-1), min(y+l.Composer.Y, l.Height-1))
}

// footer is the lower line: a sentence, the search line while it is typed in, or the keys that matter now; x is where
// the search line is typed, -1 where it is not.
func (s screen) footer() (lines []string, x int) {
	m, w := s.m, s.l.Footer.W
	switch said := m.notice.Sentence(); {
	case m.Chat.Search.Open && !m.covered():
		line, x := m.Chat.SearchLine(w, said)
		return []string{line}, x
	case said != "" && !m.notice.Fits(w):
		return m.notice.View(s.st, w, s.l.Footer.H), -1
	}
	return []string{frame.Hints(s.st, s.hints(), s.state(), w)}, -1
}

// state is the right end of the hints: a sentence, else what is found or selected, how far the page is from its end, or
// what the session has cost.
func (s screen) state() string {
	m := s.m
	if toast := m.notice.Toast(s.st); toast != "" {
		return toast
	}
	switch d := m.dialogs.Top().(type) {
	case *inspector.Model:
		return s.st.Muted.Render(d.Position())
	case *dialog.Picker:
		return s.st.Muted.Render(d.Remark)
	}
	text, narrow := m.Chat.Status(), s.l.Width < theme.NarrowScreen
	if !m.Chat.Selecting() && (m.covered() || m.focus != transcriptPane) {
		text = ""
	}
	switch newer := m.Chat.Newer(); {
	case text != "", m.covered():
	case newer > 0 && narrow:
		text = "↓ " + theme.Thousands(newer) + " newer"
	case newer > 0:
		text = "↓ " + theme.Plural(newer, "newer message") + " · " + m.Keys.First(keymap.Bottom) + " end"
	case m.Panel.Next.Spent != "" && !narrow:
		text = m.Panel.Next.Spent + " so far"
	}
	return s.st.Muted.Render(text)
}
