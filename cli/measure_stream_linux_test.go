package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// markdownAnswer is a long answer of so many bytes as models write them: headings, paragraphs, lists, a table now and
// then, and a quarter of code.
func markdownAnswer(size int) string {
	var b strings.Builder
	for i := 1; b.Len() < size; i++ {
		fmt.Fprintf(&b, "## Step %d: recover from an error\n\n", i)
		b.WriteString("Panic-mode recovery **skips tokens** until it finds one that ends a statement. That is simple, it never " +
			"loops, and it loses what stands between; so keep the set of those tokens small, and *say* in the message where the " +
			"parser went on. See [the chapter on errors](https://example.com/errors) for `sync` and `expect`.\n\n")
		for _, item := range []string{"a semicolon ends the statement", "a closing brace ends the block", "`end` ends both"} {
			fmt.Fprintf(&b, "- When %s, the parser goes on behind it and reports line %d.\n", item, 10*i)
		}
		fmt.Fprintf(&b, "\n```go\n// skip%[1]d drops tokens up to the end of the statement.\nfunc (p *parser) skip%[1]d(until ...token) error {\n"+
			"\tfor !slices.Contains(until, p.next) {\n\t\tif p.next == eof {\n\t\t\treturn fmt.Errorf(\"line %%d: unexpected end\", p.line)\n"+
			"\t\t}\n\t\tp.advance()\n\t}\n\treturn nil\n}\n```\n\n", i)
		if i%3 == 0 {
			fmt.Fprintf(&b, "| token | ends | line |\n|---|---|---|\n| `;` | a statement | %d |\n| `}` | a block | %d |\n\n", i, i+1)
		}
	}
	return b.String()[:size]
}

// streaming serves one answer in tokens, at the given rate a second; 0 is as fast as they are taken.
type streaming struct {
	events []string
	rate   int
}

// tokenBytes is how long a token is: four or five bytes is what those of English text and code have on average.
const tokenBytes = 4

func newStreaming(answer string, rate int) *streaming {
	s := &streaming{rate: rate}
	for len(answer) > 0 {
		piece := answer[:min(tokenBytes, len(answer))]
		answer = answer[len(piece):]
		text, _ := json.Marshal(piece) // a string always has a JSON form
		s.events = append(s.events, `data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"small","choices":[{"index":0,"delta":{"content":`+
			string(text)+"}}]}\n\n")
	}
	s.events = append(s.events, `data: {"id":"a","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n", "data: [DONE]\n\n")
	return s
}

func (s *streaming) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		io.WriteString(w, `{"object":"list","data":[{"id":"small","object":"model","context_length":32768}]}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	begin := time.Now()
	for i, event := range s.events {
		if s.rate > 0 {
			w.(http.Flusher).Flush()
			time.Sleep(time.Until(begin.Add(time.Duration(i) * time.Second / time.Duration(s.rate))))
		}
		if _, err := io.WriteString(w, event); err != nil {
			return
		}
	}
}

// measuredEndpoint and measuredModel are what the measured program talks to.
const (
	measuredEndpoint = "openai"
	measuredModel    = "small"
)

// servedAlways is the address of a server that answers each question with the same answer.
func servedAlways(t testing.TB, answer string, rate int) (base string) {
	t.Helper()
	server := httptest.NewServer(newStreaming(answer, rate))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// talking is the environment of a person who talks to a server.
func talking(env []string, base string) []string {
	return append(env, "WINNOW_MODEL="+measuredEndpoint+"/"+measuredModel, "OPENAI_API_KEY=sk-not-a-real-key-0000", "OPENAI_BASE_URL="+base)
}
