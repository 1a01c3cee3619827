package llm

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"winnow/history"
)

// TestWindow decides the window of a model. The first line of a fixture has the base URL, the model, and options; the
// following lines are windows from other sources: tokens, day, and the maximum. The body is what a server responds at
// its paths, and, after a line "then", what it responds later.
func TestWindow(t *testing.T) {
	checkFixtures(t, "testdata/windows.txtar", func(t *testing.T, head, body string) string {
		first, known, _ := strings.Cut(head, "\n")
		words := strings.Fields(first)
		e := Endpoint{Name: "x", BaseURL: words[0], MaxAttempts: 1}
		r := Request{Model: words[1], Messages: hello().Messages}
		for _, word := range words[2:] {
			switch name, value, _ := strings.Cut(word, "="); name {
			case "wire":
				e.Wire = Wire(value)
			case "keep":
				e.KeepAlive = value
			case "effort":
				r.Effort = value
			case "window":
				r.Window = count(value)
			}
		}
		server := machine{}
		e.Doer = server
		c := NewClient(e)
		f := WindowFacts{Model: r.Model, Remote: !e.IsSelfHosted()}
		readWindows(t, &f, known)
		got := ""
		for later := range strings.SplitSeq(body, "\nthen\n") {
			for path, answer := range machineOf(later) {
				server[e.rootURL()+path] = strings.ReplaceAll(answer, `\n`, "\n")
			}
			if len(server) > 0 {
				stated, err := c.StatedWindow(t.Context(), r.Model)
				if err != nil {
					t.Fatal(err)
				}
				f.Stated = stated
			}
			got += windowText(t, f) + waysText(t, c, r)
			if server[e.rootURL()+"/api/chat"] != "" {
				events, reply, err := heard(c, r)
				for _, call := range reply.Calls {
					events = strings.ReplaceAll(events, call.ID, "ID")
				}
				got += fmt.Sprintln(events, err)
			}
		}
		return got
	})
}

// readWindows parses lines of a source, tokens, the day, and the maximum that can be requested.
func readWindows(t *testing.T, f *WindowFacts, lines string) {
	t.Helper()
	for line := range strings.Lines(lines) {
		words := append(strings.Fields(line), "0", "0")
		w := Window{Tokens: count(words[1]), Source: words[0], MaxTokens: count(words[3])}
		if day := count(words[2]); day > 0 {
			w.At = time.Date(2026, 11, day, 12, 0, 0, 0, time.UTC)
		}
		w.Assumed = w.Tokens == 0
		who := map[string]*Window{"chosen": &f.Chosen, "configured": &f.Configured, "stated": &f.Stated, "refused": &f.FromRefusal}[words[0]]
		if who == nil {
			t.Fatalf("%q: there is no such line", line)
		}
		*who = w
	}
}

func windowText(t *testing.T, f WindowFacts) string {
	t.Helper()
	w := f.Window()
	_, over := f.Contradicted()
	text := strconv.Itoa(w.Tokens) + " " + w.Source
	for _, fact := range []struct {
		holds bool
		words string
	}{
		{w.AskAgain, "; asked again"},
		{w.ByName, "; by name"},
		{w.MaxTokens > 0, fmt.Sprintf("; at most %d", w.MaxTokens)},
		{over, "; contradicts what is set"},
	} {
		if fact.holds {
			text += fact.words
		}
	}
	if assumed := strings.HasPrefix(w.Source, "assumed"); w.Assumed != assumed {
		t.Errorf("%s is assumed: %t", w.Source, w.Assumed)
	}
	return text + "\n"
}

// waysText describes how requests to the model differ according to its server.
func waysText(t *testing.T, c *Client, r Request) (text string) {
	t.Helper()
	if p := c.Profile(r.Model); p != (history.Profile{}) {
		text = "asked " + strings.Join(Learned{Profile: p}.Describe(), ", ") + "\n"
	}
	if c.Wire(r.Model) != OllamaWire {
		return text
	}
	if w := c.Wire("another"); w != ChatWire {
		t.Errorf("a model that the server was not asked for is asked in the format %s", w)
	}
	return text + bodyOf(t, c, r) + "\n"
}

// The longest matching prefix of a model's name counts, whatever its maker.
func TestWindowByName(t *testing.T) {
	seen := map[string]bool{}
	for prefixes, tokens := range windows {
		for prefix := range strings.FieldsSeq(prefixes) {
			if got := windowByName("maker/" + strings.ToUpper(prefix) + ":free"); seen[prefix] || got != tokens {
				t.Errorf("%s: %d tokens, want %d once", prefix, got, tokens)
			}
			seen[prefix] = true
		}
	}
	if n := windowByName("gpt"); n != 0 {
		t.Errorf("an unknown name has %d tokens", n)
	}
}

// count returns a number, -1 for none.
func count(word string) int {
	if n, err := strconv.Atoi(word); err == nil {
		return n
	}
	return -1
}
