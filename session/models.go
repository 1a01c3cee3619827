package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"winnow/llm"
	"winnow/llm/tool"
	"winnow/session/record"
	"winnow/session/target"
)

// modelDeps is what a model needs that is asked with these parameters.
func (s *Session) modelDeps(ask record.Sampling) target.Deps {
	return target.Deps{
		Store: s.deps.Store, Now: s.deps.Now, Log: s.deps.Log, Count: s.deps.Count,
		Ask: llm.Request{
			MaxTokens: ask.MaxTokens, Temperature: ask.Temperature, TopP: ask.TopP, Effort: ask.Effort,
		},
		Tools: s.deps.Tools, Off: func(t tool.Tool) bool { return s.Now().rules.Off(t) }, Limits: s.deps.ToolLimits,
	}
}

// target resolves the reference of a model that will be asked. What is known of one that was asked or considered before
// is not lost.
func (s *Session) target(ref string) (*target.Model, error) {
	client, name, err := s.deps.Models.ResolveAndAdd(ref)
	if err != nil {
		return nil, err
	}
	endpoint := client.Endpoint().Name
	made := s.modelDeps(s.deps.of(endpoint, name).Sampling)
	if endpoint != llm.GuideEndpoint { // The guide is no language model: it has no use for them.
		made.Tools = append(slices.Clone(made.Tools), s.own, s.deps.Builtin)
	}
	to := target.New(made, client, name)
	s.set(func(st *State) {
		if was := st.models[to.Ref()]; was != nil && was.Same(to) {
			to = was
		} else {
			st.models[to.Ref()] = to
		}
	})
	return to, nil
}

// begin is the model that a conversation starts with. Where there is no such model the conversation has none that
// may be asked, and keeps the name.
func (s *Session) begin(ref string) *target.Model {
	to, err := s.target(ref)
	if err == nil {
		return to
	}
	endpoint, model, _ := strings.Cut(strings.TrimSpace(ref), "/")
	if ref == "" {
		err = errors.New("no model is chosen for this session")
	}
	return target.NewUnready(s.modelDeps(s.deps.Sampling), endpoint, model,
		fmt.Errorf("%w; /model or -m chooses another model", err))
}

// find is the model of a reference as the catalog's Find takes it, from the list of the endpoint home where it names
// none.
func (s *Session) find(ctx context.Context, ref, home string) (*target.Model, error) {
	found, err := s.deps.Models.FindModel(ctx, ref, home)
	if err != nil {
		return nil, err
	}
	return s.target(found)
}

// Model is the model that the turn asks: the conversation's, or the one that is lent to the turn.
func (t *turn) Model() *target.Model {
	if t.lent != nil {
		return t.lent
	}
	return t.Session.Model()
}

// use makes another model that of the next request. The caller holds the lock.
func (s *Session) use(to *target.Model) {
	st := &s.state
	st.Model = to
	st.Row.Endpoint, st.Row.Model = to.Client.Endpoint().Name, to.Name
	st.System = s.deps.system(st.Row)
}

// Reach asks the model's server for its list of models, and says why it cannot be talked to: nothing listens, it does
// not answer, or it refuses the key. A server without a list is no error.
func (s *Session) Reach(ctx context.Context) error {
	to := s.Model()
	if to.Unready != nil {
		return nil
	}
	_, err := to.Client.Models(ctx)
	if fault, is := errors.AsType[*llm.Error](err); is && fault.Unavailable() {
		return err
	}
	return nil
}
