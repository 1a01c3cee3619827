package cli

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/llmtest"
	"winnow/llm/tokenizer"
	"winnow/session"
	"winnow/session/sessiontest"
	"winnow/session/store"
	"winnow/session/store/storetest"
)

// strictEndpoint is an endpoint as winnow sets it up, and the server that stands in its place.
type strictEndpoint struct {
	profile  llmtest.Profile
	endpoint llm.Endpoint
	refusals []int // the statuses with which it teaches winnow the form that it wants
	again    int   // how many of them change the plan, which is said

	knows *llm.Learned // what they teach of the model m, nil for nothing
}

// strictEndpoints are those of every kind of server. What is not known of one before it has refused a
// request is that DeepSeek sees no images and its model thinks, that a host of Anthropic's wants tools
// offered, which template llama.cpp serves, and that a stranger is a Mistral.
func strictEndpoints() []*strictEndpoint {
	hosted := map[string]llm.Endpoint{}
	for _, e := range llm.FromEnv(func(name string) string {
		return strings.Repeat("k", strings.Count(name, "_API_KEY"))
	}) {
		hosted[e.Name] = e
	}
	local, stranger := llm.Endpoint{Name: "llamacpp"}, llm.Endpoint{Name: "stranger"}
	profile := func(p history.Profile) *llm.Learned { return &llm.Learned{Profile: p} }
	return []*strictEndpoint{
		{llmtest.Strictest, stranger, nil, 0, nil},
		{llmtest.OpenAI, hosted["openai"], nil, 0, nil},
		{llmtest.Responses, llm.Endpoint{Name: "responder", Wire: llm.ResponsesWire}, nil, 0, nil},
		// That it speaks Responses changes no plan either.
		{llmtest.Responses, stranger, []int{404}, 0, &llm.Learned{Wire: llm.ResponsesWire}},
		{llmtest.LlamaCpp, local, nil, 0, nil},
		{llmtest.Alternate, local, []int{500}, 1, profile(history.Profile{MergeSameRole: true, NoToolToUser: true})},
		{llmtest.Toolless, local, []int{500, 500}, 2, profile(history.Profile{
			MergeSameRole: true, NoToolToUser: true, NoTools: true, ToolsAsText: true,
		})},
		{llmtest.Mistral, hosted["mistral"], nil, 0, nil},
		// Its first error is about a field, not about the plan.
		{llmtest.Mistral, stranger, []int{422, 400, 400}, 2, &llm.Learned{
			Without: []string{"stream_options"}, Profile: history.Profile{NoToolToUser: true, ToolIDLength: 9},
		}},
		{llmtest.DeepSeek, hosted["deepseek"], []int{400}, 1, profile(history.Profile{NoImages: true})},
		{llmtest.Thinking, hosted["deepseek"], []int{400, 400}, 2, profile(history.Profile{
			EchoReasoning: true, NoImages: true,
		})},
		{llmtest.Anthropic, hosted["anthropic"], nil, 0, nil},
		{llmtest.Offered, hosted["anthropic"], []int{400}, 1, profile(history.Profile{
			NoTools: true, ToolsAsText: true,
		})},
		{llmtest.Gemini, hosted["gemini"], nil, 0, nil},
		{llmtest.Signatures, hosted["gemini"], nil, 0, nil},
	}
}

// wantAnswer opens the session, looks at what would be sent, and sends it. What a refusal taught is
// said, and known to the winnow that comes after.
func (x *strictEndpoint) wantAnswer(t *testing.T, path, id string) {
	t.Helper()
	served := &watched{handler: llmtest.Strict(x.profile, "Bonjour.")}
	recorded, _ := storetest.Attempts(path)
	requests := &llmtest.Ledger{Unrecorded: -recorded} // those of other servers
	defer sessiontest.WantAnnounced(t, requests, path)
	server := httptest.NewServer(requests.Count(served))
	defer server.Close()
	x.endpoint.BaseURL, x.endpoint.Window = server.URL+"/v1", 128_000
	if said := x.ask(t, path, id, requests, "And what do you think?"); said != x.again {
		t.Errorf("winnow said %d times that it asks once more, want %d", said, x.again)
	}
	x.ask(t, path, id, requests, "And now?")
	if got, want := served.seen(), append(slices.Clone(x.refusals), 200, 200); !slices.Equal(got, want) {
		t.Errorf("the server answered two questions with %v, want %v", got, want)
	}
}

// ask opens the session anew and has one question answered. It gives how often winnow said that it
// asks once more.
func (x *strictEndpoint) ask(t *testing.T, path, id string, requests *llmtest.Ledger, question string) (again int) {
	t.Helper()
	kept, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	deps := session.Deps{
		Store: kept, Models: new(llm.Catalog).With(x.endpoint), Policy: policy, Count: tokenizer.New().Count,
		Observe: sessiontest.Observe(requests),
	}
	s, err := session.Open(t.Context(), deps, id, x.endpoint.Name+"/m")
	if err == nil {
		err = s.LoadRest(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	if plan, err := s.Preview(question); err != nil || len(plan.Entries) < 32 {
		t.Fatalf("a preview of %d entries: %v", len(plan.Entries), err)
	}
	for event := range s.Send(t.Context(), question) {
		switch e := event.(type) {
		case session.Notice:
			if strings.Contains(e.Text, "asking once more") {
				again++
			}
		case session.Finished:
			if e.Err != nil {
				t.Errorf("the turn failed: %v", e.Err)
			}
		}
	}
	messages := sessiontest.Messages(s.Branch())
	if last := messages[len(messages)-1]; last.Content != "Bonjour." || last.Status != history.Complete {
		t.Errorf("the answer is %q, %s; want the server's", last.Content, last.Status)
	}
	return again
}

// watched notes the statuses of a server's answers to chat requests.
type watched struct {
	handler http.Handler

	mu       sync.Mutex
	statuses []int
}

func (s *watched) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	got := httptest.NewRecorder()
	s.handler.ServeHTTP(got, r)
	if r.Method == http.MethodPost {
		s.mu.Lock()
		s.statuses = append(s.statuses, got.Code)
		s.mu.Unlock()
	}
	maps.Copy(w.Header(), got.Header())
	w.WriteHeader(got.Code)
	_, _ = w.Write(got.Body.Bytes())
}

func (s *watched) seen() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.statuses)
}
