// Package target is a model that requests go to, with what was learned of it: its window, what its server counts
// and refuses, how long a reply it has room for. It plans no request and sends none of a conversation.
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

// Deps is what every model needs.
type Dependencies struct {
	Store *store.Store
	Now   func() time.Time
	Log   *slog.Logger
	Count history.TokenCounter // counts tokens; nil counts none
	Ask   llm.Request          // what is asked beside the messages: MaxTokens, Temperature, TopP, Effort

	Tools  []*tool.Toolbox      // what the model may call beside the tools of its endpoint
	Off    func(tool.Tool) bool // the tools that may not be called; nil is none
	Limits tool.Limits          // of each call
}

// Model is a model that a conversation's requests go to. Its methods may be called from several goroutines.
type Model struct {
	Client      *llm.Client
	Name        string // as the endpoint knows it
	Unavailable error  // why nothing may be asked of it, nil where it may

	deps Dependencies

	mu sync.Mutex
	known
}

// known is what is known of a model.
type known struct {
	window   llm.Window
	stated   llm.Window // what the server says of its window now, without tokens where it does not
	ran      bool       // it answered since its server was asked for a window that it could not say
	ranWith  int        // the window that its server was asked to run it with when it answered, 0 for none
	learned  store.Learned
	shrunkTo int  // the most tokens of a request, after refusals that named none; 0 is none
	inexact  bool // the endpoint was asked for exact counts and could not answer
	maxReply int  // tokens of a reply that the server has room for, 0 for as many as are asked
	noticed  map[string]bool
	priced   []tool.Tool // the tools whose schemas were counted last
	toolCost int         // the tokens of their schemas
	asText   textTrial

	ratios     []float64 // the server's tokens for each of ours in the last requests that it read whole
	limit      int       // the most tokens of a request until the server states its window, after a cut; 0 is none
	cutRequest int64     // the last request of which the server read only a part
	cutShare   float64   // the server's count of it as a share of ours, 0 where another one was counted since
}

// New is a model of a client's endpoint,, of which nothing is known yet.
func New(d Dependencies, client *llm.Client, name string) *Model {
	return &Model{Client: client, Name: name, deps: d}
}

// now is what is known of the model now.
func (m *Model) now() known {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known
}

// set changes what is known of the model.
func (m *Model) set(change func(*known)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.known)
}

// Address is where the model is asked, without what may be secret in it.
func (m *Model) Address() string { return m.Client.Endpoint().ShownURL() }

// NewUnready is in the place of a model that cannot be asked, and of its endpoint.
func NewUnavailable(d Dependencies, endpoint, name string, cause error) *Model {
	return &Model{Client: llm.NewClosedClient(endpoint, cause), Name: name, Unavailable: cause, deps: d}
}

// Ref names the model, "endpoint/model", without the slash where no model is chosen.
func (m *Model) Ref() string { return ModelRef(m.Client.Endpoint().Name, m.Name) }

// Ref is a model's reference, without the slash where no model is chosen.
func ModelRef(endpoint, model string) string { return strings.TrimSuffix(endpoint+"/"+model, "/") }

// Same says that it is the same model of the same endpoint, whatever is known of it.
func (m *Model) Same(other *Model) bool { return m.Client == other.Client && m.Name == other.Name }

// SayOnce notes that something is said about the model, and is true the first time.
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

// InputCost is what a plan's request would cost before a word of its answer, if the server had nothing of it in its
// cache. It is an estimate, unless the model is known to be free.
func (m *Model) InputCost(sum history.TokenSum) pricing.Cost {
	return m.Client.Cost(m.Name, pricing.NoUsage(), pricing.Usage{Prompt: sum.Tokens(sum.Total)})
}

// Request is what goes to the model: the plan's messages, the tools it may call and what is asked beside them.
func (m *Model) Request(plan history.Plan) llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.deps.Ask
	r.Model, r.Messages, r.Tools, r.MaxTokens = m.Name, plan.Messages, m.tools(), m.maxTokens()
	r.Window = m.askedWindow()
	if m.priced != nil {
		r.Tools = m.priced // The plan counted these: a server may have changed its list since.
	}
	return r
}

// Fill sets what the model decides of the options of a plan.
func (m *Model) FillOptions(o *history.Options) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o.Policy.OutputReserve = m.outputReserve(o.Policy)
	o.Tools = m.toolTokens()
	o.Window, o.Limit, o.Ratio = m.window.Tokens, m.budget(), m.ratio()
	o.Profile, o.To = m.profile(m.known), m.Client.Origin(m.Name)
}

// Tools are the tools that may be called: those of the model's endpoint and those that every model is offered.
func (m *Model) Tools() tool.Set {
	boxes := append([]*tool.Toolbox{m.Client.Endpoint().Tools}, m.deps.Tools...)
	return tool.Set{Boxes: boxes, Off: m.deps.Off, Limits: m.deps.Limits}
}

// tools are the tools that requests offer to the model.
func (m *Model) tools() []tool.Tool {
	if m.Client.Profile(m.Name).NoTools {
		return nil
	}
	return m.Tools().Tools()
}

// toolTokens is what the tool schemas cost. They are counted where they changed. The caller holds the lock.
func (m *Model) toolTokens() int {
	tools := m.tools()
	same := func(a, b tool.Tool) bool {
		return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Parameters, b.Parameters)
	}
	if m.deps.Count != nil && !slices.EqualFunc(tools, m.priced, same) {
		m.priced, m.toolCost = tools, 0
		if len(tools) > 0 {
			m.toolCost = m.deps.Count(llm.Schemas(tools))
		}
	}
	return m.toolCost
}

// Learn keeps what was learned of the model. What its server refused first since it was forgotten is dated: now.
func (m *Model) SaveLearned(ctx context.Context) error {
	asked := m.Client.Learned(m.Name)
	if len(asked.Ways()) > 0 && asked.Since.IsZero() {
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
	return m.deps.Store.Learn(ctx, l.BaseURL, l.Model, func(stored *store.Learned) {
		l.Chosen, l.ChosenAt = stored.Chosen, stored.ChosenAt // the user's
		*stored = l
	})
}

// LearnedOf is what was learned of how a model is asked.
func LoadLearned(ctx context.Context, st *store.Store, e llm.Endpoint, model string) (llm.Learned, error) {
	l, err := st.Endpoint(ctx, e.BaseURL, model)
	return ParseLearned(l), err
}

// Asked is how a model is asked, as it was stored. What cannot be read is learned again.
func ParseLearned(l store.Learned) llm.Learned {
	var asked llm.Learned
	if err := json.Unmarshal(l.Asked, &asked); err != nil {
		return llm.Learned{}
	}
	return asked
}

// LearnName learns that the server answered for a name that its list of models lacks, and says whether that is news.
func (m *Model) LearnUnlistedName() bool {
	if m.Client.Learned(m.Name).AnyName || !m.Client.Unlisted(m.Name) {
		return false
	}
	m.Client.Learn(m.Name, llm.Learned{AnyName: true})
	return true
}

// holds is how long what a server refused is not sent again: it may have been repaired or set up otherwise since.
const refusalLifetime = 7 * 24 * time.Hour

// Expire forgets what the model's server refused longer ago than it holds, and returns it. Its ways are none where
// there is nothing to forget.
func (m *Model) ForgetExpired() (old llm.Learned) {
	l := m.Client.Learned(m.Name)
	if l.Since.IsZero() || m.deps.Now().Sub(l.Since) < refusalLifetime {
		return llm.Learned{}
	}
	m.Client.Forget(m.Name)
	return l
}
