package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"winnow/history"
	"winnow/history/cause"
	"winnow/session/record"
	"winnow/session/store"
)

// discussed is a conversation of some long turns, each with a word that no other has, before the steps given.
func discussed(t *testing.T, turns int, steps ...step) (*bench, *Session) {
	t.Helper()
	b := newBench(t)
	for n := range turns {
		b.steps = append(b.steps,
			uncounted(fmt.Sprintf("answer%d: %s", n+1, strings.Repeat("and so on at length. ", 12))))
	}
	b.steps = append(b.steps, steps...)
	s := b.begin()
	for n := range turns {
		completed(t, s.Send(t.Context(), say(fmt.Sprintf("question%d: %s", n+1, strings.Repeat("please explain. ",
			12)))))
	}
	return b, s
}

// exclude has the nth message of the branch excluded, from 1.
func exclude(t *testing.T, s *Session, n int) {
	t.Helper()
	if _, err := s.SetFlags(t.Context(), flagged(history.Exclude, s.Messages()[n-1].ID)); err != nil {
		t.Fatal(err)
	}
}

// A summary is used only while none of the messages that it was made from is excluded, in this window and in
// the next one. The messages that it stood for are sent themselves meanwhile.
func TestASummaryRestsWhileOneOfItsMessagesIsExcluded(t *testing.T) {
	b, s := discussed(t, 4, uncounted("Notes: four questions."))
	completed(t, s.Compact(t.Context()))
	next := func(s *Session) string {
		t.Helper()
		plan, err := s.Preview(say("And now?"))
		if err != nil {
			t.Fatal(err)
		}
		body, err := s.Try(t.Context(), Settings{}).Body(plan)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	if body := next(s); !strings.Contains(body, "Notes: four") || strings.Contains(body, "answer2") {
		t.Fatalf("the summary is not used: %s", body)
	}
	exclude(t, s, 3)
	for _, s := range []*Session{s, b.open(s.Info().ID)} {
		if body := next(s); strings.Contains(body, "Notes: four") || strings.Contains(body, "question2") ||
			!strings.Contains(body, "question3") {
			t.Errorf("with a message of it excluded the request is %s", body)
		}
		plan, _ := s.Preview(say("And now?"))
		if e := plan.Entries[2]; e.Disposition != history.Excluded || e.Cause.Code != cause.Excluded {
			t.Errorf("the excluded message is %+v", e)
		}
		if e := plan.Entries[4]; e.Cause.Code == cause.Summarized {
			t.Errorf("a message that is sent itself is explained by %q", e.Cause.Sentence())
		}
	}
	if _, err := s.SetFlags(t.Context(), flagged("", s.Messages()[2].ID)); err != nil {
		t.Fatal(err)
	}
	if body := next(s); !strings.Contains(body, "Notes: four") || strings.Contains(body, "answer2") {
		t.Errorf("after the exclusion was taken back the request is %s", body)
	}
}

// An excluded message is not asked about, because its request would have to send it, and nothing is asked for it:
// no summary either.
func TestAnExcludedMessageIsNotAskedAgain(t *testing.T) {
	b, s := condensing(t)
	exclude(t, s, 23)
	for _, id := range []int64{0, s.Messages()[22].ID, s.Messages()[23].ID} {
		if _, err := drain(s.Regenerate(t.Context(), id, "")); !errors.Is(err, ErrExcluded) {
			t.Errorf("asking again about message %d: %v", id, err)
		}
	}
	if b.last() != 12 || len(s.Messages()) != 24 {
		t.Errorf("%d requests left and %d messages are on the branch", b.last(), len(s.Messages()))
	}
}

// A summary stands for what its own request held and for nothing else: a long range is summarised in slices that
// fit, each of which takes the one before in.
func TestALongRangeIsSummarisedInSlices(t *testing.T) {
	b, s := discussed(t, 12, uncounted("Notes of slice 1."), uncounted("Notes of slice 2."),
		uncounted("Notes of slice 3."), uncounted("Notes of slice 4."))
	if err := s.Set(t.Context(), Settings{Budget: new(1200)}); err != nil {
		t.Fatal(err)
	}
	events := completed(t, s.Compact(t.Context()))
	requests := b.last() - 12
	if requests < 2 || len(notices(events)) != requests+1 {
		t.Fatalf("%d requests were made, announced by %q", requests, notices(events))
	}
	held := map[string]int{}
	for n := range requests {
		body := b.body(13 + n)
		for turn := range 12 {
			for _, word := range []string{fmt.Sprintf("question%d:", turn+1), fmt.Sprintf("answer%d:", turn+1)} {
				held[word] += strings.Count(body, word)
			}
		}
		if strings.Contains(body, "(truncated)") || strings.Contains(body, "Earlier messages") {
			t.Errorf("slice %d does not hold its messages whole: %s", n+1, body)
		}
		if before := fmt.Sprintf("Notes of slice %d.", n); n > 0 && !strings.Contains(body, before) {
			t.Errorf("slice %d does not take in the one before: %s", n+1, body)
		}
	}
	for word, n := range held {
		if want := 1; n != want && !strings.HasSuffix(word, "12:") || n != 0 && strings.HasSuffix(word, "12:") {
			t.Errorf("%q went to the summariser %d times", word, n)
		}
	}
	stored, err := b.deps.Store.Summaries(t.Context(), s.Info().ID)
	if err != nil || len(stored) != requests || stored[requests-1].Messages != 22 {
		t.Errorf("the summaries are %+v, %v", stored, err)
	}
}

// A message that no request can hold whole is not summarised, and no summary stands for it.
func TestAMessageThatFitsNoRequestIsNotSummarised(t *testing.T) {
	b, s := discussed(t, 3, uncounted("Noted."), uncounted("All right."), uncounted("Notes."), uncounted("Notes."),
		uncounted("Notes."), uncounted("Notes."))
	for _, text := range []string{"huge: " + strings.Repeat("very long text ", 600), "small: " +
		strings.Repeat("on. ", 30)} {
		completed(t, s.Send(t.Context(), say(text)))
	}
	if err := s.Set(t.Context(), Settings{Budget: new(1600)}); err != nil {
		t.Fatal(err)
	}
	completed(t, s.Compact(t.Context()))
	for n := 6; n <= b.last(); n++ {
		if asked := b.body(n); strings.Contains(asked, "huge:") {
			t.Errorf("the model is asked to summarise %s", asked)
		}
	}
	stored, err := b.deps.Store.Summaries(t.Context(), s.Info().ID)
	if huge := s.Messages()[6].ID; err != nil || stored[len(stored)-1].Sources.Holds(huge) ||
		!stored[len(stored)-1].Sources.Holds(s.Messages()[7].ID) {
		t.Errorf("the summaries are %+v, and message %d was in no request, %v", stored, huge, err)
	}
	plan, err := s.Preview(say("And?"))
	if e := plan.Entries[6]; err != nil || e.Cause.Code == cause.Summarized {
		t.Errorf("the long message is %+v, %v", e, err)
	}
}

// Requests for summaries and titles are recorded with their purpose, their verdicts and their cost, in the sum
// of the session too, and come out of the record as they left. The turn's own request stays its last.
func TestRequestsForSummariesAndTitlesAreRecorded(t *testing.T) {
	b, s := discussed(t, 3, says("Notes."), says("Three questions"), says("Yes."))
	b.deps.TitleRef = "test/small"
	s = b.open(s.Info().ID)
	completed(t, s.Compact(t.Context()))
	if title, err := s.Retitle(t.Context(), true, func(Event) {}); err != nil || title != "Three questions" {
		t.Fatalf("the title is %q, %v", title, err)
	}
	completed(t, s.Send(t.Context(), say("Ready?")))
	all, err := b.deps.Store.Requests(t.Context(), s.Info().ID, store.RequestFilter{})
	if err != nil {
		t.Fatal(err)
	}
	var purposes []store.Purpose
	for i, r := range all {
		purposes = append(purposes, r.Purpose)
		if r.BodyHash != hash([]byte(b.body(i+1))) || r.End != "done" {
			t.Errorf("request %d has the record %+v", i+1, r)
		}
	}
	if want := []store.Purpose{"", "", "", store.ForSummary, store.ForTitle, ""}; !slices.Equal(purposes, want) {
		t.Fatalf("the requests are for %q, want %q", purposes, want)
	}
	if r := all[3]; r.Turn != 3 || r.User != s.Messages()[4].ID || r.Model != "m" || r.Prompt < 12 {
		t.Errorf("the summary is recorded as %+v", r)
	}
	if r := all[4]; r.Turn != 1 || r.User != s.Messages()[0].ID || r.Model != "small" || r.Prompt < 12 {
		t.Errorf("the title is recorded as %+v", r)
	}
	for _, turn := range []struct{ turn, nth, of, sent int }{{3, 1, 2, 5}, {3, 2, 2, 4}, {1, 2, 2, 1}, {4, 1, 1, 5}} {
		r, err := s.Records().Replay(t.Context(), turn.turn, turn.nth)
		if err != nil || !r.Proven || r.Of != turn.of {
			t.Errorf("request %d of turn %d: of %d, proven %t, %v %s", turn.nth, turn.turn, r.Of,
				r.Proven, err, r.Doubt)
			continue
		}
		if sent := store.TallyOf(r.Verdicts.Entries).Sent(); sent != turn.sent {
			t.Errorf("request %d of turn %d held %d messages, want %d", turn.nth, turn.turn, sent, turn.sent)
		}
	}
	if r, err := s.Records().Find(t.Context(), 3, 0); err != nil || r.Nth != 1 || r.Request.Purpose != store.ForAnswer {
		t.Errorf("turn 3 is shown by its request %d, %v", r.Nth, err)
	}
	spent, err := record.UsageIn(t.Context(), b.deps.Store, s.Info().ID)
	if err != nil || spent.Requests != 6 {
		t.Errorf("the session's costs are %+v, %v", spent, err)
	}
}
