// Package layout says where each part of the screen stands. It is a pure function of sizes.
package layout

import "winnow/ui/theme"

// The sizes at which the screen changes its shape, in cells.
const (
	WideWidth     = 120 // from here the context panel stands beside the page
	PanelHeight   = 14  // from here there is room for the panel
	LeastWidth    = 40  // below this the screen says what size it wants
	LeastHeight   = 10
	PanelWidth    = 48  // the panel with the rule between page and panel, and the gutter at its right
	BroadWidth    = 160 // from here the panel is broader
	BroadPanel    = 64
	tallHeight    = 28 // from here a line is free above the hints
	roomyHeight   = 16 // from here a line is free above and below the page
	floatWidth    = 92 // the most cells of what floats over the page
	GaugeWidth    = 70 // from here the header has a bar
	MaxBlockLines = 6  // the most lines of an error below the last message
)

// Context is how the next request is shown.
type ContextView int

// The ways to show the next request.
const (
	ContextPanel ContextView = iota // beside the page, and as the strip where there is no room for that
	ContextStrip                    // in the rule above the draft
	ContextHidden
)

// Wants is what the content asks of the layout.
type Wants struct {
	Width, Height int // of the terminal
	Draft         int // lines of the draft, wrapped
	QuestionLines int // of the question above the draft, 0 for none
	Queue         int // lines of queued messages above the draft
	Sentence      int // lines of the sentence in the place of the hints, 0 and 1 for one line
	Context       ContextView
	Empty         bool // the chat has no message: its first screen has the whole page
	WhatIf        bool // the panel is wanted for the dials of what-if, whatever Context and Empty say
	PanelFocused  bool // the panel has the keys: where it does not fit beside the page it has the place of that
}

// MostAlert is the most lines of a question: half of the height.
func (w Wants) MaxQuestionLines() int { return max(MaxBlockLines, w.Height/2) }

// PanelFits says that the panel can stand beside the page.
func (w Wants) PanelFits() bool {
	return w.Width >= WideWidth && w.Height >= PanelHeight && (!w.Empty || w.WhatIf)
}

// Mark is how many cells of the draft's line stand before its text: the gutter and the sign of the draft.
func (w Wants) DraftIndent() int { return theme.Gutter(w.Width) + 2 }

// DraftWidth is the width of the draft's text.
func (w Wants) DraftWidth() int { return max(1, w.Width-w.DraftIndent()-theme.Gutter(w.Width)) }

// Layout says where everything stands. Boxes that have no room are empty.
type Layout struct {
	Wants
	Gutter     int // cells that stay free at both sides of the screen, but for marks
	Header     theme.Box
	Transcript theme.Box // the page, from the left edge of the screen to the last cell of text
	Panel      theme.Box // beside the page, empty where it does not fit there
	Cover      theme.Box // of the panel in the place of page and draft, empty where it is not there
	Question   theme.Box
	Rule       theme.Box // above the draft
	Queue      theme.Box // what is queued
	Composer   theme.Box
	Footer     theme.Box // the hints
	Overlay    theme.Box // where lists float
	Full       theme.Box // all between header and hints, for what replaces the page
	Small      bool      // the screen is smaller than winnow wants
}

// For turns sizes into boxes. From the top: header, a blank line, page (the panel to its right), a blank line,
// question, rule, queued messages, draft, a blank
// line, hints. The draft grows to a third of the height; what is short is taken from the blank lines, then the
// page, the rule, the header and the hints, so that the draft is the last to go.
func For(w Wants) Layout {
	l := Layout{Wants: w, Gutter: theme.Gutter(w.Width), Small: w.Width < LeastWidth || w.Height < LeastHeight}
	width, left := max(0, w.Width), max(0, w.Height)
	take := func(n int) int {
		n = min(max(0, n), left)
		left -= n
		return n
	}
	composer := take(min(max(1, w.Draft), max(1, w.Height/3)))
	footer := take(1)
	page := take(1)
	header, rule := take(1), take(1)
	above, beneath, below := 0, 0, 0
	if w.Height >= roomyHeight {
		above, beneath = take(1), take(1)
	}
	if w.Height >= tallHeight {
		below = take(1)
	}
	if more := w.Sentence - 1; more > 0 { // the blank line is the first to give way to a longer sentence
		free := min(more, below)
		below -= free
		footer += free + take(min(more-free, max(0, left-1)))
	}
	queue := take(min(w.Queue, left/2))
	alert := take(min(w.QuestionLines, w.MaxQuestionLines()))
	page += left

	y := 0
	next := func(height int) theme.Box {
		b := theme.Box{Y: y, W: width, H: height}
		y += height
		return b
	}
	l.Header = next(header)
	y += above
	l.Transcript = next(page)
	y += beneath
	l.Question = next(alert)
	l.Rule = next(rule)
	l.Queue = next(queue)
	l.Composer = next(composer)
	y += below
	l.Footer = next(footer)

	l.Transcript.W = max(1, width-l.Gutter)
	if (w.Context == ContextPanel || w.WhatIf) && w.PanelFits() {
		panel := PanelWidth
		if width >= BroadWidth {
			panel = BroadPanel
		}
		l.Panel = theme.Box{X: width - panel, Y: header, W: panel, H: above + page + beneath}
		l.Transcript.W = l.Panel.X - 1
	}
	l.Full = theme.Box{Y: header, W: width, H: max(0, l.Footer.Y-below-header)}
	if (w.PanelFocused || w.WhatIf) && !w.PanelFits() {
		l.Cover = theme.Box{Y: l.Transcript.Y, W: width, H: max(0, l.Full.Y+l.Full.H-l.Transcript.Y)}
		if alert > 0 {
			l.Cover.H = l.Question.Y - l.Cover.Y
		}
	}
	over := min(floatWidth, width-2*l.Gutter)
	y = max(header, w.Height/8)
	l.Overlay = theme.Box{X: (width - over) / 2, Y: y, W: over, H: max(0, l.Footer.Y-y)}
	return l
}
