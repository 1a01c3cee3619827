package session

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"winnow/history"
	"winnow/llm/tokenizer"
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
	row, err := b.deps.Store.ImportMessages(context.Background(), func(add func(store.Message) error) (store.Session, error) {
		for i := range n {
			role := history.User
			if i%2 == 1 {
				role = history.Assistant
			}
			m := store.Message{Message: history.Message{Role: role, Content: text(i), Status: history.Imported}}
			if err := add(m); err != nil {
				return store.Session{}, err
			}
		}
		return store.Session{Title: "imported", TitleFrom: "user", Model: "m"}, nil
	}, store.ImportOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
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
		rows, err := b.deps.Store.Branch(t.Context(), row.ID, row.Leaf, 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range rows {
			if counted := i >= n-now.Counted; counted != (m.Tokens > 0) || counted && (m.Tokenizer != "one" || m.Tokens != (len(m.Content)+3)/4) {
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

func TestEqualTextsAreCountedOnce(t *testing.T) {
	b, c := countingBench(t)
	row := b.imported(1000, func(i int) string { return numbered(i % 7) })
	if err := CountAll(t.Context(), b.loaded(row.ID), unseen); err != nil {
		t.Fatal(err)
	}
	for i := range 7 {
		if got := c.times(numbered(i)); got != 1 {
			t.Errorf("text %d was counted %d times, want once", i, got)
		}
	}
}

// TestCountingEndsWhereATextHasNoTokens has a counter that finds nothing in blanks. Such a text is still
// one that was counted.
func TestCountingEndsWhereATextHasNoTokens(t *testing.T) {
	b, _ := countingBench(t)
	b.deps.Count = func(text string) int { return len(strings.Fields(text)) }
	row := b.imported(3, func(i int) string { return strings.Repeat(" ", i+1) })
	s := b.loaded(row.ID)
	now, err := s.CountSome(t.Context())
	if err != nil || !now.Done() {
		t.Errorf("after all was counted it says %+v (%v)", now, err)
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
	rows, err := b.deps.Store.Branch(t.Context(), row.ID, row.Leaf, 0, -1)
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
		t.Errorf("the preview was %+v and is %+v; one that was counted from the start is %+v", rough.Sum, exact.Sum, want.Sum)
	}
	for i := range want.Entries.All() {
		if got, want := exact.Entries.At(i), want.Entries.At(i); got.Cause != want.Cause || got.TokensBefore != want.TokensBefore || got.TokensAfter != want.TokensAfter {
			t.Fatalf("message %d is %q with %d of %d tokens, want %q with %d of %d", i, got.Cause.Sentence(), got.TokensAfter, got.TokensBefore, want.Cause.Sentence(), want.TokensAfter, want.TokensBefore)
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
	for _, e := range only[Planned](events)[0].Plan.Entries.List()[:n] {
		switch text := numbered(e.Index); {
		case e.Whole:
			whole++
			if want := (len(text) + 3) / 4; e.TokensBefore != want || c.times(text) != 1 {
				t.Errorf("message %d is sent with %d tokens, counted %d times; want %d, once", e.Index, e.TokensBefore, c.times(text), want)
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

// TestRegeneratedRequestGoesByTheSameCounts asks again in a conversation that is counted in parts.
func TestRegeneratedRequestGoesByTheSameCounts(t *testing.T) {
	t.Parallel()
	b, _ := countingBench(t, says("Answer."), says("Another."))
	const n = 2000
	row := b.imported(n, numbered)
	s := b.loaded(row.ID)
	if _, err := drain(s.Send(t.Context(), "And?")); err != nil {
		t.Fatal(err)
	}
	if c, err := s.CountSome(t.Context()); err != nil || c.Done() {
		t.Fatalf("counted %+v, %v; want some", c, err)
	}
	if _, err := drain(s.Regenerate(t.Context(), 0)); err != nil {
		t.Fatal(err)
	}
	if err := CountAll(t.Context(), s, unseen); err != nil {
		t.Fatal(err)
	}
	for nth := 1; nth <= 2; nth++ {
		if r, err := b.loaded(row.ID).Records().Replay(t.Context(), s.Info().Turns, nth); err != nil || !r.Proven {
			t.Errorf("request %d cannot be made again: %v, %s", nth, err, r.Doubt)
		}
	}
	got, err := s.Preview("More?")
	if err != nil {
		t.Fatal(err)
	}
	want, err := b.loaded(row.ID).Preview("More?")
	if err != nil || got.Sum != want.Sum {
		t.Errorf("the preview is %+v, of a fresh start %+v (%v)", got.Sum, want.Sum, err)
	}
}

// TestCountingGoesOnBesideATurn counts while an answer arrives and the conversation grows.
func TestCountingGoesOnBesideATurn(t *testing.T) {
	sent := make(chan struct{})
	b, _ := countingBench(t, hangs(sent, "Half an"))
	row := b.imported(1000, numbered)
	s := b.loaded(row.ID)
	ctx, stop := context.WithCancel(t.Context())
	events := s.Send(ctx, "And?")
	until[Delta](events)
	if err := CountAll(t.Context(), s, unseen); err != nil {
		t.Errorf("counting beside a turn: %v", err)
	}
	stop()
	if _, err := drain(events); err != nil {
		t.Fatal(err)
	}
	for i, m := range s.Messages() {
		if want := (len(m.Content) + 3) / 4; m.Tokens != want {
			t.Fatalf("message %d has %d tokens, want %d", i, m.Tokens, want)
		}
	}
}

func TestCountingStopsWhenItIsAsked(t *testing.T) {
	b, _ := countingBench(t)
	row := b.imported(1000, numbered)
	ctx, stop := context.WithCancel(t.Context())
	counted, loaded := 0, false
	b.deps.Count = func(text string) int {
		if loaded {
			counted++
		}
		if counted == writeRows+10 {
			stop()
		}
		return len(text)
	}
	s := b.loaded(row.ID)
	loaded = true
	if err := CountAll(ctx, s, unseen); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if counted != writeRows+10 {
		t.Errorf("%d messages were counted, want no more after the %dth", counted, writeRows+10)
	}
	if got := b.loaded(row.ID).Counting().Counted; got != writeRows {
		t.Errorf("%d counts were kept, want those of the first write: %d", got, writeRows)
	}
}

func TestCountingNeedsTheWholeConversation(t *testing.T) {
	b, _ := countingBench(t)
	row := b.imported(windowful+1, numbered)
	if _, err := b.open(row.ID).CountSome(t.Context()); !errors.Is(err, ErrLoading) {
		t.Errorf("got %v, want ErrLoading", err)
	}
}

// TestCountingChangesNoMessage reads every message before and after; the store checks each
// against its hash.
func TestCountingChangesNoMessage(t *testing.T) {
	b := newBench(t)
	tokenizer := tokenizer.New()
	b.deps.Count, b.deps.Guess, b.deps.Tokenizer = tokenizer.Count, tokenizer.Guess, tokenizer.Name()
	row := b.imported(300, func(i int) string {
		return numbered(i) + []string{"", "\x00\xff\xfe", "\x1b]0;x\x07", "東京 🙂", "\r\n\r\n"}[i%5]
	})
	before := b.loaded(row.ID).Messages()
	if err := CountAll(t.Context(), b.loaded(row.ID), unseen); err != nil {
		t.Fatal(err)
	}
	for i, m := range b.loaded(row.ID).Messages() {
		if m.Damaged || m.Tokens != tokenizer.Count(m.Content) {
			t.Errorf("message %d has %d tokens, damaged %t", i, m.Tokens, m.Damaged)
		}
		if m.Tokens, m.Tokenizer = 0, ""; !reflect.DeepEqual(m, before[i]) {
			t.Fatalf("message %d was %+v and is %+v", i, before[i], m)
		}
	}
}
