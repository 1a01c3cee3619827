package watch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/pmezard/go-difflib/difflib"

	"winnow/session/watch"
	"winnow/ui/app"
	"winnow/ui/inspector"
	"winnow/ui/list"
	"winnow/ui/markdown"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// value identifies a request in the list.
func value(id int64) string { return strconv.FormatInt(id, 10) }

// selected returns the request under the cursor.
func (m *model) selected() watch.Request {
	item, _ := m.list.SelectedItem()
	return m.rows[item.Value]
}

// put lists requests, which are in the order of time: the conversation with the newest request is at the bottom. The
// cursor stays on its request, or goes to the newest one if it was at the bottom of the list.
func (m *model) put(all []watch.Request) tea.Cmd {
	last, at := len(m.rows)-1, m.selected().ID
	follows := !m.inside && !m.picking && (last < 0 || m.list.Items()[last].Value == value(at))
	m.rows, m.lanes, m.most, m.breaks = map[string]watch.Request{}, 0, 1, 0
	newest := map[string]int{}
	for i, r := range all {
		m.rows[value(r.ID)], newest[group(r)] = r, i
		m.lanes, m.most = max(m.lanes, len(r.Lane)), max(m.most, r.Tokens.Sum())
		if r.Break != nil {
			m.breaks++
		}
	}
	slices.SortStableFunc(all, func(a, b watch.Request) int {
		return cmp.Compare(newest[group(a)], newest[group(b)])
	})
	items := make([]list.Item, len(all))
	for i, r := range all {
		items[i] = list.Item{Value: value(r.ID), Group: group(r)}
	}
	if m.list.SetItems(items); follows {
		m.list.MoveCursor(len(items))
	}
	return m.show()
}

// group is the line above the requests of a conversation.
func group(r watch.Request) string { return r.Client + " · " + cmp.Or(r.Thread, "no conversation") }

// request draws a line of the list of requests.
func (m *model) request(i list.Item, _ [][2]int, selected bool) string {
	const clockWidth, marksWidth, leastBar, mostBar = 54, 5, 4, 24
	st, clock := m.st, "15:04"
	if i.Value == "" {
		head := " " + st.Muted.Render(markdown.OneLine(m.Secrets.RedactLine(i.Group), m.left-24))
		return theme.Spread(head, st.Muted.Render("cached     cost      "), m.left)
	}
	if m.left >= clockWidth {
		clock += ":05"
	}
	r := m.rows[i.Value]
	line := st.Muted.Render(fmt.Sprintf("%3d %s %-*s", r.ID, r.At.Local().Format(clock), m.lanes, r.Lane))
	right := m.outcome(r) + " " + theme.Fit(m.marks(r), marksWidth)
	if r.Wire == "" {
		line += st.Muted.Render(markdown.OneLine(" not read: "+m.Secrets.RedactLine(r.Path), m.left))
		line = theme.Fit(line, m.left-1-theme.Width(right))
	} else {
		line += st.Text.Render(fmt.Sprintf("%9s", promptTokens(r)))
		if room := m.left - 3 - theme.Width(line+right); room >= leastBar {
			line += "  " + theme.Fit(panel.Bar(st, m.parts(r), m.most, min(room, mostBar)), room)
		}
	}
	switch line += right; {
	case selected && !m.inside:
		return st.CursorRow(line, m.left)
	case selected:
		return theme.Fit(st.Muted.Render("▌")+line, m.left)
	}
	return theme.Fit(" "+line, m.left)
}

// promptTokens returns the tokens of a request as the server counted them, or else winnow's own count.
func promptTokens(r watch.Request) string {
	if r.Usage.Prompt >= 0 {
		return theme.Thousands(r.Usage.Prompt)
	}
	return "~" + theme.Thousands(r.Tokens.Sum())
}

// outcome draws the columns of the answer: the cached share of the prompt, and the cost.
func (m *model) outcome(r watch.Request) string {
	switch {
	case !r.Answered:
		return m.st.Seen.Render(fmt.Sprintf("%15s", "no answer yet"))
	case r.Failed != "":
		return m.st.Error.Render(fmt.Sprintf("%15s", "✗ failed"))
	}
	return m.st.Muted.Render(fmt.Sprintf("%6s", cached(r))) + m.st.Text.Render(fmt.Sprintf("%9s", r.Cost))
}

// cached returns the share of the prompt that came from the server's cache, "" if it is unknown.
func cached(r watch.Request) string {
	if u := r.Usage; u.Cached >= 0 && u.Prompt > 0 {
		return strconv.Itoa(u.Cached*100/u.Prompt) + "%"
	}
	return ""
}

// marks draws what is remarkable about a request.
func (m *model) marks(r watch.Request) (marks string) {
	mark := func(glyph string, shown bool) {
		if shown {
			marks += m.st.GlyphStyle(glyph).Render(glyph)
		}
	}
	mark("✂", r.Verdicts[watch.Gone]+r.Verdicts[watch.Cut] > 0)
	mark("~", r.Verdicts[watch.Rewritten] > 0)
	mark("❄", r.Break != nil)
	mark("!", len(r.Damage) > 0 || r.Unread > 0)
	mark("◆", r.Pinned)
	return marks
}

// parts returns the parts of the bar of a request.
func (m *model) parts(r watch.Request) []panel.Part {
	return []panel.Part{
		{Name: "system", N: r.Tokens.System, Style: m.st.Muted},
		{Name: "tools", N: r.Tokens.Tools, Style: m.st.Pinned},
		{Name: "history", N: r.Tokens.History, Style: m.st.Seen},
		{Name: "results", N: r.Tokens.Results, Style: m.st.You},
		{Name: "images", N: r.Tokens.Images, Style: m.st.Cut},
	}
}

// fact is a sentence about a request, with a glyph.
type fact struct{ glyph, text string }

// factsOf returns what there is to say about a request and its answer, without secrets.
func (m *model) factsOf(v watch.View) (facts []fact) {
	r := v.Request
	say := func(glyph, text string) {
		facts = append(facts, fact{glyph, theme.OneSentence(m.Secrets.Redact(text))})
	}
	if r.Failed != "" {
		say("✗", r.Failed)
	}
	if r.Break != nil && v.Against != nil && v.Against.ID == r.Before {
		class := strings.Replace(string(r.Break.Class), string(watch.ByServer), "server or unknown", 1)
		say("❄", class+": "+r.Break.What)
	}
	if r.Word != "" {
		say("❄", "the server says: "+r.Word)
	}
	for _, p := range v.Params {
		say("~", p)
	}
	for _, d := range r.Damage {
		say("!", d+" (shown, not repaired)")
	}
	if r.Unread > 0 {
		say("!", fmt.Sprintf("the server counted %s of ~%s tokens: it dropped part of the request",
			theme.Thousands(r.Usage.Prompt), theme.Thousands(r.Unread)))
	}
	return facts
}

// show shows the request under the cursor on the right, unless it is already there as it is now.
func (m *model) show() tea.Cmd {
	of := comparison{id: m.selected().ID}
	if m.picking || m.wanted.id == of.id {
		of = m.wanted
	}
	if of == m.wanted && m.view.Request.Answered == m.rows[value(of.id)].Answered {
		return nil
	}
	return m.read(of, "")
}

// read reads a comparison and shows it with the cursor on the block at a place, "" for the first one that differs.
func (m *model) read(of comparison, place string) tea.Cmd {
	m.wanted = of
	then := m.reading.Begin()
	return m.Run(func(ctx context.Context) tea.Msg {
		v, err := m.store.View(ctx, of.id, of.against)
		return then(func() tea.Cmd {
			if err == nil {
				m.putView(v, place, of)
			}
			return m.ReportError(err)
		})
	})
}

// putView shows a comparison. Of a request that is already shown, the cursor stays where it is.
func (m *model) putView(v watch.View, place string, of comparison) {
	again := place == "" && of == m.shown
	m.view, m.facts, m.shown = v, m.factsOf(v), of
	if again {
		m.fold()
		return
	}
	if v.Request.Break != nil {
		place = cmp.Or(place, v.Request.Break.Place)
	}
	at := slices.IndexFunc(v.Blocks, func(c watch.Compared) bool { return c.Place == place })
	if at < 0 {
		at = max(0, slices.IndexFunc(v.Blocks, func(c watch.Compared) bool { return c.Verdict != watch.Same }))
	}
	m.pager, m.apart = nil, map[int]bool{at: place != ""}
	m.fold()
	m.blocks.Select(strconv.Itoa(at))
}

// fold lists the blocks. Neighbours that are the same as before are one line.
func (m *model) fold() {
	var items []list.Item
	m.runs = map[string]int{}
	for at, n, blocks := 0, 0, m.view.Blocks; at < len(blocks); at += n {
		for n = 0; at+n < len(blocks) && blocks[at+n].Verdict == watch.Same && !m.apart[at+n]; n++ {
		}
		if n < 3 { // not worth folding
			n = 1
		}
		item := list.Item{Value: strconv.Itoa(at)}
		m.runs[item.Value], items = n, append(items, item)
	}
	m.blocks.SetItems(items)
}

// cursor returns the block under the cursor by its index, and how many blocks its line stands for, 0 for none.
func (m *model) cursor() (at, n int) {
	item, _ := m.blocks.SelectedItem()
	at, _ = strconv.Atoi(item.Value)
	return at, m.runs[item.Value]
}

// glyphs are the signs of the verdicts.
var glyphs = map[watch.Verdict]string{
	watch.New: "✚", watch.Same: " ", watch.Cut: "◐", watch.Rewritten: "~", watch.Moved: "⇄", watch.Gone: "○",
}

// block draws a line of the list of blocks.
func (m *model) block(i list.Item, _ [][2]int, selected bool) string {
	st, all, n, tokens := m.st, m.view.Blocks, m.runs[i.Value], 0
	at, _ := strconv.Atoi(i.Value)
	for _, c := range all[at : at+n] {
		tokens += c.Tokens
	}
	c, glyph := all[at], glyphs[all[at].Verdict]
	l := panel.Line{
		Glyph: glyph, Number: theme.Thousands(at + 1), Who: string(c.Kind),
		Text: verdict(c), More: m.gist(c), Words: st.GlyphStyle(glyph), Tokens: theme.Thousands(tokens),
	}
	switch {
	case n > 1:
		l.Number += "–" + theme.Thousands(at+n)
		l.Who, l.Text, l.More, l.Words = "", theme.Thousands(n)+" same", "", st.Muted
	case c.Verdict == watch.Same, c.Verdict == watch.New:
		l.Text, l.More, l.Words = l.More, "", st.Muted
	case c.Verdict == watch.Gone:
		l.Words, l.Tokens = st.Muted, theme.Signed(-tokens)
	}
	digits := len(theme.Thousands(len(all)))
	line := l.Draw(st, panel.Columns{Digits: digits, Who: len("assistant "), End: m.right - 2}.Fit())
	if selected && m.inside {
		return st.CursorRow(line[1:], m.right)
	}
	return theme.Fit(line, m.right)
}

// verdict says what became of a block, and why.
func verdict(c watch.Compared) string {
	return strings.TrimSuffix(string(c.Verdict)+": "+theme.OneLine(c.Reason), ": ")
}

// gist returns the beginning of a block without secrets.
func (m *model) gist(c watch.Compared) string {
	return strings.TrimSpace(c.Name + " " + m.Secrets.RedactLine(c.Text))
}

// detail draws the request on the right.
func (m *model) detail() []string {
	foot := m.foot()
	return append(theme.FitLines(append(m.head(), m.blocks.ViewRows()...), m.right, m.body-len(foot)), foot...)
}

// head draws what is above the blocks: the comparison in a sentence, and the tokens of the request.
func (m *model) head() []string {
	r, st, w := m.view.Request, m.st, m.right-3
	style, against, parts := st.Text, "", m.parts(r)
	if r.ID == 0 {
		return nil
	}
	if b := m.view.Against; b != nil {
		against = fmt.Sprint("compared with request ", b.ID)
	}
	if r.Break != nil {
		style = st.Cut
	}
	about := cmp.Or(r.Model, "not read: "+r.Path) + " · " + r.At.Local().Format("2 Jan 15:04:05")
	tokens := st.Text.Render(promptTokens(r) + " tokens")
	cost := st.Muted.Render(strings.TrimPrefix(cached(r)+" cached  ", " cached  ") + r.Cost.String())
	lines := []string{theme.Spread(st.Strong.Render(fmt.Sprint("Request ", r.ID)), st.Muted.Render(against), w)}
	lines = append(lines, st.Muted.Render(markdown.OneLine(m.Secrets.Redact(about), w)))
	if r.Wire == "" {
		return indented(lines, 1)
	}
	lines = append(lines, theme.WrapStyled(style, theme.OneSentence(m.Secrets.Redact(m.view.Head)), w)...)
	lines = append(lines, panel.Bar(st, parts, max(1, r.Tokens.Sum()), w), theme.Spread(tokens, cost, w))
	if m.h >= airyHeight {
		lines = append(lines, panel.Legend(st, parts, "", w), "")
	}
	return indented(lines, 1)
}

// foot draws what is below the blocks: with the focus the reason of the block under the cursor, and what there is to
// say about the whole request.
func (m *model) foot() []string {
	st, w, facts := m.st, m.right-3, m.facts
	lines := []string{st.Rule(w)}
	if at, n := m.cursor(); m.inside && n == 1 {
		c := m.view.Blocks[at]
		facts = append([]fact{{glyphs[c.Verdict], m.blockTitle() + " · " + verdict(c)}}, facts...)
	}
	for _, f := range facts {
		lead := st.GlyphStyle(f.glyph).Render(f.glyph) + " "
		for _, line := range theme.WrapStyled(st.Text, f.text, w-2) {
			lines, lead = append(lines, lead+line), "  "
		}
	}
	if len(lines) == 1 {
		return nil
	}
	return indented(lines[:min(len(lines), max(2, m.body/3))], 1)
}

// blockTitle names the block under the cursor.
func (m *model) blockTitle() string {
	at, _ := m.cursor()
	b := m.view.Blocks[at]
	return theme.OneLine(m.Secrets.RedactLine(strings.TrimSuffix(b.Place+" ("+b.Name+")", " ()")))
}

// openBlock shows the text of the block under the cursor with its differences, or unfolds a folded line.
func (m *model) openBlock() tea.Cmd {
	at, n := m.cursor()
	if n > 1 {
		for i := range n {
			m.apart[at+i] = true
		}
		m.fold()
		return nil
	}
	c := m.view.Blocks[at]
	return m.Run(func(context.Context) tea.Msg {
		was, now := c.Text, c.Text
		if c.Was != nil {
			was = c.Was.Text
		}
		if c.Verdict == watch.Gone {
			now = ""
		}
		list := difference(m.lines(was), m.lines(now), false)
		return app.Then(func() tea.Cmd {
			m.pager = inspector.NewPager(m.st, list)
			m.arrange()
			above := 0 // lines
			for _, p := range list {
				if p.Kind != inspector.KindSent {
					m.pager.GoTo(above)
					m.pager.Scroll(-3) // rows before the first difference
					break
				}
				above += len(strings.SplitAfter(strings.TrimSuffix(p.Text, "\n"), "\n"))
			}
			return nil
		})
	})
}

// lines returns the lines of a text without secrets. JSON is laid out in lines first, also those of its strings.
func (m *model) lines(text string) []string {
	var lines bytes.Buffer
	text = m.Secrets.Redact(text)
	if json.Indent(&lines, []byte(text), "", "  ") == nil {
		text = strings.ReplaceAll(lines.String(), `\n`, "\n")
	}
	return strings.SplitAfter(text, "\n")
}

// difference marks the lines of two texts: those of both as sent, those of the old one alone as not sent, and those of
// the new one alone as added. In a line that is mostly the same it marks the words.
func difference(was, now []string, inLine bool) (list []inspector.Paragraph) {
	add := func(k inspector.ParagraphKind, parts []string) {
		if text := strings.Join(parts, ""); text != "" {
			list = append(list, inspector.Paragraph{Kind: k, Text: text})
		}
	}
	m := difflib.NewMatcher(was, now)
	codes := m.GetOpCodes()
	if inLine && m.Ratio() < 0.5 {
		codes = []difflib.OpCode{{Tag: 'r', I2: len(was), J2: len(now)}}
	}
	for _, c := range codes {
		a, b := was[c.I1:c.I2], now[c.J1:c.J2]
		switch {
		case c.Tag == 'e':
			add(inspector.KindSent, a)
		case len(a) == 1 && len(b) == 1 && !inLine:
			words := difference(strings.SplitAfter(a[0], " "), strings.SplitAfter(b[0], " "), true)
			list = append(list, words...)
		default:
			add(inspector.KindUnsent, a)
			add(inspector.KindAdded, b)
		}
	}
	return list
}
