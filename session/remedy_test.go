package session

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/approval"
)

// damagedConversation is a conversation in which the model called a tool with arguments that broke off.
func damagedConversation(t *testing.T, more ...step) (*bench, *Session) {
	t.Helper()
	b := newBench(t, append([]step{calls("c1", "add", `{"a":1,"b":2`), says("Three.")}, more...)...)
	b.deps.Approval.Mode = approval.Always
	b.offer(adder(t))
	s := b.begin()
	completed(t, s.Send(t.Context(), say("1+2?")))
	if roles := s.Messages(); len(roles) != 4 || roles[2].Role != history.Tool {
		t.Fatalf("the conversation is %s", transcript(roles))
	}
	return b, s
}

// A remedy that is chosen for one message of a group holds for all of it, from the next request on and
// when the conversation is opened again, and can be taken back.
func TestARemedyHoldsFromTheNextRequestOn(t *testing.T) {
	b, s := damagedConversation(t, says("Yes."), says("Well."), says("So."))
	call, result := s.Messages()[1].ID, s.Messages()[2].ID
	for n, c := range []struct {
		remedy history.Remedy
		of     int64
		want   string // what of the group the request has
		kept   map[int64]history.Remedy
	}{
		{history.SendAsText, result, `[called add with {\"a\":1}]`, map[int64]history.Remedy{
			call: history.SendAsText, result: history.SendAsText,
		}},
		{history.LeaveOut, call, ``, map[int64]history.Remedy{call: history.LeaveOut, result: history.LeaveOut}},
		{history.SendRepaired, result, `"tool_calls"`, map[int64]history.Remedy{}},
	} {
		if err := s.SetRemedy(t.Context(), c.remedy, c.of); err != nil {
			t.Fatal(err)
		}
		if got, err := b.deps.Store.Decisions(t.Context(), s.Info().ID); err != nil || !maps.Equal(got.Remedies, c.kept) ||
			s.Now().Remedies[call] != c.remedy || s.Now().Remedies[result] != c.remedy {
			t.Errorf("%q: kept is %v (%v), want %v", c.remedy, got, err, c.kept)
		}
		if !maps.Equal(s.Now().Remedies, c.kept) {
			t.Errorf("%q: the conversation knows %v, want %v", c.remedy, s.Now().Remedies, c.kept)
		}
		s = b.open(s.Info().ID)
		completed(t, s.Send(t.Context(), say("sure?")))
		body := b.body(n + 3)
		for _, part := range []string{`[called add with {\"a\":1}]`, `"tool_calls"`} {
			if got, want := strings.Contains(body, part), part == c.want; got != want {
				t.Errorf("%q: the request has %q: %t, want %t\n%s", c.remedy, part, got, want, body)
			}
		}
		repairs, err := b.deps.Store.RepairCounts(t.Context())
		if err != nil || len(repairs) != 1 || repairs[0].Kind != "C1" || repairs[0].Faults != 1 {
			t.Errorf("%q: the repairs are %+v, %v", c.remedy, repairs, err)
		}
		wantProven(t, s, n+2, 1, body)
	}
	if got := s.Messages()[1].ToolCalls; len(got) != 1 || got[0].Arguments != `{"a":1,"b":2` {
		t.Errorf("the stored call is %+v", got)
	}
}

// A trial of a remedy is the plan that there is once it is stored: with the draft, behind other messages, and beside
// another remedy.
func TestATrialOfARemedyIsWhatItWouldSend(t *testing.T) {
	_, s := damagedConversation(t, says("Yes."))
	call, first := s.Messages()[1].ID, s.Messages()[0].ID
	check := func(instead int64, to history.Remedy) {
		t.Helper()
		draft := Draft{Text: "and 2+3?", Instead: instead}
		got, err := s.Try(t.Context(), Settings{}).WithRemedy(to, call).Preview(draft)
		if err != nil {
			t.Fatal(err)
		}
		was := s.Now().Remedies[call]
		if err := s.SetRemedy(t.Context(), to, call); err != nil {
			t.Fatal(err)
		}
		want, err := s.Preview(draft)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q behind %d messages is planned as\n%+v\nwant\n%+v, %v", to, len(s.Messages()),
				got.Sum, want.Sum, err)
		}
		if err := s.SetRemedy(t.Context(), was, call); err != nil {
			t.Fatal(err)
		}
	}
	for _, to := range history.Remedies() {
		check(0, to)
	}
	completed(t, s.Send(t.Context(), say("sure?")))
	if err := s.SetRemedy(t.Context(), history.SendAsText, call); err != nil {
		t.Fatal(err)
	}
	for _, to := range history.Remedies() {
		check(0, to)
		check(s.Messages()[4].ID, to)
	}
	if _, err := s.SetFlags(t.Context(), flagged(history.Exclude, first)); err != nil {
		t.Fatal(err)
	}
	check(0, history.LeaveOut)
}
