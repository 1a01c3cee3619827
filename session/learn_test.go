package session

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"

	"winnow/history"
	"winnow/llm/tokenizer"
)

// sentMessage is a message as a server sees it.
type sentMessage struct{ Role, Content string }

// messagesOf reads the messages of a request's body.
func messagesOf(t testing.TB, body string) []sentMessage {
	t.Helper()
	var request struct{ Messages []sentMessage }
	if err := json.Unmarshal([]byte(body), &request); err != nil {
		t.Fatalf("read the request: %v", err)
	}
	return request.Messages
}

// formula is how a server counts the messages of a request.
type formula func([]sentMessage) int

// larger counts a quarter more than o200k, and seven tokens around each message.
func larger() formula {
	var known sync.Map
	counter := tokenizer.New()
	count := func(text string) int {
		n, ok := known.Load(text)
		if !ok {
			n = counter.Count(text)
			known.Store(text, n)
		}
		return n.(int)
	}
	return func(messages []sentMessage) int {
		total := 0.0
		for _, m := range messages {
			total += 1.25*float64(count(m.Content)) + 7
		}
		return int(total)
	}
}

// older counts with OpenAI's older vocabulary, and seven tokens around each message.
func older(t testing.TB) formula {
	vocabulary := codec.NewCl100kBase()
	return func(messages []sentMessage) int {
		total := 0
		for _, m := range messages {
			n, err := vocabulary.Count(m.Content)
			if err != nil {
				t.Errorf("count %.40q: %v", m.Content, err)
			}
			total += n + 7
		}
		return total
	}
}

// counting answers every request with the next text and reports the formula's count of the request.
func (s *script) counting(count formula, answers func(n int) string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		n := s.requests()
		w.Header().Set("Content-Type", "text/event-stream")
		delta(w, map[string]any{"content": answers(n)})
		finish(w, "stop", count(messagesOf(s.t, s.body(n))), 50)
	}
}

// paragraphs are what a long chat talks about: prose, tables, code, JSON and Chinese, in turn.
func paragraphs(t testing.TB) []string {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join("..", "docs", "*.md"))
	if err != nil || len(pages) < 5 {
		t.Fatalf("there are %d pages (%v), want at least 5", len(pages), err)
	}
	code, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var prose, other []string
	for _, name := range pages {
		prose = append(prose, chunks(t, name, "\n## ")...)
	}
	for _, name := range code {
		if !strings.HasSuffix(name, "_test.go") {
			other = append(other, chunks(t, name, "\nfunc ")...)
		}
	}
	var all []string
	for i := range min(len(prose), len(other)) {
		all = append(all, prose[i], other[i])
		if i%5 == 4 {
			all = append(all, strings.Repeat("这段对话说明了模型能看到什么，以及为什么有些消息被缩短。", 1+i%7))
		}
	}
	return all
}

func chunks(t testing.TB, name, sep string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	// A message that does not fit into the window is refused, however long a part of a page becomes.
	return slices.DeleteFunc(strings.Split(string(text), sep), func(chunk string) bool { return len(chunk) > 12_000 })
}

// predictions holds a chat of so many turns with a server that counts by a formula, and returns for
// every request after the first how far the prediction was off, as a share of the server's count.
func predictions(t testing.TB, turns int, count formula) []float64 {
	t.Helper()
	texts := paragraphs(t)
	b := newBench(t)
	b.deps.Count = tokenizer.New().Count
	answer := b.counting(count, func(n int) string { return texts[(2*n+1)%len(texts)] })
	for range turns {
		b.steps = append(b.steps, answer)
	}
	s := b.begin()
	var errors []float64
	for n := range turns {
		events, err := drain(s.Send(t.Context(), texts[2*n%len(texts)]))
		if err != nil {
			t.Fatalf("turn %d failed: %v", n+1, err)
		}
		sum := only[Planned](events)[0].Plan.Sum
		reported := only[Answered](events)[0].Receipt.Usage.Prompt
		if n > 0 {
			errors = append(errors, float64(sum.Tokens(sum.Total)-reported)/float64(reported))
		}
	}
	return errors
}

func TestPredictionIsNearTheServersCountAfterTheFirstAnswer(t *testing.T) {
	t.Parallel()
	for name, count := range map[string]formula{"o200k and a quarter more": larger(), "cl100k": older(t)} {
		off := predictions(t, 40, count)
		for i := range off {
			off[i] = math.Abs(off[i])
		}
		slices.Sort(off)
		if median := off[len(off)/2]; median > 0.02 {
			t.Errorf("%s: the median prediction is off by %.1f %%, want at most 2 %%", name, 100*median)
		}
	}
}

// BenchmarkPrediction says how near the predicted prompt tokens are to the server's, from the second
// request on: the mean error, the median, and the fifth percentile, where it is too low.
func BenchmarkPrediction(b *testing.B) {
	for _, server := range []struct {
		name  string
		count formula
	}{{"o200k+25%", larger()}, {"cl100k", older(b)}} {
		b.Run(server.name, func(b *testing.B) {
			var off []float64
			for b.Loop() {
				off = predictions(b, 100, server.count)
			}
			slices.Sort(off)
			sum := 0.0
			size := make([]float64, 0, len(off))
			for _, e := range off {
				sum += math.Abs(e)
				size = append(size, math.Abs(e))
			}
			slices.Sort(size)
			b.ReportMetric(100*sum/float64(len(off)), "%mean")
			b.ReportMetric(100*size[len(size)/2], "%median")
			b.ReportMetric(100*off[len(off)/20], "%p5")
		})
	}
}

// TestEstimateIsItsFormula counts a small request by hand: every text by the vocabulary, 4 for each
// message, 3 for the request, the tools as the body carries them, and for each call its name, its
// arguments and 8.
func TestEstimateIsItsFormula(t *testing.T) {
	tokenizer := tokenizer.New()
	n := tokenizer.Count
	b := newBench(t, calls("c1", "add", `{"a":1,"b":2}`), says("Three."), says("Four."))
	b.deps.Approve, b.deps.Count = Always, n
	b.offer(adder(t))
	s := b.begin()
	if _, err := drain(s.Send(t.Context(), "What is 1+2?")); err != nil {
		t.Fatal(err)
	}
	events, err := drain(s.Send(t.Context(), "And one more?"))
	if err != nil {
		t.Fatal(err)
	}
	schemas := `[{"function":{"name":"add","description":"adds","parameters":{"type":"object"}},"type":"function"}]`
	if !strings.Contains(b.body(3), `"tools":`+schemas) {
		t.Fatalf("the body does not carry the tools %s: %s", schemas, b.body(3))
	}
	want := history.Sum{
		System: n("Be brief."),
		Tools:  n(schemas),
		Body:   n("What is 1+2?") + n("add") + n(`{"a":1,"b":2}`) + 8 + n("3") + n("Three."),
		Draft:  n("And one more?"),
		Frame:  3 + 4*6, // system, question, call, result, answer, question
	}
	want.Total = want.System + want.Tools + want.Body + want.Draft + want.Frame
	planned := only[Planned](events)[0]
	got := planned.Plan.Sum
	got = history.Sum{
		System: got.System, Tools: got.Tools, Pinned: got.Pinned, Body: got.Body, Recalled: got.Recalled,
		Draft: got.Draft, Added: got.Added, Frame: got.Frame, Total: got.Total,
	}
	if got != want || planned.Request.Estimate != want.Total {
		t.Errorf("the plan says\n%+v, its record %d; by hand it is\n%+v", got, planned.Request.Estimate, want)
	}
}

// TestNumbersShownAreTheNumbersChecked asks for the greatest request that fits, calibrated.
func TestNumbersShownAreTheNumbersChecked(t *testing.T) {
	b := newBench(t)
	answer := b.counting(larger(), func(n int) string {
		return strings.Repeat(fmt.Sprintf("Answer %d says the same again. ", n), 60)
	})
	for range 30 {
		b.steps = append(b.steps, answer)
	}
	s := b.begin()
	for n := range 30 {
		events, err := drain(s.Send(t.Context(), fmt.Sprintf("Question %d?", n)))
		if err != nil {
			t.Fatal(err)
		}
		sum := only[Planned](events)[0].Plan.Sum
		if sum.Used() > sum.Limit {
			t.Errorf("turn %d uses %d of %d", n+1, sum.Used(), sum.Limit)
		}
		receipt := only[Answered](events)[0].Receipt
		if receipt.Expected != sum.Tokens(sum.Total) || receipt.Estimate != sum.Total {
			t.Errorf("the receipt of turn %d expected %d of the server and counted %d, the plan %d and %d", n+1,
				receipt.Expected, receipt.Estimate, sum.Tokens(sum.Total), sum.Total)
		}
		if got, want := only[Planned](events)[0].Request.Estimate, sum.Total; got != want {
			t.Errorf("turn %d is recorded with %d counted tokens, shown with %d", n+1, got, want)
		}
		preview, err := s.Preview("")
		if err != nil {
			t.Fatal(err)
		}
		if got, want := preview.Sum.Ratio, float64(s.Model().Expect(1_000_000))/1_000_000; math.Abs(got-want) > 1e-5 {
			t.Errorf("the preview after turn %d counts with %.3f, learned is %.3f", n+1, got, want)
		}
	}
}
