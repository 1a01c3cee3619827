package session

import (
	"reflect"
	"testing"

	"winnow/history"
	"winnow/session/approval"
)

// damagedConversation returns a conversation in which the arguments of a tool call broke off.
func damagedConversation(t *testing.T, more ...step) (*bench, *Session) {
	t.Helper()
	b := newBench(t, append([]step{calls("c1", "add", `{"a":1,"b":2`), says("Three.")}, more...)...)
	b.deps.Approval.Mode = approval.ModeAlways
	b.offer(adder())
	s := b.begin()
	completed(t, s.Send(t.Context(), say("1+2?")))
	if roles := s.Messages(); len(roles) != 4 || roles[2].Role != history.Tool {
		t.Fatalf("the conversation is %s", transcript(roles))
	}
	return b, s
}

// A trial of a remedy plans what is planned once the remedy is stored: for a draft, for a new version of a message, and
// with another remedy set.
func TestATrialOfARemedyIsWhatItWouldSend(t *testing.T) {
	_, s := damagedConversation(t, says("Yes."))
	call, first := s.Messages()[1].ID, s.Messages()[0].ID
	check := func(instead int64, to history.Remedy) {
		t.Helper()
		draft := Draft{Text: "and 2+3?", Replaces: instead}
		got, err := s.Try(t.Context(), Settings{}).WithRemedy(to, call).Preview(draft)
		if err != nil {
			t.Fatal(err)
		}
		was := s.State().Remedies[call]
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
