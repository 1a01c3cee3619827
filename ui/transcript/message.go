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

// maxShown is how many bytes of a message are rendered. A text is rendered as a whole, so the limit keeps a frame fast;
// the inspector shows the rest. A streaming answer is rendered incrementally and shown whole.
const maxShown = 32 << 10

// A user message longer than this is collapsed once it is sent. The limits are those above which a paste becomes a chip
// in the draft.
const (
	foldedLines = 20
	foldedBytes = 2000
	headLines   = 3 // lines of a collapsed message
	unsentLines = 2 // lines for a marker and the beginning of the text that it replaces
)

// tooLong reports whether a user message is collapsed.
func tooLong(text string) bool {
	return len(text) > foldedBytes || strings.Count(text, "\n") > foldedLines
}

// showsAsCut reports whether a cut message is shown as it is sent. Collapsed messages and those of the newest turn,
// which the user is still reading, are shown uncut.
func (c *Model) showsAsCut(i int, e *history.Entry) bool {
	r := c.Messages.Row(i)
	folded := r.Role() == history.Tool || r.Size == 0 ||
		r.Role() == history.User && r.Size > foldedBytes && e.Cuts[0].From > foldedBytes
	return i < c.Messages.LastOf(history.User) && !folded
}

// body returns the lines of a message's text.
func (c *Model) body(m store.Message, l rowState) []string {
	switch {
	case l.cut != history.CharRange{}:
		return c.cutText(m, l.cut)
	case m.Role == history.Tool && l.joinsCall && !l.expanded:
		return nil // the heading shows the result
	case m.Role == history.Tool && !l.expanded:
		return []string{markdown.Truncate(c.result(m, l), c.bodyWidth(), "…")}
	case m.Role == history.User && tooLong(m.Content) && !l.expanded:
		return c.folded(m, l)
	case m.Damaged:
		return c.text(m, m.Remains)
	}
	return c.text(m, m.Content)
}

// text returns the lines of a message's text, or of a part of it.
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

// plain wraps a text without reading it as Markdown, in one style.
func (c *Model) plain(text string, style lipgloss.Style) []string {
	return c.beginning(text, func(text string) []string {
		lines := c.md.RenderPlain(text)
		for i, line := range lines {
			lines[i] = style.Render(line)
		}
		return lines
	})
}

// beginning draws at most maxShown bytes of a text, cut after a line or word, and a line about the omitted rest.
func (c *Model) beginning(text string, draw func(string) []string) []string {
	const near = maxShown * 3 / 4
	if len(text) <= maxShown {
		return draw(text)
	}
	shown := strings.ToValidUTF8(text[:maxShown], "")
	if at := strings.LastIndexAny(text[near:maxShown], "\n "); at >= 0 {
		shown = text[:near+at+1]
	}
	more := c.omission(theme.Size(len(text)-len(shown)) + " more")
	more = c.withHint(more, c.Keys.Hint("reads it", keymap.Inspect))
	return append(draw(shown), c.withHint(more, c.Keys.Hint("copies all", keymap.Copy)))
}

// omission is the line that replaces omitted text.
func (c *Model) omission(what string) string {
	return c.Themes.Styles.Faint.Render("┄┄┄") + c.Themes.Styles.Muted.Render(" "+what)
}

// withHint appends a key hint to a line if it fits.
func (c *Model) withHint(line string, h key.Binding) string {
	with := line + "   " + c.hintText(h)
	if theme.Width(with) > c.bodyWidth() {
		return markdown.Truncate(line, c.bodyWidth(), "…")
	}
	return with
}

// hintText draws a key or command and what it does.
func (c *Model) hintText(h key.Binding) string {
	return c.Themes.Styles.Text.Render(h.Help().Key) + c.Themes.Styles.Muted.Render(" "+h.Help().Desc)
}

// cutText draws a cut message: the text that is sent, and in place of the rest its marker, the beginning of the rest,
// and its length.
func (c *Model) cutText(m store.Message, cut history.CharRange) []string {
	text, marker := []rune(m.Content), ""
	for _, in := range c.entry(m.ID).Inserted {
		if in.At == cut.From || in.At == cut.To {
			marker = cmp.Or(marker, in.Text)
		}
	}
	from, to := min(cut.From, len(text)), min(cut.To, len(text)) // the plan may be older than the text
	lines := append(c.text(m, string(text[:from])), c.unsent(marker, string(text[from:to]))...)
	return append(lines, c.text(m, string(text[to:]))...)
}

// unsent draws a marker, the beginning of the text that it replaces, and the length of that text if it is not shown
// whole.
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
	return append(lines, c.withHint(c.omission(count), c.Keys.Hint("reads them", keymap.Inspect)))
}

// folded draws the beginning of a collapsed message and its size.
func (c *Model) folded(m store.Message, l rowState) []string {
	text := strings.Trim(m.Content, "\n")
	lines := c.text(m, strings.ToValidUTF8(text[:min(len(text), 8*headLines*c.proseWidth())], ""))
	size := c.Themes.Styles.Muted.Render("… " + extent(m, l))
	return append(lines[:min(headLines, len(lines))], c.withHint(size, c.Keys.Hint("opens it", keymap.Expand)))
}

// extent says how long a text is, in lines, bytes and tokens.
func extent(m store.Message, l rowState) string {
	lines := strings.Count(strings.Trim(m.Content, "\n"), "\n") + 1
	text := theme.Plural(lines, "line") + " · " + theme.Size(len(m.Content))
	if l.tokens > 0 {
		text += " · ~" + theme.Plural(l.tokens, "token")
	}
	return text
}

// reasoning returns the lines of a message's reasoning, or one line with its length while it is collapsed.
func (c *Model) reasoning(m store.Message) []string {
	st, lines := &c.Themes.Styles, strings.Count(strings.Trim(m.Reasoning, "\n"), "\n")+1
	switch {
	case m.Reasoning == "":
		return nil
	case !c.ShowsReasoning:
		folded := st.Muted.Render("reasoning · " + theme.Plural(lines, "line"))
		return []string{c.withHint(folded, c.Keys.Hint("shows it", keymap.Reasoning))}
	}
	return append(append([]string{st.Muted.Render("reasoning")}, c.plain(m.Reasoning, st.Muted)...), "")
}

// endsInBlock reports whether a text ends in a code block or a table.
func endsInBlock(text string) bool {
	text = strings.TrimRight(text, " \t\n")
	last := strings.TrimLeft(text[strings.LastIndexByte(text, '\n')+1:], " \t")
	return strings.HasPrefix(last, "|") || strings.HasPrefix(last, "```") || strings.HasPrefix(last, "~~~")
}

// callsOnly reports whether a message has tool calls and no text.
func callsOnly(m store.Message) bool { return m.Content == "" && len(m.ToolCalls) > 0 }

// callText returns tool calls as text, for the search and for expanded messages.
func callText(calls []history.ToolCall) string {
	var lines []string
	for _, call := range calls {
		lines = append(lines, "→ "+call.Name+" "+call.Arguments)
	}
	return strings.Join(lines, "\n")
}

// joinsCall reports whether row i is the result of the only call of the message above. It is then drawn directly below
// the call.
func (c *Model) joinsCall(i int) bool {
	return i > 0 && i < c.Messages.Len() && c.Messages.Role(i) == history.Tool && c.Messages.Row(i-1).Calls == 1 &&
		!c.Messages.Row(i-1).TurnFailed && c.failed[c.Messages.ID(i-1)].What == ""
}

// call draws a tool call on one line: its name and its arguments. If the arguments are one string it is shown without
// the JSON around it.
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

// callLines draws the tool calls below the text of a message, one line each, or in full if expanded. If the message has
// no text, the first call is its heading and is skipped here.
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

// result draws a tool result on one line: its first line and how much follows.
func (c *Model) result(m store.Message, l rowState) string {
	st, w := &c.Themes.Styles, c.proseWidth()
	first, _, several := strings.Cut(strings.Trim(m.Content, "\n"), "\n")
	if !several && len(first) <= foldedBytes && ansi.StringWidth(first) <= w {
		return st.Text.Render(markdown.OneLine(first, w))
	}
	does := "opens it"
	if l.expanded {
		first, does = "result", "closes it"
	}
	rest := c.withHint(st.Muted.Render(" · "+extent(m, l)), c.Keys.Hint(does, keymap.Expand))
	return st.Text.Render(markdown.OneLine(first, max(w/3, w-theme.Width(rest)))) + rest
}

// toolOf returns the name of the tool that produced a result.
func (c *Model) toolOf(result store.Message) string {
	at, _ := c.Messages.Find(result.ID)
	for at--; at >= 0 && c.Messages.Role(at) != history.User; at-- {
		for _, call := range c.MessageAt(at).ToolCalls {
			if call.ID == result.ToolCallID && call.Name != "" {
				return call.Name
			}
		}
	}
	return theme.Speaker(history.Tool)
}

// statusLines says why a message is incomplete or unreadable, with a hint at /retry if wanted and there is room.
func (c *Model) statusLines(m store.Message, unread error, way bool) []string {
	text, style := c.statusText(m, unread), c.Themes.Styles.Muted
	if text == "" {
		return nil
	}
	failed := strings.HasPrefix(text, failureGlyph)
	if failed {
		style = c.Themes.Styles.Error
	}
	lines := theme.WrapStyled(style, markdown.Visible(text), c.proseWidth())
	if last := len(lines) - 1; way && failed && m.Status == history.Interrupted && !m.Damaged {
		lines[last] = c.withHint(lines[last], keymap.TypedHint("/retry", "try again"))
	}
	return lines
}

// statusText says what happened to a message and what follows from that. It begins with failureGlyph if something went
// wrong.
func (c *Model) statusText(m store.Message, unread error) string {
	switch {
	case unread != nil:
		return "✗ cannot be read now · " + theme.Sentence(unread)
	case m.ID == streamingID && c.answer.unsaved:
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

// interruption says why an answer is incomplete.
func (c *Model) interruption(m store.Message) string {
	r := c.Receipts[m.Request]
	if r.End == store.EndStopped {
		return "you stopped this"
	}
	what := map[store.RequestEnd]string{
		store.EndDisconnected: "connection lost", store.EndWithoutDone: "the server closed the connection",
		store.EndFailed: "the answer was cut off",
	}[r.End]
	if f := r.Fault; r.End == store.EndDisconnected && f.What != "" && !f.ConnectionLost {
		if what = f.What; f.Words != "" {
			what += ": “" + f.Words + "”"
		}
	}
	return "✗ " + cmp.Or(what, "interrupted")
}

// ShowFailure shows why a turn failed below its message. If a part of the answer arrived, that message says so itself.
func (c *Model) ShowFailure(f record.FailedTurn) {
	if f.After != 0 {
		c.failed[f.After] = f
	}
	clear(c.blocks)
	c.clamp()
}

// failure returns why the turn after a message failed, as reported in this window or as stored with the message.
func (c *Model) failure(id int64) (f record.FailedTurn, failed bool) {
	f, failed = c.failed[id]
	if i, there := c.Messages.Find(id); !failed && there && c.Messages.Row(i).TurnFailed {
		return record.ParseFailedTurn(c.MessageAt(i))
	}
	return f, failed
}

// assurance says what happened to the message and whether the request was charged. An earlier request of the turn may
// have been.
func assurance(f record.FailedTurn) string {
	text := "Your message is kept."
	if f.Tries > 1 {
		text = "Tried " + theme.Plural(f.Tries, "time") + ". " + text
	}
	if f.NotCharged {
		text += " This request was not charged."
	}
	return text
}

// failureLines draws a failure: what failed, the server's words, and what is safe. With advice, it adds a line for each
// remedy.
func (c *Model) failureLines(f record.FailedTurn, ways bool) []string {
	const mostWords = 6 // lines of the server's words, so that the advice stays visible
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
	lines = append(lines, theme.WrapStyled(st.Muted, assurance(f), room)...)
	if !ways {
		return lines
	}
	retry := keymap.TypedHint("/retry", "try again")
	list := []key.Binding{
		retry, c.Keys.Hint("another model", keymap.Models), keymap.TypedHint("/doctor", "find the cause"),
	}
	if f.OverBudget {
		list = []key.Binding{keymap.TypedHint("/budget", "raise"), retry}
	}
	for _, h := range list {
		lines = append(lines, markdown.Truncate(c.hintText(h), w, "…"))
	}
	return lines
}

// receiptLine draws a receipt in w cells. If it is too long it drops the time first, then the cached tokens, the
// counts, and what the model saw, but never the tokens and the price. Written estimates the tokens of the answer for
// servers that do not count them.
func receiptLine(r record.Receipt, written, w int) (line string) {
	for left := range 5 {
		if line = receiptFacts(r, written, left); ansi.StringWidth(line) <= w {
			break
		}
	}
	return markdown.Truncate(line, w, "…")
}

// receiptFacts draws a receipt without the parts that the first so many steps drop. If every message was sent whole and
// nothing needs attention, tokens, price and time are enough.
func receiptFacts(r record.Receipt, written, steps int) (line string) {
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

// ReceiptText draws a receipt on one line, in full.
func ReceiptText(r record.Receipt) string { return receiptFacts(r, 0, 0) }
