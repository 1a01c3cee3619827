package transcript

import (
	"cmp"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// maxShown is how many bytes of a text are shown: a text is rendered as a whole, so this is more than anybody scrolls
// through, and little enough for a frame. An answer is rendered piece by piece while it arrives, and shown whole.
const maxShown = 32 << 10

// A message of the user's that is longer than this is folded once it is sent: so long a paste is a chip in the draft
// too.
const (
	foldedLines = 20
	foldedBytes = 2000
	headLines   = 3 // so many lines of it are shown
	unsentLines = 2 // the lines of a marker and of what is cut away behind it
)

// tooLong says that a message of the user's is folded.
func tooLong(text string) bool {
	return len(text) > foldedBytes || strings.Count(text, "\n") > foldedLines
}

// shortens says that a message that is cut is shown as it is sent. One that is folded is not, and what the newest turn
// says is still being read.
func (c *Model) shortens(i int, e *history.Entry) bool {
	r := c.Messages.Row(i)
	folded := r.Role() == history.Tool || r.Size == 0 ||
		r.Role() == history.User && r.Size > foldedBytes && e.Cuts[0].From > foldedBytes
	return i < c.Messages.LastOf(history.User) && !folded
}

// body is the lines of a message's text, as far as that is shown.
func (c *Model) body(m store.Message, l look) []string {
	switch {
	case l.cut != history.CharRange{}:
		return c.cutText(m, l.cut)
	case m.Role == history.Tool && l.joins && !l.open:
		return nil // the heading is the result
	case m.Role == history.Tool && !l.open:
		return []string{markdown.Truncate(c.result(m, l), c.bodyWidth(), "…")}
	case m.Role == history.User && tooLong(m.Content) && !l.open:
		return c.folded(m, l)
	case m.Damaged:
		return c.text(m, m.Remains)
	}
	return c.text(m, m.Content)
}

// text is the lines of a message's text, or of a part of it.
func (c *Model) text(m store.Message, text string) []string {
	st := &c.Themes.Styles
	switch a := c.answer; {
	case a != nil && a.id == m.ID && a.Text() == text:
		return a.Lines()
	case m.Role == history.User:
		return c.plain(text, st.Strong.UnsetBold())
	case m.Role == history.Tool:
		return c.plain(text, st.Muted)
	case m.Damaged:
		return c.plain(text, st.Text)
	}
	return c.beginning(text, c.md.Render)
}

// plain is text as it is, wrapped, in one style.
func (c *Model) plain(text string, style lipgloss.Style) []string {
	return c.beginning(text, func(text string) []string {
		lines := c.md.Plain(text)
		for i, line := range lines {
			lines[i] = style.Render(line)
		}
		return lines
	})
}

// beginning is the lines of as much of a text as is shown, which ends behind a line or a word, and a line about the
// rest.
func (c *Model) beginning(text string, draw func(string) []string) []string {
	const near = maxShown * 3 / 4
	if len(text) <= maxShown {
		return draw(text)
	}
	shown := strings.ToValidUTF8(text[:maxShown], "")
	if at := strings.LastIndexAny(text[near:maxShown], "\n "); at >= 0 {
		shown = text[:near+at+1]
	}
	more := c.elided(theme.Size(len(text)-len(shown)) + " more")
	more = c.hinted(more, c.Keys.Hint("reads it", keymap.Inspect))
	return append(draw(shown), c.hinted(more, c.Keys.Hint("copies all", keymap.Copy)))
}

// elided is a line that stands for what is not shown.
func (c *Model) elided(what string) string {
	return c.Themes.Styles.Faint.Render("┄┄┄") + c.Themes.Styles.Muted.Render(" "+what)
}

// hinted is a line with a way on behind it, where there is space for that.
func (c *Model) hinted(line string, h key.Binding) string {
	with := line + "   " + c.way(h)
	if theme.Width(with) > c.bodyWidth() {
		return markdown.Truncate(line, c.bodyWidth(), "…")
	}
	return with
}

// way is a way on: what is pressed or typed, and what it does.
func (c *Model) way(h key.Binding) string {
	return c.Themes.Styles.Text.Render(h.Help().Key) + c.Themes.Styles.Muted.Render(" "+h.Help().Desc)
}

// cutText is a message that is cut: what is sent of it and, in the place of the rest, the marker, how the rest begins,
// and how much of it there is.
func (c *Model) cutText(m store.Message, cut history.CharRange) []string {
	text, marker := []rune(m.Content), ""
	for _, in := range c.entry(m.ID).Inserted {
		if in.At == cut.From || in.At == cut.To {
			marker = cmp.Or(marker, in.Text)
		}
	}
	from, to := min(cut.From, len(text)), min(cut.To, len(text)) // never more than there is, whatever the plan says
	lines := append(c.text(m, string(text[:from])), c.unsent(marker, string(text[from:to]))...)
	return append(lines, c.text(m, string(text[to:]))...)
}

// unsent is a marker, the beginning of what it stands for, and how many characters that has where not all are shown.
func (c *Model) unsent(marker, rest string) []string {
	st, w := &c.Themes.Styles, c.proseWidth()
	marker = markdown.OneLine(marker, unsentLines*w)
	lines := theme.Wrap(strings.TrimSpace(marker+" "+markdown.OneLine(rest, 2*unsentLines*w)), w)
	whole := len(lines) <= unsentLines
	lines = lines[:min(len(lines), unsentLines)]
	if last := len(lines) - 1; !whole {
		lines[last] = markdown.Truncate(lines[last], w-1, "") + "…"
	}
	for i, line := range lines {
		n := min(len(marker), len(line))
		marker = marker[n:]
		lines[i] = st.Cut.Bold(true).Render(line[:n]) + st.Muted.Render(line[n:])
	}
	if whole {
		return lines
	}
	count := theme.PluralOf(utf8.RuneCountInString(rest), "character is", "characters are") + " not sent"
	return append(lines, c.hinted(c.elided(count), c.Keys.Hint("reads them", keymap.Inspect)))
}

// folded is the beginning of a message that is folded, and how much there is.
func (c *Model) folded(m store.Message, l look) []string {
	text := strings.Trim(m.Content, "\n")
	lines := c.text(m, strings.ToValidUTF8(text[:min(len(text), 8*headLines*c.proseWidth())], ""))
	size := c.Themes.Styles.Muted.Render("… " + extent(m, l))
	return append(lines[:min(headLines, len(lines))], c.hinted(size, c.Keys.Hint("opens it", keymap.Expand)))
}

// extent is how much text there is: its lines, its size and its tokens.
func extent(m store.Message, l look) string {
	lines := strings.Count(strings.Trim(m.Content, "\n"), "\n") + 1
	text := theme.Plural(lines, "line") + " · " + theme.Size(len(m.Content))
	if l.tokens > 0 {
		text += " · ~" + theme.Plural(l.tokens, "token")
	}
	return text
}

// reasoning is the lines of a message's reasoning, or one line with their number while it is folded.
func (c *Model) reasoning(m store.Message) []string {
	st, lines := &c.Themes.Styles, strings.Count(strings.Trim(m.Reasoning, "\n"), "\n")+1
	switch {
	case m.Reasoning == "":
		return nil
	case !c.Thinking:
		folded := st.Muted.Render("reasoning · " + theme.Plural(lines, "line"))
		return []string{c.hinted(folded, c.Keys.Hint("shows it", keymap.Reason))}
	}
	return append(append([]string{st.Muted.Render("reasoning")}, c.plain(m.Reasoning, st.Muted)...), "")
}

// endsInBlock says that the last thing of a text is a code block or a table.
func endsInBlock(text string) bool {
	text = strings.TrimRight(text, " \t\n")
	last := strings.TrimLeft(text[strings.LastIndexByte(text, '\n')+1:], " \t")
	return strings.HasPrefix(last, "|") || strings.HasPrefix(last, "```") || strings.HasPrefix(last, "~~~")
}

// callsOnly says that a message is nothing but tool calls.
func callsOnly(m store.Message) bool { return m.Content == "" && len(m.ToolCalls) > 0 }

// callText is tool calls as text: what a search looks at, and what is shown of them when they are unfolded.
func callText(calls []history.ToolCall) string {
	var lines []string
	for _, call := range calls {
		lines = append(lines, "→ "+call.Name+" "+call.Arguments)
	}
	return strings.Join(lines, "\n")
}

// joins says that row i is the result of the only call of the message above: it stands directly below that.
func (c *Model) joins(i int) bool {
	return i > 0 && i < c.Messages.Len() && c.Messages.Role(i) == history.Tool && c.Messages.Row(i-1).Calls == 1 &&
		!c.Messages.Row(i-1).TurnFailed && c.failed[c.Messages.ID(i-1)].What == ""
}

// call is the row of a tool call: its name, and its arguments as a person writes them: the text where there is but one,
// else all as they are.
func (c *Model) call(call history.ToolCall) string {
	st, arguments := &c.Themes.Styles, call.Arguments
	var texts map[string]string
	if json.Unmarshal([]byte(arguments), &texts) == nil && len(texts) == 1 {
		for _, only := range texts {
			arguments = only
		}
	}
	name := st.Text.Render(markdown.OneLine(call.Name, 64))
	return markdown.Truncate(name+st.Muted.Render(" "+markdown.OneLine(arguments, c.bodyWidth())), c.bodyWidth(), "…")
}

// callLines are the tool calls of a message below its text: a row each, or unfolded as they are. The first one stands
// in the place of the name where there is no text.
func (c *Model) callLines(m store.Message, open bool) []string {
	calls, lines := m.ToolCalls, []string(nil)
	switch {
	case len(calls) == 0:
		return nil
	case open:
		return c.plain(callText(calls), c.Themes.Styles.Text)
	case callsOnly(m):
		calls = calls[1:]
	default:
		lines = []string{""}
	}
	for _, call := range calls {
		lines = append(lines, c.call(call))
	}
	return lines
}

// result is the row of a tool's result: its first line, and how much follows.
func (c *Model) result(m store.Message, l look) string {
	st, w := &c.Themes.Styles, c.proseWidth()
	first, _, several := strings.Cut(strings.Trim(m.Content, "\n"), "\n")
	if !several && len(first) <= foldedBytes && ansi.StringWidth(first) <= w {
		return st.Text.Render(markdown.OneLine(first, w))
	}
	does := "opens it"
	if l.open {
		first, does = "result", "closes it"
	}
	rest := c.hinted(st.Muted.Render(" · "+extent(m, l)), c.Keys.Hint(does, keymap.Expand))
	return st.Text.Render(markdown.OneLine(first, max(w/3, w-theme.Width(rest)))) + rest
}

// toolOf is the name of the tool whose result a message is.
func (c *Model) toolOf(result store.Message) string {
	at, _ := c.Messages.Find(result.ID)
	for at--; at >= 0 && c.Messages.Role(at) != history.User; at-- {
		for _, call := range c.At(at).ToolCalls {
			if call.ID == result.ToolCallID && call.Name != "" {
				return call.Name
			}
		}
	}
	return theme.Speaker(history.Tool)
}

// note is the lines about a message that did not arrive as it should, or cannot be read. The way out stands at the end
// where it is wanted and there is room.
func (c *Model) note(m store.Message, unread error, way bool) []string {
	text, style := c.noteOf(m, unread), c.Themes.Styles.Muted
	if text == "" {
		return nil
	}
	failed := strings.HasPrefix(text, fault)
	if failed {
		style = c.Themes.Styles.Error
	}
	lines := theme.WrapStyled(style, markdown.Visible(text), c.proseWidth())
	if last := len(lines) - 1; way && failed && m.Status == history.Interrupted && !m.Damaged {
		lines[last] = c.hinted(lines[last], keymap.Typed("/retry", "try again"))
	}
	return lines
}

// noteOf is what became of a message, with a sign in front where something went wrong, and what follows from it.
func (c *Model) noteOf(m store.Message, unread error) string {
	switch {
	case unread != nil:
		return "✗ cannot be read now · " + theme.Sentence(unread)
	case m.ID == arriving && c.answer.lost:
		return "✗ not saved"
	case m.Damaged && m.Remains != "":
		return "✗ damaged · this is not what was stored; kept, never sent"
	case m.Damaged:
		return "✗ damaged and unreadable · kept, never sent"
	case m.Role == history.Tool && m.Content == "":
		return "empty result"
	case m.Status == history.Interrupted:
		return c.interruption(m) + " · this part is kept"
	case m.Status == history.Failed && m.Content+m.Reasoning == "" && len(m.ToolCalls) == 0:
		return "✗ failed before anything arrived"
	case m.Status == history.Failed:
		return "✗ failed · this part is kept"
	case m.Status == history.Quarantined:
		return "✗ unknown role · kept, never sent"
	case m.Status == history.Streaming:
		return "still arriving"
	}
	return ""
}

// interruption says why an answer is not whole.
func (c *Model) interruption(m store.Message) string {
	r := c.Receipts[m.Request]
	if r.End == store.EndStopped {
		return "you stopped this"
	}
	what := map[store.RequestEnd]string{
		store.EndCut: "connection lost", store.EndNoDone: "the server closed the connection",
		store.EndFailed: "the answer was cut off",
	}[r.End]
	if f := r.Fault; r.End == store.EndCut && f.What != "" && !f.ConnectionLost {
		if what = f.What; f.Words != "" {
			what += ": “" + f.Words + "”"
		}
	}
	return "✗ " + cmp.Or(what, "interrupted")
}

// TurnFailed shows why the turn failed, where it did. An answer of which something arrived says so itself.
func (c *Model) TurnFailed(f record.FailedTurn) {
	if f.After != 0 {
		c.failed[f.After] = f
	}
	clear(c.blocks)
	c.settle()
}

// failure is why the turn failed behind a message, where it did: as it was seen here, else as it is kept with the
// message.
func (c *Model) failure(id int64) (f record.FailedTurn, failed bool) {
	f, failed = c.failed[id]
	if i, there := c.Messages.Find(id); !failed && there && c.Messages.Row(i).TurnFailed {
		return record.ParseFailedTurn(c.At(i))
	}
	return f, failed
}

// safe says what became of the message, and of the money. An earlier request of the turn may have been charged.
func safe(f record.FailedTurn) string {
	text := "Your message is kept."
	if f.Tries > 1 {
		text = "Tried " + theme.Plural(f.Tries, "time") + ". " + text
	}
	if f.NotCharged {
		text += " This request was not charged."
	}
	return text
}

// failureLines are the lines of a failure: what failed, the server's words, what is safe, and where they are wanted the
// ways out, one a line.
func (c *Model) failureLines(f record.FailedTurn, ways bool) []string {
	const mostWords = 6 // lines of what a server said: what can be done stands below
	st, w, room := &c.Themes.Styles, c.bodyWidth(), c.proseWidth()
	from := ""
	if f.Status != 0 {
		from = markdown.OneLine(theme.Thousands(f.Status)+" from "+f.Host, w/2)
	}
	lines := theme.WrapStyled(st.Strong, markdown.OneLine(f.What, 1000), min(room, w-theme.Width(from)-2))
	last := len(lines) - 1
	lines[last] = theme.Spread(lines[last], st.Error.Render(from), w)
	if f.Words != "" {
		lines = append(lines, theme.Wrap("“"+markdown.OneLine(f.Words, mostWords*room)+"”", room)...)
	}
	lines = append(lines, theme.WrapStyled(st.Muted, safe(f), room)...)
	if !ways {
		return lines
	}
	retry := keymap.Typed("/retry", "try again")
	list := []key.Binding{retry, c.Keys.Hint("another model", keymap.Models), keymap.Typed("/doctor", "find the cause")}
	if f.OverBudget {
		list = []key.Binding{keymap.Typed("/budget", "raise"), retry}
	}
	for _, h := range list {
		lines = append(lines, markdown.Truncate(c.way(h), w, "…"))
	}
	return lines
}

// receiptLine sums up an answer in one line of w cells. Where there is no room for all, the time goes first, then what
// was cached, the counts, and what the model saw; the tokens and the price stay. Written is about how many tokens the
// answer has, where the server has not counted them.
func receiptLine(r record.Receipt, written, w int) (line string) {
	for left := range 5 {
		if line = facts(r, written, left); ansi.StringWidth(line) <= w {
			break
		}
	}
	return markdown.Truncate(line, w, "…")
}

// facts are the parts of a receipt but for those that go at one of the first so many steps. Where the model saw every
// message whole, and nothing else is to be noticed, the sum of the tokens, the price and the time are enough.
func facts(r record.Receipt, written, steps int) (line string) {
	add := func(goes int, wanted bool, text string) {
		if !wanted || goes > 0 && goes <= steps {
			return
		}
		if line != "" && !strings.HasPrefix(text, " ") {
			line += " · "
		}
		line += text
	}
	count := func(counted, estimate int) (n int, sign string) {
		if counted > 0 {
			return counted, ""
		}
		return estimate, "~"
	}
	prompt, in := count(r.Usage.Prompt, r.Expected)
	answer, out := count(r.Usage.Answer, written)
	n, cut, recalled := theme.Thousands, r.Of[history.Cut], r.Of[history.Recalled]
	if r.Sent() == r.Stored && cut+recalled+r.Repaired+r.Unread+r.Retries == 0 && !r.Cache.Missed() {
		add(0, true, cmp.Or(in, out)+theme.Plural(prompt+answer, "token"))
	} else {
		add(4, true, "saw "+n(r.Sent())+" of "+n(r.Stored))
		add(3, cut > 0, n(cut)+" cut")
		add(3, recalled > 0, n(recalled)+" recalled")
		add(3, r.Repaired > 0, n(r.Repaired)+" repaired")
		add(0, r.Unread > 0, "server read "+n(prompt)+" of ~"+n(r.Unread))
		add(0, r.Unread == 0, in+n(prompt)+" in")
		missed, cached := r.Cache.Missed(), " ("+n(r.Usage.Cached)
		if missed {
			cached += " of ~" + n(r.Cache.Reusable)
		}
		add(2, r.Unread == 0 && r.Usage.Prompt > 0 && (missed || r.Usage.Cached > 0), cached+" cached)")
		add(0, answer > 0, " / "+out+n(answer)+" out")
	}
	add(0, r.Cost.String() != "", r.Cost.String())
	add(1, r.Took > 0, theme.Duration(r.Took))
	add(1, r.Retries > 0, "tried "+theme.Plural(r.Retries+1, "time"))
	return line
}

// Receipt sums up an answer in one line.
func Receipt(r record.Receipt) string { return facts(r, 0, 0) }
