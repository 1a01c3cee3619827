package session

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"winnow/history"
	"winnow/history/cause"
	"winnow/llm/tool"
	"winnow/session/approval"
	"winnow/session/recall"
	"winnow/session/store"
)

// TestTheModelReadsAgainWhatWasLeftOut drops the beginning of a conversation, has the model look it up, and follows the
// way of what it found: into the next request, into the verdicts, and through a new start of the program.
func TestTheModelReadsAgainWhatWasLeftOut(t *testing.T) {
	b := newBench(t, says("Hello."), says("Noted."), says("Two."), says("Yes."),
		calls("c1", "recall", `{"query":"locker combination"}`), says("4711."), says("Bye."))
	b.deps.Approval.Mode, b.deps.Recall = approval.Always, recall.Conversation
	b.deps.Policy.MaxMessages = 2
	s := b.begin()
	for _, text := range []string{
		"Good morning!", "The combination of my locker is 4711.", "What is one and one?",
		"Are you sure of that?",
	} {
		if _, err := drain(s.Send(t.Context(), say(text))); err != nil {
			t.Fatal(err)
		}
	}
	for n, offered := range map[int]bool{1: false, 2: false, 3: false, 4: true} {
		if got := strings.Contains(b.body(n), `"name":"recall"`); got != offered {
			t.Errorf("request %d offers the recall tool: %v, want %v: %s", n, got, offered, b.body(n))
		}
	}
	events, err := drain(s.Send(t.Context(), say("Can I get into my bag?")))
	if err != nil {
		t.Fatal(err)
	}
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
	const secret = "the crimson folder"
	other := func(b *bench) {
		s := b.begin()
		if _, err := drain(s.Send(t.Context(), say("Elsewhere I keep "+secret))); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		scope   recall.Scope
		query   string
		prepare func(b *bench, s *Session)
		how     Draft
		want    string // in the result
		not     string
	}{
		"other conversations where they may not be read": {
			recall.Conversation, `{"query":"crimson","where":"other conversations"}`, nil,
			Draft{},
			"may not be read", secret,
		},
		"other conversations": {
			recall.Everywhere, `{"query":"crimson","where":"other conversations"}`, nil,
			Draft{},
			secret, "locker",
		},
		"this conversation": {
			recall.Everywhere, `{"query":"crimson locker"}`, nil, Draft{}, "locker", secret,
		},
		"a message sent alone": {
			recall.Conversation, `{"query":"locker"}`, nil, Draft{Alone: true}, "Nothing was found", "4711",
		},
		"an excluded message": {recall.Conversation, `{"query":"locker"}`, func(_ *bench, s *Session) {
			if _, err := s.SetFlags(t.Context(), flagged(history.Exclude, s.Messages()[2].ID)); err != nil {
				t.Fatal(err)
			}
		}, Draft{}, "", "4711"},
		"an excluded message of another": {
			recall.Everywhere, `{"query":"crimson","where":"other conversations"}`,
			func(b *bench, _ *Session) {
				list, err := b.deps.Store.Sessions(t.Context(), store.Filter{})
				if err != nil {
					t.Fatal(err)
				}
				for _, row := range list {
					o := b.open(row.ID)
					if m := o.Messages()[0]; strings.Contains(m.Content, secret) {
						if _, err := o.SetFlags(t.Context(), flagged(history.Exclude, m.ID)); err != nil {
							t.Fatal(err)
						}
					}
				}
			},
			Draft{},
			"Nothing was found", secret,
		},
		"no query": {recall.Conversation, `{}`, nil, Draft{}, "the query is empty", "4711"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, says("Kept."), says("Hello."), says("Noted."), says("Two."), says("Yes."),
				calls("c1", "recall", c.query), says("Done."))
			b.deps.Approval.Mode, b.deps.Recall = approval.Always, c.scope
			b.deps.Policy.MaxMessages = 2
			other(b)
			s := b.begin()
			for _, text := range []string{
				"Good morning!", "The combination of my locker is 4711.",
				"What is one and one?", "Are you sure of that?",
			} {
				if _, err := drain(s.Send(t.Context(), say(text))); err != nil {
					t.Fatal(err)
				}
			}
			if c.prepare != nil {
				c.prepare(b, s)
			}
			events, err := drain(s.Send(t.Context(), Draft{Alone: c.how.Alone, Text: "Look it up."}))
			if err != nil {
				t.Fatal(err)
			}
			ran := only[Ran](events)
			if len(ran) != 1 {
				t.Fatalf("%d tools ran", len(ran))
			}
			if got := ran[0].Message.Content; !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
				t.Errorf("the tool answered %q, want %q in it and not %q", got, c.want, c.not)
			}
		})
	}
}

// What follows an excluded question of another conversation is not found up to the user's next message, unless it is
// pinned apart, and neither is a title that winnow made of an excluded message.
func TestRecallLeavesOutWhatFollowsAnExcludedQuestion(t *testing.T) {
	b := newBench(t,
		says("Fine."),
		calls("c1", "look", `{"word":"resultword"}`), says("The answer is quokka answerword."),
		says("It is quokka pinnedword."), says("It is quokka nextword."),
		calls("c2", "look", `{"word":"callword"}`), says("Seen."),
		says("One."), says("Two."), says("Three."), says("Four."),
		calls("c3", "recall", `{"query":"quokka","where":"other conversations"}`),
		says("Done."))
	b.deps.Approval.Mode, b.deps.Recall = approval.Always, recall.Everywhere
	b.deps.Policy.MaxMessages = 2
	box := new(tool.Toolbox)
	look := tool.Tool{Name: "look", Parameters: json.RawMessage(`{"type":"object"}`)}
	box.Register(look, func(_ context.Context, arguments json.RawMessage) (string, error) {
		var of struct{ Word string }
		err := json.Unmarshal(arguments, &of)
		return "quokka " + of.Word, err
	})
	b.offer(box)
	other := b.begin()
	for _, text := range []string{"Tell me titleword.", "Secret?", "And pinned?", "And next?", "And a call?"} {
		if _, err := drain(other.Send(t.Context(), say(text))); err != nil {
			t.Fatal(err)
		}
	}
	var all []int64
	for _, m := range other.Messages() {
		all = append(all, m.ID)
	}
	_, err := b.deps.Store.SetFlags(t.Context(), map[int64]history.Flag{
		all[0]: history.Exclude, all[2]: history.Exclude, // questions
		all[6]: history.Exclude, all[7]: history.Pin, // a question and its answer
		all[11]: history.Exclude, // a call, and not its result
	})
	if err != nil {
		t.Fatal(err)
	}
	s := b.begin()
	for _, text := range []string{"Good morning!", "A.", "B.", "C."} {
		if _, err := drain(s.Send(t.Context(), say(text))); err != nil {
			t.Fatal(err)
		}
	}
	events, err := drain(s.Send(t.Context(), say("Look it up.")))
	if err != nil {
		t.Fatal(err)
	}
	ran := only[Ran](events)
	if len(ran) != 1 {
		t.Fatalf("%d tools ran", len(ran))
	}
	got := ran[0].Message.Content
	for word, found := range map[string]bool{
		"titleword": false, "answerword": false, "resultword": false, "pinnedword": true, "nextword": true,
		"callword": false,
	} {
		if strings.Contains(got, word) != found {
			t.Errorf("that the tool gives %s is %v: %s", word, !found, got)
		}
	}
}
