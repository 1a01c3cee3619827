package transcript

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/history/cause"
	"winnow/llm/pricing"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// A case of this package's random tests costs much more than one of a pure function, so a plain run takes 30 instead of
// rapid's 100. RAPID_CHECKS or -rapid.checks takes more.
func init() {
	if os.Getenv("RAPID_CHECKS") == "" {
		flag.Set("rapid.checks", "30")
	}
}

// stage is what a transcript has the rest of the screen do, as it was asked for.
type stage struct {
	*Model
	said, copied string
	did          keymap.Action
	past, trial  bool
}

// staged is an empty transcript on a stage.
func staged(w, h int) *stage {
	s := &stage{}
	say := func(text string) tea.Cmd { s.said = text; return nil }
	s.Model = &Model{Context: &app.Context{Shared: &app.Shared{
		Program: context.Background, Keys: keymap.Default(), Say: say, Fail: say,
		Themes: &theme.Set{Styles: theme.New(theme.None, theme.Palette{}, 0)},
		Do:     func(a keymap.Action) tea.Cmd { s.did = a; return nil },
		Replan: func() tea.Cmd { return nil }, Copy: func(_, text string) tea.Cmd { s.copied = text; return nil },
	}}, Screen: Screen{
		Moved: func() {}, Hush: func() {}, Draft: func() {},
		Past: func() bool { return s.past }, Trial: func() bool { return s.trial },
	}}
	s.Reset(branch.Branch{})
	s.Resize(w, h, 2)
	return s
}

// press presses keys and does what their commands leave to be done.
func (s *stage) press(keys ...string) *stage {
	for _, name := range keys {
		s.run(s.Key(uitest.Key(name)))
	}
	return s
}

// run does a command, and what it leaves to be done.
func (s *stage) run(cmd tea.Cmd) {
	for cmd != nil {
		cmd = cmd().(app.Then)()
	}
}

// shown is a transcript of messages as a plan has judged them.
func shown(w, h int, messages []store.Message, entries []history.Entry) *stage {
	s := staged(w, h)
	for i := range messages {
		messages[i].ID = int64(i + 1)
		r := record.Receipt{}
		if messages[i].Request != 0 {
			r = record.Receipt{
				Tally: store.Tally{Stored: 48, Kept: 19, Cut: 2, Repaired: 1}, Estimate: 4870, Took: 1900 * time.Millisecond,
				Usage: pricing.Usage{Prompt: 4870, Cached: 812, Answer: 402}, Cost: pricing.Cost{
					Amount: 74 * pricing.Dollar / 10000, From: pricing.Charged,
				},
				End: store.RequestEnd(messages[i].FinishReason),
			}
		}
		s.Add(messages[i], r)
	}
	for i := range entries {
		entries[i].ID, entries[i].Index, entries[i].Role = int64(i+1), i, messages[i].Role
	}
	s.Judge(history.Plan{Entries: entries}, 0)
	return s
}

func message(role history.Role, text string) store.Message {
	return store.Message{
		Message: history.Message{Role: role, Content: text, Status: history.Complete}, Model: "openai/gpt-5.2",
	}
}

func calls(text string, list ...history.ToolCall) store.Message {
	m := message(history.Assistant, text)
	m.ToolCalls = list
	return m
}

// parser is a conversation with one of every verdict.
func parser() ([]store.Message, []history.Entry) {
	recovery := "Recover at statement boundaries. On an error, skip tokens until one that can start a statement, " +
		"report once and go on from there. The sync set is tiny enough to write by hand: semicolon, closing brace, " +
		"and every keyword that begins a declaration. " +
		strings.Repeat("Two details decide whether it feels good to use. ", 40)
	sent := strings.Index(recovery, " enough")
	listed := message(history.Tool, "decl.peg\nexpr.peg\nstmt.peg")
	listed.ToolCallID, listed.Tokens = "c2", 12
	answer := message(history.Assistant, "```go\nvar sync = tokenSet(Semicolon, RBrace)\n```")
	answer.Request, answer.Siblings, answer.Sibling = 9, 3, 2
	stopped := message(history.Assistant, "Feed it truncated files, and")
	stopped.Status, stopped.Request, stopped.FinishReason = history.Interrupted, 11, string(store.EndStopped)
	lost := message(history.Assistant, "Three kinds of errors repeat; the second is")
	lost.Status, lost.Request, lost.FinishReason = history.Interrupted, 12, string(store.EndCut)
	long := message(history.User, "Summarise this log.\n"+
		strings.Repeat("12:04:33 ERROR timeout towards the database\n", 411))
	long.Tokens = 7790
	kept := history.Entry{Disposition: history.Kept, Whole: true}
	with := func(change func(*history.Entry)) history.Entry {
		e := kept
		change(&e)
		return e
	}
	dropped := with(func(e *history.Entry) { e.Disposition, e.Cause.Code = history.Dropped, cause.OverBudget })
	return []store.Message{
			message(history.Assistant, "Incremental re-parsing needs stable nodes: keep the **old tree**."),
			message(history.User, "Fine. How should the lexer handle string interpolation?"),
			message(history.Assistant, "Push a mode at `${` and pop it at the matching brace."),
			message(history.User, "And error recovery? One missing brace must not eat the whole file."),
			message(history.Assistant, recovery),
			message(history.User, "Show me the sync set for our grammar."),
			calls("", history.ToolCall{ID: "c1", Name: "read_file", Arguments: `{"path":"grammar/decl.peg"}`}),
			calls("I list it.", history.ToolCall{ID: "c2", Name: "list_files", Arguments: `{"dir":"grammar","depth":2}`}),
			listed, answer, long, stopped, lost,
			message(history.User, "Never touch generated files."),
		}, []history.Entry{
			with(func(e *history.Entry) {
				e.Recalled, e.Cause = true, history.Cause{Code: cause.SharedWords, Text: "re-parse"}
			}),
			dropped, dropped, kept,
			with(func(e *history.Entry) {
				e.Disposition, e.Whole, e.CharsBefore, e.CharsAfter = history.Cut, false, len(recovery), sent
				e.Cuts = []history.Range{{From: sent, To: len(recovery)}}
				e.Inserted = []history.Insert{{At: sent, Text: " ... (truncated)"}}
			}),
			kept,
			with(func(e *history.Entry) {
				e.Repairs = []history.Repair{{Kind: "C3", Cause: history.Cause{Code: cause.ResultMissing}}}
			}),
			kept, kept, kept, kept, kept, kept,
			with(func(e *history.Entry) { e.Pinned = true }),
		}
}

func TestPage(t *testing.T) {
	t.Parallel()
	for _, width := range []int{48, 72, 140} {
		messages, entries := parser()
		s := shown(width, 90, messages, entries)
		s.GoTo(5)
		s.ScrollTo(1)
		uitest.Golden(t, fmt.Sprintf("page%d", width), strings.TrimRight(uitest.Plain(s.View()), "\n")+"\n")
	}
}

// What is cut away is shown by its beginning, between what is sent before and behind it.
func TestACutTextIsShownAsItIsSent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{
			"word", "longer-word", "汉字汉字", "👩‍👩‍👧", "שלום", "x", strings.Repeat("long", 30), "a\n\nb",
		}), 1, 60)
		head, rest := strings.Join(words.Draw(t, "head"), " "), strings.Join(words.Draw(t, "rest"), " ")
		tail := rapid.SampledFrom([]string{"", "And the end."}).Draw(t, "tail")
		from, to := len([]rune(head)), len([]rune(head+rest))
		e := history.Entry{
			Disposition: history.Cut, Cuts: []history.Range{{From: from, To: to}}, Inserted: []history.Insert{
				{At: from, Text: " ... (truncated)"},
			},
			CharsBefore: to + len(tail), CharsAfter: from + len(tail),
		}
		s := shown(rapid.IntRange(24, 130).Draw(t, "width"), 200, []store.Message{
			message(history.User, head+rest+tail), message(history.User, "Go on."),
		}, []history.Entry{e, {Disposition: history.Kept}})
		b := s.block(0)
		text := ansi.Strip(strings.Join(b.lines[b.from:b.to], "\n"))
		squeezed := strings.Join(strings.Fields(text), "")
		if want := strings.Join(strings.Fields(head), "") + "...(truncated)"; !strings.HasPrefix(squeezed, want) {
			t.Fatalf("%q does not begin with what is sent, and the marker: %q", text, want)
		}
		if !strings.HasSuffix(squeezed, strings.ReplaceAll(tail, " ", "")) {
			t.Fatalf("%q does not end with what is sent of the end", text)
		}
		if !strings.Contains(text, "┄┄┄") && !strings.Contains(squeezed, strings.Join(strings.Fields(rest), "")) {
			t.Fatalf("%q neither shows %q nor says how much is not sent", text, rest)
		}
	})
}

// Other settings that are tried out say what they change.
func TestATrialSaysWhatChanges(t *testing.T) {
	t.Parallel()
	messages, entries := parser()
	s := shown(72, 40, messages, entries)
	s.Next, s.trial = history.Plan{Entries: entries}, true
	tried := slices.Clone(entries)
	tried[2].Disposition, tried[4].Disposition, tried[4].Cuts = history.Kept, history.Kept, nil
	tried[3].Disposition = history.Dropped
	s.Judge(history.Plan{Entries: tried}, 0)
	s.ScrollTo(1)
	text := strings.ReplaceAll(uitest.Plain(s.View()), "─", "")
	squeezed := strings.Join(strings.Fields(text), "")
	for _, want := range []string{
		"●gpt-5.2+comesback", "○you−dropsout", "+wholeagain", "themodelwouldseefromhere",
	} {
		if !strings.Contains(squeezed, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "truncated") {
		t.Errorf("what would be whole is shown as cut:\n%s", text)
	}
}

// What the model has just said is shown whole, though the next request holds less of it: somebody reads it.
func TestTheNewestTurnIsShownWhole(t *testing.T) {
	t.Parallel()
	messages, entries := parser()
	s := shown(72, 40, messages[:5], entries[:5])
	if text := uitest.Plain(s.View()); strings.Contains(text, "truncated") || !strings.Contains(text, "good to use") {
		t.Errorf("the newest answer is shown as\n%s", text)
	}
	next := message(history.User, "Go on.")
	next.ID = 6
	s.Add(next, record.Receipt{})
	if text := uitest.Plain(s.View()); !strings.Contains(text, "(truncated)") {
		t.Errorf("an older answer is shown as\n%s", text)
	}
}

// There are as many lines as the transcript is high, and none is wider, whatever the text.
func TestNoLineIsTooWide(t *testing.T) {
	t.Parallel()
	texts := []string{
		strings.Repeat("x", 100_000), strings.Repeat("汉字", 200), "👩‍👩‍👧 ZWJ 👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽", "שלום עולם, العربية",
		"\u202e\x1b[31m\a", "e\u0301\u0301 a\u200b",
		"```go\n" + strings.Repeat("line := of(code) // and more of it, until it is long\n", 10_000) + "```",
		"| a | b |\n|---|---|\n| " + strings.Repeat("cell ", 30) + "| b |", "", "\n\n\n",
		"# Heading\n\n- list\n  - deeper",
	}
	roles := []history.Role{history.User, history.Assistant, history.Tool, history.System, "strange \x1b[31m"}
	rapid.Check(t, func(t *rapid.T) {
		var messages []store.Message
		var entries []history.Entry
		for range rapid.IntRange(1, 5).Draw(t, "messages") {
			text := rapid.SampledFrom(texts).Draw(t, "text")
			m := message(rapid.SampledFrom(roles).Draw(t, "role"), text)
			m.Reasoning = rapid.SampledFrom([]string{"", "汉字 reasoning\nof two lines"}).Draw(t, "reasoning")
			m.Model = rapid.SampledFrom([]string{"gpt-5.2", "汉字-👩‍👩‍👧/" + strings.Repeat("模型", 20), ""}).Draw(t, "model")
			m.Request, m.Siblings, m.Sibling = int64(rapid.IntRange(0, 1).Draw(t, "request")), 3, 2
			if m.Role == history.Assistant && rapid.Bool().Draw(t, "calls") {
				m.ToolCalls = []history.ToolCall{
					{ID: "1", Name: "read_" + text[:min(9, len(text))], Arguments: text},
					{Name: "b", Arguments: `{"a":"b","c":[1]}`},
				}
			}
			m.Status = rapid.SampledFrom([]history.Status{
				history.Complete, history.Interrupted, history.Failed, history.Quarantined,
			}).Draw(t, "status")
			e := history.Entry{Disposition: rapid.SampledFrom([]history.Disposition{
				history.Kept, history.Cut, history.Dropped, history.Excluded,
			}).Draw(t, "disposition")}
			if n := len([]rune(text)); e.Disposition == history.Cut && n > 2 {
				from := rapid.IntRange(0, n-1).Draw(t, "from")
				e.Cuts, e.CharsBefore, e.CharsAfter = []history.Range{
					{From: from, To: rapid.IntRange(from, n).Draw(t, "to")},
				}, n, from
				e.Inserted = []history.Insert{{At: from, Text: " ... [汉字 cut]"}}
			}
			messages, entries = append(messages, m), append(entries, e)
		}
		w, h := rapid.IntRange(20, 130).Draw(t, "width"), rapid.IntRange(1, 30).Draw(t, "height")
		s := shown(w, h, messages, entries)
		s.TurnFailed(record.Failure{User: 1, Request: 7, Fault: record.Fault{What: texts[0][:99], Words: texts[1]}})
		for range rapid.IntRange(0, 4).Draw(t, "steps") {
			rapid.SampledFrom([]func(){
				func() { s.step(-1) }, func() { s.Scroll(-3) }, func() { s.Expand() }, func() { s.selectRow(0) },
				func() { s.ShowReasoning(true) },
			}).Draw(t, "step")()
		}
		lines := s.View()
		if len(lines) != h {
			t.Fatalf("%d lines, want %d", len(lines), h)
		}
		for _, line := range lines {
			if n := ansi.StringWidth(line); n > w {
				t.Fatalf("a line has %d cells, want at most %d: %q", n, w, line)
			}
		}
	})
}

// A receipt loses what can be missed first.
func TestAReceiptBecomesShorter(t *testing.T) {
	t.Parallel()
	r := record.Receipt{
		Tally: store.Tally{Stored: 61, Kept: 19, Cut: 4, Repaired: 1}, Took: 1900 * time.Millisecond,
		Usage: pricing.Usage{Prompt: 1912, Cached: 812, Answer: 301}, Cost: pricing.Cost{
			Amount: pricing.Dollar / 250, From: pricing.Charged,
		},
	}
	unread := record.Receipt{
		Tally: store.Tally{Stored: 7, Kept: 7}, Unread: 6753, Usage: pricing.Usage{Prompt: 4096, Cached: -1, Answer: 12},
	}
	quiet := record.Receipt{Tally: store.Tally{Stored: 2, Kept: 2}, Expected: 9}
	for _, c := range []struct {
		r    record.Receipt
		w    int
		want string
	}{
		{r, 120, "saw 23 of 61 · 4 cut · 1 repaired · 1,912 in (812 cached) / 301 out · $0.004 · 1.9 s"},
		{r, 83, "saw 23 of 61 · 4 cut · 1 repaired · 1,912 in (812 cached) / 301 out · $0.004"},
		{r, 70, "saw 23 of 61 · 4 cut · 1 repaired · 1,912 in / 301 out · $0.004"},
		{r, 50, "saw 23 of 61 · 1,912 in / 301 out · $0.004"},
		{r, 40, "1,912 in / 301 out · $0.004"},
		{r, 10, "1,912 in …"},
		{unread, 80, "saw 7 of 7 · server read 4,096 of ~6,753 / 12 out"},
		{quiet, 80, "~29 tokens"},
	} {
		if got := receiptLine(c.r, 20, c.w); got != c.want {
			t.Errorf("in %d cells: %q, want %q", c.w, got, c.want)
		}
	}
}

// A message that did not arrive as it should says what became of it.
func TestNotes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		m    store.Message
		want string
	}{
		{store.Message{Message: history.Message{Status: history.Quarantined}}, "unknown role"},
		{store.Message{Message: history.Message{Status: history.Quarantined}, Damaged: true}, "damaged and unreadable"},
		{store.Message{Damaged: true, Remains: "Hel?o"}, "damaged · this is not what was stored; kept, never sent"},
		{store.Message{Message: history.Message{Status: history.Failed, Content: "Half"}}, "failed · this part is kept"},
		{store.Message{Message: history.Message{Status: history.Failed}}, "failed before anything arrived"},
		{store.Message{Message: history.Message{Role: history.Tool}}, "empty result"},
	} {
		s := shown(80, 10, []store.Message{c.m}, nil)
		if page := uitest.Plain(s.View()); !strings.Contains(page, c.want) {
			t.Errorf("a message %+v does not say %q:\n%s", c.m, c.want, page)
		}
	}
}
