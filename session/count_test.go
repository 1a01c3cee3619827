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

// counter counts one token per four bytes and remembers the texts.
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

// times returns how often a text was counted.
func (c *counter) times(text string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked[text]
}

// imported stores a conversation without token counts, as an import does. text returns the content of message i, from
// 0.
func (b *bench) imported(n int, text func(i int) string) store.Session {
	b.t.Helper()
	conversation := store.ImportedConversation{Leaf: -1}
	conversation.Session = store.Session{Title: "imported", TitleFrom: "user", Model: "m"}
	for i := range n {
		role := history.User
		if i%2 == 1 {
			role = history.Assistant
		}
		m := store.Message{Message: history.Message{Role: role, Content: text(i), Status: history.Imported}}
		conversation.Add(m)
	}
	imported, err := b.deps.Store.Import(context.Background(), conversation)
	if err != nil {
		b.t.Fatal(err)
	}
	return imported.Session
}

// countingBench returns a bench that counts with a counter.
func countingBench(t testing.TB, steps ...step) (*bench, *counter) {
	b, c := newBench(t, steps...), &counter{}
	b.deps.Count, b.deps.Tokenizer = c.count, "one"
	return b, c
}

// numbered returns a text of about a kilobyte for message i.
func numbered(i int) string {
	return fmt.Sprintf("Message %d. ", i) + strings.Repeat("It says what it says. ", 45)
}

func TestImportedMessagesAreCountedOnce(t *testing.T) {
	t.Parallel()
	b, c := countingBench(t, says("Answer."))
	const n = 3000
	row := b.imported(n, numbered)
	s := b.loaded(row.ID)
	rows, err := b.deps.Store.Branch(t.Context(), row.Leaf, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range rows {
		if m.Tokens != (len(m.Content)+3)/4 || m.Tokenizer != "one" || int(s.Branch().Row(i).Tokens) != m.Tokens {
			t.Fatalf("message %d has %d tokens by %q", i, m.Tokens, m.Tokenizer)
		}
	}
	again := b.loaded(row.ID)
	completed(t, again.Send(t.Context(), say("And?")))
	for i := range n {
		if got := c.times(numbered(i)); got != 1 {
			t.Fatalf("message %d was counted %d times, want once", i, got)
		}
	}
	replayed, err := b.loaded(row.ID).Records().Replay(t.Context(), again.Info().Turns, 0)
	if err != nil || !replayed.Proven {
		t.Errorf("the request cannot be made again: %v, %s", err, replayed.Doubt)
	}
}

func TestAnotherTokenizerCountsAnew(t *testing.T) {
	b, c := countingBench(t)
	row := b.imported(10, numbered)
	b.loaded(row.ID)
	b.deps.Tokenizer = "two"
	b.loaded(row.ID)
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
