package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/theme"
)

// The sizes at which the screen changes its shape, in cells.
const (
	wideWidth   = 100 // from here the context panel stands beside the transcript
	wantWidth   = 40  // below this the screen says what size it wants
	wantHeight  = 10
	frameHeight = 14 // from here the panes have frames
	minPanel    = 40
	maxPanel    = 64
	mostAlert   = 6 // the most lines of an error or a question above the composer
)

// wants is what the content asks of the layout.
type wants struct {
	width, height int  // of the terminal
	draft         int  // lines of the draft, wrapped
	alert         int  // lines of the error or question above the composer, 0 for none
	panel         bool // the context panel is wished for
}

// layout says where everything stands. Boxes that have no room are empty.
type layout struct {
	header     theme.Box
	transcript theme.Box
	panel      theme.Box // empty where the screen is narrow: the panel is an overlay there
	alert      theme.Box
	composer   theme.Box
	footer     theme.Box
	overlay    theme.Box // where pickers, help and the narrow panel are drawn
	full       theme.Box // all between header and footer
	framed     bool
	small      bool // the screen is smaller than winnow wants
}

// layoutFor turns sizes into boxes. From the top: header, transcript (the panel to its right),
// alert, composer, footer. The composer grows to a third of the height; what is short is taken
// from the transcript, then the header, then the footer, so that the draft is the last to go.
func layoutFor(w wants) layout {
	l := layout{
		framed: w.height >= frameHeight && w.width >= wantWidth,
		small:  w.width < wantWidth || w.height < wantHeight,
	}
	width, left := max(0, w.width), max(0, w.height)
	frame := 0
	if l.framed {
		frame = 2
	}

	composer := min(max(1, w.draft), max(1, w.height/3)) + frame
	composer = min(composer, left)
	left -= composer
	footer := min(1, left)
	left -= footer
	transcript := min(1+frame, left)
	left -= transcript
	header := min(1, left)
	left -= header
	alert := min(w.alert, mostAlert, left)
	left -= alert
	transcript += left

	chat := width
	if w.panel && w.width >= wideWidth && l.framed {
		panel := min(max(minPanel, width*36/100), maxPanel)
		chat = width - panel
		l.panel = theme.Box{X: chat, Y: header, W: panel, H: transcript + alert + composer}
	}
	y := 0
	next := func(width, height int) theme.Box {
		b := theme.Box{X: 0, Y: y, W: width, H: height}
		y += height
		return b
	}
	l.header = next(width, header)
	l.transcript = next(chat, transcript)
	l.alert = next(chat, alert)
	l.composer = next(chat, composer)
	l.footer = next(width, footer)
	l.full = theme.Box{X: 0, Y: header, W: width, H: transcript + alert + composer}
	l.overlay = l.full
	if l.framed && w.width >= wideWidth {
		ow := min(width-8, 96)
		oh := min(max(l.overlay.H-4, min(l.overlay.H, 12)), 34)
		l.overlay = theme.Box{X: (width - ow) / 2, Y: header + (l.overlay.H-oh)/2, W: ow, H: oh}
	}
	return l
}

func (m *Model) resize(msg tea.WindowSizeMsg) tea.Cmd {
	m.width, m.height = msg.Width, msg.Height
	m.arrange()
	return nil
}

// arrange lays out the screen anew and tells the parts their sizes.
func (m *Model) arrange() {
	m.chat.Edited = m.composer.Editing()
	m.composer.Resize(max(1, m.draftWidth()), max(1, m.height/3))
	m.layout = layoutFor(wants{
		width: m.width, height: m.height, draft: m.composerLines(),
		alert: len(m.alertLines(mostAlert)), panel: m.wantPanel,
	})
	in := m.layout.transcript.Within(m.layout.framed)
	m.chat.Resize(in.W, in.H)
	m.fitInspector()
	m.fitReaders()
}

// composerLines is how many lines the composer takes.
func (m *Model) composerLines() int {
	if m.elsewhere {
		return len(m.closedLines(m.draftWidth()))
	}
	return m.composer.Lines()
}

// draftWidth is the width of the text area: the composer without its frame and margin.
func (m *Model) draftWidth() int {
	l := layoutFor(wants{width: m.width, height: m.height, draft: 1, panel: m.wantPanel})
	return l.composer.Within(l.framed).W - 2
}
