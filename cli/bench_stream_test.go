package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// An answer of this many bytes comes in deltas of so many: three or four tokens, as hosted servers
// join them.
const (
	longAnswer = 200_000
	deltaBytes = 16
)

// markdownAnswer is a long answer as models write them: headings, paragraphs, lists, a table now and
// then, and a quarter of code.
func markdownAnswer() string {
	var b strings.Builder
	for i := 1; b.Len() < longAnswer; i++ {
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
	return b.String()[:longAnswer]
}

// streaming serves one answer in deltas, at the given rate a second; 0 is as fast as they are taken.
type streaming struct {
	events []string
	rate   int
}

func newStreaming(answer string, rate int) *streaming {
	s := &streaming{rate: rate}
	for piece := range slices.Chunk([]byte(answer), deltaBytes) {
		text, _ := json.Marshal(string(piece)) // a string always has a JSON form
		s.events = append(s.events, `data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"small","choices":[{"index":0,"delta":{"content":`+
			string(text)+"}}]}\n\n")
	}
	s.events = append(s.events, `data: {"id":"a","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n", "data: [DONE]\n\n")
	return s
}

func (s *streaming) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		io.WriteString(w, `{"object":"list","data":[{"id":"small","object":"model","context_length":8192}]}`)
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

// cpu is what a program that has ended cost, in the program and in the kernel for it.
func cpu(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// BenchmarkStream is the processor time of the whole program, from its start to its end, for one
// question and an answer of 200 KB, against a program that renders the finished answer once and
// prints it. Beside it stands the program that is started and left again.
func BenchmarkStream(b *testing.B) {
	winnow, once := build(b, "winnow"), build(b, "winnow/cli/testdata/once")
	answer := markdownAnswer()
	for _, c := range []struct {
		name string
		rate int
	}{{"fast", 0}, {"1000-a-second", 1000}} {
		b.Run(c.name, func(b *testing.B) {
			server := httptest.NewServer(newStreaming(answer, c.rate))
			defer server.Close()
			env := append(home(b), "WINNOW_MODEL=openai/small", "OPENAI_API_KEY=sk-not-a-real-key-0000", "OPENAI_BASE_URL="+server.URL+"/v1")
			older := append(home(b), env[len(env)-3:]...)
			var streamed, idle, rendered, took, before series
			for b.Loop() {
				if olderWinnow() != "" {
					whole, _ := streamOnce(b, older, olderWinnow())
					before = append(before, cpu(whole.cmd))
				}
				term := startProgram(b, env, benchWidth, benchHeight, winnow)
				term.want(helpLine)
				term.send(ctrlD)
				term.end()
				idle = append(idle, cpu(term.cmd))

				whole, width := streamOnce(b, env, winnow)
				streamed, took = append(streamed, cpu(whole.cmd)), append(took, whole.took)

				if width < 20 {
					b.Fatal("no panel stands beside the page, which says how wide that is")
				}
				render := exec.Command(once, strconv.Itoa(width))
				render.Stdin = strings.NewReader(answer)
				if out, err := render.Output(); err != nil || len(out) < len(answer)/2 {
					b.Fatalf("render the answer once: %v, %d bytes", err, len(out))
				}
				rendered = append(rendered, cpu(render))
			}
			compare(b, streamed, rendered, "once")
			b.ReportMetric(ms(idle.median()), "idle-ms")
			b.Logf("winnow's processor time:         %v", streamed)
			b.Logf("rendering once:                  %v", rendered)
			b.Logf("winnow started and left:         %v", idle)
			b.Logf("from enter to the whole answer:  %v", took)
			against(b, streamed, before)
		})
	}
}

// streamed is a program that has shown an answer and ended.
type streamed struct {
	cmd  *exec.Cmd
	took time.Duration // from enter to the receipt
}

// textLeft is how many cells a text stands away from the left edge of the page.
const textLeft = 4

// streamOnce asks one question, waits for the receipt below the whole answer and leaves. The width
// is that of the answer's text on the screen, 0 where no panel stands beside it.
func streamOnce(b *testing.B, env []string, winnow string) (out streamed, width int) {
	b.Helper()
	term := startProgram(b, env, benchWidth, benchHeight, winnow)
	for line := range strings.Lines(term.want(helpLine)) {
		if page, _, ok := strings.Cut(line, "│"); ok {
			width = utf8.RuneCountInString(page) - textLeft - 1
		}
	}
	term.send("How does a parser recover?")
	term.want("a parser recover?")
	begin := time.Now()
	term.send(enterKey)
	term.waitFor("the whole answer", func(screen string) bool {
		return answered(screen) && !strings.Contains(screen, "esc stops")
	})
	out.took, out.cmd = time.Since(begin), term.cmd
	term.send(ctrlD)
	if code := term.end(); code != 0 {
		b.Fatalf("winnow ended with %d:\n%s", code, term.text())
	}
	return out, width
}
