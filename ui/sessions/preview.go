package sessions

import (
	"cmp"
	"context"
	"fmt"
	"os"
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
	Text  string // as it is stored, or the part of it around what was found
	Place store.Place
	Found bool // it is the message that a search found

	shown string // without secrets and control characters
	marks [][2]int
	drawn rendered // of an answer, kept from frame to frame
}

// rendered is the beginning of an answer as Markdown, for so many lines of a width and a theme.
type rendered struct {
	w, most int
	theme   theme.Name
	lines   []string
	more    bool // the answer goes on
}

const (
	// mostPreview is how many bytes of a message a preview looks at, and beforeHit how many of them stand before what
	// was found.
	mostPreview = 12 << 10
	beforeHit   = 4 << 10
	// lastRead is how many messages are read to find the last ones that have a text.
	lastRead = 8
	// questionLines is the most lines of the message before the last one.
	questionLines = 3
	// mostPerCell is how many bytes of an answer are drawn for a cell: an emoji of two cells has four.
	mostPerCell = 2
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
	p := &l.preview
	t := l.target()
	if t == p.of || l.h < previewHeight {
		return nil
	}
	if p.of = t; t == (target{}) {
		return nil
	}
	l.Previewing++
	n, db := l.Previewing, l.With.Store
	return tea.Tick(pause, func(time.Time) tea.Msg {
		return app.Then(func() tea.Cmd {
			if n != l.Previewing {
				return nil
			}
			return l.Run(func(ctx context.Context) tea.Msg {
				messages, err := readPreview(ctx, db, t)
				return app.Then(func() tea.Cmd { return l.Previewed(n, messages, err) })
			})
		})
	})
}

// readPreview reads the messages of a preview.
func readPreview(ctx context.Context, db *store.Store, of target) ([]Previewed, error) {
	leaf, limit := of.leaf, lastRead
	if of.message != 0 {
		leaf, limit = of.message, 2
	}
	branch, err := db.Branch(ctx, of.session, leaf, 0, limit)
	if err != nil {
		return nil, err
	}
	if n := len(branch); of.message != 0 && n > 0 && branch[n-1].Role == history.User {
		reply, err := db.Reply(ctx, of.message)
		if err != nil {
			return nil, err
		}
		if reply != 0 {
			if branch, err = db.Branch(ctx, of.session, reply, 0, limit); err != nil {
				return nil, err
			}
		}
	}
	var messages []store.Message
	for _, m := range branch {
		speaks := strings.TrimSpace(m.Content) != "" && (m.Role == history.User || m.Role == history.Assistant)
		if speaks || m.ID == of.message {
			messages = append(messages, m)
		}
	}
	messages = messages[max(0, len(messages)-2):]
	// What follows a question is its answer, and what precedes an answer is its question.
	if len(messages) == 2 && of.message != 0 && (messages[0].Role != history.User || messages[1].Role == history.User) {
		messages = slices.DeleteFunc(messages, func(m store.Message) bool { return m.ID != of.message })
	}
	var ids []int64
	for _, m := range messages {
		ids = append(ids, m.ID)
	}
	places, err := db.Places(ctx, ids...)
	if err != nil {
		return nil, err
	}
	found := store.Search{Text: of.query}
	out := make([]Previewed, len(messages))
	for i, m := range messages {
		out[i] = Previewed{
			Found: m.ID == of.message, Role: m.Role, Model: m.Model, At: time.UnixMilli(m.CreatedMS),
			Text: around(textOf(m, found), found), Place: places[m.ID],
		}
	}
	return out, nil
}

// textOf is the text of a message; where what was found stands in its files or tool calls, those as well.
func textOf(m store.Message, found store.Search) string {
	if found.Text != "" && len(found.Marks(m.Content)) == 0 {
		return m.Searched()
	}
	return m.Content
}

// around is as much of a text as a preview looks at: its beginning, or where what was found stands further down, the
// part around that.
func around(text string, found store.Search) string {
	if len(text) <= mostPreview {
		return text
	}
	from := 0
	if marks := found.Marks(text); len(marks) > 0 {
		from = max(0, marks[0][0]-beforeHit)
	}
	part := text[from:min(len(text), from+mostPreview)]
	return strings.ToValidUTF8(part, "")
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
		m.drawn = rendered{}
	}
}

// previewLines draws what is told of the session under the cursor, below the rule.
func (l *Model) previewLines(st theme.Styles, o layout) []string {
	p := &l.preview
	lines := []string{""}
	now := l.target()
	if now.message == 0 || l.purge != nil {
		facts := strings.Repeat(" ", o.text()) +
			st.Muted.Render(markdown.OneLine(l.facts(), max(1, o.end()-o.text()-o.margin)))
		lines = append(lines, facts, "")
	}
	room := o.below - 1
	switch {
	case p.read.session != now.session:
		return lines
	case p.err != "":
		return append(lines, theme.IndentedTo(st.Muted, p.err, o.text(), o.w-o.margin)...)
	}
	for i := range p.messages {
		m := &p.messages[i]
		left := room - len(lines)
		most := left - 1
		if i < len(p.messages)-1 {
			most = min(questionLines, left/3)
			if m.Found {
				most = left / 2
			}
		}
		if most < 1 {
			break
		}
		lines = append(lines, m.head(st, o, l.read))
		lines = append(lines, m.lines(st, o, most)...)
		lines = append(lines, "")
	}
	return lines[:min(len(lines), room)]
}

// head is the line above a message of a preview: its sign, who said it, what became of it, its number and its time.
func (m *Previewed) head(st theme.Styles, o layout, now time.Time) string {
	name, style := theme.Speaker(m.Role), st.Strong
	if m.Role == history.User {
		style = st.You.Bold(true)
	}
	if m.Role == history.Assistant && m.Model != "" {
		name = markdown.OneLine(m.Model, 40)
	}
	var facts []string
	if e := m.Place.Last; e != nil && theme.Word(*e) != "" {
		facts = append(facts, st.OfGlyph(theme.Glyph(*e)).Render(theme.Word(*e)+" in the last request"))
	}
	switch {
	case m.Place.Of > 0:
		facts = append(facts, st.Muted.Render(theme.Thousands(m.Place.Number)+" of "+theme.Thousands(m.Place.Of)))
	case m.Place.Number > 0:
		facts = append(facts, st.Muted.Render(theme.Thousands(m.Place.Number)+" on another branch"))
	}
	facts = append(facts, st.Muted.Render(clock(now, m.At)))
	left := strings.Repeat(" ", o.margin) + sign(st, m.Place.Last) + " " + style.Render(name)
	right := strings.Join(facts, st.Muted.Render(" · "))
	return theme.Spread(left, right+strings.Repeat(" ", o.margin), o.end())
}

// clock is the time of a message; of another day, with its date.
func clock(now, then time.Time) string {
	then = then.In(now.Location())
	if y, m, d := then.Date(); now.Year() == y && now.Month() == m && now.Day() == d {
		return then.Format("15:04")
	}
	if then.Year() == now.Year() {
		return then.Format("2 Jan 15:04")
	}
	return then.Format("2 Jan 2006 15:04")
}

// lines are the text of a message in at most so many lines: from its beginning, or where what was found would not be
// among them, from there.
func (m *Previewed) lines(st theme.Styles, o layout, most int) []string {
	w := max(1, min(measure, o.w-o.text()-o.margin))
	if m.Role == history.Assistant && len(m.marks) == 0 {
		return m.answer(st, o, w, most)
	}
	bar, text := "  ", st.Text
	if m.Role == history.User {
		bar, text = st.You.Render("▌")+" ", st.Strong.Bold(false)
	}
	parts := theme.Parts(m.shown, w)
	first := 0
	if len(m.marks) > 0 {
		for i, p := range parts {
			if p.From <= m.marks[0][0] {
				first = i
			}
		}
		if first < most {
			first = 0
		} else {
			first-- // the line before it
		}
	}
	var lines []string
	for _, p := range parts[first:min(len(parts), first+most)] {
		spans := marked(m.marks, p.From, p.From+len(p.Text), st.Found)
		lines = append(lines, strings.Repeat(" ", o.margin)+bar+theme.Paint(p.Text, text, spans))
	}
	return continued(lines, st, o, first+most < len(parts))
}

// continued ends the last line with … where more follows.
func continued(lines []string, st theme.Styles, o layout, more bool) []string {
	if n := len(lines); n > 0 && more {
		lines[n-1] = theme.Fit(lines[n-1], min(o.w-o.margin, o.text()+measure)-1) + st.Muted.Render("…")
	}
	return lines
}

// answer is an answer without anything that was found in it: its beginning, as the transcript draws it.
func (m *Previewed) answer(st theme.Styles, o layout, w, most int) []string {
	if d := m.drawn; d.lines == nil || d.w != w || d.most != most || d.theme != st.Name {
		part := m.shown[:min(len(m.shown), (most+1)*w*mostPerCell)]
		lines := markdown.New(st.Markdown, w, w).Render(strings.ToValidUTF8(part, ""))
		more := len(lines) > most || len(part) < len(m.shown)
		m.drawn = rendered{w, most, st.Name, lines[:min(len(lines), most)], more}
	}
	indent := strings.Repeat(" ", o.text())
	lines := make([]string, len(m.drawn.lines))
	for i, line := range m.drawn.lines {
		lines[i] = indent + line
	}
	return continued(lines, st, o, m.drawn.more)
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
	parts := []string{"started " + theme.Since(l.read, s.Created), theme.Plural(s.Messages, "message")}
	if !s.Deleted.IsZero() {
		parts = append(parts, "deleted "+theme.Since(l.read, s.Deleted))
	}
	if s.Parent != "" {
		parts = append(parts, "forked from "+cmp.Or(l.entries[s.Parent].Name(), "another chat"))
	}
	if s.Dir != "" {
		parts = append(parts, shortened(s.Dir))
	}
	return strings.Join(append(parts, s.ID[:min(len(s.ID), idShown)]), " · ")
}

// shortened is a folder with ~ in the place of the home folder.
func shortened(dir string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return dir
	}
	if below, ok := strings.CutPrefix(dir, home); ok && (below == "" || os.IsPathSeparator(below[0])) {
		return "~" + below
	}
	return dir
}

// idShown is how much of an id is shown: the moment at which the session was made, which no other one has.
const idShown = 13
