package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/markdown"
)

// View draws the screen.
func (m *Model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.WindowTitle = "winnow · " + markdown.OneLine(m.title(), 80)
	if m.options.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.width <= 0 || m.height <= 0 {
		return v
	}
	screen := make([]string, m.height) // the boxes fill it from left to right
	l := m.layout
	put := func(b box, lines []string) {
		if !b.empty() {
			lay(screen, b, lines)
		}
	}
	put(l.header, []string{m.header(l.header.w)})
	put(l.transcript, m.transcriptView())
	put(l.panel, m.panelView(l.panel))
	put(l.alert, blank(m.alertLines(l.alert.h), l.alert.w, l.alert.h))
	composer, cursor := m.composerView()
	put(l.composer, composer)
	put(l.footer, []string{m.footer(l.footer.w)})
	if over := m.popupView(); len(over) > 0 {
		b := box{l.composer.x, max(0, l.composer.y-len(over)), l.composer.w, len(over)}
		put(b, over)
	}
	switch {
	case m.overlay == whatifOverlay && !l.panel.empty():
		cursor = nil // the keys go to the panel
	case m.overlay != noOverlay:
		var block []string
		block, cursor = m.overlayView()
		b := m.overlayBox()
		if m.overlay == inspectorOverlay {
			b = l.full
		}
		put(b, block)
	}
	if m.find.open && m.overlay == noOverlay && !l.footer.empty() {
		_, x := m.findLine(l.footer.w)
		cursor = tea.NewCursor(x, l.footer.y)
	}
	if said := m.toastLines(l.footer.w); len(said) > 1 && !m.find.open {
		put(box{l.footer.x, l.footer.y - len(said) + 1, l.footer.w, len(said)}, said)
	}
	v.Content = strings.Join(screen, "\n")
	v.Cursor = cursor
	return v
}

func (m *Model) transcriptView() []string {
	b := m.layout.transcript
	in := b.within(m.layout.framed)
	lines := m.chat.view()
	if m.chat.empty() {
		lines = m.firstScreen(in.w, in.h)
	}
	if !m.layout.framed {
		return blank(lines, b.w, b.h)
	}
	title := "transcript"
	if selected := m.selectionTitle(); selected != "" {
		title += " · " + selected
	}
	if hits := m.findTitle(); hits != "" {
		title += " · " + hits
	}
	if past := m.panel.past; past != nil {
		title += " as seen in " + turnName(past.past.Recorded)
	}
	if m.panel.whatif != nil {
		title += " as it would be seen"
	}
	return frame(b, m.border(title, m.chat.position(), m.focus == transcriptPane), lines)
}

func (m *Model) border(title, right string, focused bool) titled {
	st := m.styles
	t := titled{title: title, line: st.frame, name: st.title}
	if right != "" {
		t.right = st.dim.Render(right)
	}
	if focused {
		t.line, t.name = st.focus, st.accent
	}
	return t
}

// panelTitle says which request the panel shows.
func (m *Model) panelTitle() string {
	selected := m.selectionTitle()
	switch {
	case m.panel.whatif != nil:
		return "context: what if"
	case m.panel.looking:
		return "context: reading a past request …"
	case selected != "" && (m.focus == panelPane || m.overlay == panelOverlay):
		return "context · " + selected
	case m.marked != nil:
		return "context: " + m.nameOf(m.panel.shown()) + " · " + firstKey(m.keys.Compare) + " compares with " + m.nameOf(m.marked)
	}
	return "context: " + m.nameOf(m.panel.shown())
}

func (m *Model) panelView(b box) []string {
	if b.empty() {
		return nil
	}
	in := b.within(true)
	focused := m.focus == panelPane || m.overlay == panelOverlay || m.overlay == whatifOverlay
	return frame(b, m.border(m.panelTitle(), m.panel.place(), focused), m.panel.view(m.styles, in.w, in.h, focused))
}

// alertLines are what stands above the composer: a question, or why the last turn failed, which takes at
// most so many lines.
func (m *Model) alertLines(most int) []string {
	st := m.styles
	w := max(1, m.draftWidth()-1)
	lines := []string{}
	switch {
	case m.turn.question.waits():
		lines = m.questionLines(w, most)
	case m.alert != "":
		for _, s := range withWayOut(m.alert, m.way, w, most) {
			lines = append(lines, st.bad.Render(s))
		}
	case m.news != "":
		lines = append(lines, wrapStyled(st.warn, "! "+markdown.Visible(m.news), w)...)
	case m.turn.retry != "":
		lines = append(lines, wrapStyled(st.warn, "… "+markdown.Visible(m.turn.retry), w)...)
	}
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

func (m *Model) composerView() ([]string, *tea.Cursor) {
	b := m.layout.composer
	if b.empty() {
		return nil, nil
	}
	in := b.within(m.layout.framed)
	lead, rest := " ", " "
	if !m.layout.framed {
		lead, rest = m.styles.accent.Render("›")+" ", "  "
	}
	lines := m.composer.area.View(m.composer.looks)
	if m.elsewhere {
		lines = m.closedLines(m.draftWidth())
	}
	for i := range lines {
		if i == 0 {
			lines[i] = lead + lines[i]
			continue
		}
		lines[i] = rest + lines[i]
	}
	var cursor *tea.Cursor
	if m.focus == draftPane && !m.elsewhere {
		x, y := m.composer.area.Cursor()
		cursor = tea.NewCursor(min(x+in.x+fitWidth(lead), m.width-1), min(y+in.y, m.height-1))
	}
	if !m.layout.framed {
		return blank(lines, b.w, b.h), cursor
	}
	title := "message"
	right := ""
	if !m.composer.empty() && m.keeping.restored == m.composer.area.Changes() {
		title = "message · left unsent in this session"
	}
	if m.opening.waits {
		title = "opening the session …"
	}
	if e := m.editTitle(); e != "" {
		title, right = e, firstKey(m.keys.Back)+" leaves it as it was"
	}
	if m.elsewhere {
		title = "for reading"
	}
	if a := m.activity(); a != "" {
		title = a
	}
	if m.turn.busy && !m.turn.stopping {
		right = firstKey(m.keys.Back) + " stops"
	}
	return frame(b, m.border(title, right, m.focus == draftPane), lines), cursor
}

// footer is the lower line: a notice, else the keys that matter now.
func (m *Model) footer(w int) string {
	finding := m.overlay == noOverlay && m.find.on
	if finding && m.find.open {
		line, _ := m.findLine(w)
		return line
	}
	if said := m.toastLines(w); len(said) > 0 {
		return said[0]
	}
	if finding && m.focus == transcriptPane {
		line, _ := m.findLine(w)
		return line
	}
	if a := m.activity(); a != "" && !m.layout.framed {
		return fit(" "+a, w)
	}
	return m.helpLine(w)
}

// mostToast is the most lines of a notice: the lower line, and the frames' lower edge above it.
const mostToast = 2
