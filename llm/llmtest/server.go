package llmtest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Heard is a request that left.
type Heard struct {
	Method, Path string
	Body         string
	Asks         Stage // Window, Plan, Title, Summary or, for an answer, Text
}

// Faulty is a server in the same process that acts out one fault at one stage, and answers everything else soundly.
// It is what does the HTTP of an endpoint, so that it sees what leaves even where there is no connection.
type Faulty struct {
	// Over is a client for connections that dial opens, as winnow makes them.
	Over func(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Client
	// Asks says what a request for an answer is for: Title, Summary or Text.
	Asks func(body string) Stage

	Fault Fault
	Stage Stage

	mu    sync.Mutex
	heard []Heard
	hits  int
	over  bool // the fault has passed
}

// Heal ends the fault: from now on everything is answered soundly.
func (s *Faulty) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
}

// Change gives the server another fault, which has not passed yet.
func (s *Faulty) Change(fault Fault, stage Stage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Fault, s.Stage, s.hits, s.over = fault, stage, 0, false
}

// Heard lists the requests that left, in their order.
func (s *Faulty) Heard() []Heard {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Heard(nil), s.heard...)
}

// Do takes a request as the network would.
func (s *Faulty) Do(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err // It was stopped before it left.
	}
	heard := Heard{Method: req.Method, Path: req.URL.Path}
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		heard.Body = string(body)
		req.Body = io.NopCloser(strings.NewReader(heard.Body))
	}
	heard.Asks = s.asks(heard)
	now := s.hit(heard)
	if now.Conn == nil && req.URL.Scheme == "https" {
		req = req.Clone(req.Context())
		req.URL.Scheme = "http" // A sound answer needs no encryption here.
	}
	client := s.Over(func(ctx context.Context, _, _ string) (net.Conn, error) {
		if now.Dial != nil {
			return nil, waitFor(ctx, now.After, now.Dial)
		}
		here, there := pipe()
		go s.serve(there, now, heard)
		return here, nil
	})
	// One connection for each request, so that a fault hits that one.
	client.Transport.(*http.Transport).DisableKeepAlives = true
	return client.Do(req)
}

// waitFor is an error that takes its time.
func waitFor(ctx context.Context, d time.Duration, err error) error {
	select {
	case <-time.After(d):
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// asks says what a request is for.
func (s *Faulty) asks(h Heard) Stage {
	switch {
	case h.Method == http.MethodGet:
		return Window
	case strings.HasSuffix(h.Path, "/apply-template"), strings.HasSuffix(h.Path, "/tokenize"):
		return Plan
	}
	return s.Asks(h.Body)
}

// hit notes a request and gives the fault that hits it, if one does.
func (s *Faulty) hit(h Heard) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = append(s.heard, h)
	stage := s.Stage
	switch stage {
	case Prices:
		stage = Window
	case Window, Plan, Title, Summary:
	default:
		stage = Text
	}
	if s.over || stage != h.Asks || !strings.Contains(h.Body, s.Fault.While) ||
		s.Stage == AfterTool && !answersTool(h.Body) {
		return Fault{}
	}
	if s.hits++; s.Fault.Times > 0 && s.hits > s.Fault.Times {
		return Fault{}
	}
	return s.Fault
}

// answersTool says that a request carries the result of the call that the server makes, in whatever form.
func answersTool(body string) bool {
	return strings.Contains(body, Result) || strings.Contains(body, "error: no such tool: "+Tool) ||
		strings.LastIndex(body, `"role":"tool"`) > strings.LastIndex(body, `"role":"user"`)
}

// serve answers one request.
func (s *Faulty) serve(c net.Conn, now Fault, h Heard) {
	defer c.Close()
	if now.Conn != nil {
		now.Conn(c)
		return
	}
	req, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	drain(req.Body)
	a := &answering{conn: c, heard: h}
	switch {
	case now.Status != 0:
		if waitFor(req.Context(), now.After, nil) == nil {
			a.head(now.Status, now.Header...)
			a.write(a.filled(now.Body))
			a.end(Closes)
		}
	case h.Asks == Window, h.Asks == Plan:
		a.document(now)
	case strings.HasSuffix(h.Path, "/responses"):
		a.head(http.StatusOK, "Content-Type", "text/event-stream")
		a.write(response)
		a.end(Closes)
	default:
		a.head(http.StatusOK, "Content-Type", "text/event-stream")
		s.answer(a, now)
	}
}

// answering writes one response. Whoever reads it may be gone: nothing is done about that.
type answering struct {
	conn  net.Conn
	heard Heard
	body  io.WriteCloser
}

func (a *answering) head(status int, header ...string) {
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\nTransfer-Encoding: chunked\r\n", status, http.StatusText(status))
	for i := 0; i+1 < len(header); i += 2 {
		fmt.Fprintf(&b, "%s: %s\r\n", textproto.CanonicalMIMEHeaderKey(header[i]), a.filled(header[i+1]))
	}
	write(a.conn, b.String()+"\r\n")
	a.body = httputil.NewChunkedWriter(a.conn)
}

// filled puts in what is known only now.
func (a *answering) filled(text string) string {
	soon := time.Now().Add(5 * time.Second)
	tokens := len(a.heard.Body) / 4
	return strings.NewReplacer(
		"{P}", strconv.Itoa(tokens), "{L}", strconv.Itoa(tokens*7/10),
		"{http-date}", soon.UTC().Format(http.TimeFormat), "{rfc3339}", soon.UTC().Format(time.RFC3339),
		"{epoch}", strconv.FormatInt(soon.Unix(), 10), "{epoch-ms}", strconv.FormatInt(soon.UnixMilli(), 10),
	).Replace(text)
}

func (a *answering) write(text string) {
	if text != "" {
		_, _ = io.WriteString(a.body, text)
	}
}

// end ends the response; it has to be called once.
func (a *answering) end(how Ending) {
	switch how {
	case Cuts:
		reset(a.conn)
	case Hangs:
		waitForClose(a.conn)
	default:
		_ = a.body.Close()
		write(a.conn, "\r\n")
	}
}

// document answers a question that is none for an answer, or gives the beginning of the fault's stream instead.
func (a *answering) document(now Fault) {
	text := `{"object":"list","data":[{"id":"m","object":"model","context_length":8192,` +
		`"pricing":{"prompt":"0.000001","completion":"0.000002"}}]}`
	switch {
	case strings.HasSuffix(a.heard.Path, "/apply-template"):
		text = `{"prompt":"all of it"}`
	case strings.HasSuffix(a.heard.Path, "/tokenize"):
		text = `{"tokens":[1,2,3]}`
	case !strings.HasSuffix(a.heard.Path, "/models"):
		a.head(http.StatusNotFound, "Content-Type", "application/json")
		a.write(`{"error":"not found"}`)
		a.end(Closes)
		return
	}
	a.head(http.StatusOK, "Content-Type", "application/json")
	if now.End == GoesOn {
		a.write(text)
		a.end(Closes)
		return
	}
	if !now.Whole {
		a.write(text[:len(text)/2])
	}
	a.write(now.Stream)
	a.end(now.End)
}

// answer writes an answer with the fault at its place.
func (s *Faulty) answer(a *answering, now Fault) {
	if now.Whole {
		a.write(a.filled(now.Stream))
		a.end(now.End)
		return
	}
	before, after := halves(s.stageOf(a.heard), answersTool(a.heard.Body), a.heard.Body)
	a.write(before)
	a.write(a.filled(now.Stream))
	if now.End != GoesOn {
		a.end(now.End)
		return
	}
	a.write(after)
	a.end(Closes)
}

// stageOf is the stage that decides what the answer to a request is.
func (s *Faulty) stageOf(h Heard) Stage {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || h.Asks == Title || h.Asks == Summary {
		return Text
	}
	return s.Stage
}

// halves are the parts of a sound answer before and after the moment of a stage. Where the stage is about tools, the
// answer to the user is a call.
func halves(stage Stage, answersTool bool, body string) (before, after string) {
	n := len(body) / 4
	text := chunk(`"content":"` + FirstHalf + `"`)
	rest := chunk(`"content":"` + SecondHalf + `"`)
	end := usage(n, 8) + done
	toCall := call(
		`"index":0,"id":"` + CallID + `","type":"function","function":{"name":"` + Tool + `","arguments":` +
			strconv.Quote(FirstArgument) + `}`,
	)
	restOfCall := call(`"index":0,"function":{"arguments":` + strconv.Quote(LastArgument) + `}`)
	switch {
	case stage == FirstByte:
		return "", text + rest + finished("stop") + end
	case stage == Reasoning:
		return chunk(`"reasoning_content":"` + Thought + `"`), chunk(`"reasoning_content":"`+SecondThought+`"`) + text +
			rest + finished("stop") + end
	case stage == Calls && !answersTool:
		return toCall, restOfCall + finished("tool_calls") + end
	case stage == AfterTool && !answersTool:
		return toCall + restOfCall, finished("tool_calls") + end
	case stage == End:
		return text + rest + finished("stop"), end
	}
	return text, rest + finished("stop") + end
}
