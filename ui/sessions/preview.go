package sessions

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// preview is what is read of the line under the cursor: the message that was found and the one before it, or the end of
// the conversation.
type preview struct {
	of       target // what is under the cursor
	messages []Previewed
}

// target is what a preview shows. It is read anew where the session has gone on.
type target struct {
	session string
	leaf    int64
	message int64 // that was found, 0 for the end of the conversation
	query   string
}

// Previewed is a message of a preview. Its text is the part from just before what was found.
type Previewed struct {
	store.Message
	Place store.Place
}

const (
	// mostPreview is how many bytes of a message a preview looks at, and beforeHit how many of them stand before what
	// was found.
	mostPreview = 12 << 10
	beforeHit   = 100
	// lastRead is how many messages are read to find the last ones that have a text.
	lastRead = 8
	// measure is the most cells of a line of a preview.
	measure = 92
)

// look reads what is under the cursor once that has rested there for a moment. Until then what was read of the same
// session stays.
func (l *Model) look() tea.Cmd {
	s, ok := l.cursor()
	t := target{session: s.ID, leaf: s.Leaf}
	if s.hit != nil {
		t.message, t.query = s.hit.Message, l.found.Text
	}
	if t == l.preview.of {
		return nil
	}
	if t.session != l.preview.of.session {
		l.preview.messages = nil
	}
	l.preview.of = t
	db, then := l.With.Store, l.previewing.Begin()
	if !ok {
		return nil
	}
	return tea.Tick(pause, func(time.Time) tea.Msg {
		return then(func() tea.Cmd {
			return l.Run(func(ctx context.Context) tea.Msg {
				messages, err := readPreview(ctx, db, t)
				return then(func() tea.Cmd { return l.Previewed(messages, err) })
			})
		})
	})
}

// readPreview reads the messages of a preview: the last one, or what was found, and the one before it.
func readPreview(ctx context.Context, db *store.Store, of target) ([]Previewed, error) {
	branch, err := db.Branch(ctx, cmp.Or(of.message, of.leaf), lastRead)
	if err != nil {
		return nil, err
	}
	branch = slices.DeleteFunc(branch, func(m store.Message) bool {
		speaks := strings.TrimSpace(m.Content) != "" && (m.Role == history.User || m.Role == history.Assistant)
		return !speaks && m.ID != of.message
	})
	var out []Previewed
	for _, m := range branch[max(0, len(branch)-2):] {
		places, err := db.Places(ctx, m.ID)
		if err != nil {
			return nil, err
		}
		m.Content = around(m, of.query)
		out = append(out, Previewed{m, places[m.ID]})
	}
	return out, nil
}

// around is as much of a message as a preview looks at: its beginning, or the part from just before what was found.
// What was found in its files or tool calls is shown there.
func around(m store.Message, query string) string {
	found := store.Search{Text: query}
	text, marks := m.Content, found.Marks(m.Content)
	if query != "" && len(marks) == 0 {
		text = m.Searched()
		marks = found.Marks(text)
	}
	lead := ""
	if len(marks) > 0 && marks[0][0] > 2*beforeHit {
		lead, text = "…", text[marks[0][0]-beforeHit:]
	}
	return lead + strings.ToValidUTF8(text[:min(len(text), mostPreview)], "")
}

// Previewed shows what was read for a preview.
func (l *Model) Previewed(messages []Previewed, err error) tea.Cmd {
	l.preview.messages = messages
	if err != nil {
		return l.Fail(theme.Sentence(err))
	}
	return nil
}

// previewLines draws the preview in at most so many lines.
func (l *Model) previewLines(o layout) []string {
	lines := []string{""}
	for i, m := range l.preview.messages {
		most := max(0, o.below-len(lines)-1)
		if i < len(l.preview.messages)-1 {
			most /= 3
		}
		lines = append(lines, l.previewHead(o, m))
		lines = append(lines, l.previewBody(o, m, most)...)
		lines = append(lines, "")
	}
	return lines[:min(len(lines), o.below)]
}

// previewHead is the line above a message of a preview: its sign, who said it, what became of it, its number and its
// time.
func (l *Model) previewHead(o layout, m Previewed) string {
	st := l.Themes.Styles
	name, style, facts := theme.Speaker(m.Role), st.Muted, ""
	if m.Role == history.User {
		style = st.You
	} else if m.Role == history.Assistant && m.Model != "" {
		name = markdown.OneLine(m.Model, 40)
	}
	if e := m.Place.Last; e != nil && theme.Word(*e) != "" {
		facts = st.OfGlyph(theme.Glyph(*e)).Render(theme.Word(*e)+" in the last request") + st.Muted.Render(" · ")
	}
	at := time.UnixMilli(m.CreatedMS).In(l.listing.At.Location()).Format("2 Jan 2006 15:04")
	if m.Place.Of > 0 {
		at = theme.Thousands(m.Place.Number) + " of " + theme.Thousands(m.Place.Of) + " · " + at
	}
	return theme.Spread(o.margin+sign(st, m.Place.Last)+" "+style.Render(name), facts+st.Muted.Render(at)+o.margin, o.end)
}

// previewBody is at most so many lines of a message, behind the bar of the user's own.
func (l *Model) previewBody(o layout, m Previewed, most int) (lines []string) {
	st, bar := l.Themes.Styles, "  "
	style := st.Text
	if m.Role == history.User {
		bar, style = st.You.Render("▌")+" ", st.Strong.Bold(false)
	}
	text, _ := l.Secrets.Hide(m.Content)
	text = strings.TrimSpace(markdown.Visible(text))
	marks := store.Search{Text: l.preview.of.query}.Marks(text)
	parts := theme.Parts(text, min(measure, o.text))
	for _, p := range parts[:min(len(parts), most)] {
		lines = append(lines, o.margin+bar+theme.Paint(p.Text, style, theme.Marks(marks, p.From, st.Found)))
	}
	return lines
}
