package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/history/cause"
	"winnow/llm/pricing"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// page is a transcript of messages as a plan has judged them.
func page(width, height int, messages []store.Message, entries []history.Entry) *Model {
	c := New(Deps{Keys: keymap.Default()})
	c.Restyle(theme.New(theme.None, theme.Palette{}, 0))
	c.Resize(width, height, 2, 1)
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
		c.Add(messages[i], r)
	}
	for i := range entries {
		entries[i].ID, entries[i].Index, entries[i].Role = int64(i+1), i, messages[i].Role
	}
	c.Judge(history.Plan{Entries: entries})
	return &c
}

func message(role history.Role, text string) store.Message {
	return store.Message{
		Message: history.Message{Role: role, Content: text, Status: history.Complete}, Model: "openai/gpt-5.2",
	}
}

// parser is a conversation with one of every verdict.
func parser() ([]store.Message, []history.Entry) {
	recovery := "Recover at statement boundaries. On an error, skip tokens until one that can start a statement, " +
		"report once and go on from there. The sync set is tiny enough to write by hand: semicolon, closing brace, " +
		"and every keyword that begins a declaration. " +
		strings.Repeat("Two details decide whether it feels good to use. ", 40)
	sent := strings.Index(recovery, " enough")
	call := message(history.Assistant, "")
	call.ToolCalls = []history.ToolCall{{ID: "c1", Name: "read_file", Arguments: `{"path":"grammar/decl.peg"}`}}
	list := message(history.Assistant, "")
	list.ToolCalls = []history.ToolCall{{ID: "c2", Name: "list_files", Arguments: `{"dir":"grammar","depth":2}`}}
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
		call, list, listed, answer, long, stopped, lost,
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
	for _, width := range []int{24, 48, 72, 140} {
		messages, entries := parser()
		c := page(width, 90, messages, entries)
		c.GoTo(5)
		c.ScrollTo(1)
		uitest.Golden(t, fmt.Sprintf("page%d", width), strings.TrimRight(uitest.Plain(c.View()), "\n")+"\n")
	}
}

// What is cut away is counted: the characters that are sent, those that are shown and those of the last line are all.
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
		m := message(history.User, head+rest+tail)
		next := message(history.User, "Go on.")
		c := page(rapid.IntRange(14, 130).Draw(t, "width"), 200, []store.Message{m, next}, []history.Entry{
			e, {Disposition: history.Kept},
		})
		d := c.list.drawn(0)
		text := ansi.Strip(strings.Join(d.lines[d.from:d.to], "\n"))
		squeezed := strings.Join(strings.Fields(text), "")
		if want := strings.Join(strings.Fields(head), "") + "...(truncated)"; !strings.HasPrefix(squeezed, want) {
			t.Fatalf("%q does not begin with what is sent, and the marker: %q", text, want)
		}
		if tail != "" && !strings.HasSuffix(squeezed, "Andtheend.") {
			t.Fatalf("%q does not end with what is sent of the end", text)
		}
		if !strings.Contains(text, "┄┄┄") && !strings.Contains(squeezed, strings.Join(strings.Fields(rest), "")) {
			t.Fatalf("%q neither shows %q nor says how much is left", text, rest)
		}
	})
}

// Other settings that are tried out say what they change.
func TestATrialSaysWhatChanges(t *testing.T) {
	t.Parallel()
	messages, entries := parser()
	c := page(72, 40, messages, entries)
	c.Next, c.Trial = history.Plan{Entries: entries}, true
	tried := slices.Clone(entries)
	tried[2].Disposition, tried[4].Disposition, tried[4].Cuts = history.Kept, history.Kept, nil
	tried[3].Disposition = history.Dropped
	c.Judge(history.Plan{Entries: tried})
	c.ScrollTo(1)
	text := uitest.Plain(c.View())
	for _, want := range []string{
		"● gpt-5.2 +comes back", "○ you −drops out", "+whole again, 2,207 characters",
		"the model would see from here ─── was 4",
	} {
		if bare := strings.Join(strings.Fields(strings.ReplaceAll(text, "─", "")), ""); !strings.Contains(bare,
			strings.Join(strings.Fields(strings.ReplaceAll(want, "─", "")), "")) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "truncated") {
		t.Errorf("what would be whole is shown as cut:\n%s", text)
	}
	shorter := slices.Clone(entries)
	shorter[4].CharsAfter = 40
	c.Judge(history.Plan{Entries: shorter})
	if text := uitest.Plain(c.View()); !strings.Contains(text, "− cut to 40 of ") {
		t.Errorf("what would be cut shorter is not marked:\n%s", text)
	}
	c.Trial = false
	c.Judge(history.Plan{Entries: entries})
	if text := uitest.Plain(c.View()); strings.Contains(text, "comes back") || !strings.Contains(text, boundary) {
		t.Errorf("behind the trial the page is\n%s", text)
	}
}

// What the model has just said is shown whole, though the next request holds less of it: somebody reads it.
func TestTheNewestTurnIsShownWhole(t *testing.T) {
	t.Parallel()
	messages, entries := parser()
	c := page(72, 40, messages[:5], entries[:5])
	if text := uitest.Plain(c.View()); !strings.Contains(text, "cut to 150 of") ||
		strings.Contains(text, "truncated") || !strings.Contains(text, "feels good to use") {
		t.Errorf("the newest answer is shown as\n%s", text)
	}
	c.Add(store.Message{
		Message: history.Message{ID: 6, Role: history.User, Content: "Go on.", Status: history.Complete},
	}, record.Receipt{})
	if text := uitest.Plain(c.View()); !strings.Contains(text, "(truncated)") {
		t.Errorf("an older answer is shown as\n%s", text)
	}
}

// No line is wider than the transcript, and there are as many as it is high, whatever the text.
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
			m.Model = rapid.SampledFrom([]string{
				"gpt-5.2", "汉字-👩‍👩‍👧/" + strings.Repeat("模型", 20), "",
			}).Draw(t, "model")
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
			e := history.Entry{
				Disposition: rapid.SampledFrom([]history.Disposition{
					history.Kept, history.Cut, history.Dropped, history.Excluded,
				}).Draw(t, "disposition"),
			}
			if n := len([]rune(text)); e.Disposition == history.Cut && n > 2 {
				from := rapid.IntRange(0, n-1).Draw(t, "from")
				e.Cuts, e.CharsBefore, e.CharsAfter = []history.Range{
					{From: from, To: rapid.IntRange(from, n).Draw(t, "to")},
				}, n, from
				e.Inserted = []history.Insert{{At: from, Text: " ... [汉字 cut]"}}
			}
			messages, entries = append(messages, m), append(entries, e)
		}
		w, h := rapid.IntRange(1, 130).Draw(t, "width"), rapid.IntRange(1, 30).Draw(t, "height")
		c := page(w, h, messages, entries)
		c.Resize(w, h, rapid.IntRange(0, 2).Draw(t, "left"), rapid.IntRange(0, 2).Draw(t, "right"))
		for range rapid.IntRange(0, 4).Draw(t, "steps") {
			rapid.SampledFrom([]func(){
				func() { c.Step(-1) }, func() { c.Scroll(-3) }, func() { c.Expand() }, func() { c.Boundary() }, func() {
					c.First()
				}, func() { c.ShowReasoning(true) },
			}).Draw(t, "step")()
		}
		lines := c.View()
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

// A verdict that changes the lines of a message above the screen moves nothing on it.
func TestAVerdictAboveTheScreenMovesNothing(t *testing.T) {
	t.Parallel()
	messages, entries := parser()
	c := page(72, 20, messages, entries)
	c.ScrollTo(6)
	before := c.View()
	whole := slices.Clone(entries)
	for i := range 5 {
		whole[i] = history.Entry{ID: entries[i].ID, Index: i, Role: entries[i].Role, Disposition: history.Kept}
	}
	c.Judge(history.Plan{Entries: whole})
	if after := c.View(); !slices.Equal(before, after) {
		t.Errorf("the screen was\n%s\nand is\n%s", uitest.Plain(before), uitest.Plain(after))
	}
	c.ScrollTo(1)
	if text := uitest.Plain(c.View()); strings.Contains(text, "truncated") || strings.Contains(text, boundary) {
		t.Errorf("what is sent whole is shown as cut:\n%s", text)
	}
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
	for _, c := range []struct {
		w    int
		want string
	}{
		{120, "saw 23 of 61 · 4 cut · 1 repaired · 1,912 in (812 cached) / 301 out · $0.004 · 1.9 s"},
		{83, "saw 23 of 61 · 4 cut · 1 repaired · 1,912 in (812 cached) / 301 out · $0.004"},
		{70, "saw 23 of 61 · 4 cut · 1 repaired · 1,912 in / 301 out · $0.004"},
		{50, "saw 23 of 61 · 1,912 in / 301 out · $0.004"},
		{40, "1,912 in / 301 out · $0.004"},
		{10, "1,912 in …"},
	} {
		if got := receiptIn(r, c.w); got != c.want {
			t.Errorf("in %d cells: %q, want %q", c.w, got, c.want)
		}
	}
}

// A request of which the server read only a part says so in its receipt.
func TestAReceiptSaysWhatWasNotRead(t *testing.T) {
	t.Parallel()
	r := record.Receipt{Tally: store.Tally{Stored: 7, Kept: 7}, Unread: 6753, Usage: pricing.Usage{Prompt: 4096, Cached: -1, Answer: 12}}
	if got, want := receiptIn(r, 80), "saw 7 of 7 · server read 4,096 of ~6,753 / 12 out"; got != want {
		t.Errorf("the receipt is %q, want %q", got, want)
	}
}

func TestArgumentsInARow(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"path":"grammar/decl.peg"}`:            "grammar/decl.peg",
		`{"pattern":"a b","depth":2,"in":["x"]}`: `pattern: a b, depth: 2, in: ["x"]`,
		`{}`:                                     "",
		``:                                       "",
		`{"broken":`:                             `{"broken":`,
		`{"a":1} {"b":2}`:                        `{"a":1} {"b":2}`,
		`["list"]`:                               `["list"]`,
		`{"a":1,"a":2,"":"\u00e9"}`:              "a: 1, a: 2, : é",
	} {
		if got := argumentsRow(in); got != want {
			t.Errorf("%s is shown as %q, want %q", in, got, want)
		}
	}
}

// edited is the same entries with some of them changed.
func edited(entries []history.Entry, edit func(list []history.Entry)) []history.Entry {
	list := slices.Clone(entries)
	edit(list)
	return list
}
