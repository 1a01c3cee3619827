package ui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/session"
	"winnow/session/approval"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/settings"
	"winnow/ui/turn"
	"winnow/ui/uitest"
)

// begun is the time of everything in these tests.
var begun = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// folder returns a temporary folder for a store. Unlike t.TempDir, it tolerates commands that still write into the
// folder when the test has ended.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "winnow-ui-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for tries := 0; os.RemoveAll(dir) != nil && tries < 1000; tries++ {
			runtime.Gosched()
		}
	})
	return dir
}

// fresh returns a root model before its first message. Its commands are not run: tests call Update with their results.
func fresh(t testing.TB, w, h int) *Model {
	t.Helper()
	models := new(llm.Catalog).With(llm.Endpoint{
		Name: "openai", BaseURL: "http://127.0.0.1:1/v1", DefaultModel: "gpt-5.2",
		Prices: map[string]pricing.Prices{
			"gpt-5.2": {
				Rates:  pricing.Rates{In: 7 * pricing.Dollar / 4, Cached: pricing.Dollar / 8, Out: 14 * pricing.Dollar},
				Source: "the configuration",
			},
		},
	})
	db, err := store.Open(t.Context(), filepath.Join(folder(t), "winnow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	deps := session.Deps{Store: db, Models: models, Now: func() time.Time { return begun }}
	deps.Policy = policy
	s, err := session.New(deps, session.StartOptions{Model: "openai/gpt-5.2"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(Options{
		Deps: deps, Start: s, Theme: "none",
		Choice: llm.ModelChoice{
			Ref: "openai/gpt-5.2", Reason: "because OPENAI_API_KEY is set",
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	m.Chat.Reset(branch.Branch{}.Append()) // the tests add messages that are not stored
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	return m
}

// tell reports events of the running turn, at a time after begun.
func tell(m *Model, at time.Duration, events ...session.Event) {
	m.Update(turn.TickMsg{Turn: m.Turn.Number, At: begun.Add(at.Truncate(time.Second))})
	m.Update(turn.EventsMsg{Turn: m.Turn.Number, Events: events, At: begun.Add(at)})
}

// plans shows a plan of the next request.
func plans(m *Model, plan history.Plan) {
	m.Update(app.Then(func() tea.Cmd { return m.ShowDraftPlan(plan, nil, false) }))
}

func said(id int64, role history.Role, text string) store.Message {
	return store.Message{
		Message: history.Message{ID: id, Role: role, Content: text, Status: history.Complete},
		Session: "s", Model: "gpt-5.2", Request: id,
	}
}

// spoken returns a conversation of three turns with a tool call, and its plan.
func spoken() ([]store.Message, history.Plan) {
	messages := []store.Message{
		said(1, history.User, "Our grammar is left-recursive. How do I parse it with recursive descent?"),
		said(2, history.Assistant, "The usual cure is to **rewrite** the rule as a loop:\n\n```go\nfor p.at(Plus) "+
			"{\n\tleft = Add{left, p.term()}\n}\n```"),
		said(3, history.User, "Never touch generated files."),
		said(4, history.Assistant, ""),
		said(5, history.Tool, "gen.go\nparser.go\nlexer.go"),
		said(6, history.Assistant, "Understood. The generator writes `gen.go`; the other two are yours."),
		said(7, history.User, "Now the error recovery."),
	}
	messages[4].ToolCallID = "c1"
	messages[3].ToolCalls = []history.ToolCall{{ID: "c1", Name: "list_files", Arguments: `{"dir":"."}`}}
	entries := []history.Entry{
		{ID: 1, Role: history.User, Disposition: history.Dropped, Cause: history.Cause{
			Text: "over the budget: 612 tokens more than fit",
		}, TokensBefore: 612},
		{ID: 2, Index: 1, Role: history.Assistant, Disposition: history.Cut, Cause: history.Cause{
			Text: "an older answer is cut to 150 characters",
		}, TokensBefore: 577, TokensAfter: 37, CharsBefore: 2310, CharsAfter: 150},
		{
			ID: 3, Index: 2, Role: history.User, Disposition: history.Kept, Pinned: true, Whole: true,
			Cause: history.Cause{Text: "pinned by you"}, TokensBefore: 18, TokensAfter: 18,
		},
		{
			ID: 4, Index: 3, Role: history.Assistant, Disposition: history.Kept, Whole: true,
			Cause: history.Cause{Text: "fits"}, TokensBefore: 12, TokensAfter: 12,
		},
		{ID: 5, Index: 4, Role: history.Tool, Disposition: history.Kept, Whole: true, Cause: history.Cause{
			Text: "its id was damaged and is repaired",
		}, TokensBefore: 9, TokensAfter: 21, Repairs: []history.Repair{
			{Kind: "C4", Cause: history.Cause{Text: "the id was blank"}},
		}},
		{
			ID: 6, Index: 5, Role: history.Assistant, Disposition: history.Kept, Whole: true,
			Cause: history.Cause{Text: "fits"}, TokensBefore: 31, TokensAfter: 31,
		},
		{ID: 7, Index: 6, Role: history.User, Disposition: history.Kept, Whole: true, Cause: history.Cause{
			Text: "the newest message is always sent",
		}, TokensBefore: 6, TokensAfter: 6},
	}
	return messages, history.Plan{Entries: entries, NextToDrop: []int{5}, Sum: history.TokenSum{
		System: 212, Tools: 60, Pinned: 18, Body: 4800, Draft: 222, Total: 5312, Reserve: 1024,
		Window: 7556, Limit: 6000, Bound: history.BoundWindow, Ratio: 1, Margin: 0.1, Sent: 6, Stored: 7,
	}}
}

// chatting returns a model with the conversation of spoken.
func chatting(t testing.TB, w, h int) *Model {
	m := fresh(t, w, h)
	messages, plan := spoken()
	m.Chat.Receipts[6] = record.Receipt{
		VerdictCounts: store.VerdictCounts{Stored: 6, Of: map[history.Disposition]int{"kept": 4, "cut": 1, "dropped": 1}, Repaired: 1},
		Estimate:      1900, Expected: 1900,
		Usage: pricing.Usage{Prompt: 1912, Cached: 812, Answer: 301}, Took: 1900 * time.Millisecond,
		Cost: pricing.Cost{Amount: pricing.Dollar / 250, From: pricing.Charged},
	}
	for _, message := range messages {
		m.Chat.Add(message, record.Receipt{})
	}
	m.Info.Title = "Parser rewrite"
	m.RepairsAnnounced = true
	plans(m, plan)
	return m
}

// triedPlan returns the plan of a trial: one more message is dropped, one is added, and one is cut more.
func triedPlan(m *Model) history.Plan {
	plan := m.Panel.Next.Plan
	plan.Entries = editedEntries(plan.Entries, func(list []history.Entry) {
		list[0].Disposition, list[0].TokensAfter = history.Kept, 612
	})
	plan.Entries = editedEntries(plan.Entries, func(list []history.Entry) {
		list[1].CharsAfter, list[1].TokensAfter = 90, 22
	})
	plan.Entries = editedEntries(plan.Entries, func(list []history.Entry) {
		list[5] = history.Entry{
			ID: 6, Index: 5, Role: history.Assistant, Disposition: history.Dropped, Cause: history.Cause{
				Code: history.CauseOlder,
			}, TokensBefore: 31,
		}
	})
	plan.Sum.Body, plan.Sum.Total, plan.Sum.Limit, plan.Sum.Budget, plan.Sum.Bound = 388, 900, 1000, 1000,
		history.BoundBudget
	plan.NextToDrop = []int{1}
	return plan
}

// asking returns a model while an answer arrives.
func asking(t testing.TB, w, h int) *Model {
	m := chatting(t, w, h)
	m.Turn = turn.Model{Context: m.Context, Number: 1, Cancel: func() {}}
	m.Busy = true
	m.Chat.AnsweringModel = "gpt"
	tell(m, 0)
	return m
}

var (
	enter = tea.KeyPressMsg{Code: tea.KeyEnter}
	esc   = tea.KeyPressMsg{Code: tea.KeyEscape}
	tab   = tea.KeyPressMsg{Code: tea.KeyTab}
)

func ctrl(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Mod: tea.ModCtrl} }
func char(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }

func typing(m *Model, text string) {
	for _, r := range text {
		m.Update(char(r))
	}
}

// state is a state of the screen that has a golden file.
type state struct {
	name string
	make func(t testing.TB, w, h int) *Model
}

// states are the states that have golden files.
var states = slices.Concat([]state{
	{"first", func(t testing.TB, w, h int) *Model {
		m := fresh(t, w, h)
		m.Deps.Store = nil // the name of its folder differs in each run
		return m
	}},
	{"chatting", func(t testing.TB, w, h int) *Model {
		m := chatting(t, w, h)
		typing(m, "and what about incremental re-parsing?")
		return m
	}},
	{"streaming", func(t testing.TB, w, h int) *Model {
		m := asking(t, w, h)
		tell(m, 2300*time.Millisecond, session.Delta{Text: "Panic-mode recovery skips tokens until "})
		return m
	}},
	{"waiting", func(t testing.TB, w, h int) *Model {
		m := asking(t, w, h)
		tell(m, time.Second, session.Retrying{
			Retrying: llm.Retrying{
				Attempt: 2, MaxAttempts: 5, Delay: 8 * time.Second, Err: &llm.Error{
					Kind: llm.ErrRateLimit, Status: 429, Endpoint: "openai", Message: "slow down",
				},
			},
		})
		return m
	}},
	{"question", func(t testing.TB, w, h int) *Model {
		m := asking(t, w, h)
		tell(m, time.Second, session.ApprovalNeeded{
			ToolQuestion: session.ToolQuestion{
				Call:      history.ToolCall{Name: "read_page", Arguments: `{"page":"context"}`},
				Arguments: history.RepairedArguments{Object: `{"page":"context"}`},
				Number:    1, Of: 1, Choices: []approval.Choice{approval.AllowOnce, approval.AllowForSession, approval.AllowAlways},
			},
			Answer: func(approval.Answer) {},
		})
		return m
	}},
	{"stopped", func(t testing.TB, w, h int) *Model {
		m := asking(t, w, h)
		tell(m, time.Second, session.Delta{Text: "Panic-mode"})
		answer := said(8, history.Assistant, "Panic-mode")
		answer.Status = history.Interrupted
		tell(m, 2*time.Second, session.AnswerStored{
			Message: answer, Receipt: record.Receipt{
				VerdictCounts: store.VerdictCounts{Stored: 7, Of: map[history.Disposition]int{"kept": 6}},
				Estimate:      5312, Expected: 5312, Took: 2 * time.Second,
				End: store.EndStopped,
			},
		}, session.Finished{})
		return m
	}},
	{"error", func(t testing.TB, w, h int) *Model {
		m := asking(t, w, h)
		why := &llm.Error{
			Kind: llm.ErrAuth, Status: 401, Endpoint: "openai", Address: "https://api.openai.com/v1",
			Message: "Incorrect API key provided",
		}
		tell(m, time.Second, session.Finished{
			Err: why, Failure: &record.FailedTurn{TurnFault: record.NewTurnFault(why), After: 7, Request: 9, Tries: 1},
		})
		return m
	}},
	{"panel", func(t testing.TB, w, h int) *Model {
		m := chatting(t, w, h)
		if m.layout.Panel.Empty() {
			m.Update(ctrl('x'))
			return m
		}
		m.Update(tab)
		m.Update(tab)
		return m
	}},
	{"whatif", func(t testing.TB, w, h int) *Model {
		m := chatting(t, w, h)
		m.Update(tab)
		m.Update(char('w'))
		m.Update(tea.KeyPressMsg{Code: tea.KeyRight})
		m.Panel.ShowTrial(triedPlan(m), pricing.Cost{}, nil)
		return m
	}},
	{"whatif-model", func(t testing.TB, w, h int) *Model {
		m := chatting(t, w, h)
		m.settings.Models = []llm.Model{{Endpoint: "openai", ID: "gpt-5.2-mini"}}
		m.Update(tab)
		m.Update(char('w'))
		for _, key := range "jjl" {
			m.Update(char(key))
		}
		return m
	}},
	{"repairs", repairing},
	{"repairs-otherwise", func(t testing.TB, w, h int) *Model {
		m := repairing(t, w, h)
		m.Update(char('j'))
		return m
	}},
	{"repairs-chosen", func(t testing.TB, w, h int) *Model {
		m := repairing(t, w, h)
		_, plan := inspectedWith(t, map[int64]history.Remedy{10: history.LeaveOut, 11: history.LeaveOut})
		plans(m, plan)
		priced(t, m)
		return m
	}},
	{"search", searching},
	{"models", func(t testing.TB, w, h int) *Model {
		m := chatting(t, w, h)
		m.Update(ctrl('l'))
		m.settings.ShowModels(settings.ModelListing{Models: []llm.Model{
			{Endpoint: "openai", ID: "gpt-5.2", Window: llm.Window{Tokens: 400000}},
			{Endpoint: "openai", ID: "gpt-5.2-mini"},
			{Endpoint: "guide", ID: "guide", Window: llm.Window{Tokens: 4096}},
		}, Notes: []string{"ollama: ollama does not answer at 127.0.0.1:11434."}})
		return m
	}},
	{"palette", func(t testing.TB, w, h int) *Model {
		m := chatting(t, w, h)
		m.Update(ctrl('p'))
		typing(m, "re")
		return m
	}},
	{"slash", func(t testing.TB, w, h int) *Model {
		m := chatting(t, w, h)
		typing(m, "/re")
		return m
	}},
	{"help", func(t testing.TB, w, h int) *Model {
		m := chatting(t, w, h)
		m.Update(char('?'))
		return m
	}},
}, inspectorStates(), pastStates(), versionStates(), sessionStates())

// plain returns the screen as text, followed by the position of the cursor.
func plain(m *Model) string {
	m.arrange() // as Update does
	v := m.View()
	lines := strings.Split(ansi.Strip(v.Content), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	at := "no cursor"
	if v.Cursor != nil {
		at = fmt.Sprintf("cursor at column %d, line %d", v.Cursor.X, v.Cursor.Y)
	}
	return strings.Join(lines, "\n") + "\n" + at + "\n"
}

// layouts are the states with a golden file at several sizes, because they differ in the layout of the whole screen.
var layouts = []string{
	"first", "chatting", "streaming", "question", "error", "panel", "whatif", "inspector-cut", "repairs", "sessions",
	"palette", "help",
}

func TestScreens(t *testing.T) {
	for _, state := range states {
		t.Run(state.name, func(t *testing.T) {
			sizes := [][2]int{{120, 40}}
			if slices.Contains(layouts, state.name) {
				sizes = [][2]int{{20, 5}, {80, 24}, {120, 40}, {200, 60}}
			}
			var all strings.Builder
			for _, size := range sizes {
				m := state.make(t, size[0], size[1])
				fmt.Fprintf(&all, "-- %d×%d --\n%s", size[0], size[1], plain(m))
				fits(t, m)
			}
			uitest.Golden(t, state.name, all.String())
		})
	}
}

// fits fails unless the screen is exactly as large as the terminal, with the cursor on it.
func fits(t testing.TB, m *Model) {
	t.Helper()
	view := m.View()
	lines := strings.Split(view.Content, "\n")
	if len(lines) != m.layout.Height {
		t.Fatalf("%dx%d: the screen has %d lines", m.layout.Width, m.layout.Height, len(lines))
	}
	if c := view.Cursor; c != nil && (c.X < 0 || c.X >= m.layout.Width || c.Y < 0 || c.Y >= m.layout.Height) {
		t.Fatalf("%dx%d: the cursor is at %d, %d", m.layout.Width, m.layout.Height, c.X, c.Y)
	}
	for i, s := range lines {
		if w := ansi.StringWidth(s); w != m.layout.Width {
			t.Fatalf("%dx%d: line %d is %d cells wide: %q", m.layout.Width, m.layout.Height, i, w, ansi.Strip(s))
		}
	}
}

// editedEntries returns a changed copy of entries.
func editedEntries(entries []history.Entry, edit func(list []history.Entry)) []history.Entry {
	list := slices.Clone(entries)
	edit(list)
	return list
}

var finishedWell = session.Finished{}

func TestTheDraftLeavesAtEnterAndComesBackUnsaved(t *testing.T) {
	m := fresh(t, 80, 24)
	typing(m, "hello")
	m.Update(enter)
	if got := m.composer.Text(); got != "" {
		t.Fatalf("after enter the draft is %q", got)
	}
	typing(m, "next")
	tell(m, 0, session.MessageStored{Message: said(1, history.User, "hello")})
	tell(m, 0, finishedWell)
	if got := m.composer.Text(); got != "next" {
		t.Fatalf("what was typed after enter is %q, want next", got)
	}
	m.Update(ctrl('c'))

	typing(m, "again")
	m.Update(enter)
	tell(m, 0, session.Finished{Err: errors.New("the disk is full")})
	if got := m.composer.Text(); got != "again" || !strings.Contains(plain(m), "the disk is full") {
		t.Errorf("after an error the draft is %q, want it kept and the error shown:\n%s", got, plain(m))
	}
}

func TestShortPastesShowTheirControlCharacters(t *testing.T) {
	m := fresh(t, 80, 24)
	m.Update(tea.PasteMsg{Content: "a\x1b[31mb"})
	if got := m.composer.Text(); strings.ContainsRune(got, 0x1b) || !strings.Contains(got, "[31m") ||
		!strings.Contains(got, "␛") {
		t.Errorf("the draft is %q, want the escape shown", got)
	}
}

func TestWhatIsACommand(t *testing.T) {
	m := fresh(t, 80, 24)
	for _, c := range []struct {
		ref, draft string
		want       bool
	}{
		{"guide/guide", "/guide overflow", false},
		{"guide/guide", "/guidebook", true},
		{"openai/gpt-5.2", "/guide overflow", true},
		{"openai/gpt-5.2", " /new", false},
		{"openai/gpt-5.2", "/new", true},
		{"openai/gpt-5.2", "/new\n", true},
		{"openai/gpt-5.2", "/new\nmore", true},
		{"openai/gpt-5.2", "/quit now\nmore", true},
		{"openai/gpt-5.2", " /new\nmore", false},
		{"openai/gpt-5.2", "/etc/hosts:\nmore", false},
		{"openai/gpt-5.2", "// new\nmore", false},
		{"guide/guide", "/guide\noverflow", false},
	} {
		m.Ref = c.ref
		if got := m.composer.IsCommand(c.draft); got != c.want {
			t.Errorf("%q with %s: a command is %v, want %v", c.draft, c.ref, got, c.want)
		}
	}
}

// After any keys in any state at any size, the screen fits the terminal.
func TestNoKeyPanics(t *testing.T) {
	keys := []tea.KeyPressMsg{
		enter, esc, tab, char('a'), char('?'), char('/'), char('y'), char('n'), char('世'), char(' '),
	}
	for _, r := range keymap.Default().Table() {
		for _, k := range r.Keys() {
			keys = append(keys, uitest.Key(k))
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		state := rapid.SampledFrom(states).Draw(rt, "state")
		m := state.make(t, rapid.IntRange(1, 130).Draw(rt, "w"), rapid.IntRange(1, 45).Draw(rt, "h"))
		for range rapid.IntRange(1, 25).Draw(rt, "n") {
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0:
				m.Update(tea.WindowSizeMsg{
					Width: rapid.IntRange(1, 220).Draw(rt, "w"), Height: rapid.IntRange(1, 60).Draw(rt, "h"),
				})
			case 1:
				m.Update(tea.PasteMsg{Content: rapid.String().Draw(rt, "paste")})
			case 2:
				m.Update(tea.MouseWheelMsg{X: 3, Y: 3, Button: tea.MouseWheelUp})
			case 3:
				m.frame.Mouse = true
				m.Update(tea.MouseClickMsg{
					X: rapid.IntRange(0, m.layout.Width).Draw(rt, "x"), Y: rapid.IntRange(0, m.layout.Height).Draw(rt,
						"y"), Button: tea.MouseLeft,
				})
			default:
				m.Update(rapid.SampledFrom(keys).Draw(rt, "key"))
			}
			fits(t, m)
		}
	})
}
