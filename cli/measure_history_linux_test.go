package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm/tokenizer"
	"winnow/session/store"
)

// lastWords end a long session: they are on the screen once it is drawn. firstWords begin it.
const (
	firstWords = "These are the first words of all."
	lastWords  = "These are the last words of all."
)

// vocabulary are words that nobody has, a few of them common and most of them rare, as those of a language are.
type vocabulary struct {
	words []string
	which *rand.Zipf
	dice  *rand.Rand
}

func newVocabulary() *vocabulary {
	dice := rand.New(rand.NewPCG(1, 2))
	v := &vocabulary{dice: dice, which: rand.NewZipf(dice, 1.1, 4, 19_999)}
	syllables := strings.Fields("ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu")
	for i := range 20_000 {
		word := ""
		for n := i + 20; n > 0; n /= 20 {
			word += syllables[n%20]
		}
		v.words = append(v.words, word)
	}
	return v
}

// sentences are at least so many bytes of text.
func (v *vocabulary) sentences(size int) string {
	var b strings.Builder
	for b.Len() < size {
		for i := range 6 + v.dice.IntN(10) {
			word := v.words[v.which.Uint64()]
			switch {
			case i == 0:
				word = strings.ToUpper(word[:1]) + word[1:]
			case v.dice.IntN(20) == 0:
				word = "*" + word + "*"
			case v.dice.IntN(20) == 0:
				word = "`" + word + "`"
			}
			b.WriteString(word)
			b.WriteByte(' ')
		}
		b.WriteString("so it is. ")
	}
	return strings.TrimSpace(b.String())
}

// message is message i of n, from 1: questions and answers in turn, 36 MB in 100,000.
func (v *vocabulary) message(i, n int) (role history.Role, content string) {
	role, content = history.User, v.sentences(90)
	if i%2 == 0 {
		role, content = history.Assistant, v.sentences(240)+"\n\n"+v.sentences(240)
	}
	if i == 1 {
		content = firstWords
	}
	if i == n {
		content += "\n\n" + lastWords
	}
	return role, content
}

// storedSession is the folder of a history with one session of n messages, which winnow need not count or index any
// more. It is made once and kept in the given folder.
func storedSession(t *testing.T, cache string, n int) (folder string) {
	t.Helper()
	folder = filepath.Join(cache, fmt.Sprintf("%d-messages", n))
	path := filepath.Join(folder, "history.db")
	ctx := context.Background()
	if _, err := os.Stat(folder); err == nil {
		s, err := store.Open(ctx, path, store.Options{}) // brings an older one to the schema of today
		if err != nil {
			t.Fatalf("open the history that is kept for measuring; remove %s to have it made anew: %v", folder, err)
		}
		defer s.Close()
		index(t, s)
		return folder
	}
	fmt.Printf("storing a session of %d messages in %s\n", n, folder)
	draft, err := os.MkdirTemp(cache, "draft-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(draft)
	s, err := store.Open(ctx, filepath.Join(draft, "history.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tokens := tokenizer.New()
	_, err = s.ImportMessages(ctx, func(add func(store.Message) error) (store.Session, error) {
		words := newVocabulary()
		for i := range n {
			m := store.Message{Tokenizer: tokens.Name(), Model: measuredModel, Endpoint: measuredEndpoint}
			m.Role, m.Content = words.message(i+1, n)
			if m.Role == history.User {
				m.Endpoint, m.Model = "", ""
			}
			m.Tokens = tokens.Count(m.Content)
			if err := add(m); err != nil {
				return store.Session{}, err
			}
		}
		return store.Session{Title: "long", Endpoint: measuredEndpoint, Model: measuredModel}, nil
	}, store.ImportOptions{})
	if err != nil {
		t.Fatalf("store a session of %d messages: %v", n, err)
	}
	index(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(draft, folder); err != nil {
		t.Fatal(err)
	}
	return folder
}

// index puts every message into the search index.
func index(t *testing.T, s *store.Store) {
	t.Helper()
	for {
		left, err := s.IndexSome(t.Context())
		if err != nil {
			t.Fatalf("index the stored session: %v", err)
		}
		if left == 0 {
			return
		}
	}
}
