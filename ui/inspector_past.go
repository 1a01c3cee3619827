package ui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/inspector"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// mostSightings is how many verdicts of the past are read at first; the end of the list reads as many
// again.
const mostSightings = 100

// sightingsMsg is what became of a message in past requests.
type sightingsMsg struct {
	wish int
	list []session.Sighting
	most int // so many were asked for
	err  error
}

// readSightings reads what became of a message in past requests.
func (m *Model) readSightings(message int64, most int) tea.Cmd {
	m.inspector.reads = "reading past requests"
	wish, s := m.inspector.wish, m.session
	return m.behind(func(ctx context.Context) tea.Msg {
		list, err := s.Sightings(ctx, message, most)
		return sightingsMsg{wish, list, most, err}
	})
}

// sighted lists the verdicts of the past, the newest first.
func (m *Model) sighted(msg sightingsMsg) tea.Cmd {
	in := &m.inspector
	if msg.wish != in.wish {
		return nil
	}
	if msg.err != nil {
		in.reads = ""
		return m.complain(theme.Sentence(msg.err))
	}
	list := msg.list
	l := &inspector.List{
		N:     len(list),
		Line:  func(st theme.Styles, i, w int, chosen bool) string { return sightingLine(st, list[i], w, chosen) },
		About: func(i int) string { return theme.Glyph(list[i].Entry) + " " + list[i].Entry.Cause.Sentence() },
		None:  "No request of the past had this message.",
	}
	if len(list) == msg.most {
		l.End = func() tea.Cmd { return m.readSightings(in.on.message, 4*msg.most) }
	}
	m.put(l)
	in.open = func() tea.Cmd {
		if l.N == 0 {
			return m.say(l.None)
		}
		seen := list[l.At]
		in.then = asText
		return m.seek(false, func(ctx context.Context, s *session.Session) (*session.Replayed, error) {
			r, err := s.ReplayOf(ctx, seen.Turn, seen.Request)
			return &r, err
		})
	}
	return nil
}

// sightingLine is one verdict of the past.
func sightingLine(st theme.Styles, s session.Sighting, w int, chosen bool) string {
	turn := fmt.Sprintf("turn %s", theme.Thousands(s.Turn))
	if s.Of > 1 {
		turn += fmt.Sprintf(", %d of %d", s.Nth, s.Of)
	}
	verdict := theme.Word(s.Entry)
	if verdict == "" {
		verdict = "whole"
	}
	left := fmt.Sprintf(" %-16s %s  %s", turn, s.At.Local().Format(time.DateTime), verdict)
	right := markdown.OneLine(s.Model, max(1, w/4)) + fmt.Sprintf(" %7s ", theme.Thousands(s.Sum.Tokens(s.Entry.TokensAfter)))
	return st.VerdictLine(theme.Glyph(s.Entry), left, "", right, w, chosen)
}
