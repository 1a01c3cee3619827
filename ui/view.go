package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/ui/frame"
	"winnow/ui/keymap"
	"winnow/ui/layout"
	"winnow/ui/markdown"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// screen draws the application as it is.
type screen struct {
	m  *Model
	l  layout.Layout
	st theme.Styles
}

func screenOf(m *Model) screen { return screen{m, m.layout, m.themes.Styles} }

// View draws the screen.
func (m *Model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.ReportFocus = true
	v.WindowTitle = "winnow · " + markdown.OneLine(m.current.Title(), 80)
	if m.frame.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.layout.Width <= 0 || m.layout.Height <= 0 {
		return v
	}
	s, top := screenOf(m), m.overlays.top()
	var lines []string
	if top != nil && top.place() == floating && !m.overlays.triesTheme() {
		lines = m.frame.Ghost(s.st, s.l.Width, s.l.Height, s.panes)
	} else {
		m.frame.Settle()
		lines = s.panes()
	}
	cursor := s.cursor()
	switch {
	case m.overlays.onTop(whatifOverlay{}) && !s.l.Panel.Empty():
		cursor = nil // the dials are in the panel
	case top != nil:
		var block []string
		block, cursor = m.overlayView()
		theme.Lay(lines, top.box(m), block)
	}
	foot, x := s.footer()
	theme.Lay(lines, s.l.Footer, foot)
	if x >= 0 && !s.l.Footer.Empty() {
		cursor = tea.NewCursor(x, s.l.Footer.Y)
	}
	v.Content = strings.Join(lines, "\n")
	v.Cursor = cursor
	return v
}

// panes are all lines of the screen but the hints: header, page, panel and draft.
func (s screen) panes() []string {
	l := s.l
	lines, filled := make([]string, l.Height), make([]int, l.Height) // the boxes fill it from left to right
	put := func(b theme.Box, block []string) {
		for i := range b.H {
			line, y := "", b.Y+i
			if i < len(block) {
				line = block[i]
			}
			switch line = theme.Fit(line, b.W); {
			case b.Empty() || y < 0 || y >= len(lines):
			case filled[y] > b.X: // over what is there
				theme.Lay(lines[y:y+1], theme.Box{X: b.X, W: b.W, H: 1}, []string{line})
				filled[y] = max(filled[y], b.X+b.W)
			default:
				lines[y] += strings.Repeat(" ", b.X-filled[y]) + line
				filled[y] = b.X + b.W
			}
		}
	}
	put(l.Header, []string{s.header()})
	put(l.Transcript, s.page())
	put(l.Panel, s.panel())
	put(l.Alert, s.question())
	put(l.Rule, []string{s.rule()})
	put(l.Queue, s.queue(l.Queue.H))
	put(l.Composer, s.draft())
	if list := s.m.composer.CompletionView(l.Overlay.W-2, l.Rule.Y-2); len(list) > 0 {
		b := theme.Box{X: l.Gutter, Y: l.Rule.Y - len(list) - 2, W: l.Overlay.W, H: len(list) + 2}
		put(b, frame.Float(s.st, b, list))
	}
	for i := range lines {
		if filled[i] != l.Width {
			lines[i] = theme.Fit(lines[i], l.Width)
		}
	}
	return lines
}

// header is the line at the top: what is on the screen, and the model with what the next request takes.
func (s screen) header() string {
	m, st := s.m, s.st
	if s.l.Small {
		return frame.TooSmall(st, layout.WantWidth, layout.WantHeight, s.l.Width)
	}
	if top := m.overlays.top(); top != nil && (top.place() == insteadOf || top.place() == listInstead) {
		title, right := top.title(m)
		right = st.Muted.Render(right)
		if o, ok := top.(viewed); ok {
			right = o.views(m)
		}
		return frame.Header(st, st.Text.Render(title), "", right, s.l.Width)
	}
	title := st.Text.Render(markdown.OneLine(m.current.Title(), s.l.Width))
	if m.chat.Empty() {
		title = st.Muted.Render(markdown.OneLine(m.current.Title(), s.l.Width))
	}
	switch {
	case m.panel.Whatif != nil:
		title += st.Muted.Render(frame.Crumb) + st.Cut.Bold(true).Render("what if")
	case m.panel.Past != nil:
		title += st.Muted.Render(frame.Crumb + "as seen in " + panel.TurnName(m.panel.Past.Past.Recorded))
	case m.overlays.onTop(panelOverlay{}):
		title += st.Muted.Render(frame.Crumb + "context")
	}
	gauge := ""
	if s.l.Panel.Empty() && !m.chat.Empty() {
		gauge = m.panel.Gauge(s.l.Width >= layout.GaugeWidth)
	}
	return frame.Header(st, title, st.Muted.Render(shownModel(m)), gauge, s.l.Width)
}

// shownModel names the model in use, with its endpoint where there is more than one and it is not the service of the
// model's maker: whoever sends something sees where it goes.
func shownModel(m *Model) string {
	if e := m.current.Endpoint(); e.Name != "" && !e.AtMaker() && !m.current.Guided() &&
		severalEndpoints(m.current.With.Models.Endpoints()) {
		return markdown.OneLine(m.current.Ref, 60)
	}
	return m.current.ModelName()
}

// severalEndpoints says that there are two endpoints or more beside the guide.
func severalEndpoints(list []llm.Endpoint) bool {
	n := 0
	for _, e := range list {
		if e.Name != llm.Guide {
			n++
		}
	}
	return n > 1
}

// breadcrumb is the title of the conversation with what is shown of it.
func breadcrumb(m *Model, of string) string {
	return markdown.OneLine(m.current.Title(), m.layout.Width) + frame.Crumb + of
}

// page is the conversation with what its turn does now, or the first screen.
func (s screen) page() []string {
	b, tail := s.l.Transcript, s.tail()
	lines := s.m.chat.View()
	if s.m.chat.Empty() {
		lines = s.first(b.W, max(0, b.H-len(tail)))
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
	if !m.turn.Stopping && !m.question.Waits() {
		stops := " stops"
		if text, reasoning := m.turn.Arrived(); text+reasoning != "" {
			stops = " stops and keeps what is here"
		}
		ways = s.st.Text.Render(m.keys.First(keymap.Back)) + s.st.Muted.Render(stops)
	}
	lines := m.turn.View(s.st, m.question.Waits(), ways, w)
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

// panel is the panel beside the page, behind the rule between them and below a blank line.
func (s screen) panel() []string {
	b := s.l.Panel
	if b.Empty() {
		return nil
	}
	return s.m.panel.Pane(b.W, b.H)
}

// panelBox is where the panel's lines stand beside the page.
func panelBox(l layout.Layout) theme.Box {
	b := l.Panel
	return theme.Box{X: b.X + 1, Y: b.Y + 1, W: max(0, b.W-2), H: max(0, b.H-1)}
}

// question is the question above the rule of the draft.
func (s screen) question() []string { return s.m.question.View(s.st, s.m.focus == questionPane) }

// rule is the line above the draft: what is special about the draft, else what the next request sends where the panel
// does not say it.
func (s screen) rule() string {
	m, w, margin := s.m, s.l.Width, s.l.Gutter
	if over := misfit(m); over != nil {
		title, parts := misfitTitle(over)
		return theme.Ruled(s.st.Repaired, w, margin, []string{s.st.Repaired.Bold(true).Render(title)},
			s.st.Muted.Render(parts))
	}
	about, right := "", ""
	switch _, name := m.composer.Editing(); {
	case m.current.ReadOnly:
		about = "read-only"
	case m.composer.Leaving():
		about = "opening the chat…"
	case name != "":
		about, right = "editing "+name, s.st.Text.Render(m.keys.First(keymap.Back))+s.st.Muted.Render(" cancel")
	}
	switch {
	case about != "":
		return theme.Ruled(s.st.Lines, w, margin, []string{s.st.Muted.Render(about)}, right)
	case s.l.Panel.Empty() && s.l.Context != layout.Hidden && !m.chat.Empty():
		return m.panel.Strip(w, margin)
	}
	return m.panel.Rule(w, margin)
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
	if s.m.focus == draftPane && !s.m.current.ReadOnly {
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
	x, y, l := 0, 0, s.l
	switch s.m.focus {
	case questionPane:
		ok := false
		if x, y, ok = s.m.question.Caret(s.st); !ok {
			return nil
		}
		return tea.NewCursor(min(x, l.Width-1), min(y+l.Alert.Y, l.Height-1))
	case draftPane:
		if s.m.current.ReadOnly {
			return nil
		}
		x, y = s.m.composer.Area.Cursor()
		y += l.Composer.Y
	default:
		return nil
	}
	return tea.NewCursor(min(l.Mark()+x, l.Width-1), min(y, l.Height-1))
}

// footer is the lower line: a sentence, the search line, or the keys that matter now; x is where the search line is
// typed, -1 where it is not.
func (s screen) footer() (lines []string, x int) {
	m, w := s.m, s.l.Footer.W
	finding, said := !m.overlays.any() && m.chat.Search.On, m.notice.Sentence()
	switch {
	case finding && m.chat.Search.Open:
		line, x := m.chat.SearchLine(w, said)
		return []string{line}, x
	case said != "" && !m.notice.Fits(w):
		return m.notice.View(s.st, w, s.l.Footer.H), -1
	case said == "" && finding && m.focus == transcriptPane:
		line, _ := m.chat.SearchLine(w, "")
		return []string{line}, -1
	}
	return []string{frame.Hints(s.st, m.hints(), s.state(), w)}, -1
}

// state is the right end of the hints: a sentence, else what is selected, how far the page is from its end, or what the
// session has cost.
func (s screen) state() string {
	m := s.m
	if toast := m.notice.Toast(s.st); toast != "" {
		return toast
	}
	text, narrow := m.chat.SelectionTitle(), s.l.Width < theme.NarrowScreen
	top := m.overlays.top()
	if o, ok := top.(stateful); ok {
		return s.st.Muted.Render(o.state(m))
	}
	switch newer := m.chat.Newer(); {
	case top != nil && top.place() == floating:
		text, _ = top.title(m)
	case text != "", top != nil:
	case m.focus == panelPane && !narrow && m.panel.State() != "":
		text = m.panel.State()
	case newer > 0 && narrow:
		text = "↓ " + theme.Thousands(newer) + " newer"
	case newer > 0:
		text = "↓ " + theme.Plural(newer, "newer message") + " · " + m.keys.First(keymap.Bottom) + " end"
	case m.panel.Next.Spent != "" && !narrow:
		text = m.panel.Next.Spent + " so far"
	}
	return s.st.Muted.Render(text)
}
