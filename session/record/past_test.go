package record

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/session/branch"
	"winnow/session/store"
)

const model = "test/m"

// words counts words as tokens.
func words(text string) int { return len(strings.Fields(text)) }

// conversation stores a conversation of questions with one answer each, and records their requests.
func conversation(t *testing.T, questions ...string) Records {
	t.Helper()
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "winnow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	r := Records{Store: st, Least: 1, Count: words, Tokenizer: "words"}
	r.Branch = func(ctx context.Context, leaf int64) (branch.Branch, error) {
		messages, err := st.Branch(ctx, leaf, 0)
		return branch.Of(messages...), err
	}
	var leaf int64
	say := func(role history.Role, text string) {
		t.Helper()
		m := store.Message{
			Session: r.Session, Parent: leaf, Tokenizer: r.Tokenizer, Message: history.Message{
				Role: role, Content: text, Status: history.Complete, Tokens: words(text),
			},
		}
		if leaf == 0 {
			var row store.Session
			row, m, err = st.Begin(t.Context(), store.Session{Endpoint: "test", Model: "m"}, m)
			r.Session = row.ID
		} else {
			m, err = st.Append(t.Context(), m)
		}
		if err != nil {
			t.Fatal(err)
		}
		leaf = m.ID
	}
	for _, question := range questions {
		r.Turns++
		say(history.User, question)
		q, err := r.Add(t.Context(), r.leaving(t, leaf))
		if err != nil {
			t.Fatal(err)
		}
		q.Prompt, q.End = 100, store.EndDone
		if err := st.UpdateRequest(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		say(history.Assistant, "Yes, it is.")
	}
	return r
}

// leaving is the request that asks for an answer to a message.
func (r Records) leaving(t *testing.T, leaf int64) Leaving {
	t.Helper()
	on, err := r.Branch(t.Context(), leaf)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	past, turn, err := Decision{Turn: []int64{leaf}}.split(t.Context(), on)
	if err != nil {
		t.Fatal(err)
	}
	before, err := past.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := history.Options{Policy: policy, Turn: branch.History(turn), Window: 4000, Count: words}
	plan, err := history.Build(branch.History(before), o)
	if err != nil {
		t.Fatal(err)
	}
	client := llm.NewClient(llm.Endpoint{Name: "test", BaseURL: "http://127.0.0.1:9/v1"})
	request := llm.Request{Model: "m", Messages: plan.Messages}
	body, err := client.Body(request)
	if err != nil {
		t.Fatal(err)
	}
	return Leaving{
		Request: store.Request{
			Turn: r.Turns, User: leaf, Purpose: store.ForAnswer, Endpoint: "test", Model: "m",
		},
		Decision: DecisionOf(leaf, o, plan, request, client), Made: plan, Body: body,
	}
}

// plan is that of a request that was recorded.
func (r Records) plan(t *testing.T, turn int) history.Plan {
	t.Helper()
	made, err := r.Replay(t.Context(), turn, 0)
	if err != nil || !made.Proven {
		t.Fatalf("turn %d is proven: %t (%s), %v", turn, made.Proven, made.Doubt, err)
	}
	return made.Plan
}

func TestRecordedRequestIsProvenByItsBytes(t *testing.T) {
	r := conversation(t, "Is it so?", "Is it so still?")
	if got := r.plan(t, 2); len(got.Messages) != 3 {
		t.Errorf("the request of turn 2 holds %d messages, want 3", len(got.Messages))
	}
	found, err := r.Find(t.Context(), 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	found.Request.BodyHash = "00"
	made, err := r.rebuild(t.Context(), found)
	if err != nil || made.Proven || made.Doubt != "its hash differs from the recorded one" {
		t.Errorf("with another hash it is proven: %t (%s), %v", made.Proven, made.Doubt, err)
	}
}

func TestPastOfAnOpenedConversationIsThatOfItsRecords(t *testing.T) {
	r := conversation(t, "Is it so?", "Is it so still?")
	plan := r.plan(t, 2)
	live := NewPast(true)
	live.Use(model)
	for turn := 1; turn <= 2; turn++ {
		found, err := r.Find(t.Context(), turn, 1)
		if err != nil {
			t.Fatal(err)
		}
		live.Answered(model, found.Request.Created, r.plan(t, turn))
		live.EndTurn()
	}
	opened := NewPast(false)
	opened.Use(model)
	if got := opened.Forecast(plan); got.Prefix.Known || got.Losses != nil {
		t.Errorf("before the records are read the forecast is %+v", got)
	}
	if err := opened.Load(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	got, want := opened.Forecast(plan), live.Forecast(plan)
	if got.Prefix != want.Prefix || !got.Prefix.Known || got.Prefix.Tokens == 0 {
		t.Errorf("the prefix is %+v, and was %+v", got.Prefix, want.Prefix)
	}
}

// A turn ends, or the model changes, while the records are read.
func TestPastKnowsBetterThanRecordsReadMeanwhile(t *testing.T) {
	r := conversation(t, "Is it so?", "Is it so still?")
	short := &Shortfall{Turn: 1, Expected: 9000, Reported: 4096}
	p := NewPast(false)
	p.Use(model)
	loaded, err := load(t.Context(), r, model)
	if err != nil || loaded.answered == nil {
		t.Fatalf("read %+v, %v; want the newest request", loaded, err)
	}
	loaded.shortfall, loaded.cutShort = short, []int64{99}

	p.Answered(model, time.Time{}, r.plan(t, 1))
	p.EndTurn()
	plan := r.plan(t, 2)
	want := p.Forecast(plan).Prefix
	p.keep(loaded)
	if got := p.Forecast(plan); got.Prefix != want || !want.Known || got.Shortfall != nil {
		t.Errorf("a turn has ended meanwhile: the forecast is %+v, want the prefix %+v", got, want)
	}
	if !slices.Contains(p.cutShort, 99) {
		t.Error("what older requests did not hold whole is not known")
	}

	p = NewPast(false)
	p.Use("test/other")
	p.keep(loaded)
	if got := p.Forecast(plan); got.Shortfall != nil || got.Prefix.Known {
		t.Errorf("the other model has the forecast of the first: %+v", got)
	}
}

func TestShortfallEndsWithTheModel(t *testing.T) {
	p := NewPast(true)
	p.Counted(store.Request{Turn: 1, CutExpected: 9000, Prompt: 4096})
	if p.Forecast(history.Plan{}).Shortfall == nil {
		t.Error("a shortfall that was counted is not known")
	}
	p.Use("test/other")
	if short := p.Forecast(history.Plan{}).Shortfall; short != nil {
		t.Errorf("with another model there is a shortfall of %+v", short)
	}
}

// The plan has every verdict there is.
func TestOnlyNewLossesOfTextCount(t *testing.T) {
	entries := []history.Entry{
		{ID: 1, Disposition: history.Kept, Whole: true},
		{ID: 2, Disposition: history.Cut},
		{ID: 3, Disposition: history.Dropped},
		{ID: 4, Disposition: history.Dropped},
		{ID: 5, Disposition: history.Kept, Whole: true},
		{ID: 6, Disposition: history.Excluded},
		{ID: 7, Disposition: history.Blank},
		{ID: 8, Disposition: history.Isolated},
		{ID: 9, Disposition: history.Recalled},
		{ID: 10, Disposition: history.Recalled, Whole: true},
	}
	if got, want := losses(entries, []int64{4, 5, 99}), []int{1, 2, 8}; !slices.Equal(got, want) {
		t.Errorf("%v lose text for the first time, want %v", got, want)
	}
}
