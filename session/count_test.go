package session

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"winnow/history"
	"winnow/session/store"
)

// counter counts one token per four bytes and remembers what it was asked.
type counter struct {
	mu    sync.Mutex
	asked map[string]int
}

func (c *counter) count(text string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked == nil {
		c.asked = map[string]int{}
	}
	c.asked[text]++
	return (len(text) + 3) / 4
}

// times is how often a text was counted.
func (c *counter) times(text string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked[text]
}

// tooMany is a guess that is always half as much again as the count.
func tooMany(text string) int { return (len(text) + 3) / 4 * 3 / 2 }

// imported stores a conversation as an import does, without counts: message i, from 0, says text(i).
func (b *bench) imported(n int, text func(i int) string) store.Session {
	b.t.Helper()
	conversation := store.Conversation{Session: store.Session{Title: "imported", TitleFrom: "user", Model: "m"}, Leaf: -1}
	for i := range n {
		role := history.User
		if i%2 == 1 {
			role = history.Assistant
		}
		m := store.Message{Message: history.Message{Role: role, Content: text(i), Status: history.Imported}}
		conversation.Add(m)
	}
	imported, err := b.deps.Store.Import(context.Background(), conversation, store.ImportOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	row := imported.Session
	return row
}

// counting is a bench that counts with a counter and guesses too much.
func countingBench(t testing.TB, steps ...step) (*bench, *counter) {
	b, c := newBench(t, steps...), &counter{}
	b.deps.Count, b.deps.Guess, b.deps.Tokenizer = c.count, tooMany, "one"
	return b, c
}

// unseen is a progress that nobody looks at.
func unseen(Counting) {}

// numbered is the text of message i: a kilobyte, another for each.
func numbered(i int) string {
	return fmt.Sprintf("Message %d. ", i) + strings.Repeat("It says what it says. ", 45)
}

func (b *bench) loaded(id string) *Session {
	b.t.Helper()
	s := b.open(id)
	if err := s.LoadRest(context.Background()); err != nil {
		b.t.Fatal(err)
	}
	return s
}

func TestImportedMessagesAreCountedInSlicesTheNewestFirst(t *testing.T) {
	t.Parallel()
	b, c := countingBench(t)
	const n = 3000
	row := b.imported(n, numbered)
	s := b.loaded(row.ID)
	before := Counting{Counted: 0, Of: n}
	if got := s.Counting(); got != before {
		t.Fatalf("at first %+v, want %+v", got, before)
	}
	for !before.Done() {
		now, err := s.CountSome(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if now.Of != n || now.Counted <= before.Counted || now.Counted > before.Counted+sliceBytes/len(numbered(0))+10 {
			t.Fatalf("after %+v came %+v", before, now)
		}
		rows, err := b.deps.Store.Branch(t.Context(), row.Leaf, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range rows {
			if counted := i >= n-now.Counted; counted != (m.Tokens > 0) || counted &&
				(m.Tokenizer != "one" || m.Tokens != (len(m.Content)+3)/4) {
				t.Fatalf("of %+v message %d has %d tokens by %q", now, i, m.Tokens, m.Tokenizer)
			}
		}
		before = now
	}
	for i := range n {
		if got := c.times(numbered(i)); got != 1 {
			t.Fatalf("message %d was counted %d times, want once", i, got)
		}
	}
	again := b.loaded(row.ID)
	if got := again.Counting(); !got.Done() {
		t.Errorf("the next start has counted %+v", got)
	}
	if _, err := again.Preview("And?"); err != nil {
		t.Fatal(err)
	}
	if got := c.times(numbered(0)); got != 1 {
		t.Errorf("the next start counted again")
	}
}

func TestAnotherTokenizerCountsAnew(t *testing.T) {
	b, c := countingBench(t)
	row := b.imported(10, numbered)
	if err := CountAll(t.Context(), b.loaded(row.ID), unseen); err != nil {
		t.Fatal(err)
	}
	b.deps.Tokenizer = "two"
	s := b.loaded(row.ID)
	if got := s.Counting(); got.Counted != 0 {
		t.Errorf("of another tokenizer's counts %d are taken", got.Counted)
	}
	if err := CountAll(t.Context(), s, unseen); err != nil {
		t.Fatal(err)
	}
	rows, err := b.deps.Store.Branch(t.Context(), row.Leaf, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range rows {
		if m.Tokenizer != "two" || c.times(m.Content) != 2 {
			t.Errorf("message %d was counted %d times, the last by %q", i, c.times(m.Content), m.Tokenizer)
		}
	}
}

// TestPreviewDoesNotWaitForTheCounting wants a plan by guesses, and the right one when the counting is
// done.
func TestPreviewDoesNotWaitForTheCounting(t *testing.T) {
	b, c := countingBench(t)
	const n = 400
	row := b.imported(n, numbered)
	s := b.loaded(row.ID)
	rough, err := s.Preview("And?")
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if c.times(numbered(i)) > 0 {
			t.Fatalf("message %d was counted for a preview", i)
		}
	}
	if err := CountAll(t.Context(), s, unseen); err != nil {
		t.Fatal(err)
	}
	exact, err := s.Preview("And?")
	if err != nil {
		t.Fatal(err)
	}
	want, err := b.loaded(row.ID).Preview("And?")
	if err != nil {
		t.Fatal(err)
	}
	if exact.Sum != want.Sum || rough.Sum == want.Sum {
		t.Errorf("the preview was %+v and is %+v; one that was counted from the start is %+v", rough.Sum,
			exact.Sum, want.Sum)
	}
	for i := range want.Entries {
		got, want := exact.Entries[i], want.Entries[i]
		if got.Cause != want.Cause || got.TokensBefore != want.TokensBefore || got.TokensAfter != want.TokensAfter {
			t.Fatalf("message %d is %q with %d of %d tokens, want %q with %d of %d", i,
				got.Cause.Sentence(), got.TokensAfter, got.TokensBefore, want.Cause.Sentence(), want.TokensAfter, want.TokensBefore)
		}
	}
}

// TestWhatIsSentIsCounted sends a question in a conversation that is not counted yet.
func TestWhatIsSentIsCounted(t *testing.T) {
	b, c := countingBench(t, says("Answer."), says("Another."))
	const n = 400
	row := b.imported(n, numbered)
	s := b.loaded(row.ID)
	pinned := s.Messages()[3]
	if _, err := s.SetFlags(t.Context(), history.Pin, pinned.ID); err != nil {
		t.Fatal(err)
	}
	events, err := drain(s.Send(t.Context(), "And?"))
	if err != nil {
		t.Fatal(err)
	}
	whole, guessed := 0, 0
	for _, e := range only[Planned](events)[0].Plan.Entries[:n] {
		switch text := numbered(e.Index); {
		case e.Whole:
			whole++
			if want := (len(text) + 3) / 4; e.TokensBefore != want || c.times(text) != 1 {
				t.Errorf("message %d is sent with %d tokens, counted %d times; want %d, once", e.Index, e.TokensBefore,
					c.times(text), want)
			}
		case c.times(text) == 0:
			guessed++
		}
	}
	if whole < 4 || guessed < n/2 {
		t.Errorf("%d messages are sent whole, %d were not counted; want some and most", whole, guessed)
	}
	if messages := s.Messages(); messages[3].Tokens == 0 || messages[3].Tokenizer != "one" {
		t.Errorf("the pinned message was sent with %d tokens by %q", messages[3].Tokens, messages[3].Tokenizer)
	}
	replayed, err := s.Records().Replay(t.Context(), s.Info().Turns, 0)
	if err != nil || !replayed.Proven {
		t.Errorf("the request cannot be made again: %v, %s", err, replayed.Doubt)
	}
	if err := CountAll(t.Context(), s, unseen); err != nil {
		t.Fatal(err)
	}
	replayed, err = b.loaded(row.ID).Records().Replay(t.Context(), s.Info().Turns, 0)
	if err != nil || !replayed.Proven {
		t.Errorf("the request cannot be made again once all is counted: %v, %s", err, replayed.Doubt)
	}
	if _, err := drain(s.Send(t.Context(), "More?")); err != nil {
		t.Error(err)
	}
}
