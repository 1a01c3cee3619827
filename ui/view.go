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

// screen draws the root model.
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
		lines = m.frame.Backdrop(s.st, s.l.Width, s.l.Height, s.panes)
	} else {
		m.frame.DropBackdrop()
		lines = s.panes()
	}
	v.Cursor = s.cursor()
	if m.dialogs.Top() != nil {
		v.Cursor = m.dialogs.Draw(lines, m.layout)
	}
	foot, x := s.footer()
	theme.Overlay(lines, s.l.Footer, foot)
	if x >= 0 && !s.l.Footer.Empty() {
		v.Cursor = tea.NewCursor(x, s.l.Footer.Y)
	}
	v.Content = strings.Join(lines, "\n")
	return v
}

// panes returns all lines of the screen but the footer: header, transcript, panel and draft.
func (s screen) panes() []string {
	l, lines := s.l, make([]string, s.l.Height)
	put := func(b theme.Box, block []string) {
		for i, line := range theme.FitLines(block, b.W, min(b.H, l.Height-b.Y)) {
			lines[b.Y+i] = theme.Fit(lines[b.Y+i], b.X) + line
		}
	}
	put(l.Header, []string{s.header()})
	put(l.Transcript, s.page())
	if !l.Panel.Empty() {
		put(l.Panel, s.m.Panel.Pane(l.Panel.W, l.Panel.H))
	}
	put(l.Question, s.question())
	put(l.Rule, []string{s.rule()})
	put(l.Queue, s.queue(l.Queue.H))
	put(l.Composer, s.draft())
	for i := range lines {
		lines[i] = theme.Fit(lines[i], l.Width)
	}
	if list := s.m.composer.CompletionView(l.Overlay.W-2, l.Rule.Y-2); len(list) > 0 {
		b := theme.Box{
			X: l.Gutter, Y: l.Rule.Y - len(list) - 2, W: l.Overlay.W, H: len(list) + 2,
		}
		theme.Overlay(lines, b, frame.Bordered(s.st, b, list))
	}
	if b := l.Cover; !b.Empty() {
		theme.Overlay(lines, b, theme.FitLines(s.m.Panel.View(b.W, b.H), b.W, b.H))
	}
	return lines
}

// header returns the top line: the title, the model and the size of the next request.
func (s screen) header() string {
	m, st, w := s.m, s.st, s.l.Width
	switch {
	case s.l.Small:
		return frame.TooSmall(st, layout.LeastWidth, layout.LeastHeight, w)
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

// shownModel names the model in use. If several endpoints are configured and this one is not the service of the model's
// maker, the endpoint is named too, so that the user sees where messages go.
func shownModel(m *Model) string {
	others := slices.ContainsFunc(m.Deps.Models.Endpoints(), func(other llm.Endpoint) bool {
		return other.Name != llm.GuideEndpoint && other.Name != m.Endpoint().Name
	})
	if e := m.Endpoint(); e.Name != "" && !e.IsModelMaker() && !m.UsesGuide() && others {
		return markdown.OneLine(m.Ref, 60)
	}
	return m.ModelName()
}

// page returns the transcript, or the first screen, with the state of the turn below.
func (s screen) page() []string {
	m, b, tail := s.m, s.l.Transcript, s.tail()
	lines := m.Chat.View()
	if m.Chat.Empty() {
		parts := m.FirstScreen(m.choice, m.notice.AlertIs(notice.ModelUnreachable))
		lines = frame.FirstScreen(s.st, s.l.Gutter, b.W, max(0, b.H-len(tail)), parts...)
	}
	last := len(lines)
	for last > 0 && strings.TrimSpace(lines[last-1]) == "" {
		last--
	}
	return append(lines[:last:last], tail...)
}

// tail returns the lines below the last message: the state of the turn, or why the last turn failed.
func (s screen) tail() []string {
	m, h := s.m, s.l.Transcript.H
	w := max(1, s.l.Transcript.W-s.l.DraftIndent())
	ways := ""
	if !m.Turn.Stopping && !m.Question.HasQuestion() {
		ways = s.st.Text.Render(m.Keys.First(keymap.Back)) + s.st.Muted.Render(" stops")
	}
	lines := m.Turn.View(s.st, m.Question.HasQuestion(), ways, w)
	if len(lines) == 0 {
		lines = m.notice.AlertView(s.st, w, max(1, min(layout.MaxBlockLines, h/2)))
	}
	if len(lines) > 0 && h > 2*len(lines)+1 {
		lines = append([]string{""}, lines...)
	}
	for i := range lines {
		lines[i] = strings.Repeat(" ", s.l.DraftIndent()) + lines[i]
	}
	return lines
}

// question returns the question above the draft, no lines if there is none.
func (s screen) question() []string { return s.m.Question.View(s.st, s.m.focus == questionPane) }

// rule returns the line above the draft. It says what is special about the draft, else what the next request sends if
// the panel is not shown.
func (s screen) rule() string {
	m, w, margin := s.m, s.l.Width, s.l.Gutter
	about, right := "", ""
	switch over := draftOversize(m); {
	case over != nil:
		return theme.RuleWithText(s.st.Repaired, w, margin, []string{s.st.Repaired.Bold(true).Render(over.Error())},
			s.st.Muted.Render(conversation.OversizeBreakdown(over)))
	case m.ReadOnly:
		about = "read-only"
	case m.entering:
		about = "opening the chat…"
	case m.editing():
		about = "editing " + m.Chat.MessagesLabel(m.composer.EditedMessage())
		right = s.st.Text.Render(m.Keys.First(keymap.Back)) + s.st.Muted.Render(" cancel")
	case s.l.Panel.Empty() && s.l.Context != layout.ContextHidden && !m.Chat.Empty():
		return m.Panel.DraftRule(w, margin, true)
	default:
		return m.Panel.DraftRule(w, margin, false)
	}
	return theme.RuleWithText(s.st.RuleLine, w, margin, []string{s.st.Muted.Render(about)}, right)
}

// queue returns the queued messages above the draft, in at most most lines.
func (s screen) queue(most int) []string {
	lines := s.m.composer.Queue.View(s.st, max(1, s.l.Width-2*s.l.Gutter), most)
	for i := range lines {
		lines[i] = strings.Repeat(" ", s.l.Gutter) + lines[i]
	}
	return lines
}

// draft returns the lines of the draft, after its sign.
func (s screen) draft() []string {
	sign := s.st.Faint
	if s.m.focus == draftPane && !s.m.ReadOnly {
		sign = s.st.Seen.Bold(true)
	}
	margin := strings.Repeat(" ", s.l.Gutter)
	lead := margin + sign.Render("›") + " "
	lines := s.m.composer.View()
	if s.m.composer.Empty() {
		// the cursor is in front of the placeholder
		lines = []string{"  " + s.st.Muted.Render(placeholder(s.m, s.l.DraftWidth()-2))}
	}
	for i := range lines {
		lines[i] = lead + lines[i]
		lead = margin + "  "
	}
	return lines
}

// cursor returns the terminal's cursor in the draft, or in the reason of a refusal; nil if typed keys go elsewhere.
func (s screen) cursor() *tea.Cursor {
	m, l := s.m, s.l
	if m.focus == questionPane {
		if x, y, ok := m.Question.ReasonCursor(s.st); ok {
			return tea.NewCursor(min(x, l.Width-1), min(y+l.Question.Y, l.Height-1))
		}
	}
	if m.focus != draftPane || m.ReadOnly || m.covered() {
		return nil
	}
	x, y := m.composer.Editor.Cursor()
	return tea.NewCursor(min(l.DraftIndent()+x, l.Width-1), min(y+l.Composer.Y, l.Height-1))
}

// footer returns the lowest line: a sentence, the search field, or hints. x is the cursor's column in the search field,
// -1 if that is not shown.
func (s screen) footer() (lines []string, x int) {
	m, w := s.m, s.l.Footer.W
	switch said := m.notice.Sentence(); {
	case m.Chat.Search.Typing && !m.covered():
		line, x := m.Chat.SearchLine(w, said)
		return []string{line}, x
	case said != "" && !m.notice.FitsBesideHints(w):
		return m.notice.View(s.st, w, s.l.Footer.H), -1
	}
	return []string{frame.Hints(s.st, s.hints(), s.state(), w)}, -1
}

// state returns the text at the right end of the hints: a sentence, else what is selected or found, how many newer
// messages are below, or what the session has cost.
func (s screen) state() string {
	m := s.m
	if toast := m.notice.Toast(s.st); toast != "" {
		return toast
	}
	switch d := m.dialogs.Top().(type) {
	case *inspector.Model:
		return s.st.Muted.Render(d.Position())
	case *dialog.Picker:
		return s.st.Muted.Render(d.Footnote)
	}
	text, narrow := m.Chat.Status(), s.l.Width < theme.NarrowScreen
	if !m.Chat.HasSelection() && (m.covered() || m.focus != transcriptPane) {
		text = ""
	}
	switch newer := m.Chat.RowsBelow(); {
	case text != "", m.covered():
	case newer > 0 && narrow:
		text = "↓ " + theme.Thousands(newer) + " newer"
	case newer > 0:
		text = "↓ " + theme.Plural(newer, "newer message") + " · " + m.Keys.First(keymap.Bottom) + " end"
	case m.Panel.Next.SpentText != "" && !narrow:
		text = m.Panel.Next.SpentText + " so far"
	}
	return s.st.Muted.Render(text)
}
