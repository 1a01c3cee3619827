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
	"winnow/ui/app"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// preview is what is read of the line under the cursor: the message that was found and the one before it, or the end of
// the conversation.
type preview struct {
	of       target // what is under the cursor
	read     target // what the messages are of
	messages []Previewed
	err      string
}

// target is what a preview shows. It is read anew where the session has gone on.
type target struct {
	session string
	leaf    int64
	message int64 // that was found, 0 for the end of the conversation
	query   string
}

// Previewed is a message of a preview.
type Previewed struct {
	Role  history.Role
	Model string
	At    time.Time
	Text  string // as it is stored, or the part of it from just before what was found
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

// target is what is under the cursor.
func (l *Model) target() target {
	s, ok := l.cursor()
	switch {
	case !ok:
		return target{}
	case s.hit == nil:
		return target{session: s.ID, leaf: s.Leaf}
	}
	return target{s.ID, s.Leaf, s.hit.Message, l.found.Text}
}

// look reads what is under the cursor once that has rested there for a moment.
func (l *Model) look() tea.Cmd {
	t := l.target()
	if t == l.preview.of {
		return nil
	}
	if l.preview.of = t; t == (target{}) {
		return nil
	}
	l.Previewing++
	n := l.Previewing
	return after(pause, &l.Previewing, func() tea.Cmd {
		db := l.With.Store
		return l.Run(func(ctx context.Context) tea.Msg {
			messages, err := readPreview(ctx, db, t)
			return app.Then(func() tea.Cmd { return l.Previewed(n, messages, err) })
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
		out = append(out, Previewed{m.Role, m.Model, time.UnixMilli(m.CreatedMS), around(m, of.query), places[m.ID]})
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
func (l *Model) Previewed(asked int, messages []Previewed, err error) tea.Cmd {
	p := &l.preview
	if asked != l.Previewing {
		return nil
	}
	p.read, p.messages, p.err = p.of, messages, ""
	if err != nil {
		p.err = theme.Sentence(err)
	}
	return nil
}

// previewLines draws the preview in at most so many lines.
func (l *Model) previewLines(st theme.Styles, o layout, room int) []string {
	p, lines := &l.preview, []string{""}
	switch {
	case p.read.session != l.target().session || l.purge != nil:
	case p.err != "":
		lines = append(lines, theme.IndentedTo(st.Muted, p.err, o.text(), o.w-o.margin)...)
	default:
		for i, m := range p.messages {
			most := max(0, room-len(lines)-1)
			if i < len(p.messages)-1 {
				most /= 3
			}
			lines = append(lines, m.head(st, o, l.read))
			text, _ := l.Secrets.Hide(m.Text)
			lines = append(lines, m.body(st, o, text, store.Search{Text: p.read.query}, most)...)
			lines = append(lines, "")
		}
	}
	return lines[:min(len(lines), room)]
}

// head is the line above a message of a preview: its sign, who said it, what became of it, its number and its time.
func (m *Previewed) head(st theme.Styles, o layout, now time.Time) string {
	name, style := theme.Speaker(m.Role), st.Muted
	if m.Role == history.User {
		style = st.You
	}
	if m.Role == history.Assistant && m.Model != "" {
		name = markdown.OneLine(m.Model, 40)
	}
	facts := ""
	if e := m.Place.Last; e != nil && theme.Word(*e) != "" {
		facts = st.OfGlyph(theme.Glyph(*e)).Render(theme.Word(*e)+" in the last request") + st.Muted.Render(" · ")
	}
	at := m.At.In(now.Location()).Format("2 Jan 2006 15:04")
	if m.Place.Of > 0 {
		at = theme.Thousands(m.Place.Number) + " of " + theme.Thousands(m.Place.Of) + " · " + at
	}
	left := o.indent(0) + sign(st, m.Place.Last) + " " + style.Render(name)
	return theme.Spread(left, facts+st.Muted.Render(at)+o.indent(0), o.end())
}

// body is at most so many lines of a message, behind the bar of the user's own.
func (m *Previewed) body(st theme.Styles, o layout, text string, found store.Search, most int) (lines []string) {
	bar, style := "  ", st.Text
	if m.Role == history.User {
		bar, style = st.You.Render("▌")+" ", st.Strong.Bold(false)
	}
	text = strings.TrimSpace(markdown.Visible(text))
	marks := found.Marks(text)
	for _, p := range theme.Parts(text, min(measure, o.textWidth())) {
		if len(lines) == most {
			break
		}
		spans := marked(marks, p.From, p.From+len(p.Text), st.Found)
		lines = append(lines, o.indent(0)+bar+theme.Paint(p.Text, style, spans))
	}
	return lines
}
