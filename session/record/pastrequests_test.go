package record

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
	r := Records{Store: st, MinCompared: 1, Count: words, Tokenizer: "words"}
	r.Branch = func(ctx context.Context, leaf int64) (branch.Branch, error) {
		messages, err := st.Branch(ctx, leaf, 0)
		return branch.Branch{}.Append(messages...), err
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
			row, m, err = st.BeginSession(t.Context(), store.Session{Endpoint: "test", Model: "m"}, m)
			r.Session = row.ID
		} else {
			m, err = st.AppendMessage(t.Context(), m)
		}
		if err != nil {
			t.Fatal(err)
		}
		leaf = m.ID
	}
	for _, question := range questions {
		r.Turns++
		say(history.User, question)
		q, plan := r.leaving(t, leaf)
		q, err := r.Add(t.Context(), q, plan, CachedPrefix{})
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

// leaving is the record and the plan of the request that asks for an answer to a message.
func (r Records) leaving(t *testing.T, leaf int64) (store.Request, history.Plan) {
	t.Helper()
	on, err := r.Branch(t.Context(), leaf)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	messages, err := on.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := branch.HistoryMessages(messages)
	before, turn := all[:len(all)-1], all[len(all)-1:]
	o := history.Options{Policy: policy, Turn: turn, Window: 4000, Count: words}
	plan, err := history.Build(before, o)
	if err != nil {
		t.Fatal(err)
	}
	client := llm.NewClient(llm.Endpoint{Name: "test", BaseURL: "http://127.0.0.1:9/v1"})
	request := llm.Request{Model: "m", Messages: plan.Messages}
	q := store.Request{Turn: r.Turns, User: leaf, Purpose: store.PurposeAnswer, Endpoint: "test", Model: "m"}
	d := InputsOf(leaf, o, plan)
	if err := d.FillRecord(&q, client, request); err != nil {
		t.Fatal(err)
	}
	return q, plan
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

func TestPastOfAnOpenedConversationIsThatOfItsRecords(t *testing.T) {
	r := conversation(t, "Is it so?", "Is it so still?")
	plan := r.plan(t, 2)
	live := NewPastRequests(true)
	for turn := 1; turn <= 2; turn++ {
		found, err := r.Find(t.Context(), turn, 1)
		if err != nil {
			t.Fatal(err)
		}
		live.NoteAnswered(found.Request, r.plan(t, turn))
		live.EndTurn()
	}
	opened := NewPastRequests(false)
	if got := opened.Forecast(model, plan); got.Prefix.Known || got.Losses != nil {
		t.Errorf("before the records are read the forecast is %+v", got)
	}
	if err := opened.Load(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	got, want := opened.Forecast(model, plan), live.Forecast(model, plan)
	if got.Prefix != want.Prefix || !got.Prefix.Known || got.Prefix.Tokens == 0 {
		t.Errorf("the prefix is %+v, and was %+v", got.Prefix, want.Prefix)
	}
	if got := opened.Forecast("test/other", plan); got.Prefix.Known {
		t.Errorf("another model has the prefix %+v", got.Prefix)
	}
}

// A turn that goes on while the records are read knows better than they do.
func TestPastKnowsBetterThanRecordsReadMeanwhile(t *testing.T) {
	r := conversation(t, "Is it so?", "Is it so still?")
	first, err := r.Find(t.Context(), 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := NewPastRequests(false)
	p.NoteAnswered(first.Request, r.plan(t, 1))
	p.NoteCounted(first.Request)
	plan := r.plan(t, 2)
	want := p.Forecast(model, plan).Prefix
	if err := p.Load(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if got := p.Forecast(model, plan); got.Prefix != want || !want.Known || got.Truncation != nil {
		t.Errorf("a turn has ended meanwhile: the forecast is %+v, want the prefix %+v", got, want)
	}
}

func TestShortfallIsOfItsModel(t *testing.T) {
	p := NewPastRequests(true)
	p.NoteCounted(store.Request{Endpoint: "test", Model: "m", Turn: 1, CutExpected: 9000, Prompt: 4096})
	if p.Forecast(model, history.Plan{}).Truncation == nil {
		t.Error("a shortfall that was counted is not known")
	}
	if short := p.Forecast("test/other", history.Plan{}).Truncation; short != nil {
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
		{ID: 8, Disposition: history.Unreadable},
		{ID: 9, Disposition: history.Recalled},
		{ID: 10, Disposition: history.Recalled, Whole: true},
	}
	p := NewPastRequests(true)
	p.begun, p.cutShort = true, map[int64]bool{4: true, 5: true, 99: true}
	got, want := p.Forecast(model, history.Plan{Entries: entries}).Losses, []int{1, 2, 8}
	if !slices.Equal(got, want) {
		t.Errorf("%v lose text for the first time, want %v", got, want)
	}
}
