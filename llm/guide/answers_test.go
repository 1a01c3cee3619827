package guide

import (
	"os"
	"strings"
	"testing"

	"winnow/docs"
)

func readDocs(t *testing.T) *library {
	t.Helper()
	l, err := readLibrary(docs.Pages)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestQuestionsOfNewcomers checks that each question in questions.txt finds the section above it.
func TestQuestionsOfNewcomers(t *testing.T) {
	l := readDocs(t)
	file, err := os.ReadFile("testdata/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	section := ""
	for line := range strings.Lines(string(file)) {
		question, asked := strings.CutPrefix(strings.TrimRight(line, "\n"), "\t")
		if !asked {
			section = question
			continue
		}
		if p, _ := l.search(question); p.page+"#"+p.head != section {
			t.Errorf("%s: got %s#%s, want %s", question, p.page, p.head, section)
		}
	}
}

func TestWhatThePagesDoNotSayIsNotAnswered(t *testing.T) {
	for _, question := range []string{
		"what is the capital of France?", "write me a poem about cats", "how tall is the Eiffel tower",
		"refactor this function to use generics", "solve this equation for me", "who won the world cup?",
		"translate good morning into Japanese", "how do I do it?", "怎么使用", "asdf qwer",
	} {
		got, _ := ask(t, question)
		if !strings.Contains(got.Text, "I found nothing about that") || strings.Contains(got.Text, "###") {
			t.Errorf("%s: claims to know %.300s", question, got.Text)
		}
	}
}

// A greeting is answered with suggestions, and each of them has an answer.
func TestHello(t *testing.T) {
	for _, hello := range []string{"hello", "Hi!", "help", "What can you do?", "are you a language model?"} {
		got, _ := ask(t, hello)
		if !strings.HasPrefix(got.Text, signature+" I answer questions about winnow") {
			t.Errorf("%s: got %s", hello, got.Text)
		}
		for _, q := range questions {
			if !strings.Contains(got.Text, "- "+q+"\n") {
				t.Errorf("%s: the answer does not offer %q", hello, q)
			}
		}
	}
	for _, q := range questions {
		if got, _ := ask(t, q); strings.Contains(got.Text, "I found nothing") {
			t.Errorf("the guide offers %q and has no answer", q)
		}
	}
}
