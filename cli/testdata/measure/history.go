package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"winnow/history"
	"winnow/llm/tokenizer"
	"winnow/session/store"
)

// firstWords begin a long session and lastWords end it, so that its beginning or end can be recognised on the screen.
const (
	firstWords = "These are the first words of all."
	lastWords  = "These are the last words of all."
)

// writer generates texts from 20,000 invented words, a few of them common and most of them rare, as in a natural
// language. The texts are the same in every run.
type writer struct{ which *rand.Zipf }

func newWriter() writer {
	return writer{rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 4, 19_999)}
}

// text returns a text of at least size bytes.
func (w writer) text(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		for n := w.which.Uint64() + 20; n > 0; n /= 20 {
			b.WriteString("bacedifoguhajekilomunaperisotuvawexiyozu"[2*(n%20):][:2])
		}
		b.WriteString([]string{" ", " ", " ", " ", " ", ", ", " ", " ", ". "}[i%9])
	}
	return b.String()
}

// message returns message i of n, from 1. Questions and answers alternate; 100,000 messages have 36 MB.
func (w writer) message(i, n int) store.Message {
	m := store.Message{}
	m.Role, m.Content = history.User, w.text(100)
	if i%2 == 0 {
		m.Endpoint, m.Model = "openai", "small"
		m.Role, m.Content = history.Assistant, w.text(300)+"\n\n"+w.text(300)
	}
	if i == 1 {
		m.Content = firstWords
	}
	if i == n {
		m.Content += "\n\n" + lastWords
	}
	return m
}

// stored returns the path of a history with one session of n messages, completely indexed. It is made once and kept in
// the cache.
func (r *run) stored(n int) string {
	file := filepath.Join(*cache, fmt.Sprintf("%d-messages", n), "history.db")
	if _, err := os.Stat(file); err == nil {
		return file
	}
	log.Printf("storing a session of %d messages", n)
	err := os.MkdirAll(*cache, 0o700)
	if err != nil {
		r.Fatalf("make the cache: %v", err)
	}
	draft, err := os.MkdirTemp(*cache, "draft-")
	if err == nil {
		err = storeSession(context.Background(), filepath.Join(draft, "history.db"), n)
	}
	if err == nil {
		err = os.Rename(draft, filepath.Dir(file))
	}
	if err != nil {
		r.Fatalf("store a session of %d messages: %v", n, err)
	}
	return file
}

func storeSession(ctx context.Context, file string, n int) error {
	s, err := store.Open(ctx, file, store.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	tokens, words := tokenizer.New(), newWriter()
	conversation := store.ImportedConversation{
		Session: store.Session{Title: "long", Endpoint: "openai", Model: "small"}, Leaf: -1,
	}
	for i := range n {
		m := words.message(i+1, n)
		m.Tokenizer, m.Tokens = tokens.Name(), tokens.Count(m.Content)
		conversation.Add(m)
	}
	_, err = s.Import(ctx, conversation)
	for left := int64(1); err == nil && left > 0; {
		left, err = s.IndexSome(ctx)
	}
	return err
}
