package inspector

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/event"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Repairs lists everything that was repaired in the active branch: what was wrong, what is sent instead,
// and what else could be. The stored messages stay as they came.
type Repairs struct {
	Keys    keymap.Map
	Secrets theme.Secrets
	Page    int                                       // how many lines a page is
	Runs    func(message int64) []session.RepairedRun // the calls of a message that ran with repaired arguments
	event.Queue

	Lines     []Repaired
	At        int
	storing   bool    // a remedy is being stored
	waiting   []int64 // messages whose next remedy was asked for meanwhile
	Announced bool    // the user knows that there are repairs

	// The comparison under the cursor: a long text is compared once, not at every frame.
	drawn   []string
	drawnOf drawnKey
}

// drawnKey is what a drawn comparison depends on.
type drawnKey struct {
	repair  history.Repair
	theme   theme.Name
	w       int
	reveals bool
}

// Repaired is one line: a repair of a message.
type Repaired struct {
	Entry  history.Entry
	Repair history.Repair
}

// The events of the list, beside those that the inspector has too.
type (
	// Remedy asks for something else to be sent in place of a message's group than now. RemediedMsg is the answer.
	Remedy struct{ Repaired }
	// GoTo asks for a message to be selected in the transcript.
	GoTo struct{ Message int64 }
)

// RemediedMsg is a remedy that was stored, or not.
type RemediedMsg struct{ Failed bool }

// Set takes another plan. The cursor stays on its message.
func (l *Repairs) Set(p history.Plan) {
	on, was := l.Chosen()
	l.Lines = nil
	for i := range p.Entries { // Most are not repaired, and an entry is large to copy.
		for _, r := range p.Entries[i].Repairs {
			l.Lines = append(l.Lines, Repaired{p.Entries[i], r})
		}
	}
	for i, line := range l.Lines {
		if was && line.Entry.ID == on.Entry.ID && line.Repair.Kind == on.Repair.Kind && line.Repair.Before == on.Repair.Before {
			l.At = i
			break
		}
	}
	l.Scroll(0)
}

// Open puts the cursor on a message, where it has repairs.
func (l *Repairs) Open(message int64) {
	if i := l.lineOf(message); i >= 0 {
		l.At = i
	}
}

// Announce says, once, that there are repairs: "" where there are none, or it was said before.
func (l *Repairs) Announce() string {
	n := len(l.Lines)
	if l.Announced || n == 0 {
		l.Announced = true
		return ""
	}
	l.Announced = true
	them := "them"
	if n == 1 {
		them = "it"
	}
	return theme.Plural(n, "repair") + " in this history; /repair shows " + them + ", or " + l.Keys.First(keymap.Repairs) + " in the transcript."
}

// Scroll moves the cursor by lines.
func (l *Repairs) Scroll(by int) { l.At = max(0, min(l.At+by, len(l.Lines)-1)) }

// lineOf is a message's first line, -1 for none.
func (l *Repairs) lineOf(message int64) int {
	return slices.IndexFunc(l.Lines, func(line Repaired) bool { return line.Entry.ID == message })
}

// Chosen is the line under the cursor.
func (l *Repairs) Chosen() (Repaired, bool) {
	if l.At < 0 || l.At >= len(l.Lines) {
		return Repaired{}, false
	}
	return l.Lines[l.At], true
}

// Update is a key, the wheel, or the end of a remedy.
func (l Repairs) Update(msg tea.Msg) Repairs {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		l.key(msg)
	case tea.MouseWheelMsg:
		l.Scroll(keymap.Wheel(msg, 1))
	case RemediedMsg:
		l.remedied(msg)
	}
	return l
}

func (l *Repairs) key(msg tea.KeyPressMsg) {
	k := &l.Keys
	on, ok := l.Chosen()
	switch {
	case k.Pressed(msg, keymap.Back, keymap.Repairs):
		l.Emit(Closed{})
	case k.Pressed(msg, keymap.Remedy) && !ok:
		l.Say("There is nothing to repair.")
	case k.Pressed(msg, keymap.Remedy) && l.storing:
		l.waiting = append(l.waiting, on.Entry.ID)
	case k.Pressed(msg, keymap.Remedy):
		l.remedy(on)
	case k.Pressed(msg, keymap.Choose) && !ok:
		l.Say("There is no message to go to.")
	case k.Pressed(msg, keymap.Choose):
		l.Emit(GoTo{on.Entry.ID})
	default:
		if by, ok := k.Stride(msg, l.Page); ok {
			l.Scroll(by)
			return
		}
		l.Say(msg.String() + " does nothing here; " + k.First(keymap.Remedy) + " has something else sent, " + k.First(keymap.Back) + " closes the list.")
	}
}

// remedy asks for something else in place of a message's group.
func (l *Repairs) remedy(on Repaired) {
	l.storing = true
	l.Emit(Remedy{on})
}

// remedied goes on with what was asked for meanwhile. Where a remedy failed, those after it are dropped.
func (l *Repairs) remedied(msg RemediedMsg) {
	l.storing = false
	if msg.Failed {
		l.waiting = nil
	}
	for len(l.waiting) > 0 && !l.storing {
		if i := l.lineOf(l.waiting[0]); i >= 0 {
			l.remedy(l.Lines[i])
		}
		l.waiting = l.waiting[1:]
	}
}

// RemedyWord is what is done with damaged messages.
func RemedyWord(r history.Remedy) string {
	switch r {
	case history.SendRepaired:
		return "repaired"
	case history.SendAsText:
		return "sent as text"
	case history.LeaveOut:
		return "left out"
	}
	return markdown.OneLine(string(r), 12)
}

// leastDetail is the height from which the repair under the cursor is shown in full.
const leastDetail = 10

// View draws the list of repairs, and below it the original of the one under the cursor against what is sent.
func (l *Repairs) View(st theme.Styles, w, h int) []string {
	on, ok := l.Chosen()
	if !ok {
		return theme.Indented(st.Muted, "Nothing is damaged: every message of this history goes as it was said.", w)
	}
	if h < leastDetail {
		return l.list(st, w, h)
	}
	lines := theme.Indented(st.Muted, "Repaired in the request only: what is stored stays as it came.", w)
	lines = append(lines, l.list(st, w, min(len(l.Lines), h/2))...)
	detail := l.detail(st, on, w)
	return append(lines, detail[:max(0, min(len(detail), h-len(lines)))]...)
}

// Position is how far down the list the cursor is, "" where there is no list.
func (l *Repairs) Position() string { return theme.OneOf(l.At, len(l.Lines)) }

// Hints are the keys that matter.
func (l *Repairs) Hints() []keymap.Hint {
	k := &l.Keys
	return []keymap.Hint{
		k.Hint("move", keymap.Down, keymap.Up),
		k.Hint("send it otherwise", keymap.Remedy),
		k.Hint("go to the message", keymap.Choose),
		k.Hint("help", keymap.Ask),
		k.Hint("close", keymap.Back),
	}
}

// list draws the lines around the cursor.
func (l *Repairs) list(st theme.Styles, w, h int) []string {
	var lines []string
	first, end := theme.Around(l.At, len(l.Lines), h)
	for i := first; i < end; i++ {
		lines = append(lines, l.line(st, i, w))
	}
	return lines
}

// line is one repair: its message, what was wrong, and what is done about it.
func (l *Repairs) line(st theme.Styles, i, w int) string {
	on := l.Lines[i]
	digits := len(theme.Thousands(l.Lines[len(l.Lines)-1].Entry.Index + 1))
	left := fmt.Sprintf(" %*s  %s %-3s ", digits, theme.Thousands(on.Entry.Index+1), theme.Fit(theme.Speaker(on.Entry.Role), 6), markdown.OneLine(on.Repair.Kind, 3))
	right := RemedyWord(on.Repair.Remedy)
	if !on.Entry.Sent() && on.Repair.Remedy != history.LeaveOut {
		right = "not sent"
	}
	what := markdown.OneLine(l.Secrets.Line(on.Repair.Sentence()), max(1, w-theme.Width(left)-theme.Width(right)-4))
	return listRow{glyph: theme.Glyph(on.Entry), lead: left + what, right: right}.draw(st, w, i == l.At)
}

// detail is the repair under the cursor in full.
func (l *Repairs) detail(st theme.Styles, on Repaired, w int) []string {
	lines := []string{st.Rule(w)}
	what, _ := l.Secrets.Hide(on.Repair.Sentence())
	lines = append(lines, theme.Indented(st.Text, on.Repair.Kind+": "+markdown.Visible(what), w)...)
	if !on.Entry.Sent() {
		lines = append(lines, theme.Indented(st.Muted, theme.Glyph(on.Entry)+" "+theme.Thousands(on.Entry.Index+1)+" "+markdown.Visible(on.Entry.Cause.Sentence()), w)...)
	}
	if of := (drawnKey{on.Repair, st.Name, w, l.Secrets.Revealed}); l.drawn == nil || l.drawnOf != of {
		shown, _ := withoutSecrets(l.Secrets, on.Repair)
		l.drawn, l.drawnOf = diffLines(st, w, shown.Before, shown.After), of
	}
	lines = append(lines, l.drawn...)
	if l.Runs != nil {
		for _, r := range l.Runs(on.Entry.ID) {
			ran, _ := l.Secrets.Hide(r.Arguments)
			lines = append(lines, theme.Indented(st.Cut, "You allowed it: "+markdown.OneLine(r.Call.Name, 60)+" ran with "+markdown.Visible(ran), w)...)
		}
	}
	return lines
}
