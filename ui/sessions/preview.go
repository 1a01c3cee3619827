package sessions

import (
	"cmp"
	"context"
	"fmt"
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

// preview is what is read of the session under the cursor: the message that was found with its question or its
// answer, or the end of the conversation.
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

	shown string // without secrets and control characters
	marks [][2]int
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
	e, ok := l.cursor()
	if !ok {
		return target{}
	}
	t := target{session: e.ID, leaf: e.Leaf}
	if e.hit != nil {
		t.message, t.query = e.hit.Message, l.search.text
	}
	return t
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
	branch = branch[max(0, len(branch)-2):]
	var ids []int64
	for _, m := range branch {
		ids = append(ids, m.ID)
	}
	places, err := db.Places(ctx, ids...)
	var out []Previewed
	for _, m := range branch {
		out = append(out, Previewed{
			Role: m.Role, Model: m.Model, At: time.UnixMilli(m.CreatedMS), Place: places[m.ID],
			Text: around(m, store.Search{Text: of.query}),
		})
	}
	return out, err
}

// around is as much of a message as a preview looks at: its beginning, or the part from just before what was found.
// What was found in its files or tool calls is shown there.
func around(m store.Message, found store.Search) string {
	text, marks := m.Content, found.Marks(m.Content)
	if found.Text != "" && len(marks) == 0 {
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
	p.hide(l.Secrets)
	return nil
}

// hide hides the secrets of the preview, or shows what looks like one.
func (p *preview) hide(secrets theme.Secrets) {
	for i := range p.messages {
		m := &p.messages[i]
		text, _ := secrets.Hide(m.Text)
		m.shown = strings.TrimSpace(markdown.Visible(text))
		m.marks = store.Search{Text: p.read.query}.Marks(m.shown)
	}
}

// previewLines draws what is told of the session under the cursor, in at most so many lines.
func (l *Model) previewLines(st theme.Styles, o layout, room int) []string {
	p, now := &l.preview, l.target()
	lines := []string{"", o.indent(2) + st.Muted.Render(markdown.OneLine(l.facts(), o.textWidth())), ""}
	switch {
	case p.read.session != now.session || l.purge != nil:
	case p.err != "":
		lines = append(lines, theme.IndentedTo(st.Muted, p.err, o.text(), o.w-o.margin)...)
	default:
		for i, m := range p.messages {
			most := max(0, room-len(lines)-1)
			if i < len(p.messages)-1 {
				most /= 3
			}
			lines = append(lines, m.head(st, o, l.read))
			text := m.lines(st, min(measure, o.textWidth()), most)
			for _, line := range text[:min(len(text), most)] {
				lines = append(lines, o.indent(0)+line)
			}
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
	var facts []string
	if e := m.Place.Last; e != nil && theme.Word(*e) != "" {
		facts = append(facts, st.OfGlyph(theme.Glyph(*e)).Render(theme.Word(*e)+" in the last request"))
	}
	if m.Place.Of > 0 {
		facts = append(facts, st.Muted.Render(theme.Thousands(m.Place.Number)+" of "+theme.Thousands(m.Place.Of)))
	}
	facts = append(facts, st.Muted.Render(m.At.In(now.Location()).Format("2 Jan 2006 15:04")))
	left := o.indent(0) + sign(st, m.Place.Last) + " " + style.Render(name)
	return theme.Spread(left, strings.Join(facts, st.Muted.Render(" · "))+o.indent(0), o.end())
}

// lines are the text of a message, behind its bar: an answer as the transcript draws it, what was found as it is
// stored.
func (m *Previewed) lines(st theme.Styles, w, most int) (lines []string) {
	if m.Role == history.Assistant && len(m.marks) == 0 {
		part := m.shown[:min(len(m.shown), most*2*w)] // an emoji of two cells has four bytes
		for _, line := range markdown.New(st.Markdown, w, w).Render(strings.ToValidUTF8(part, "")) {
			lines = append(lines, "  "+line)
		}
		return lines
	}
	bar, text := "  ", st.Text
	if m.Role == history.User {
		bar, text = st.You.Render("▌")+" ", st.Strong.Bold(false)
	}
	for _, p := range theme.Parts(m.shown, w) {
		spans := marked(m.marks, p.From, p.From+len(p.Text), st.Found)
		lines = append(lines, bar+theme.Paint(p.Text, text, spans))
	}
	return lines
}

// facts tell what the line of a session has no room for.
func (l *Model) facts() string {
	s, ok := l.cursor()
	switch {
	case !ok:
		return ""
	case l.purge != nil:
		return fmt.Sprintf("Its %s and the records of its requests cannot be restored after that.",
			theme.Plural(s.Messages, "message"))
	}
	parts := []string{"started " + when(l.read, s.Created), theme.Plural(s.Messages, "message")}
	if !s.Deleted.IsZero() {
		parts = append(parts, "deleted "+when(l.read, s.Deleted))
	}
	if s.Dir != "" {
		parts = append(parts, l.Screen.Short(s.Dir))
	}
	return strings.Join(append(parts, s.ID[:min(len(s.ID), idShown)]), " · ")
}

// idShown is how much of an id is shown: the moment at which the session was made, which no other one has.
const idShown = 13
