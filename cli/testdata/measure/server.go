package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"
)

// server answers every question with the same text, in tokens of four bytes.
type server struct {
	answer string
	rate   int            // tokens per second; 0 is as fast as they are read
	asked  chan time.Time // times of the requests for answers
}

const tokenBytes = 4

// serve starts a server and returns it with its base URL.
func (r *run) serve(answer string, rate int) (*server, string) {
	s := &server{answer, rate, make(chan time.Time, 100)}
	listening := httptest.NewServer(s)
	r.Cleanup(listening.Close)
	return s, listening.URL + "/v1"
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		io.WriteString(w, `{"object":"list","data":[{"id":"small","object":"model","context_length":32768}]}`)
		return
	}
	begin := time.Now()
	s.asked <- begin
	w.Header().Set("Content-Type", "text/event-stream")
	for i := 0; i < len(s.answer); i += tokenBytes {
		if s.rate > 0 {
			w.(http.Flusher).Flush()
			time.Sleep(time.Until(begin.Add(time.Duration(i/tokenBytes) * time.Second / time.Duration(s.rate))))
		}
		text, _ := json.Marshal(s.answer[i:min(i+tokenBytes, len(s.answer))]) // a string always encodes
		fmt.Fprintf(w, `data: {"id":"a","choices":[{"index":0,"delta":{"content":%s}}]}`+"\n\n", text)
	}
	io.WriteString(w, `data: {"id":"a","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+
		"\n\ndata: [DONE]\n\n")
}

// markdown returns size bytes of typical model output: headings, paragraphs, lists, code and an occasional table.
func markdown(size int) string {
	var b strings.Builder
	for i := 1; b.Len() < size; i++ {
		fmt.Fprintf(&b, "## Step %d: recover from an error\n\n", i)
		b.WriteString("Panic-mode recovery **skips tokens** until it finds one that ends a statement. That is " +
			"simple, it " +
			"never loops, and it loses what stands between; so keep the set of those tokens small, and *say* " +
			"where the " +
			"parser went on. See [the chapter on errors](https://example.com/errors) for `sync` and `expect`.\n\n")
		for _, item := range []string{"a semicolon ends the statement", "a brace ends the block", "`end` ends both"} {
			fmt.Fprintf(&b, "- When %s, the parser goes on behind it and reports line %d.\n", item, 10*i)
		}
		fmt.Fprintf(&b, "\n```go\n// skip%[1]d drops tokens up to the end of the statement.\n"+
			"func (p *parser) skip%[1]d(until ...token) error {\n\tfor !slices.Contains(until, p.next) {\n"+
			"\t\tp.advance()\n\t}\n\treturn nil\n}\n```\n\n", i)
		if i%3 == 0 {
			fmt.Fprintf(&b, "| token | ends | line |\n|---|---|---|\n| `;` | a statement | %d |\n| `}` | a block | "+
				"%d |\n\n", i, i+1)
		}
	}
	return b.String()[:size]
}
