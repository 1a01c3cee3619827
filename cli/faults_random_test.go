package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/llmtest"
	"winnow/llm/tool"
	"winnow/session"
	"winnow/session/approval"
	"winnow/session/store"
)

// TestRandomFaults holds random conversations with a server that does one thing wrong after another: any fault at any
// stage, answers with several calls, damaged in any way, stops at any time, approvals of any kind, the program killed
// and started again. After each, every message of the user's and every byte that came is in the store, the next
// request is valid for every strict server, no call ran that nobody allowed or whose arguments are not as they came,
// and the requests that left are those that are recorded and were announced.
func TestRandomFaults(t *testing.T) {
	t.Parallel()
	sequences, steps, from := 25, 12, uint64(1)
	if *soakFaults > 0 {
		sequences, steps, from = *soakFaults, 50, *seedFaults
	}
	signalsOnce()
	valid := newValidShapes()
	var all sequenceCounts
	var mu sync.Mutex
	t.Run("sequences", func(t *testing.T) {
		for n := range sequences {
			seed := from + uint64(n)
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					time.Sleep(time.Until(today))
					s := newSequence(t, seed, valid)
					defer s.close()
					for range steps {
						s.step()
					}
					s.check()
					mu.Lock()
					defer mu.Unlock()
					all.add(s.counts)
				})
			})
		}
	})
	t.Logf("%d sequences of %d steps from seed %d: %v", sequences, steps, from, all)
	for _, what := range []string{"stopped", "killed", "reopened", "asked again", "tool ran", "tool refused", "call damaged", "answer cut", "several calls"} {
		if all[what] == 0 && !t.Failed() {
			t.Errorf("this never happened: %s", what)
		}
	}
}

// sequenceCounts is how often something happened.
type sequenceCounts map[string]int

func (c *sequenceCounts) add(more sequenceCounts) {
	if *c == nil {
		*c = sequenceCounts{}
	}
	for what, n := range more {
		(*c)[what] += n
	}
}

// faultSequence is one random conversation.
type faultSequence struct {
	t      *testing.T
	seed   uint64
	dice   *rand.Rand
	dir    string
	valid  *validShapes
	server *llmtest.Faulty
	store  *store.Store
	s      *session.Session
	faults []llmtest.Fault
	trace  []string
	counts sequenceCounts

	said      []string        // by the user
	came      []string        // texts and reasonings of answers, whole or not
	arguments []string        // of calls, as they came
	allowed   map[string]bool // ids and arguments of the calls that may run

	mu  sync.Mutex
	ran []string // arguments that the tool ran with
}

func newSequence(t *testing.T, seed uint64, valid *validShapes) *faultSequence {
	q := &faultSequence{
		t: t, seed: seed, dice: rand.New(rand.NewPCG(seed, 7)), dir: t.TempDir(), valid: valid, counts: sequenceCounts{}, allowed: map[string]bool{},
		server: &llmtest.Faulty{Asks: purposeOf, Over: overPipes},
	}
	for _, f := range llmtest.Faults() {
		if !f.TLS && !sampled(f) {
			q.faults = append(q.faults, f)
		}
	}
	q.openStore(filepath.Join(q.dir, "0.db"))
	return q
}

func (q *faultSequence) openStore(path string) {
	kept, err := store.Open(q.t.Context(), path, store.Options{Now: time.Now})
	if err == nil {
		_, err = kept.Recover(q.t.Context())
	}
	if err != nil {
		q.t.Fatalf("seed %d: %v", q.seed, err)
	}
	q.store = kept
}

func (q *faultSequence) close() {
	if q.s != nil {
		q.s.Close(q.t.Context())
	}
	q.store.Close()
	time.Sleep(time.Hour) // What still tries to connect, in the bubble's own time.
}

func (q *faultSequence) failf(format string, args ...any) {
	q.t.Helper()
	q.t.Errorf("seed %d (-soak 1 -seed %[1]d): %s\nafter\n   %s", q.seed, fmt.Sprintf(format, args...), strings.Join(q.trace, "\n   "))
}

func (q *faultSequence) chance(percent int) bool { return q.dice.IntN(100) < percent }

func (q *faultSequence) note(format string, args ...any) {
	q.trace = append(q.trace, fmt.Sprintf(format, args...))
}

// deps are those of one step: the policy and who approves are others each time.
func (q *faultSequence) deps() session.Deps {
	d := q.plainDeps()
	presets := history.Presets()
	policy, err := history.Preset(presets[q.dice.IntN(len(presets))])
	if err != nil {
		q.t.Fatal(err)
	}
	d.Policy = policy
	d.Policy.Budget = []int{0, 0, 1200, 4000}[q.dice.IntN(4)]
	d.Policy.ToolHistory = []history.ToolHistory{history.ToolsKeep, history.ToolsKeep, history.ToolsText, history.ToolsDrop}[q.dice.IntN(4)]
	d.Approve = []session.Approval{session.Ask, session.Ask, session.Always, session.Never}[q.dice.IntN(4)]
	return d
}

// plainDeps are those of a conversation without settings of its own.
func (q *faultSequence) plainDeps() session.Deps {
	policy, err := history.Preset("balanced")
	if err != nil {
		q.t.Fatal(err)
	}
	e := llm.Endpoint{Name: "example", BaseURL: "http://api.example.com/v1", Key: "sk-not-a-real-key-0000", Doer: q.server, Tools: q.tools()}
	return session.Deps{
		Store: q.store, Models: new(llm.Catalog).With(e), Policy: policy, System: "Be brief.", Now: time.Now, MaxRounds: 4, Approve: session.Ask,
		Count: func(text string) int { return (len(text) + 3) / 4 },
	}
}

func (q *faultSequence) tools() *tool.Toolbox {
	box := new(tool.Toolbox)
	box.Register(tool.Tool{Name: llmtest.Tool, Description: "says what is known of a place", Parameters: []byte(`{"type":"object","properties":{"place":{"type":"string"}}}`)},
		func(_ context.Context, arguments json.RawMessage) (string, error) {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.ran = append(q.ran, string(arguments))
			return llmtest.Result, nil
		})
	return box
}

// step does one thing with one fault.
func (q *faultSequence) step() {
	fault := q.faults[q.dice.IntN(len(q.faults))]
	for fault.Past && q.newest() < 12_000 { // A window that is smaller than a short request takes nothing any more.
		fault = q.faults[q.dice.IntN(len(q.faults))]
	}
	stages := fault.Stages()
	stage := stages[q.dice.IntN(len(stages))]
	if q.chance(40) {
		fault, stage = q.callsFault(), llmtest.Calls
	}
	fault.Times = q.dice.IntN(4)
	q.server.Change(fault, stage)
	if q.s == nil || q.chance(15) {
		q.reopen()
	}
	switch n := q.dice.IntN(10); {
	case n == 0 && q.s.Info().Leaf != 0:
		q.note("again, %s at %s, %d times", fault.Name, stage, fault.Times)
		q.counts["asked again"]++
		q.turn("", func(ctx context.Context) <-chan session.Event { return q.s.Regenerate(ctx, q.s.Info().Leaf) })
	case n == 1 && stage != llmtest.Calls:
		q.kill(fault)
	default:
		text := fmt.Sprintf("Message %d about the harbour. ", len(q.said)+1) + strings.Repeat("It is wide. ", q.dice.IntN(80))
		q.note("%.12q, %s at %s, %d times", text, fault.Name, stage, fault.Times)
		q.said = append(q.said, text)
		q.turn(text, func(ctx context.Context) <-chan session.Event { return q.s.Send(ctx, text) })
	}
}

// reopen opens the conversation as the next start of the program would.
func (q *faultSequence) reopen() { q.reopenWith(q.deps()) }

func (q *faultSequence) reopenWith(d session.Deps) {
	id := ""
	if q.s != nil {
		id = q.s.Info().ID
		q.s.Close(q.t.Context())
		q.counts["reopened"]++
	}
	q.open(id, d)
}

// open opens the conversation with an id, or begins one.
func (q *faultSequence) open(id string, d session.Deps) {
	q.valid.register(d.Models)
	var err error
	if id == "" {
		q.s, err = session.New(d, session.Start{Ref: "example/m"})
	} else if q.s, err = session.Open(q.t.Context(), d, id, "example/m"); err == nil {
		err = q.s.LoadRest(q.t.Context())
	}
	if err != nil {
		q.t.Fatalf("seed %d: %v", q.seed, err)
	}
	q.note("opened with %s, tools %s, approve %s, budget %d", d.Policy.Preset, d.Policy.ToolHistory, d.Approve, d.Policy.Budget)
}

// turn runs a turn, which may be stopped at any time, and notes what came.
func (q *faultSequence) turn(saying string, start func(context.Context) <-chan session.Event) {
	ctx, stop := context.WithCancel(q.t.Context())
	defer stop()
	stopAt := -1
	if q.chance(20) {
		stopAt = q.dice.IntN(12)
	}
	if q.chance(10) {
		timer := time.AfterFunc(time.Duration(q.dice.IntN(8000))*time.Millisecond, stop)
		defer timer.Stop()
	}
	before := q.left()
	left := func() int { return q.left() - before }
	var text, reasoning strings.Builder
	calls := map[int]string{}
	flush := func() {
		if text.Len()+reasoning.Len() > 0 {
			q.came = append(q.came, text.String(), reasoning.String())
		}
		for _, arguments := range calls {
			q.arguments = append(q.arguments, arguments)
		}
		if len(calls) > 1 {
			q.counts["several calls"]++
		}
		text.Reset()
		reasoning.Reset()
		clear(calls)
	}
	announced, n := 0, 0
	for event := range start(ctx) {
		if n == stopAt {
			q.note("stopped after %d events", n)
			q.counts["stopped"]++
			stop()
		}
		n++
		for _, sentence := range sentences(event) {
			q.note("      %s", sentence)
			announced += llmtest.Announced(sentence)
		}
		switch e := event.(type) {
		case session.Delta:
			text.WriteString(e.Text)
			reasoning.WriteString(e.Reasoning)
		case session.Calling:
			calls[e.Slot] += e.Arguments
		case session.Asked:
			answer := approval.Answer{Choice: approval.No, Reason: "not this time"}
			if q.chance(60) {
				answer = approval.Answer{Choice: approval.Once}
				q.allowed[e.Arguments.Object] = true
			} else {
				q.counts["tool refused"]++
			}
			e.Answer(answer)
		case session.Answered:
			if e.Message.Status != history.Complete {
				q.counts["answer cut"]++
			}
			flush()
		case session.Finished:
			q.note("   %v", e.Err)
			if over := (*session.OversizeError)(nil); errors.As(e.Err, &over) && left() == 0 && q.said[len(q.said)-1] == saying {
				q.said = q.said[:len(q.said)-1] // It was refused before it was stored, which is said.
				q.counts["too long"]++
			}
		}
	}
	flush()
	n = left()
	if n > 0 {
		announced++
	}
	// Of a turn that was stopped, the answer's request may not have left, nor a try that was announced.
	if n > announced || n < announced-2 || n != announced && ctx.Err() == nil {
		q.failf("%d requests left in a turn and %d were announced", n, announced)
	}
}

// left is how many requests with a part of the conversation left until now.
func (q *faultSequence) left() (n int) {
	for _, h := range q.server.Heard() {
		if carriesConversation(h) {
			n++
		}
	}
	return n
}

// newest is how long the newest request was, in bytes.
func (q *faultSequence) newest() int {
	heard := q.server.Heard()
	for _, h := range slices.Backward(heard) {
		if carriesConversation(h) {
			return len(h.Body)
		}
	}
	return 0
}

// kill leaves a turn in the middle of an answer and goes on with a copy of the files as they are then, as after a
// power cut of the program.
func (q *faultSequence) kill(fault llmtest.Fault) {
	text := fmt.Sprintf("Message %d about the harbour, then killed.", len(q.said)+1)
	q.note("%.12q, %s, killed", text, fault.Name)
	q.counts["killed"]++
	q.said = append(q.said, text)
	hang := llmtest.Fault{Name: "hang", End: llmtest.Hangs}
	q.server.Change(hang, []llmtest.Stage{llmtest.FirstByte, llmtest.Text, llmtest.Reasoning}[q.dice.IntN(3)])
	id := q.s.Info().ID
	var got [2]strings.Builder
	ctx, stop := context.WithCancel(q.t.Context())
	events := q.s.Send(ctx, text)
	done := make(chan struct{})
	var mu sync.Mutex
	stored := false
	go func() {
		defer close(done)
		for event := range events {
			mu.Lock()
			switch e := event.(type) {
			case session.Delta:
				got[0].WriteString(e.Text)
				got[1].WriteString(e.Reasoning)
			case session.Stored:
				id, stored = e.Message.Session, true
			}
			mu.Unlock()
		}
	}()
	time.Sleep(10 * time.Second) // The window and the first words have come, and are saved.
	synctest.Wait()
	mu.Lock()
	q.came = append(q.came, got[0].String(), got[1].String())
	if !stored {
		q.said = q.said[:len(q.said)-1] // It was too long, which is said.
	}
	mu.Unlock()
	if id == "" {
		stop()
		<-done
		return
	}
	path := filepath.Join(q.dir, fmt.Sprintf("%d.db", q.counts["killed"]))
	for _, suffix := range []string{"", "-wal"} {
		bytes, err := os.ReadFile(q.store.Path() + suffix)
		if err != nil && !os.IsNotExist(err) {
			q.t.Fatal(err)
		}
		if err == nil {
			if err := os.WriteFile(path+suffix, bytes, 0o600); err != nil {
				q.t.Fatal(err)
			}
		}
	}
	stop()
	<-done
	q.s.Close(q.t.Context())
	q.store.Close()
	q.openStore(path)
	q.open(id, q.deps())
}

// callsFault is an answer with up to three calls, each as it should be or damaged in some way.
func (q *faultSequence) callsFault() llmtest.Fault {
	one := func(choices ...string) string { return choices[q.dice.IntN(len(choices))] }
	n := 1 + q.dice.IntN(3)
	var b strings.Builder
	for i := range n {
		sound := fmt.Sprintf(`{"place":"pier %d"}`, q.dice.IntN(1000))
		arguments := one(sound, sound, sound, "", "null", `["pier"]`, sound[:len(sound)/2], sound+sound, `{'place': 'pier',}`, `{"place": "C:\Users"}`, "pier", `"{\"place\":\"pier\"}"`)
		if arguments != sound {
			q.counts["call damaged"]++
		}
		fields := map[string]any{"function": map[string]any{"name": one(llmtest.Tool, llmtest.Tool, llmtest.Tool, llmtest.Tool, "", "read_mind", "look up!"), "arguments": arguments}}
		if index := one("right", "right", "right", "same", "none"); index != "none" {
			fields["index"] = map[string]int{"right": i, "same": 0}[index]
		}
		if id := one(fmt.Sprintf("call_%d", q.dice.IntN(1<<30)), fmt.Sprintf("call_%d", q.dice.IntN(1<<30)), "call_0", "", "no"); id != "no" {
			fields["id"] = id
		}
		text, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"tool_calls": []any{fields}}}}})
		if err != nil {
			q.t.Fatal(err)
		}
		fmt.Fprintf(&b, "data: %s\n\n", text)
	}
	f := llmtest.Fault{Name: fmt.Sprintf("%d random calls", n), Whole: true, End: llmtest.Closes, Times: 1}
	switch q.dice.IntN(6) {
	case 0:
		f.End = llmtest.Cuts
	case 1:
		f.End = llmtest.Hangs
	case 2:
		b.WriteString("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n")
	default:
		b.WriteString("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n")
	}
	f.Stream = b.String()
	return f
}

// check wants that nothing is lost, that the next request is valid everywhere, and that what ran was allowed.
func (q *faultSequence) check() {
	q.t.Helper()
	if q.s == nil || q.s.Info().ID == "" {
		return // Nothing was said.
	}
	rows, err := q.store.Messages(q.t.Context(), q.s.Info().ID)
	if err != nil {
		q.t.Fatalf("seed %d: %v", q.seed, err)
	}
	users := map[string]int{}
	texts, calls := map[string]bool{"": true}, map[string]bool{}
	for _, m := range rows {
		if m.Role == history.User {
			users[m.Content]++
		}
		texts[m.Content], texts[m.Reasoning] = true, true
		for _, c := range m.ToolCalls {
			calls[c.Arguments] = true
		}
	}
	for _, text := range q.said {
		if users[text] != 1 {
			q.failf("the message %.30q is stored %d times", text, users[text])
		}
	}
	for _, text := range q.came {
		if !texts[text] {
			q.failf("of the answers %q is not stored", text)
		}
	}
	for _, arguments := range q.arguments {
		if !calls[arguments] {
			q.failf("the arguments %q are not stored", arguments)
		}
	}
	q.checkRuns(calls)
	recorded, stopped := 0, 0
	records, err := q.store.Requests(q.t.Context(), q.s.Info().ID)
	if err != nil {
		q.t.Fatal(err)
	}
	var ends []string
	for _, r := range records {
		ends = append(ends, fmt.Sprintf("%d %s %s %d", r.Turn, r.Purpose, r.End, r.Retries))
		recorded += 1 + r.Retries
		if r.End == store.EndStopped || r.End == "" {
			stopped++ // A record is written before its request leaves: the stop may have come in between.
		}
	}
	if left := q.left(); left > recorded || left < recorded-stopped {
		q.failf("%d requests left and %d are recorded, %d of them stopped: %q", left, recorded, stopped, ends)
	}
	q.server.Heal()
	q.reopenWith(q.plainDeps())
	a := &actor{faultBench: &faultBench{t: q.t, store: q.store, valid: q.valid}, cell: cell{fault: llmtest.Fault{Name: fmt.Sprintf("sequence %d", q.seed)}}}
	if err := q.valid.accepted(a, q.s); err != nil {
		q.failf("%v", err)
	}
}

// checkRuns wants that each call ran with the arguments that came, or with repaired ones that somebody allowed.
func (q *faultSequence) checkRuns(came map[string]bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.counts["tool ran"] += len(q.ran)
	for _, arguments := range q.ran {
		if !came[arguments] && !q.allowed[arguments] {
			q.failf("the tool ran with %q, which did not come so and which nobody allowed", arguments)
		}
	}
}
