package session

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
)

// TestForecastIsThatOfTheRecords talks at random. What the session says of its past requests
// is what the server got and what the records hold, and the next start of the program says the same.
func TestForecastIsThatOfTheRecords(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.deps.Approve = Always
	b.offer(adder(t))
	shared, lost, fewer := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		s := b.begin()
		b.mu.Lock()
		b.bodies, b.steps = nil, nil
		b.mu.Unlock()
		for range rapid.IntRange(1, 6).Draw(rt, "turns") {
			converse(rt, b, s)
			if len(b.bodies) == 0 {
				continue
			}
			plan, err := s.Preview(rapid.SampledFrom([]string{"", "And now?"}).Draw(rt, "draft"))
			if errors.As(err, new(*history.OverBudgetError)) {
				continue
			}
			if err != nil {
				rt.Fatalf("plan: %v", err)
			}
			body, err := s.Try(Trial{}).Body(plan)
			if err != nil {
				rt.Fatalf("body: %v", err)
			}
			alike := sharedMessages(rt, b.bodies[len(b.bodies)-1], string(body))
			want := 0
			if alike > 0 {
				want = plan.Sum.Tools
			}
			for _, m := range plan.Messages[:alike] {
				want += history.Cost(m, b.deps.Count)
			}
			got := s.Past().Forecast(plan).Prefix
			if got.Tokens != want || !got.Known || got.IfNextDrops > got.Tokens || got.IfNextDrops < 0 {
				rt.Fatalf("the prefix is %+v, and %d messages of %d tokens are the same", got, alike, want)
			}
			losses := s.Past().Forecast(plan).Losses
			if first := firstLosses(rt, b, s, plan); !slices.Equal(losses, first) {
				rt.Fatalf("%v lose text for the first time, want %v", losses, first)
			}
			shared, lost = shared+alike, lost+len(losses)
			if got.IfNextDrops < got.Tokens {
				fewer++
			}
			later := b.open(s.Info().ID)
			if p := later.Past().Forecast(plan).Prefix; p != (record.Prefix{}) || later.Past().Forecast(plan).Losses != nil {
				rt.Fatalf("before the records are read the prefix is %+v", p)
			}
			if err := later.LoadPast(t.Context()); err != nil {
				rt.Fatalf("load the past: %v", err)
			}
			if p, l := later.Past().Forecast(plan).Prefix, later.Past().Forecast(plan).Losses; p != got || !slices.Equal(l, losses) {
				rt.Fatalf("from the records the prefix is %+v and the losses are %v, from the turns %+v and %v", p, l, got, losses)
			}
		}
	})
	t.Logf("%d messages were shared, %d lost text for the first time, %d prefixes would be shorter without what is next", shared, lost, fewer)
	if shared == 0 || lost == 0 || fewer == 0 {
		t.Error("the conversations are not such that anything could be told of them")
	}
}

// sharedMessages counts the messages that two bodies begin with alike.
func sharedMessages(t interface{ Fatalf(string, ...any) }, before, now string) int {
	var bodies [2]struct{ Messages []json.RawMessage }
	for i, text := range []string{before, now} {
		if err := json.Unmarshal([]byte(text), &bodies[i]); err != nil {
			t.Fatalf("read a body: %v", err)
		}
	}
	n := 0
	for n < len(bodies[0].Messages) && n < len(bodies[1].Messages) && string(bodies[0].Messages[n]) == string(bodies[1].Messages[n]) {
		n++
	}
	return n
}

// firstLosses goes through all records for each message. Before the first of them nothing is lost.
func firstLosses(t *rapid.T, b *bench, s *Session, plan history.Plan) []int {
	records, err := b.deps.Store.Requests(t.Context(), s.Info().ID)
	if err != nil {
		t.Fatalf("read the records: %v", err)
	}
	whole := map[int64]bool{}
	for _, r := range records {
		v, err := b.deps.Store.Verdicts(t.Context(), r.ID)
		if err != nil {
			t.Fatalf("read the verdicts: %v", err)
		}
		for _, e := range v.Entries.All() {
			before, known := whole[e.ID]
			whole[e.ID] = e.Whole && (before || !known)
		}
	}
	var list []int
	if len(records) == 0 {
		return nil
	}
	for i, e := range plan.Entries.All() {
		before, known := whole[e.ID]
		if !e.Whole && e.Disposition != history.Excluded && e.Disposition != history.Blank && (before || !known) {
			list = append(list, i)
		}
	}
	return list
}

func TestAnImportedConversationHasLostNothing(t *testing.T) {
	b := newBench(t, says("One."))
	s := b.loaded(b.imported(200, numbered).ID)
	if err := s.LoadPast(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(t.Context(), Trial{Budget: new(900)}); err != nil {
		t.Fatal(err)
	}
	plan, err := s.Preview("And?")
	if err != nil {
		t.Fatal(err)
	}
	if plan.Sum.Sent == plan.Sum.Stored {
		t.Fatalf("all %d messages are sent: nothing could be lost", plan.Sum.Sent)
	}
	if losses := s.Past().Forecast(plan).Losses; len(losses) > 0 {
		t.Errorf("before the first request %d messages are lost", len(losses))
	}
}

// TestPrefixIsOfOneModel changes the model between the requests.
func TestPrefixIsOfOneModel(t *testing.T) {
	b := newBench(t, says("One."), says("Two."), refuses(401, `{"error":{"message":"no"}}`))
	s := b.begin()
	known := func(s *Session) bool {
		t.Helper()
		plan, err := s.Preview("And?")
		if err != nil {
			t.Fatal(err)
		}
		return s.Past().Forecast(plan).Prefix.Known
	}
	check := func(what string, want bool) {
		t.Helper()
		later := b.open(s.Info().ID)
		if err := later.LoadPast(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, opened := known(s), known(later); got != want || opened != want {
			t.Errorf("%s: known is %t, opened again %t, want %t", what, got, opened, want)
		}
	}
	if known(s) {
		t.Error("a prefix is known before the first request")
	}
	drain(s.Send(t.Context(), "First"))
	check("after a request", true)
	if err := s.SetModel(t.Context(), "test/other"); err != nil {
		t.Fatal(err)
	}
	check("after the model changed", false)
	drain(s.Send(t.Context(), "Second"))
	check("after a request to the other one", true)
	if err := s.SetModel(t.Context(), "test/m"); err != nil {
		t.Fatal(err)
	}
	check("back with the first, that did not get the newest request", false)
	drain(s.Send(t.Context(), "Third"))
	check("after a request that was refused", false)
}

// A model reads its tools before all messages.
func TestNothingIsSharedUnderOtherTools(t *testing.T) {
	b := newBench(t, says("One."), says("Two."))
	s := b.begin()
	drain(s.Send(t.Context(), "First"))
	b.offer(adder(t))
	later := b.open(s.Info().ID)
	if err := later.LoadPast(t.Context()); err != nil {
		t.Fatal(err)
	}
	plan, err := later.Preview("And?")
	if err != nil || plan.Sum.Tools == 0 {
		t.Fatalf("planned with %d tokens of tools, %v; want some", plan.Sum.Tools, err)
	}
	if got := later.Past().Forecast(plan).Prefix; !got.Known || got.Tokens != 0 || got.IfNextDrops != 0 {
		t.Errorf("the prefix is %+v, want none", got)
	}
	drain(later.Send(t.Context(), "Second"))
	if plan, err = later.Preview("And?"); err != nil {
		t.Fatal(err)
	}
	body, err := later.Try(Trial{}).Body(plan)
	if err != nil {
		t.Fatal(err)
	}
	want := plan.Sum.Tools
	for _, m := range plan.Messages[:sharedMessages(t, b.bodies[1], string(body))] {
		want += history.Cost(m, b.deps.Count)
	}
	if got := later.Past().Forecast(plan).Prefix; got.Tokens != want {
		t.Errorf("under the same tools the prefix is %+v, want %d tokens, %d of them tools", got, want, plan.Sum.Tools)
	}
}

// TestUnprovenRecordsGiveNoPrefix opens a conversation whose records are damaged, or not of what was
// sent.
func TestUnprovenRecordsGiveNoPrefix(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(first, newest *store.Request)
		known bool
	}{
		"sound":                {func(_, _ *store.Request) {}, true},
		"the newest hash":      {func(_, newest *store.Request) { newest.BodyHash = strings.Repeat("0", 64) }, false},
		"the newest decisions": {func(_, newest *store.Request) { newest.Options = []byte("{") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, says("One."), says("Two."))
			s := b.begin()
			drain(s.Send(t.Context(), "First"))
			drain(s.Send(t.Context(), "Second"))
			records, err := b.deps.Store.Requests(t.Context(), s.Info().ID)
			if err != nil || len(records) != 2 {
				t.Fatalf("read %d records, %v; want 2", len(records), err)
			}
			test.spoil(&records[0], &records[1])
			for _, r := range records {
				if err := b.deps.Store.UpdateRequest(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
			later := b.open(s.Info().ID)
			if err := later.LoadPast(t.Context()); err != nil {
				t.Fatal(err)
			}
			plan, err := later.Preview("And?")
			if err != nil {
				t.Fatal(err)
			}
			if got := later.Past().Forecast(plan).Prefix; got.Known != test.known || test.known != (got.Tokens > 0) {
				t.Errorf("the prefix is %+v, want one that is known: %t", got, test.known)
			}
		})
	}
}
