// Package target represents a model that requests go to, with what was learned about it: its window, how its server
// counts tokens, what the server refuses, and how long a reply may be. It does not plan requests and does not send
// those of a conversation.
package target

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/llm/tool"
	"winnow/session/store"
)

// Dependencies is what every Model needs.
type Dependencies struct {
	Store *store.Store
	Now   func() time.Time
	Log   *slog.Logger
	Count history.TokenCounter // counts tokens; nil for none
	Ask   llm.Request          // the parameters of requests: MaxTokens, Temperature, TopP and Effort

	Tools  []*tool.Toolbox      // tools that the model may call besides those of its endpoint
	Off    func(tool.Tool) bool // reports tools that may not be called; nil for none
	Limits tool.Limits          // for each call
}

// Model is a model that requests go to. It is safe for concurrent use.
type Model struct {
	Client      *llm.Client
	Name        string // its name at the endpoint
	Unavailable error  // why nothing may be asked of it, or nil

	deps Dependencies

	mu sync.Mutex
	known
}

// known is what is known about a model.
type known struct {
	window   llm.Window
	stated   llm.Window // the window that the server states now; 0 tokens if it does not
	ran      bool       // it has answered since its server was last asked for a window that it could not state
	ranWith  int        // the window that the server was asked to run it with when it last answered, 0 for none
	learned  store.ModelFacts
	shrunkTo int  // upper limit of a request in tokens, after refusals that named none; 0 for none
	inexact  bool // the endpoint was asked for an exact count and failed
	maxReply int  // reply tokens that the server has space for; 0 for as many as requested
	noticed  map[string]bool
	priced   []tool.Tool // the tools whose schemas were last counted
	toolCost int         // tokens of their schemas
	asText   textTrial

	ratios     []float64 // the server's tokens per counted token, for the last requests that it read whole
	limit      int       // upper limit of a request in tokens after a truncation; 0 for none
	cutRequest int64     // the last request that the server truncated
	cutShare   float64   // the server's count of it relative to winnow's; 0 after another count
}

// New returns a model of a client's endpoint, about which nothing is known yet.
func New(d Dependencies, client *llm.Client, name string) *Model {
	return &Model{Client: client, Name: name, deps: d}
}

// now returns what is known about the model.
func (m *Model) now() known {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known
}

// set changes what is known about the model.
func (m *Model) set(change func(*known)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.known)
}

// Address returns the URL of the model's endpoint without secrets.
func (m *Model) Address() string { return m.Client.Endpoint().DisplayURL() }

// NewUnavailable returns a stand-in for a model that cannot be asked; cause says why.
func NewUnavailable(d Dependencies, endpoint, name string, cause error) *Model {
	return &Model{Client: llm.NewUnavailableClient(endpoint, cause), Name: name, Unavailable: cause, deps: d}
}

// Ref returns the model's reference, "endpoint/model".
func (m *Model) Ref() string { return ModelRef(m.Client.Endpoint().Name, m.Name) }

// ModelRef returns "endpoint/model", or just the endpoint if no model is chosen.
func ModelRef(endpoint, model string) string { return strings.TrimSuffix(endpoint+"/"+model, "/") }

// Same reports whether both are the same model of the same endpoint.
func (m *Model) Same(other *Model) bool { return m.Client == other.Client && m.Name == other.Name }

// FirstNotice reports whether it is called for the first time with this notice.
func (m *Model) FirstNotice(what string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.noticed == nil {
		m.noticed = map[string]bool{}
	}
	again := m.noticed[what]
	m.noticed[what] = true
	return !again
}

// InputCost estimates the cost of a planned request without its answer and without cached tokens. It is exact only if
// the model is known to be free.
func (m *Model) InputCost(sum history.TokenSum) pricing.Cost {
	return m.Client.Cost(m.Name, pricing.NoUsage(), pricing.Usage{Prompt: sum.Tokens(sum.Total)})
}

// Request returns the request for a plan: its messages, the available tools and the parameters.
func (m *Model) Request(plan history.Plan) llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.deps.Ask
	r.Model, r.Messages, r.Tools, r.MaxTokens = m.Name, plan.Messages, m.tools(), m.maxTokens()
	r.Window = m.askedWindow()
	if m.priced != nil {
		r.Tools = m.priced // The plan counted these; the server may have changed its list since.
	}
	return r
}

// FillOptions sets the options of a plan that depend on the model.
func (m *Model) FillOptions(o *history.Options) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o.Policy.OutputReserve = m.outputReserve(o.Policy)
	o.Tools = m.toolTokens()
	o.Window, o.Limit, o.Ratio = m.window.Tokens, m.budget(), m.ratio()
	o.Profile, o.To = m.profile(m.known), m.Client.Origin(m.Name)
}

// Tools returns the tools that may be called: those of the model's endpoint and those for every model.
func (m *Model) Tools() tool.Set {
	boxes := append([]*tool.Toolbox{m.Client.Endpoint().Tools}, m.deps.Tools...)
	return tool.Set{Boxes: boxes, IsOff: m.deps.Off, Limits: m.deps.Limits}
}

// tools returns the tools that requests offer to the model.
func (m *Model) tools() []tool.Tool {
	if m.Client.Profile(m.Name).NoTools {
		return nil
	}
	return m.Tools().Tools()
}

// toolTokens returns the tokens of the tool schemas, which are counted again when they change. The caller holds the
// lock.
func (m *Model) toolTokens() int {
	tools := m.tools()
	same := func(a, b tool.Tool) bool {
		return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Parameters, b.Parameters)
	}
	if m.deps.Count != nil && !slices.EqualFunc(tools, m.priced, same) {
		m.priced, m.toolCost = tools, 0
		if len(tools) > 0 {
			m.toolCost = m.deps.Count(llm.ToolSchemas(tools))
		}
	}
	return m.toolCost
}

// SaveLearned stores what was learned about the model. Refusals that have no date yet are dated now.
func (m *Model) SaveLearned(ctx context.Context) error {
	asked := m.Client.Learned(m.Name)
	if len(asked.Describe()) > 0 && asked.Since.IsZero() {
		asked.Since = m.deps.Now()
		m.Client.Learn(m.Name, asked)
	}
	raw, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	m.mu.Lock()
	l := m.learned
	l.BaseURL, l.Model, l.Asked = m.Client.Endpoint().BaseURL, m.Name, raw
	l.Ratio, l.Samples = median(m.ratios), len(m.ratios)
	m.mu.Unlock()
	return m.deps.Store.UpdateModelFacts(ctx, l.BaseURL, l.Model, func(stored *store.ModelFacts) {
		l.Chosen, l.ChosenAt = stored.Chosen, stored.ChosenAt // set by the user
		*stored = l
	})
}

// LoadLearned returns what was learned about how to ask a model.
func LoadLearned(ctx context.Context, st *store.Store, e llm.Endpoint, model string) (llm.Learned, error) {
	l, err := st.ModelFacts(ctx, e.BaseURL, model)
	return ParseLearned(l), err
}

// ParseLearned returns how to ask a model, as stored. Invalid data is ignored and learned again.
func ParseLearned(l store.ModelFacts) llm.Learned {
	var asked llm.Learned
	if err := json.Unmarshal(l.Asked, &asked); err != nil {
		return llm.Learned{}
	}
	return asked
}

// LearnUnlistedName records that the server answers for a model name that its list lacks, and reports whether that is
// new.
func (m *Model) LearnUnlistedName() bool {
	if m.Client.Learned(m.Name).AnswersUnlisted || !m.Client.ListLacks(m.Name) {
		return false
	}
	m.Client.Learn(m.Name, llm.Learned{AnswersUnlisted: true})
	return true
}

// refusalLifetime is how long winnow does not send again what a server refused. The server may have been fixed or
// configured differently since.
const refusalLifetime = 7 * 24 * time.Hour

// ForgetExpired forgets refusals older than refusalLifetime and returns them. The result is zero if there were none.
func (m *Model) ForgetExpired() (old llm.Learned) {
	l := m.Client.Learned(m.Name)
	if l.Since.IsZero() || m.deps.Now().Sub(l.Since) < refusalLifetime {
		return llm.Learned{}
	}
	m.Client.ForgetLearned(m.Name)
	return l
}
