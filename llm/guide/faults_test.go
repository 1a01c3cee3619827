package guide

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"winnow/docs"
)

var update = flag.Bool("update", false, "write the fault list of docs/guide.md")

// actOut sends "/guide NAME" and reads the stream.
func actOut(t *testing.T, g *Guide, name string) stream {
	t.Helper()
	resp := post(t, t.Context(), g, body(t, []map[string]any{user("/guide " + name)}, nil))
	if resp.StatusCode != http.StatusOK {
		b, err := io.ReadAll(resp.Body)
		t.Fatalf("/guide %s: status %d: %s (%v)", name, resp.StatusCode, b, err)
	}
	return readStream(t, resp)
}

// readAll reads what the guide sends, as bytes.
func readAll(t *testing.T, g *Guide, text string) (string, error) {
	t.Helper()
	b, err := io.ReadAll(post(t, t.Context(), g, body(t, []map[string]any{user(text)}, nil)).Body)
	return string(b), err
}

func TestCutStreamBreaksTheConnection(t *testing.T) {
	got := actOut(t, newGuide(), "cut-stream")
	if !isCut(got.err) || got.done || got.finish != "" || got.usage != nil || !strings.HasSuffix(got.text, "in the middle of a sent") {
		t.Errorf("got %+v, want text and then a broken connection", got)
	}
}

func TestNoDoneEndsInOrderWithoutASign(t *testing.T) {
	got := actOut(t, newGuide(), "no-done")
	if got.err != nil || got.done || got.finish != "" || got.usage != nil || got.text == "" {
		t.Errorf("got %+v, want text and a plain end", got)
	}
}

func TestSlowWaitsBeforeTheFirstWordAndBetweenWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pace = 10 * time.Millisecond
		g := New(docs.Pages, Options{Count: words, Pace: pace, Now: func() time.Time { return time.Unix(1_790_000_000, 0) }})
		begun := time.Now()
		got := actOut(t, g, "slow")
		if took, want := time.Since(begun), pace*slowdown*time.Duration(10+got.pieces); took != want || !got.done {
			t.Errorf("%d pieces took %s ([DONE] %v), want %s", got.pieces, took, got.done, want)
		}
	})
}

func TestSilentSendsKeepAlivesAndThenNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		resp := post(t, ctx, New(docs.Pages, Options{Count: words, Pace: time.Millisecond}), body(t, []map[string]any{user("/guide silent")}, nil))
		b, err := io.ReadAll(resp.Body)
		if want := strings.Repeat(": keep-alive\n\n", 5); string(b) != want || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %q (%v), want %q until the deadline", b, err, want)
		}
	})
}

func TestRateLimitIsLiftedAtTheThirdTry(t *testing.T) {
	g := newGuide()
	request := body(t, []map[string]any{user("/guide rate-limit")}, nil)
	other := body(t, []map[string]any{user("hello"), assistant("hi"), user("/guide rate-limit")}, nil)
	for round := range 2 { // lifted and then the same again
		for range 2 {
			got, resp := wantRefusal(t, g, request, http.StatusTooManyRequests)
			if code(got) != "rate_limit_exceeded" || got.Type != "requests" || !strings.Contains(got.Message, "Please try again in 1.5s.") {
				t.Errorf("round %d: got %+v", round, got)
			}
			if h := resp.Header; h.Get("Retry-After") != "2" || h.Get("Retry-After-Ms") != "1500" {
				t.Errorf("round %d: Retry-After is %q and %q ms, want 2 and 1500", round, h.Get("Retry-After"), h.Get("Retry-After-Ms"))
			}
		}
		if round == 0 {
			wantRefusal(t, g, other, http.StatusTooManyRequests) // another conversation counts for itself
		}
		if got := actOut(t, g, "rate-limit"); !got.done || !strings.Contains(got.text, "third try") {
			t.Errorf("round %d: the third try gives %+v", round, got)
		}
	}
}

func TestServerErrorIsOverAtTheThirdTry(t *testing.T) {
	g := newGuide()
	request := body(t, []map[string]any{user("/guide server-error")}, nil)
	for range 2 {
		got, resp := wantRefusal(t, g, request, http.StatusInternalServerError)
		if got.Type != "server_error" || got.Code != nil || resp.Header.Get("Retry-After") != "" {
			t.Errorf("got %+v with Retry-After %q", got, resp.Header.Get("Retry-After"))
		}
	}
	if got := actOut(t, g, "server-error"); !got.done || !strings.Contains(got.text, "third try") {
		t.Errorf("the third try gives %+v", got)
	}
}

func TestOverflowNamesTheNumbers(t *testing.T) {
	g := newGuide()
	for range 3 { // it does not pass by itself
		got, _ := wantRefusal(t, g, body(t, []map[string]any{user("/guide overflow")}, nil), http.StatusBadRequest)
		want := "This model's maximum context length is 4096 tokens. However, your messages resulted in 4105 tokens. Please reduce the length of the messages."
		if got.Message != want || code(got) != "context_length_exceeded" {
			t.Errorf("got %+v, want %q", got, want)
		}
	}
}

func TestBadKeyIsRefusedAsOpenAIRefusesIt(t *testing.T) {
	got, _ := wantRefusal(t, newGuide(), body(t, []map[string]any{user("/guide bad-key")}, nil), http.StatusUnauthorized)
	if code(got) != "invalid_api_key" || got.Type != "invalid_request_error" || !strings.HasPrefix(got.Message, "Incorrect API key provided: ") {
		t.Errorf("got %+v", got)
	}
}

func TestCorruptToolCallBreaksOffAtTheLimit(t *testing.T) {
	got := actOut(t, newGuide(), "corrupt-tool-call")
	if got.err != nil || !got.done || got.finish != "length" || len(got.calls) != 1 || got.calls[0].Function.Name != "search_docs" || !goodID(got.calls[0].ID) {
		t.Fatalf("got %+v, want one call, finish length and [DONE]", got)
	}
	if args := got.calls[0].Function.Arguments; json.Valid([]byte(args)) || !strings.HasPrefix(args, `{"query": `) {
		t.Errorf("the arguments are %q, want broken JSON", args)
	}
}

func TestHalfToolCallEndsInsideTheArguments(t *testing.T) {
	got := actOut(t, newGuide(), "half-tool-call")
	if got.err != nil || got.done || got.finish != "" || len(got.calls) != 1 || got.calls[0].Function.Arguments != `{"query": "context pa` {
		t.Errorf("got %+v, want half a call and no end", got)
	}
}

func TestDuplicateToolIDsAreTwoCallsWithOneID(t *testing.T) {
	got := actOut(t, newGuide(), "duplicate-tool-ids")
	if got.finish != "tool_calls" || len(got.calls) != 2 || got.calls[0].ID != got.calls[1].ID || *got.calls[0].Index != 0 || *got.calls[1].Index != 1 || got.calls[0].Function.Arguments == got.calls[1].Function.Arguments {
		t.Errorf("got %+v, want two different calls with one id", got)
	}
}

func TestGluedToolCallsShareAnIndex(t *testing.T) {
	got := actOut(t, newGuide(), "glued-tool-calls")
	if got.finish != "tool_calls" || len(got.calls) != 2 || got.calls[0].ID == got.calls[1].ID || *got.calls[0].Index != 0 || *got.calls[1].Index != 0 {
		t.Fatalf("got %+v, want two calls on index 0", got)
	}
}

func TestToolFaultsUseAnOfferedTool(t *testing.T) {
	for _, name := range []string{"corrupt-tool-call", "half-tool-call", "duplicate-tool-ids", "glued-tool-calls"} {
		resp := post(t, t.Context(), newGuide(), body(t, []map[string]any{user("/guide " + name)}, map[string]any{"tools": []any{otherTool()}}))
		for _, c := range readStream(t, resp).calls {
			if c.Function.Name != "set_lamp" {
				t.Errorf("/guide %s calls %q, want the offered set_lamp", name, c.Function.Name)
			}
		}
	}
}

func TestDamagedCallsAreWhatTheListSays(t *testing.T) {
	for name, want := range map[string][2]string{
		"empty-arguments":    {"search_docs", ""},
		"list-arguments":     {"search_docs", `["context panel", "repairs"]`},
		"nameless-tool-call": {"", `{"query":"context panel"}`},
	} {
		got := actOut(t, newGuide(), name)
		if got.finish != "tool_calls" || len(got.calls) != 1 || got.calls[0].Function.Name != want[0] || got.calls[0].Function.Arguments != want[1] {
			t.Errorf("/guide %s: got %+v, want a call of %q with %q", name, got, want[0], want[1])
		}
	}
	if got := actOut(t, newGuide(), "null-character"); !strings.Contains(got.text, "har\x00bour") || !got.done {
		t.Errorf("got %+v, want a NUL in the text", got)
	}
}

func TestBlankAnswerHasNoText(t *testing.T) {
	got := actOut(t, newGuide(), "blank-answer")
	if got.err != nil || !got.done || got.finish != "stop" || got.text != "" || len(got.calls) != 0 || got.usage.CompletionTokens != 0 {
		t.Errorf("got %+v, want an empty answer", got)
	}
}

func TestHTMLIsAPageWithStatus200(t *testing.T) {
	resp := post(t, t.Context(), newGuide(), body(t, []map[string]any{user("/guide html")}, nil))
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/html; charset=utf-8" || !bytes.HasPrefix(b, []byte("<!DOCTYPE html>")) {
		t.Errorf("got %d %q %s (%v), want a page", resp.StatusCode, resp.Header.Get("Content-Type"), b, err)
	}
}

func TestErrorInStreamHasTheShapeOfOpenRouter(t *testing.T) {
	raw, err := readAll(t, newGuide(), "/guide error-in-stream")
	if err != nil || !strings.HasPrefix(raw, ": OPENROUTER PROCESSING\n\n") {
		t.Errorf("got %.80q (%v), want a comment first", raw, err)
	}
	got := actOut(t, newGuide(), "error-in-stream")
	want := `{"code":502,"message":"Provider returned error","type":"upstream_error"}`
	if !slices.Equal(got.errors, []string{want}) || got.finish != "error" || got.text == "" || len(got.comments) != 3 {
		t.Errorf("got %+v, want text, comments, finish error and %s", got, want)
	}
	if at := strings.LastIndex(raw, ": OPENROUTER PROCESSING\n\ndata: "); at < 0 || !strings.Contains(raw[at:], `"error":{"code":502`) {
		t.Errorf("no comment stands right before the error:\n%s", raw)
	}
}

func TestLongIsTwentyKilobytesOfEveryMarkdown(t *testing.T) {
	got := actOut(t, newGuide(), "long")
	if n := len(got.text); n < 20<<10 || n > 24<<10 || !got.done || got.finish != "stop" {
		t.Errorf("%d bytes, finish %q; want 20 KB, whole", n, got.finish)
	}
	for _, want := range []string{"\n## ", "\n```go\n", "\n```sh\n", "\n|-----:|", "\n1. ", "\n     - ", "\n> ", "\n---\n", "**", "](https://", "\t//"} {
		if !strings.Contains(got.text, want) {
			t.Errorf("the long answer holds no %q", want)
		}
	}
	if strings.Contains(got.text, "%!") || strings.Count(got.text, "```")%2 != 0 {
		t.Error("the long answer is badly made")
	}
}

func TestEscapesHoldWhatATerminalMustNotGet(t *testing.T) {
	got := actOut(t, newGuide(), "escapes").text
	for name, want := range map[string]string{
		"window title": "\x1b]0;", "clipboard": "\x1b]52;c;", "clear screen": "\x1b[2J", "link": "\x1b]8;;", "device control": "\x1bP",
		"C1 CSI": "\u009b", "C1 OSC": "\u009d", "C1 DCS": "\u0090", "carriage return": "\r", "backspace": "\b", "null": "\x00", "direction": "\u202e",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the answer holds no %s (%q)", name, want)
		}
	}
	raw, err := readAll(t, newGuide(), "/guide escapes")
	if err != nil || strings.ContainsAny(raw, "\x1b\x00\r\b\x07") {
		t.Errorf("the wire itself holds control characters: %.200q (%v)", raw, err)
	}
}

func TestReasoningComesBeforeTheAnswer(t *testing.T) {
	raw, err := readAll(t, newGuide(), "/guide reasoning")
	got := actOut(t, newGuide(), "reasoning")
	thought, runes := strings.LastIndex(raw, `"reasoning_content":`), strings.Index(raw, `"content":`)
	if err != nil || thought < 0 || thought > runes || got.reasoning == "" || got.text == "" {
		t.Errorf("reasoning %q, text %q (%v), want reasoning first", got.reasoning, got.text, err)
	}
}

func TestUnicodeArrivesUnbroken(t *testing.T) {
	got := actOut(t, newGuide(), "unicode").text
	if !utf8.ValidString(got) || strings.ContainsRune(got, utf8.RuneError) {
		t.Errorf("the answer holds broken characters: %q", got)
	}
	for name, want := range map[string]string{"Chinese": "模型", "Arabic": "النموذج", "Hebrew": "שלום", "joined emoji": "👩\u200d💻", "flag": "🇩🇪", "zero width": "\u200b", "combining": "e\u0301"} {
		if !strings.Contains(got, want) {
			t.Errorf("the answer holds no %s (%q)", name, want)
		}
	}
}

func TestGuideAloneListsEveryFault(t *testing.T) {
	for _, text := range []string{"/guide", "/guide nonsense", "an earlier message that was joined\n\n/guide"} {
		got := ask(t, newGuide(), []map[string]any{user(text)}, nil).text
		for _, f := range Faults() {
			if want := fmt.Sprintf("\n- `/guide %s`: %s\n", f.Name, f.What); !strings.Contains(got, want) {
				t.Errorf("the answer to %q has no line %q", text, want)
			}
		}
	}
}

func TestEveryFaultIsTested(t *testing.T) {
	source, err := os.ReadFile("faults_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Faults() {
		if !bytes.Contains(source, []byte(`"`+f.Name+`"`)) && !bytes.Contains(source, []byte(`"/guide `+f.Name+`"`)) {
			t.Errorf("no test acts out %s", f.Name)
		}
		if f.What == "" || strings.ContainsAny(f.What, "\n|") {
			t.Errorf("%s is explained as %q, want one line that fits into a table", f.Name, f.What)
		}
	}
}

func TestDocsListTheFaults(t *testing.T) {
	const path, from, to = "../../docs/guide.md", "<!-- faults: made from the guide's own list -->\n", "<!-- end of faults -->"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), from)
	list, after, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		t.Fatalf("%s has no place between %q and %q", path, from, to)
	}
	var want strings.Builder
	want.WriteString("\n| send | what happens |\n|------|--------------|\n")
	for _, f := range Faults() {
		fmt.Fprintf(&want, "| `/guide %s` | %s |\n", f.Name, f.What)
	}
	want.WriteString("\n")
	if list == want.String() {
		return
	}
	if !*update {
		t.Fatalf("%s does not list the faults as they are (go test -update writes it)\n got %s\nwant %s", path, list, want.String())
	}
	if err := os.WriteFile(path, []byte(before+from+want.String()+to+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The count of a silent cut is that of the system prompt and the newest message; a conversation that has
// little else is read whole.
func TestSilentCutCountsWhatItRead(t *testing.T) {
	long := strings.Repeat("a question of some length ", 60)
	say := func(role, text string) map[string]any { return map[string]any{"role": role, "content": text} }
	for _, c := range []struct {
		messages []map[string]any
		cut      bool
	}{
		{[]map[string]any{say("system", "Be brief."), user(long), say("assistant", long), user("/guide silent-cut")}, true},
		{[]map[string]any{say("system", "Be brief."), user("/guide silent-cut")}, false},
	} {
		got := readStream(t, post(t, t.Context(), newGuide(), body(t, c.messages, map[string]any{"stream_options": map[string]any{"include_usage": true}})))
		if got.usage == nil || got.usage.PromptTokens == 0 || got.usage.PromptTokens > 60 || strings.Contains(got.text, "dropped the rest") != c.cut {
			t.Errorf("%d messages: the usage is %+v and the answer %q, want that it was cut: %t", len(c.messages), got.usage, got.text, c.cut)
		}
	}
}
