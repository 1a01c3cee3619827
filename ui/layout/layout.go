// Package layout says where each part of the screen stands. It is a pure function of sizes.
package layout

import "winnow/ui/theme"

// The sizes at which the screen changes its shape, in cells.
const (
	WideWidth   = 100 // from here the context panel stands beside the transcript
	WantWidth   = 40  // below this the screen says what size it wants
	WantHeight  = 10
	FrameHeight = 14 // from here the panes have frames
	minPanel    = 40
	maxPanel    = 64
	mostAlert   = 6 // the most lines of an error above the composer
)

// Wants is what the content asks of the layout.
type Wants struct {
	Width, Height int  // of the terminal
	Draft         int  // lines of the draft, wrapped
	AlertLines    int  // of the error or question above the composer, 0 for none
	WantPanel     bool // the context panel is wished for
	Asks          bool // there is a question above the composer
}

// MostAlert is the most lines of what is above the composer. A question may take half of the height.
func (w Wants) MostAlert() int {
	if w.Asks {
		return max(mostAlert, w.Height/2)
	}
	return mostAlert
}

// DraftWidth is the width of the draft's text: the composer without its frame and margin.
func (w Wants) DraftWidth() int {
	l := For(Wants{Width: w.Width, Height: w.Height, Draft: 1, WantPanel: w.WantPanel})
	return l.Composer.Inner(l.Framed).W - 2
}

// Layout says where everything stands. Boxes that have no room are empty.
type Layout struct {
	Wants
	Header     theme.Box
	Transcript theme.Box
	Panel      theme.Box // empty where the screen is narrow: the panel is an overlay there
	Alert      theme.Box
	Composer   theme.Box
	Footer     theme.Box
	Overlay    theme.Box // where pickers, help and the narrow panel are drawn
	Full       theme.Box // all between header and footer
	Framed     bool
	Small      bool // the screen is smaller than winnow wants
}

// For turns sizes into boxes. From the top: header, transcript (the panel to its right),
// alert, composer, footer. The composer grows to a third of the height; what is short is taken
// from the transcript, then the header, then the footer, so that the draft is the last to go.
func For(w Wants) Layout {
	l := Layout{
		Wants:  w,
		Framed: w.Height >= FrameHeight && w.Width >= WantWidth,
		Small:  w.Width < WantWidth || w.Height < WantHeight,
	}
	width, left := max(0, w.Width), max(0, w.Height)
	frame := 0
	if l.Framed {
		frame = 2
	}

	composer := min(max(1, w.Draft), max(1, w.Height/3)) + frame
	composer = min(composer, left)
	left -= composer
	footer := min(1, left)
	left -= footer
	transcript := min(1+frame, left)
	left -= transcript
	header := min(1, left)
	left -= header
	alert := min(w.AlertLines, w.MostAlert(), left)
	left -= alert
	transcript += left

	chat := width
	if w.WantPanel && w.Width >= WideWidth && l.Framed {
		panel := min(max(minPanel, width*36/100), maxPanel)
		chat = width - panel
		l.Panel = theme.Box{X: chat, Y: header, W: panel, H: transcript + alert + composer}
	}
	y := 0
	next := func(width, height int) theme.Box {
		b := theme.Box{X: 0, Y: y, W: width, H: height}
		y += height
		return b
	}
	l.Header = next(width, header)
	l.Transcript = next(chat, transcript)
	l.Alert = next(chat, alert)
	l.Composer = next(chat, composer)
	l.Footer = next(width, footer)
	l.Full = theme.Box{X: 0, Y: header, W: width, H: transcript + alert + composer}
	l.Overlay = l.Full
	if l.Framed && w.Width >= WideWidth {
		ow := min(width-8, 96)
		oh := min(max(l.Overlay.H-4, min(l.Overlay.H, 12)), 34)
		l.Overlay = theme.Box{X: (width - ow) / 2, Y: header + (l.Overlay.H-oh)/2, W: ow, H: oh}
	}
	return l
}
