package ui

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/session/approval"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/inspector"
	"winnow/ui/markdown"
	"winnow/ui/question"
	"winnow/ui/sessions"
	"winnow/ui/turn"
)

// hostile returns texts that would break borders, corrupt the screen or take very long if they were shown unchecked.
func hostile() map[string]string {
	var wide strings.Builder
	for _, cell := range []string{"a column with a long head", "-----------", "値段 and **more** `code`"} {
		wide.WriteString(strings.Repeat("| "+cell+" ", 40) + "|\n")
	}
	return map[string]string{
		"CJK": strings.Repeat("語言模型看見什麼，又為什麼？한국어 ﾊﾝｶｸ　全角", 12) +
			"\n\n```\n" + strings.Repeat("漢字", 200) + "\n```",
		"right-to-left": strings.Repeat("مرحبا بالعالم שלום עולם \u202eabc\u202c \u2067x\u2069 \u200f", 12) +
			"\n\n- שלום\n- مرحبا",
		"emoji": strings.Repeat("👩\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈 🇩🇪🇯🇵 👍🏽 ❤\ufe0f 1\ufe0f\u20e3 "+
			"\U0001fae9 ", 12) + "\n\n| 👩\u200d👩\u200d👧 | 🇩🇪 |\n|---|---|\n| ❤\ufe0f | 👍🏽 |\n",
		"marks": strings.Repeat("e\u0301"+strings.Repeat("\u0334\u0489", 30)+
			"a\u200b\u200c\ufeff\u00ad\u2028\u2029 ", 12),
		"wide table":     wide.String(),
		"10,000 lines":   "```go\n" + strings.Repeat("\tgo f(漢, \"👍🏽\")\n", 10_000) + "```",
		"100 KB line":    strings.Repeat("a", 100_000) + " " + strings.Repeat("語", 3000),
		"100 KB of code": "```\n" + strings.Repeat("0123456789", 10_000) + "\n```",
		"escapes": strings.Repeat(
			"\x1b[2J\x1b[31mred\x1b]52;c;eA==\x07\x1b]8;;http://x\x1b\\\x9b2Jx\r\b\t\v\x00\x7f\x1bP0q\x1b\\ "+
				"[a](http://x/\x1b[2J) `\x1b[1m`\n", 12),
		"deep": strings.Repeat("> ", 60) + "quoted\n\n" + nested(60) + "\n" + strings.Repeat("#", 6) +
			" head\n" + strings.Repeat("*", 200) + "x",
	}
}

// nested returns n nested lists.
func nested(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- item\n")
	}
	return b.String()
}

// hostileSizes are the sizes at which every state is checked.
var hostileSizes = [][2]int{{20, 5}, {40, 10}, {80, 24}, {120, 40}, {200, 60}, {300, 100}}

// unsent is the draft of these tests.
const unsent = "my draft"

// TestHostileTextsFitEverySize puts such texts wherever text can be, and checks each state at each size.
func TestHostileTextsFitEverySize(t *testing.T) {
	t.Parallel()
	sizes := hostileSizes
	if testing.Short() { // fewer sizes are enough for the race detector
		sizes = [][2]int{sizes[0], sizes[2], sizes[len(sizes)-1]}
	}
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := hostileChat(t, text)
			for _, size := range sizes {
				m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				hostileStates(t, m, text)
			}
			hostileStream(t, m, text)
		})
	}
}

// label cuts a text to the length of a name.
func label(text string) string { return strings.ToValidUTF8(text[:min(len(text), 2000)], "") }

// hostileChat returns a conversation whose parts are all the text, with its real plan.
func hostileChat(t *testing.T, text string) *Model {
	t.Helper()
	m := fresh(t, 20, 5)
	messages := []store.Message{
		said(1, history.User, text), said(2, history.Assistant, text), said(3, history.User, "What is in it?"),
		said(4, history.Assistant, ""), said(5, history.Tool, text),
		said(6, history.Assistant, "Nothing good.\n\n"+text),
	}
	messages[1].Reasoning, messages[1].Model = text, label(text)
	messages[3].ToolCalls = []history.ToolCall{{ID: label(text), Name: label(text), Arguments: text}}
	messages[4].ToolCallID, messages[4].Name = label(text), label(text)
	messages[0].Parts = []history.Part{
		{Kind: history.TextPart, Name: label(text), MediaType: "text/plain", Text: text, Tokens: 9},
	}
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	var past []history.Message
	for _, message := range messages {
		m.Chat.Add(message, record.Receipt{})
		past = append(past, message.Message)
	}
	count := func(text string) int { return len(text) / 4 }
	plan, err := history.Build(past, history.Options{
		Policy: policy, Window: 4096, Count: count, Turn: []history.Message{{Role: history.User, Content: unsent}},
	})
	if err != nil {
		t.Fatal(err)
	}
	m.Info.Title = label(text)
	plans(m, plan)
	typing(m, unsent)
	return m
}

// hostileStates opens and closes everything that can be opened, at the current size.
func hostileStates(t *testing.T, m *Model, text string) {
	t.Helper()
	look := func(state string) { t.Helper(); stands(t, m, state) }
	open := func(state string, keys ...tea.KeyPressMsg) {
		t.Helper()
		for _, key := range keys {
			m.Update(key)
		}
		look(state)
	}
	look("chat")
	open("transcript", tab, char('g'))
	open("search", char('/'))
	open("search again", esc, esc)
	open("draft", esc)
	open("palette", ctrl('p'))
	open("chat below the palette", esc)
	open("help", tea.KeyPressMsg{Code: tea.KeyF1})
	open("chat below the help", esc)

	m.Update(ctrl('l'))
	m.settings.Models = []llm.Model{{Endpoint: "openai", ID: label(text)}, {Endpoint: "openai", ID: "gpt-5.2"}}
	look("models")
	open("chat below the models", esc)

	m.Update(ctrl('s'))
	row := store.Session{
		ID: label(text), Title: label(text), Model: label(text), Dir: label(text), Updated: begun, Created: begun,
	}
	listed(m, row, row)
	look("sessions")
	typing(m, "a")
	m.sessions.ShowFound(sessions.SearchResult{Text: "a", Hits: []store.SearchHit{
		{Session: row, Message: 1, Role: history.User, At: begun, Snippet: markdown.OneLine(label(text),
			300), Marks: [][2]int{{0, 1}}},
	}})
	look("messages that were found")
	for range 4 {
		m.Update(esc)
	}
	look("chat below the chats")

	for _, view := range []inspector.View{inspector.TextView, inspector.SentView} {
		m.Inspect(inspector.Subject{Message: 2}, view)
		look("inspector")
		open("end of the inspector", char('G'))
		open("chat below the inspector", esc)
	}
	m.Inspect(inspector.Subject{}, inspector.TextView)
	look("request")
	open("chat below the request", esc)
	if m.layout.Panel.Empty() {
		open("strip and panel", ctrl('x'))
		open("panel's rows", char('j'), char('j'))
		open("chat below the panel", esc)
	}
	m.notice.Error(text)
	look("notice")
}

// hostileStream streams the text while the screen is resized, then asks a question, and fails at the end.
func hostileStream(t *testing.T, m *Model, text string) {
	t.Helper()
	m.Turn = turn.Model{Context: m.Context, Number: 1, Cancel: func() {}}
	m.Busy = true
	tell(m, 0)
	sizes, pieces := hostileSizes, len(hostileSizes)
	if len(text) > 150_000 { // highlighting long code at every width takes too long
		sizes, pieces = [][2]int{{20, 5}, {120, 40}}, 3
	}
	for i := range pieces {
		from, to := i*len(text)/pieces, (i+1)*len(text)/pieces
		tell(m, time.Duration(i)*time.Second, session.Delta{Text: text[from:to], Reasoning: text[:min(len(text), 300)]})
		size := sizes[(i*5)%len(sizes)]
		m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		stands(t, m, fmt.Sprintf("streaming, %d of %d", i+1, pieces))
	}
	tell(m, time.Minute, session.ApprovalNeeded{
		ToolQuestion: session.ToolQuestion{
			Call: history.ToolCall{Name: label(text), Arguments: text}, Arguments: history.RepairedArguments{Object: text},
			Number: 1, Of: 1, Choices: []approval.Choice{approval.AllowOnce, approval.AllowForSession, approval.AllowAlways},
		},
		Answer: func(approval.Answer) {},
	})
	for _, size := range sizes {
		m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		stands(t, m, "question")
		m.Update(tab)
		stands(t, m, "question with the focus")
		m.Update(tab)
	}
	m.Question.Ask(question.Question{})
	why := &llm.Error{
		Kind: llm.ErrAuth, Status: 401, Endpoint: "openai", Address: "https://api.openai.com/v1", Message: text,
	}
	tell(m, time.Hour, session.Finished{
		Err: errors.Join(why), Failure: &record.FailedTurn{TurnFault: record.NewTurnFault(why), After: 3, Request: 9, Tries: 1},
	})
	for _, size := range sizes {
		m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		stands(t, m, "failure")
	}
}

// harmless matches the sequences that a frame may contain: colours and links.
var harmless = regexp.MustCompile(`\x1b\[[0-9;:]*m|\x1b\]8;[^\x00-\x1f\x7f]*(?:\x1b\\|\x07)`)

// stands fails unless the screen is as large as the terminal, sends nothing but colours and links, has intact borders,
// and shows the draft.
func stands(t *testing.T, m *Model, state string) {
	t.Helper()
	l, view := m.layout, m.View()
	content := view.Content
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%s at %d×%d: %s; the screen is\n%s", state, l.Width, l.Height, fmt.Sprintf(format, args...),
			ansi.Strip(content))
	}
	lines := strings.Split(content, "\n")
	if len(lines) != l.Height {
		fail("there are %d lines", len(lines))
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w != l.Width {
			fail("line %d is %d cells wide: %q", i, w, line)
		}
		bare := harmless.ReplaceAllString(line, "")
		if at := strings.IndexFunc(bare, sends); at >= 0 {
			fail("line %d sends %q", i, bare[at:min(len(bare), at+20)])
		}
	}
	if c := view.Cursor; c != nil && (c.X < 0 || c.X >= l.Width || c.Y < 0 || c.Y >= l.Height) {
		fail("the cursor is at %d, %d", c.X, c.Y)
	}
	if m.dialogs.Top() == nil && !l.Panel.Empty() {
		for y := l.Panel.Y; y < l.Panel.Y+l.Panel.H; y++ {
			if at := cellAt(lines[y], l.Panel.X); at != "│" && at != "┃" {
				fail("the rule of the panel is %q in line %d", at, y)
			}
		}
	}
	if m.covered() || !l.Cover.Empty() {
		if b, in := m.dialogs.Box(l); m.dialogs.Floats() && in != b {
			for y := b.Y + 1; y < b.Y+b.H-1; y++ {
				if left, right := cellAt(lines[y], b.X), cellAt(lines[y], b.X+b.W-1); left != "│" || right != "│" {
					fail("the border is %q and %q in line %d", left, right, y)
				}
			}
		}
		return
	}
	if !strings.Contains(ansi.Strip(content), unsent) {
		fail("the draft is gone")
	}
	if l.Small && !strings.Contains(lines[0], "winnow needs 40×10") {
		fail("it does not say which size it wants")
	}
}

// cellAt returns the character in a cell of a line. ansi.Cut counts keycap emoji as one cell.
func cellAt(line string, x int) string {
	line = ansi.Strip(line)
	for at := 0; line != ""; {
		cluster, width := ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
		if at == x {
			return cluster
		}
		at, line = at+width, line[len(cluster):]
	}
	return ""
}

// sends reports whether a character controls the terminal or reverses the order of the text after it.
func sends(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) && r != '\u200e' && r != '\u200f' ||
		r == '\u2028' || r == '\u2029'
}
