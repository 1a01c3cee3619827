// Package layout computes the box of each part of the screen. It is a pure function of sizes.
package layout

import "winnow/ui/theme"

// The sizes at which the layout changes, in cells.
const (
	wideWidth     = 120 // least width at which the panel is beside the transcript
	panelHeight   = 14  // least height at which the panel is beside the transcript
	LeastWidth    = 40  // below these sizes the header says how large the screen should be
	LeastHeight   = 10
	panelWidth    = 48  // of the panel, with the rule at its left and the gutter at its right
	broadWidth    = 160 // least width at which the panel is broader
	broadPanel    = 64
	tallHeight    = 28 // least height at which a line is free above the hints
	roomyHeight   = 16 // least height at which a line is free above and below the transcript
	floatWidth    = 92 // the greatest width of a floating box
	GaugeWidth    = 70 // least width at which the header has a bar
	MaxBlockLines = 6  // the most lines of an alert below the last message, and of the queue
)

// ContextView is how the next request is shown.
type ContextView int

// The ways to show the next request.
const (
	ContextPanel ContextView = iota // in the panel, or as ContextStrip if the panel does not fit
	ContextStrip                    // in one line above the draft
	ContextHidden
)

// Wants is the input of the layout: the size of the terminal, and what the content needs.
type Wants struct {
	Width, Height int // of the terminal
	Draft         int // lines of the wrapped draft
	QuestionLines int // lines of the question above the draft, 0 for none
	Queue         int // lines of queued messages above the draft
	Sentence      int // lines of the sentence in place of the hints; 0 counts as 1
	Context       ContextView
	Empty         bool // the chat has no messages: the first screen gets the panel's place too
	WhatIf        bool // a What-if trial is open: it needs the panel, whatever Context and Empty say
	PanelFocused  bool // the panel has the focus: if it does not fit beside the transcript, it covers it
}

// MaxQuestionLines returns the most lines of a question.
func (w Wants) MaxQuestionLines() int { return max(MaxBlockLines, w.Height/2) }

// PanelFits reports whether the panel fits beside the transcript.
func (w Wants) PanelFits() bool {
	return w.Width >= wideWidth && w.Height >= panelHeight && (!w.Empty || w.WhatIf)
}

// DraftIndent returns how many cells precede the draft's text: the gutter and the sign of the draft.
func (w Wants) DraftIndent() int { return theme.Gutter(w.Width) + 2 }

// DraftWidth returns the width of the draft's text.
func (w Wants) DraftWidth() int { return max(1, w.Width-w.DraftIndent()-theme.Gutter(w.Width)) }

// Layout is the box of each part of the screen. Parts without room have empty boxes.
type Layout struct {
	Wants
	Gutter     int // cells left free at both sides of the screen, except for marks
	Header     theme.Box
	Transcript theme.Box // from the left edge of the screen to the last cell of text
	Panel      theme.Box // beside the transcript; empty if it does not fit or is hidden
	Cover      theme.Box // of the panel while it covers transcript and draft, else empty
	Question   theme.Box
	Rule       theme.Box // above the draft
	Queue      theme.Box // the queued messages
	Composer   theme.Box
	Footer     theme.Box // the hints
	Overlay    theme.Box // of floating lists
	Full       theme.Box // everything between header and hints, for dialogs that replace the panes
	Small      bool      // the screen is below the least size
}

// For returns the layout for some content. From the top: header, blank line, transcript with the panel to its right,
// blank line, question, rule, queue, draft, blank line, footer. The draft grows to a third of the height. On a small
// screen the blank lines go first, then the lines of the transcript, the rule, the header and the footer; the draft
// goes last.
func For(w Wants) Layout {
	l := Layout{
		Wants: w, Gutter: theme.Gutter(w.Width), Small: w.Width < LeastWidth || w.Height < LeastHeight,
	}
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
		panel := panelWidth
		if width >= broadWidth {
			panel = broadPanel
		}
		l.Panel = theme.Box{
			X: width - panel, Y: header, W: panel, H: above + page + beneath,
		}
		l.Transcript.W = l.Panel.X - 1
	}
	l.Full = theme.Box{Y: header, W: width, H: max(0, l.Footer.Y-below-header)}
	if (w.PanelFocused || w.WhatIf) && !w.PanelFits() {
		l.Cover = theme.Box{
			Y: l.Transcript.Y, W: width, H: max(0, l.Full.Y+l.Full.H-l.Transcript.Y),
		}
		if alert > 0 {
			l.Cover.H = l.Question.Y - l.Cover.Y
		}
	}
	over := min(floatWidth, width-2*l.Gutter)
	y = max(header, w.Height/8)
	l.Overlay = theme.Box{X: (width - over) / 2, Y: y, W: over, H: max(0, l.Footer.Y-y)}
	return l
}
