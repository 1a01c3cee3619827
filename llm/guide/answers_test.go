package guide

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	openai "github.com/sashabaranov/go-openai"
)

// book is a library of three small pages.
func book(t *testing.T) *library {
	t.Helper()
	l, err := readLibrary(fstest.MapFS{
		"a.md": {Data: []byte("# Apples\n\nAbout apples.\n\n## Red apples\n\nThey are sweet.\n\n### Without text\n\n## Green apples\n\nThey are sour.\n")},
		"b.md": {Data: []byte("# Berries\n\nAbout berries.\n")},
		"c.md": {Data: []byte("# Code\n\n```sh\n# no heading\n```\n\n<!-- generated -->\nAfter the code.\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestPagesSplitIntoSections(t *testing.T) {
	var got []string
	for _, p := range book(t).parts {
		got = append(got, p.link()+" | "+p.head+" | "+p.text)
	}
	want := []string{
		"docs/a.md#apples | Apples | About apples.",
		"docs/a.md#red-apples | Red apples | They are sweet.",
		"docs/a.md#green-apples | Green apples | They are sour.",
		"docs/b.md#berries | Berries | About berries.",
		"docs/c.md#code | Code | ```sh\n# no heading\n```\n\nAfter the code.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("parts\n got %q\nwant %q", got, want)
	}
}

func TestLongSectionsAreQuotedInParts(t *testing.T) {
	table := "| key | action |\n|-----|--------|\n" + strings.Repeat("| `ctrl+x` | the context panel, shown or hidden |\n", 120)
	code := "```go\n" + strings.Repeat("x := 1 // a line of code\n", 100) + "```"
	prose := strings.Repeat("A sentence of prose. ", 40)
	for name, text := range map[string]string{"table": table, "prose": strings.Repeat(prose+"\n\n", 9), "list": strings.Repeat("- a point of a list\n", 200)} {
		parts := sections("x.md", "# Title\n\n"+text)
		if len(parts) < 2 {
			t.Errorf("%s of %d characters is in %d parts, want some", name, length(text), len(parts))
		}
		for i, p := range parts {
			if length(p.text) > longestQuote+100 || p.number != i+1 || p.of != len(parts) {
				t.Errorf("%s: part %d of %d has %d characters", name, p.number, p.of, length(p.text))
			}
			if name == "table" && !strings.HasPrefix(p.text, "| key | action |\n|-----|--------|\n| `ctrl+x`") {
				t.Errorf("part %d of the table begins with %.60q, want the table's head", i+1, p.text)
			}
		}
	}
	var lines int
	for i, p := range sections("x.md", "# Title\n\n"+code) {
		if !strings.HasPrefix(p.text, "```go\nx := 1") || !strings.HasSuffix(p.text, "code\n```") || length(p.text) > longestQuote+100 {
			t.Errorf("part %d of the code is %.40q … %q", i+1, p.text, p.text[len(p.text)-20:])
		}
		lines += strings.Count(p.text, "x := 1")
	}
	if lines != 100 {
		t.Errorf("the parts of the code hold %d lines, want all 100", lines)
	}
}

func TestMoreReadsOn(t *testing.T) {
	g := newGuide()
	messages := []map[string]any{user("what is the panel?")}
	for _, next := range []struct{ say, section string }{
		{"", "the-context-panel"}, {"more", "glyphs-and-verdicts"}, {"Next!", "why-was-my-message-cut-or-shortened"}, {"tell me more", "why-was-a-message-dropped-or-forgotten"},
	} {
		if next.say != "" {
			messages = append(messages, user(next.say))
		}
		got := ask(t, g, messages, nil).text
		if want := Signature + " From [context.md](docs/context.md#" + next.section + "):\n"; !strings.HasPrefix(got, want) {
			t.Fatalf("after %q: got %.160q, want %q", next.say, got, want)
		}
		messages = append(messages, assistant(got))
	}
}

func TestMoreUnderstandsAnAnswerCutTo150Characters(t *testing.T) {
	lib := readDocs(t)
	for i, p := range lib.parts[:len(lib.parts)-1] {
		if lib.parts[i+1].page != p.page {
			continue
		}
		answer := []rune(lib.quote([]int{i}, nil))
		if len(answer) > 150 {
			answer = []rune(string(answer[:150]) + " ... (truncated)")
		}
		text := string(answer)
		got := lib.more([]openai.ChatCompletionMessage{{Role: "assistant", Content: text}})
		if want := "From " + lib.parts[i+1].cite() + ":"; !strings.Contains(got, want) {
			t.Errorf("after %q: got %.160q, want %q", text, got, want)
		}
	}
}

func TestMoreWithoutAnythingBefore(t *testing.T) {
	if got := ask(t, newGuide(), []map[string]any{user("more")}, nil).text; !strings.Contains(got, "nothing to continue") {
		t.Errorf("got %q", got)
	}
}

func TestMoreAtTheEndOfAPage(t *testing.T) {
	text := "From [b.md](docs/b.md#berries):"
	if got := book(t).more([]openai.ChatCompletionMessage{{Role: "assistant", Content: text}}); !strings.Contains(got, "last section of b.md") || strings.Contains(got, "###") {
		t.Errorf("got %q, want the end of the page", got)
	}
}

func TestMoreFollowsTheLastOfTwoQuotes(t *testing.T) {
	lib := book(t)
	text := lib.quote([]int{0, 1}, nil)
	if got := lib.more([]openai.ChatCompletionMessage{{Role: "assistant", Content: text}}); !strings.Contains(got, "docs/a.md#green-apples") {
		t.Errorf("after %q: got %q, want the green apples", text, got)
	}
}

func TestGreetingListsExamplesThatHaveAnswers(t *testing.T) {
	lib := readDocs(t)
	for _, text := range []string{"hello", "Hi!", "help", "what can you do?", "Who are you?", "are you a language model?"} {
		got := ask(t, newGuide(), []map[string]any{user(text)}, nil).text
		for _, q := range examples {
			if !strings.Contains(got, "- "+q+"\n") {
				t.Errorf("the answer to %q does not offer %q", text, q)
			}
		}
	}
	for _, q := range examples {
		if got := lib.reply(q); !strings.Contains(got, "###") {
			t.Errorf("the example %q has no answer: %s", q, got)
		}
	}
}

func TestCommandIsTheLastLine(t *testing.T) {
	for text, want := range map[string]string{
		"/guide":                     "/guide",
		"  /guide slow \n":           "/guide slow",
		"first question\n\n/guide x": "/guide x",
		"what does /guide do?":       "",
		"/guide slow\nand then?":     "",
		"/guidebook":                 "",
	} {
		if got := command(text); got != want {
			t.Errorf("command(%q) is %q, want %q", text, got, want)
		}
	}
}

func TestPiecesAreSmallAndJoinToTheText(t *testing.T) {
	for _, text := range []string{"", "one", "one two  three\n\n- four\n", "a_very_long_word_without_any_space", "模型看到的内容由预算决定。模型看到的内容", "\n\n\n", escapesAnswer, unicodeAnswer} {
		all := pieces(text)
		if got := strings.Join(all, ""); got != text {
			t.Errorf("pieces(%q) join to %q", text, got)
		}
		for _, p := range all {
			if n := length(p); n == 0 || n > longestPiece {
				t.Errorf("pieces(%q) holds %q of %d characters", text, p, n)
			}
		}
	}
}
