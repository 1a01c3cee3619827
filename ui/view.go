package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/ui/keymap"
	"winnow/ui/layout"
	"winnow/ui/markdown"
	"winnow/ui/notice"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// View draws the screen.
func (m *Model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.ReportFocus = m.notice.Bell.Listens()
	v.WindowTitle = "winnow · " + markdown.OneLine(m.current.Title(), 80)
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.layout.Width <= 0 || m.layout.Height <= 0 {
		return v
	}
	screen := make([]string, m.layout.Height) // the boxes fill it from left to right
	l := m.layout
	put := func(b theme.Box, lines []string) {
		if !b.Empty() {
			theme.Lay(screen, b, lines)
		}
	}
	put(l.Header, []string{m.header(l.Header.W)})
	put(l.Transcript, m.transcriptView())
	put(l.Panel, m.panelView(l.Panel))
	put(l.Alert, theme.Blank(m.alertLines(l.Alert.H), l.Alert.W, l.Alert.H))
	composer, cursor := m.composerView()
	put(l.Composer, composer)
	put(l.Footer, []string{m.footer(l.Footer.W)})
	if over := m.composer.CompletionView(l.Composer.W, l.Transcript.H); len(over) > 0 {
		b := theme.Box{X: l.Composer.X, Y: max(0, l.Composer.Y-len(over)), W: l.Composer.W, H: len(over)}
		put(b, over)
	}
	switch {
	case m.overlays.onTop(whatifOverlay{}) && !l.Panel.Empty():
		cursor = nil // the keys go to the panel
	case m.overlays.any():
		var block []string
		block, cursor = m.overlayView()
		put(m.overlays.top().box(m), block)
	}
	if m.chat.Search.Open && !m.overlays.any() && !l.Footer.Empty() {
		_, x := m.chat.SearchLine(l.Footer.W, "")
		cursor = tea.NewCursor(x, l.Footer.Y)
	}
	if x, y, ok := m.question.Caret(m.themes.Styles, m.keys); ok && m.focus == questionPane && !m.overlays.any() {
		cursor = tea.NewCursor(min(l.Alert.X+2+x, l.Width-1), l.Alert.Y+y)
	}
	if sentence := m.notice.View(m.themes.Styles, l.Footer.W, !l.Framed); len(sentence) > 1 && !m.chat.Search.Open {
		put(theme.Box{X: l.Footer.X, Y: l.Footer.Y - len(sentence) + 1, W: l.Footer.W, H: len(sentence)}, sentence)
	}
	v.Content = strings.Join(screen, "\n")
	v.Cursor = cursor
	return v
}

func (m *Model) transcriptView() []string {
	b := m.layout.Transcript
	in := b.Inner(m.layout.Framed)
	lines := m.chat.View()
	if m.chat.Empty() {
		choice := m.current.Choice
		if choice.Ref != m.current.Ref {
			choice.Ref, choice.Reason = m.current.Ref, ""
		}
		lines = firstScreen(m.themes.Styles, m.keys, choice, m.notice.Is(notice.Unreachable), in.W, in.H)
	}
	if !m.layout.Framed {
		return theme.Blank(lines, b.W, b.H)
	}
	title := "transcript"
	if selected := m.chat.SelectionTitle(); selected != "" {
		title += " · " + selected
	}
	if hits := m.chat.SearchTitle(); hits != "" {
		title += " · " + hits
	}
	if past := m.panel.Past; past != nil {
		title += " as seen in " + panel.TurnName(past.Past.Recorded)
	}
	if m.panel.Whatif != nil {
		title += " as it would be seen"
	}
	return theme.Frame(b, m.themes.Styles.Border(title, m.chat.Position(), m.focus == transcriptPane), lines)
}

// panelTitle says which request the panel shows.
func (m *Model) panelTitle() string {
	selected := ""
	if m.focus == panelPane || m.overlays.onTop(panelOverlay{}) {
		selected = m.chat.SelectionTitle()
	}
	return m.panel.Title(selected)
}

func (m *Model) panelView(b theme.Box) []string {
	if b.Empty() {
		return nil
	}
	in := b.Inner(true)
	focused := m.focus == panelPane || m.overlays.onTop(panelOverlay{}) || m.overlays.onTop(whatifOverlay{})
	return theme.Frame(b, m.themes.Styles.Border(m.panelTitle(), m.panel.Position(), focused), m.panel.View(m.themes.Styles, in.W, in.H, focused))
}

// alertLines are what stands above the composer: a question, or why the last turn failed, which takes at
// most so many lines.
func (m *Model) alertLines(most int) []string {
	st := m.themes.Styles
	w := alertWidth(m.layout)
	queued := min(1, m.composer.Waiting.Len()) // the least lines of the queue
	var lines []string
	switch {
	case m.question.Waits():
		lines = m.question.View(st, m.keys, w, most-queued, m.focus == questionPane)
	default:
		lines = m.notice.AlertView(st, w, most-queued)
		if len(lines) == 0 && m.turn.Retry != "" {
			lines = theme.WrapStyled(st.Cut, "… "+markdown.Visible(m.turn.Retry), w)
		}
	}
	// Queued messages stand right above the draft, which they were.
	lines = append(lines, m.composer.Waiting.View(st, m.keys, w, most-len(lines))...)
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

// alertWidth is how many cells a line above the composer has.
func alertWidth(l layout.Layout) int { return max(1, l.DraftWidth()-1) }

func (m *Model) composerView() ([]string, *tea.Cursor) {
	b := m.layout.Composer
	if b.Empty() {
		return nil, nil
	}
	in := b.Inner(m.layout.Framed)
	lead, rest := " ", " "
	if !m.layout.Framed {
		lead, rest = m.themes.Styles.Strong.Render("›")+" ", "  "
	}
	lines := m.composer.View()
	for i := range lines {
		if i == 0 {
			lines[i] = lead + lines[i]
			continue
		}
		lines[i] = rest + lines[i]
	}
	var cursor *tea.Cursor
	if m.focus == draftPane && !m.current.ReadOnly {
		x, y := m.composer.Area.Cursor()
		cursor = tea.NewCursor(min(x+in.X+theme.Width(lead), m.layout.Width-1), min(y+in.Y, m.layout.Height-1))
	}
	if !m.layout.Framed {
		return theme.Blank(lines, b.W, b.H), cursor
	}
	title := "message"
	right := ""
	if m.composer.Restored() {
		title = "message · left unsent in this session"
	}
	if m.composer.Leaving() {
		title = "opening the session …"
	}
	if name := m.composer.EditingName(); name != "" {
		title, right = "editing "+name, m.keys.First(keymap.Back)+" leaves it as it was"
	}
	if m.current.ReadOnly {
		title = "for reading"
	}
	border := m.themes.Styles.Border
	if over := misfit(m); over != nil {
		title, right = misfitTitle(over)
		border = m.themes.Styles.Fault
	}
	if a := m.turn.Activity(m.question.Waits() || m.overlays.asksLimit()); a != "" {
		title = a
	}
	if m.turn.Busy && !m.turn.Stopping {
		right = m.keys.First(keymap.Back) + " stops"
	}
	return theme.Frame(b, border(title, right, m.focus == draftPane), lines), cursor
}

// footer is the lower line: a notice, else the keys that matter now.
func (m *Model) footer(w int) string {
	finding := !m.overlays.any() && m.chat.Search.On
	if finding && m.chat.Search.Open {
		line, _ := m.chat.SearchLine(w, m.notice.Sentence())
		return line
	}
	if sentence := m.notice.View(m.themes.Styles, w, !m.layout.Framed); len(sentence) > 0 {
		return sentence[0]
	}
	if finding && m.focus == transcriptPane {
		line, _ := m.chat.SearchLine(w, m.notice.Sentence())
		return line
	}
	if a := m.turn.Activity(m.question.Waits() || m.overlays.asksLimit()); a != "" && !m.layout.Framed {
		return theme.Fit(" "+a, w)
	}
	return hintLine(m.themes.Styles, m.hints(), w)
}

// header is the line at the top: title, model, what the next request takes.
func (m *Model) header(w int) string {
	st := m.themes.Styles
	if m.layout.Small {
		return theme.Fit(st.Cut.Render(fmt.Sprintf("winnow wants %d×%d", layout.WantWidth, layout.WantHeight)), w)
	}
	numbers := ""
	if s := m.panel.Next.Plan.Sum; m.panel.Next.Ready {
		numbers = " · ~" + theme.Thousands(s.Tokens(s.Total)) + " tokens"
		if s.Limit > 0 {
			numbers = fmt.Sprintf(" · ~%s of %s", theme.Thousands(s.Tokens(s.Total)), theme.Thousands(s.Limit))
		}
		if m.panel.Next.Limit != "" {
			numbers += " · " + m.panel.Next.Limit
		}
	}
	room := w - w/3 - 2 - theme.Width(numbers) // the title keeps a third
	right := markdown.OneLine(m.current.Ref, max(1, min(w/2, room))) + numbers
	title := markdown.OneLine(m.current.Title(), w)
	if from := m.current.Forks.From(); from != "" {
		title += st.Muted.Render(" · " + markdown.OneLine(from, 40))
	}
	return theme.Spread(" "+st.Strong.Render("winnow")+st.Muted.Render(" · ")+title, st.Muted.Render(right)+" ", w)
}

// firstScreen says which model answers, why, and how to choose another.
func firstScreen(st theme.Styles, k keymap.Map, c llm.Choice, unreachable bool, w, h int) []string {
	how := c.Hint
	if how == "" {
		how = k.First(keymap.Models) + " chooses another model"
	}
	var lines []string
	add := func(lead string, text string) {
		for i, s := range theme.Wrap(text, max(1, w-4)) {
			if i == 0 {
				s = lead + s
			} else {
				s = "  " + s
			}
			lines = append(lines, " "+s)
		}
	}
	does, why := " answers", c.Reason
	if unreachable {
		does, why = " is not available", "chosen "+c.Reason
	}
	add("  ", st.Strong.Render(markdown.OneLine(c.Ref, 80))+does)
	if c.Reason != "" {
		add("  ", st.Muted.Render(markdown.Visible(why)))
	}
	add("  ", st.Muted.Render(markdown.Visible(how)))
	if h >= 9 {
		lines = append(lines, "")
		add("  ", "Write a message below. What the model sees of this conversation, and why, is always one key away: "+
			k.First(keymap.Context)+".")
		if c.Ref == "guide" || strings.HasPrefix(c.Ref, "guide/") {
			add("  ", st.Muted.Render("The guide is no language model: it answers from winnow's own documentation. Ask it how winnow works."))
		}
	}
	pad := max(0, (h-len(lines))/3)
	return append(make([]string, pad), lines...)
}
