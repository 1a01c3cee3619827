package transcript

import (
	"context"
	"flag"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

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
	trial        bool
}

// staged is an empty transcript on a stage.
func staged(w, h int) *stage {
	s := &stage{}
	say := func(text string) tea.Cmd { s.said = text; return nil }
	s.Model = &Model{Context: &app.Context{Shared: &app.Shared{
		ProgramContext: context.Background, Keys: keymap.Default(), Say: say, Fail: say,
		Themes: &theme.Selection{Styles: theme.New(theme.None, theme.Palette{}, 0)},
		Do:     func(a keymap.Action) tea.Cmd { s.did = a; return nil },
		Replan: func() tea.Cmd { return nil }, Copy: func(_, text string) tea.Cmd { s.copied = text; return nil },
	}}, Hooks: Hooks{
		CursorMoved: func() {}, ClearNotice: func() {},
		ShowsPast: func() bool { return false }, ShowsTrial: func() bool { return s.trial },
	}}
	s.Reset(branch.Branch{})
	s.Resize(w, h, 2)
	return s
}

// press presses keys and does what their commands leave to be done.
func (s *stage) press(keys ...string) *stage {
	for _, name := range keys {
		s.run(s.Update(uitest.Key(name)))
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
				VerdictCounts: store.VerdictCounts{
					Stored: 48, Of: map[history.Disposition]int{"kept": 19, "cut": 2}, Repaired: 1,
				},
				Estimate: 4870, Took: 1900 * time.Millisecond,
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
	s.SetPlan(history.Plan{Entries: entries}, 0)
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
	lost.Status, lost.Request, lost.FinishReason = history.Interrupted, 12, string(store.EndDisconnected)
	long := message(history.User, "Summarise this log.\n"+
		strings.Repeat("12:04:33 ERROR timeout towards the database\n", 411))
	long.Tokens = 7790
	kept := history.Entry{Disposition: history.Kept}
	dropped := history.Entry{Disposition: history.Dropped, Cause: history.Cause{Code: cause.OverBudget}}
	recalled, repaired, pinned := kept, kept, kept
	recalled.Recalled, recalled.Cause = true, history.Cause{Code: cause.SharedWords, Text: "re-parse"}
	repaired.Repairs = []history.Repair{{Kind: "C3", Cause: history.Cause{Code: cause.ResultMissing}}}
	pinned.Pinned = true
	messages := []store.Message{
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
	}
	return messages, []history.Entry{
		recalled, dropped, dropped, kept,
		{
			Disposition: history.Cut, CharsBefore: len(recovery), CharsAfter: sent, TokensAfter: 30,
			Cuts:     []history.CharRange{{From: sent, To: len(recovery)}},
			Inserted: []history.Insertion{{At: sent, Text: " ... (truncated)"}},
		},
		kept, repaired, kept, kept, kept, kept, kept, kept, pinned,
	}
}

// four is a transcript of the first four of these messages, with the cursor on the last one.
func four(w, h int) *stage {
	messages, entries := parser()
	s := shown(w, h, messages[:4], entries[:4])
	s.NextPlan = s.Plan
	s.Focus()
	return s
}
