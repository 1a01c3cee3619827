package llm

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"winnow/history"
	"winnow/llm/keys"
	"winnow/llm/tool"
)

var update = flag.Bool("update", false, "write what comes out into the fixtures; read the difference")

// checkFixtures runs files of fixtures. A fixture has a head, what a server sends, and what winnow makes of it,
// separated by blank lines.
func checkFixtures(t *testing.T, pattern string, run func(t *testing.T, head, body string) string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures in %s: %v", pattern, err)
	}
	for _, path := range files {
		all, err := txtar.ParseFile(path)
		if err != nil || len(all.Files) == 0 {
			t.Fatalf("%d fixtures in %s: %v", len(all.Files), path, err)
		}
		for i, f := range all.Files {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar")+"/"+f.Name, func(t *testing.T) {
				head, rest, _ := strings.Cut(string(f.Data), "\n\n")
				body, want, _ := strings.Cut(rest, "\n\n")
				got := run(t, head, body)
				all.Files[i].Data = []byte(head + "\n\n" + body + "\n\n" + got)
				if !*update {
					wantText(t, body, got, want)
				}
			})
		}
		if *update {
			if err := os.WriteFile(path, txtar.Format(all), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestAnswers sends the request of each fixture. The first line of the head describes the endpoint, the request and the
// form of the response; the following lines are headers of the response, or the Prompt. The body is what the server
// sends. A line that begins with "then" describes the response to the next request; the last one is repeated. The
// result contains the events, the error, and other facts about the request. The time is 21 November 2026, 08:00 UTC.
func TestAnswers(t *testing.T) {
	checkFixtures(t, "testdata/answers/*.txtar", func(t *testing.T, head, body string) (got string) {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)))
			x := exchange{request: hello(), endpoint: script().client(tries(1)).endpoint}
			words, lines, _ := strings.Cut(head, "\n")
			for i, says := range strings.Split(body, "\nthen ") {
				if i > 0 {
					words, says, _ = strings.Cut(says, "\n")
				}
				x.answer(t, words, says)
			}
			for line := range strings.Lines(lines) {
				name, value, _ := strings.Cut(strings.TrimSpace(withKey.Replace(line)), ": ")
				if x.steps[0].header[name] = value; name == "Prompt" {
					x.request.Messages[0].Content = strings.ReplaceAll(value, `\n`, "\n")
				}
			}
			got = x.run(t)
		})
		return got
	})
}

// exchange is a request and the responses of the server.
type exchange struct {
	endpoint Endpoint
	request  Request
	steps    []step
	show     bool // the request body is part of the result
}

// withKey inserts the key of the tests, which must never show, into what a server sends.
var withKey = strings.NewReplacer("$KEY", testKey, "$BASE64", base64.StdEncoding.EncodeToString([]byte(testKey)),
	"$ESCAPED", strings.ReplaceAll(testKey, "-", `\u002d`), "$FILL", strings.Repeat("x", bodyMax-len(testKey)/2))

// unreached are the errors of requests without a response.
var unreached = map[string]error{
	"refused":     os.NewSyscallError("connect", syscall.ECONNREFUSED),
	"reset":       os.NewSyscallError("read", syscall.ECONNRESET),
	"route":       os.NewSyscallError("connect", syscall.ENETUNREACH),
	"host":        &net.DNSError{Err: "no such host", Name: "api.openai.com", IsNotFound: true},
	"resolver":    &net.DNSError{Err: "i/o timeout", Name: "api.openai.com", IsTimeout: true},
	"deadline":    os.ErrDeadlineExceeded,
	"certificate": errors.New("tls: failed to verify certificate: x509: certificate signed by unknown authority"),
	"key":         errors.New("dial your key Bearer " + testKey),
	// Data that a server sends before the request may arrive after the request was written, or before.
	"protocol": errors.New(`malformed HTTP response "SSH-2.0-OpenSSH_9.7"`),
	"early":    errors.New("readLoopPeekFailLocked: %!w(<nil>)"),
}

// answer adds a response of the server. A refusal is one text; in any other response each line is an event.
func (x *exchange) answer(t *testing.T, words, says string) {
	s, torn := step{header: map[string]string{}}, false
	for word := range strings.FieldsSeq(words) {
		name, value, _ := strings.Cut(word, "=")
		switch status, err := strconv.Atoi(word); {
		case err == nil:
			s.status = status
		case strings.Contains(name, "/"):
			s.header["Content-Type"] = word
		case name == "unreached":
			s.refuse = &url.Error{Op: "Post", Err: &net.OpError{Op: "dial", Net: "tcp", Err: unreached[value]}}
		case name == "pause":
			s.pause = duration(value)
		case name == "torn":
			torn = true
		case name == "cut", name == "hang":
			s.end = name
		case name == "key":
			x.key(value)
		case !x.asks(name, value):
			t.Fatalf("%q: the word %s is not known", words, word)
		}
	}
	if says = withKey.Replace(says); s.status >= 300 {
		s.say = []string{says}
	} else if says != "" {
		says = strings.ReplaceAll(says+"\n", "\n", "\n\n")
		if torn {
			says = strings.TrimSpace(says)
		}
		s.say = strings.SplitAfter(says, "\n\n")
	}
	x.steps = append(x.steps, s)
}

// asks changes the endpoint or the request according to a word of the head.
func (x *exchange) asks(word, value string) bool {
	e, r, n := &x.endpoint, &x.request, count(value)
	of := history.Origin{Endpoint: e.Name, Model: r.Model}
	switch word {
	case "whole": // the answer ends normally
	case "show":
		x.show = true
	case "at":
		e.BaseURL = value
	case "name":
		e.Name = value
	case "header":
		e.Headers = map[string]string{"Api-Key": "header-" + testKey}
	case "wire":
		e.Wire = Wire(value)
	case "known":
		e.Learned = map[string]Learned{
			"responses": {Wire: ResponsesWire}, "echo": {Profile: history.Profile{EchoReasoning: true}},
		}[value]
	case "tries":
		e.MaxAttempts = n
	case "idle":
		e.IdleTimeout = duration(value)
	case "begin":
		e.FirstByteTimeout = duration(value)
	case "full": // with all parameters
		r.Model, r.MaxTokens, r.Temperature, r.TopP, r.Effort = "m", 32000, new(0.7), new(0.9), "minimal"
	case "high":
		r.Temperature, r.TopP = new(3.0), new(2.0)
	case "effort":
		r.Effort = value
	case "reply":
		r.MaxTokens = n
	case "offering":
		r.Tools, r.Effort = []tool.Tool{{Name: "read", Description: "Reads."}}, ""
	case "cached":
		r.CacheMarks = []int{0}
	case "image":
		r.Messages[0].Parts = []history.Part{{Kind: history.ImagePart, MediaType: "image/png", Data: []byte("PNG")}}
	case "calls":
		r.Messages = append(group("c", "read", "{}", "x"), r.Messages...)
	case "signed":
		r.Messages = append(r.Messages, signed(of)...)
	case "reasoned":
		r.Messages = append(r.Messages, reasoned(of)...)
	default:
		return false
	}
	return true
}

// key replaces the usual key of the endpoint.
func (x *exchange) key(kind string) {
	e := &x.endpoint
	later := func(key keys.Secret, err error) {
		e.StoredKey = keys.NewLazySecret(func(context.Context) (keys.Secret, error) { return key, err })
	}
	if kind != "unset" && kind != "short" {
		e.KeyOrigin = keys.Origin{}
	}
	e.Key = map[string]keys.Secret{"short": "x", "unnamed": testKey, "config": testKey}[kind]
	switch kind {
	case "config":
		e.KeyOrigin.Kind = keys.Config
	case "storable":
		later("", nil)
	case "locked":
		later("", errors.New("it is locked"))
	case "stored":
		e.KeyOrigin.Kind = keys.Keyring
		later("sk-stored-123456", nil)
	}
}

// signed are answers with provider data. Decoding and encoding it again would change its values.
func signed(from history.Origin) []history.Message {
	return []history.Message{
		{
			Role: history.Assistant, Reasoning: "because", Origin: from,
			Replay: `{"reasoning_details":[{"b":1.0,"a":"\u003cx\u003e"}]}`,
			ToolCalls: []history.ToolCall{
				{ID: "a", Name: "f", Arguments: "{}", Replay: `{"extra_content":{"google":{"thought_signature":"Zm9v+/=<&>\/é"}}}`},
				{ID: "b", Name: "f", Arguments: "{}"},
			},
		},
		{Role: history.Tool, ToolCallID: "a", Content: "one"},
		{Role: history.Tool, ToolCallID: "b", Content: "two"},
		{Role: history.Assistant, Content: "done", Reasoning: "enough", Origin: from, Replay: `{"extra_content":7e400}`},
		{Role: history.User, Content: "thanks"},
	}
}

// reasoned is an answer of the Responses API with a call, and its result.
func reasoned(from history.Origin) []history.Message {
	const reasoning = `{"responses_reasoning":[{"type":"reasoning","encrypted_content":"%s"}]}`
	call := history.ToolCall{ID: "call_1", Name: "read", Arguments: "{}", Replay: fmt.Sprintf(reasoning, "f")}
	return []history.Message{
		{
			Role: history.Assistant, Content: "I look.", Origin: from, Replay: fmt.Sprintf(reasoning, "e<&>"),
			ToolCalls: []history.ToolCall{call},
		},
		{Role: history.Tool, ToolCallID: "call_1", Content: "ok"},
	}
}

// run sends the request and describes the result.
func (x *exchange) run(t *testing.T) string {
	server := script(x.steps...)
	x.endpoint.Doer = server
	c := NewClient(x.endpoint)
	var b strings.Builder
	var fault *Error
	waited, next, began := Retrying{}, x.request, time.Now()
	for event, err := range c.Stream(t.Context(), x.request) {
		if w, ok := event.(Retrying); ok {
			waited, next = w, *cmp.Or(w.Request, &next)
		}
		if b.WriteString(written(event)); err != nil && !errors.As(err, &fault) {
			t.Fatalf("%v is no *Error", err)
		}
	}
	took := time.Since(began)
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	if fault != nil {
		b.WriteString(errorText(fault))
		noKey(t, "the error", fmt.Sprintf("%v %s %s %+v", fault, fault.Message, fault.Body, fault.Err))
	}
	n := len(server.bodies)
	if n != 1 {
		fmt.Fprintf(&b, "%d requests%s\n", n, server.paths())
	}
	if took > 0 && (n == 1 || waited.Err.Wait > 0) { // Other waits are random.
		fmt.Fprintf(&b, "after %v\n", took)
	}
	if ways := c.Learned(x.request.Model).Describe(); len(ways) > 0 {
		fmt.Fprintf(&b, "learned: %s\n", strings.Join(ways, ", "))
	}
	differs := n > 1 && server.bodies[n-1] != server.bodies[0]
	if x.show || differs {
		fmt.Fprintf(&b, "sent: %s\n", server.bodies[n-1])
	}
	if differs {
		x.wantLearned(t, c, next, server.bodies[0], server.bodies[n-1])
	}
	if fault != nil && fault.Replan {
		x.wantNoOtherPlan(t, c)
	}
	return b.String()
}

// errorText describes an error.
func errorText(e *Error) string {
	line := string(e.Kind)
	for _, n := range []struct {
		name   string
		tokens int
	}{{"limit", e.Limit}, {"prompt", e.Prompt}, {"output", e.Output}} {
		if n.tokens > 0 {
			line += fmt.Sprintf(", %s %d", n.name, n.tokens)
		}
	}
	for _, fact := range []struct {
		holds bool
		words string
	}{
		{e.AtLeast, " or more"},
		{e.Retryable(), ", again"},
		{e.Replan, ", another plan"},
		{e.ToolCause != NotTools, ", tool calls " + string(e.ToolCause)},
	} {
		if fact.holds {
			line += fact.words
		}
	}
	return line + "\n" + e.Error() + "\n"
}

// noKey fails if text contains the key that a server sent back.
func noKey(t *testing.T, what, text string) {
	t.Helper()
	for _, secret := range []string{"planted-0123", "someone-elses", withKey.Replace("$BASE64")} {
		if strings.Contains(text, secret) {
			t.Errorf("%s shows the key %s: %.2000s", what, secret, text)
		}
	}
}

// wantLearned checks that what was learned applies to the next requests, and to those of a client that loads it, until
// it is forgotten. Requests to another model are not affected.
func (x *exchange) wantLearned(t *testing.T, c *Client, next Request, before, after string) {
	t.Helper()
	model := x.request.Model
	stored, err := json.Marshal(c.Learned(model))
	var learned Learned
	if err = errors.Join(err, json.Unmarshal(stored, &learned)); err != nil {
		t.Fatal(err)
	}
	told := NewClient(x.endpoint)
	told.Learn(model, learned)
	x.endpoint.Learned = c.AllLearned(model)
	wantText(t, "the client sends", bodyOf(t, c, next), after)
	wantText(t, "one that was told sends", bodyOf(t, told, next), after)
	wantText(t, "one that repeats it sends", bodyOf(t, NewClient(x.endpoint), next), after)
	other := x.request
	other.Model = "other"
	wantText(t, "another model", strings.Replace(bodyOf(t, c, other), `"other"`, `"`+model+`"`, 1), before)
	c.ForgetLearned(model)
	wantText(t, "after it was forgotten", bodyOf(t, c, x.request), before)
	if left := c.Learned(model); !reflect.DeepEqual(left, Learned{}) {
		t.Errorf("what is left is %+v", left)
	}
}

// wantNoOtherPlan checks that a second refusal does not ask for another plan, and that what was learned applies to this
// model only and to a client that loads it.
func (x *exchange) wantNoOtherPlan(t *testing.T, c *Client) {
	t.Helper()
	model := x.request.Model
	_, _, err := heard(c, x.request)
	if fault := new(Error); !errors.As(err, &fault) || fault.Replan {
		t.Errorf("the second time: %v, want an error that asks for nothing", err)
	}
	told := NewClient(x.endpoint)
	told.Learn(model, c.Learned(model))
	if got, want := told.Profile(model), c.Profile(model); got != want || c.Profile("another") != (history.Profile{}) {
		t.Errorf("a client that is told has the profile %+v, want %+v; another model has %+v", got, want, c.Profile("another"))
	}
}

func bodyOf(t *testing.T, c *Client, r Request) string {
	t.Helper()
	body, err := c.RequestBody(r)
	if err != nil {
		t.Fatalf("Body: %v", err)
	}
	return string(body)
}

// A missing list of models is not reported as a missing model.
func TestAListThatIsMissingIsNamed(t *testing.T) {
	_, err := script(step{status: http.StatusNotFound, say: []string{"Cannot GET /v1/models"}}).client().Models(t.Context())
	wantText(t, "sentence", fmt.Sprint(err),
		"https://api.openai.com/v1 does not provide this API (404): Cannot GET /v1/models. Check the base URL")
}
