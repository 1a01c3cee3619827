package session

import (
	"slices"
	"strings"
	"testing"

	"winnow/history"
	"winnow/history/cause"
	"winnow/session/approval"
)

// TestTheModelReadsAgainWhatWasLeftOut drops the beginning of a conversation, has the model look it up, and follows the
// way of what it found: into the next request, into the verdicts, and through a new start of the program.
func TestTheModelReadsAgainWhatWasLeftOut(t *testing.T) {
	b := newBench(t, says("Hello."), says("Noted."), says("Two."), says("Yes."),
		calls("c1", "recall", `{"query":"locker combination"}`), says("4711."), says("Bye."))
	b.deps.Approval.Mode, b.deps.Recall = approval.Always, true
	b.deps.Policy.MaxMessages = 2
	s := b.begin()
	for _, text := range []string{
		"Good morning!", "The combination of my locker is 4711.", "What is one and one?",
		"Are you sure of that?",
	} {
		completed(t, s.Send(t.Context(), say(text)))
	}
	for n, offered := range map[int]bool{1: false, 2: false, 3: false, 4: true} {
		if got := strings.Contains(b.body(n), `"name":"recall"`); got != offered {
			t.Errorf("request %d offers the recall tool: %v, want %v: %s", n, got, offered, b.body(n))
		}
	}
	events := completed(t, s.Send(t.Context(), say("Can I get into my bag?")))
	ran := only[Ran](events)
	if len(ran) != 1 || !strings.Contains(ran[0].Message.Content, "[message 3, user") ||
		!strings.Contains(ran[0].Message.Content, "is 4711.") {
		t.Fatalf("the recall tool found %+v", ran)
	}
	if strings.Contains(ran[0].Message.Content, "Are you sure") {
		t.Errorf("the recall tool gave what the request holds anyway: %s", ran[0].Message.Content)
	}
	planned := only[Planned](events)
	read := planned[len(planned)-1].Plan.Entries[2]
	if read.Disposition != history.Dropped || read.Cause.Code != cause.ReadAgain {
		t.Errorf("the verdict on the message that was looked up is %s, %q", read.Disposition, read.Cause.Sentence())
	}
	reopened := b.open(s.Info().ID)
	before, err := s.Preview(say("Thanks"))
	if err != nil {
		t.Fatal(err)
	}
	after, err := reopened.Preview(say("Thanks"))
	if err != nil {
		t.Fatal(err)
	}
	if before.Sum.Tools != after.Sum.Tools || after.Sum.Tools == 0 {
		t.Errorf("after a new start the tools of the next request cost %d tokens, before it %d", after.Sum.Tools,
			before.Sum.Tools)
	}
	stored, err := reopened.Records().Find(t.Context(), 5, 0)
	if err != nil {
		t.Fatal(err)
	}
	if c := stored.Verdicts.Entries[2].Cause; c.Code != cause.ReadAgain {
		t.Errorf("the stored verdict is %q", c.Sentence())
	}
	if got := reopened.Messages()[10].ReadAgain; !slices.Contains(got, 2) {
		t.Errorf("the stored result holds messages %v", got)
	}
	for _, p := range planned {
		if r, err := reopened.Records().Replay(t.Context(), p.Request.Turn, 0); err != nil || !r.Proven {
			t.Errorf("turn %d is not proven: %v %v", p.Request.Turn, r.Doubt, err)
		}
	}
}

func TestRecallKeepsToWhatItMayRead(t *testing.T) {
	for name, c := range map[string]struct {
		query   string
		exclude bool // the message that holds it
		alone   bool
		want    string // in the result
	}{
		"a message that is missing": {`{"query":"locker"}`, false, false, "4711"},
		"a message sent alone":      {`{"query":"locker"}`, false, true, "Nothing was found"},
		"an excluded message":       {`{"query":"locker"}`, true, false, ""},
		"no query":                  {`{}`, false, false, "the query is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, says("Hello."), says("Noted."), says("Two."), says("Yes."),
				calls("c1", "recall", c.query), says("Done."))
			b.deps.Approval.Mode, b.deps.Recall = approval.Always, true
			b.deps.Policy.MaxMessages = 2
			s := b.begin()
			for _, text := range []string{
				"Good morning!", "The combination of my locker is 4711.",
				"What is one and one?", "Are you sure of that?",
			} {
				completed(t, s.Send(t.Context(), say(text)))
			}
			if c.exclude {
				if _, err := s.SetFlags(t.Context(), flagged(history.Exclude, s.Messages()[2].ID)); err != nil {
					t.Fatal(err)
				}
			}
			events := completed(t, s.Send(t.Context(), Draft{Alone: c.alone, Text: "Look it up."}))
			ran := only[Ran](events)
			if len(ran) != 1 {
				t.Fatalf("%d tools ran", len(ran))
			}
			got := ran[0].Message.Content
			if !strings.Contains(got, c.want) || c.want != "4711" && strings.Contains(got, "4711") {
				t.Errorf("the tool answered %q, want %q in it", got, c.want)
			}
		})
	}
}
