package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"winnow/history"
	"winnow/llm/llmtest"
	"winnow/llm/tool"
)

// strictServer is a server in the same process that refuses as the real one does.
type strictServer struct {
	handler http.Handler
	asked   int
	body    []byte // of the last request
}

func (s *strictServer) Do(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	s.asked++
	s.body = body
	req.Body = io.NopCloser(strings.NewReader(string(body)))
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, req)
	return w.Result(), nil
}

// targetModel is the model that all targets are asked for.
const targetModel = "m"

// strictTarget is a server and an endpoint as winnow sets it up for that kind of server.
type strictTarget struct {
	profile  llmtest.Profile
	endpoint Endpoint
	keys     bool // its answers carry keys that it wants back
	reasons  bool // its answers carry reasoning that it wants back
}

// mine are messages whose own answers are those of the target, with the keys that it sends.
func (x strictTarget) mine(list []history.Message) []history.Message {
	list = slices.Clone(list)
	for i := range list {
		m := &list[i]
		if m.Origin == own {
			m.Origin.Endpoint = x.endpoint.Name
		}
		if x.keys {
			continue
		}
		m.Replay, m.ToolCalls = x.reasoning(m.Replay), slices.Clone(m.ToolCalls)
		for k := range m.ToolCalls {
			m.ToolCalls[k].Replay = x.reasoning(m.ToolCalls[k].Replay)
		}
	}
	return list
}

// reasoning is what an answer of the target carries in the place of keys.
func (x strictTarget) reasoning(keys string) string {
	if keys == "" || !x.reasons {
		return ""
	}
	return `{"responses_reasoning":[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}],"responses_phase":"commentary"}`
}

// strictTargets are all profiles, each with the endpoint that the catalog gives for it.
func strictTargets() []strictTarget {
	hosted := map[string]Endpoint{}
	for _, e := range FromEnv(func(name string) string {
		if strings.HasSuffix(name, "_API_KEY") {
			return "key"
		}
		return ""
	}) {
		hosted[e.Name] = e
	}
	local := Endpoint{Name: "llamacpp", BaseURL: "http://127.0.0.1:8080/v1"}
	inTurn := local
	inTurn.Profile = history.EndpointProfile{MergeSameRole: true, NoToolToUser: true}
	thinker := hosted["deepseek"]
	// Learned from the first refusal, then kept.
	texts := hosted["deepseek"]
	texts.Known.Profile = history.EndpointProfile{NoImages: true}
	thinker.Known.Profile = history.EndpointProfile{EchoReasoning: true, NoImages: true}
	unoffered := hosted["anthropic"]
	unoffered.Known.Profile = history.EndpointProfile{NoTools: true, ToolsAsText: true}
	gemma := local
	gemma.Known.Profile = history.EndpointProfile{MergeSameRole: true, NoToolToUser: true, NoTools: true, ToolsAsText: true}
	stranger := Endpoint{Name: "stranger", BaseURL: "http://127.0.0.1:1/v1", Known: Learned{Without: []string{"stream_options"}, Profile: history.EndpointProfile{NoToolToUser: true, ToolIDLength: 9}}}
	return []strictTarget{
		{profile: llmtest.Strictest, endpoint: Endpoint{Name: "anywhere", BaseURL: "http://127.0.0.1:1/v1"}},
		{profile: llmtest.OpenAI, endpoint: hosted["openai"]},
		{profile: llmtest.Responses, endpoint: Endpoint{Name: "responder", BaseURL: "http://127.0.0.1:1/v1", Wire: ResponsesWire}, reasons: true},
		{profile: llmtest.LlamaCpp, endpoint: local},
		{profile: llmtest.Alternate, endpoint: inTurn},
		{profile: llmtest.Toolless, endpoint: gemma},
		{profile: llmtest.Mistral, endpoint: hosted["mistral"]},
		{profile: llmtest.Mistral, endpoint: stranger},
		{profile: llmtest.DeepSeek, endpoint: texts},
		{profile: llmtest.Thinking, endpoint: thinker},
		{profile: llmtest.Anthropic, endpoint: hosted["anthropic"]},
		{profile: llmtest.Offered, endpoint: unoffered},
		{profile: llmtest.Gemini, endpoint: hosted["gemini"]},
		{profile: llmtest.Signatures, endpoint: hosted["gemini"], keys: true},
	}
}

// wantAccepted builds a request for the target, sends it, and says why it was not accepted.
func (x strictTarget) wantAccepted(messages []history.Message, o history.Options) error {
	messages, o.Turn = x.mine(messages), x.mine(o.Turn)
	server := &strictServer{handler: llmtest.Strict(x.profile, "Hello.")}
	e := x.endpoint
	e.Doer, e.Tries = server, 1
	client := NewClient(e)
	o.Profile, o.To = client.Profile(targetModel), client.Origin(targetModel)
	if o.Profile.NoTools {
		o.Turn = o.Turn[:1] // A model that takes no calls makes none in its own turn.
	}
	plan, err := history.Build(messages, o)
	var damaged *history.DamagedError
	if errors.As(err, &damaged) {
		return nil // the user wants nothing sent then
	}
	zero := 0.0
	r := Request{
		Model: targetModel, Messages: plan.Messages, MaxTokens: 100, Temperature: &zero,
	}
	if !o.Profile.NoTools {
		r.Tools = []tool.Tool{{Name: "read", Description: "reads a file", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}
	}
	var reply Reply
	for event, err := range client.Stream(context.Background(), r) {
		if err != nil {
			return fmt.Errorf("%w\n%.3000s", err, server.body)
		}
		reply.Add(event)
	}
	body, err := client.Body(r)
	if err != nil || reply.Text != "Hello." || server.asked != 1 || string(body) != string(server.body) {
		return fmt.Errorf("answer %q after %d requests (%v)", reply.Text, server.asked, err)
	}
	return nil
}
