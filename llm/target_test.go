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

// strictServer is an in-process server that refuses requests as the real one does.
type strictServer struct {
	handler http.Handler
	asked   int
	body    []byte // the body of the last request
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

// targetModel is the model of all targets.
const targetModel = "m"

// strictTarget is a kind of server, and the endpoint that winnow uses for it.
type strictTarget struct {
	profile  llmtest.Profile
	endpoint Endpoint
	keys     bool // its answers contain provider data
	reasons  bool // its answers contain encrypted reasoning
}

// mine returns messages in which the model's own answers have the target as their origin, and its provider data.
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

// reasoning replaces provider data by that of the Responses API, or removes it.
func (x strictTarget) reasoning(keys string) string {
	if keys == "" || !x.reasons {
		return ""
	}
	return `{"responses_reasoning":[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}],"responses_phase":"commentary"}`
}

// strictTargets returns a target for each profile.
func strictTargets() []strictTarget {
	hosted := map[string]Endpoint{}
	for _, e := range EndpointsFromEnv(func(name string) string {
		if strings.HasSuffix(name, "_API_KEY") {
			return "key"
		}
		return ""
	}) {
		hosted[e.Name] = e
	}
	local := Endpoint{Name: "llamacpp", BaseURL: "http://127.0.0.1:8080/v1"}
	inTurn := local
	inTurn.Profile = history.Profile{MergeSameRole: true, NoToolToUser: true}
	thinker := hosted["deepseek"]
	// learned from the first refusal
	texts := hosted["deepseek"]
	texts.Learned.Profile = history.Profile{NoImages: true}
	thinker.Learned.Profile = history.Profile{EchoReasoning: true, NoImages: true}
	unoffered := hosted["anthropic"]
	unoffered.Learned.Profile = history.Profile{NoTools: true, ToolsAsText: true}
	gemma := local
	gemma.Learned.Profile = history.Profile{MergeSameRole: true, NoToolToUser: true, NoTools: true, ToolsAsText: true}
	stranger := Endpoint{Name: "stranger", BaseURL: "http://127.0.0.1:1/v1", Learned: Learned{Without: []string{"stream_options"}, Profile: history.Profile{NoToolToUser: true, ToolIDLength: 9}}}
	return []strictTarget{
		{profile: llmtest.Strictest, endpoint: Endpoint{Name: "anywhere", BaseURL: "http://127.0.0.1:1/v1"}},
		{profile: llmtest.OpenAI, endpoint: hosted["openai"]},
		{profile: llmtest.Responses, endpoint: Endpoint{Name: "responder", BaseURL: "http://127.0.0.1:1/v1", Wire: ResponsesWire}, reasons: true},
		{profile: llmtest.LlamaCpp, endpoint: local},
		{profile: llmtest.LlamaCppAlternate, endpoint: inTurn},
		{profile: llmtest.LlamaCppToolless, endpoint: gemma},
		{profile: llmtest.Mistral, endpoint: hosted["mistral"]},
		{profile: llmtest.Mistral, endpoint: stranger},
		{profile: llmtest.DeepSeek, endpoint: texts},
		{profile: llmtest.DeepSeekThinking, endpoint: thinker},
		{profile: llmtest.Anthropic, endpoint: hosted["anthropic"]},
		{profile: llmtest.AnthropicOffered, endpoint: unoffered},
		{profile: llmtest.Gemini, endpoint: hosted["gemini"]},
		{profile: llmtest.GeminiSignatures, endpoint: hosted["gemini"], keys: true},
	}
}

// wantAccepted plans a request for the target and sends it. It returns an error if it was refused.
func (x strictTarget) wantAccepted(messages []history.Message, o history.Options) error {
	messages, o.Turn = x.mine(messages), x.mine(o.Turn)
	server := &strictServer{handler: llmtest.NewStrictServer(x.profile, "Hello.")}
	e := x.endpoint
	e.Doer, e.MaxAttempts = server, 1
	client := NewClient(e)
	o.Profile, o.To = client.Profile(targetModel), client.Origin(targetModel)
	if o.Profile.NoTools {
		o.Turn = o.Turn[:1] // A model without tools makes no calls in its own turn.
	}
	plan, err := history.Build(messages, o)
	var damaged *history.DamagedError
	if errors.As(err, &damaged) {
		return nil // with this policy nothing is sent
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
	body, err := client.RequestBody(r)
	if err != nil || reply.Text != "Hello." || server.asked != 1 || string(body) != string(server.body) {
		return fmt.Errorf("answer %q after %d requests (%v)", reply.Text, server.asked, err)
	}
	return nil
}
