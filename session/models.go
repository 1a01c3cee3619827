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

// modelDeps returns the dependencies of a model with these parameters.
func (s *Session) modelDeps(ask record.Sampling) target.Dependencies {
	return target.Dependencies{
		Store: s.deps.Store, Now: s.deps.Now, Log: s.deps.Log, Count: s.deps.Count,
		Ask: llm.Request{
			MaxTokens: ask.MaxTokens, Temperature: ask.Temperature, TopP: ask.TopP, Effort: ask.Effort,
		},
		Tools: s.deps.Tools, Off: func(t tool.Tool) bool { return s.State().rules.IsOff(t) }, Limits: s.deps.ToolLimits,
	}
}

// target resolves a reference to a model. A model that was used or tried before keeps what is known of it.
func (s *Session) target(ref string) (*target.Model, error) {
	client, name, err := s.deps.Models.ResolveAndAdd(ref)
	if err != nil {
		return nil, err
	}
	endpoint := client.Endpoint().Name
	made := s.modelDeps(s.deps.defaultsFor(endpoint, name).Sampling)
	if endpoint != llm.GuideEndpoint { // the guide is not a language model and calls no tools
		made.Tools = append(slices.Clone(made.Tools), s.ownTools, s.deps.BuiltinTools)
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

// begin returns the model that a conversation starts with. If ref names no model, it returns one that keeps the name
// and cannot be used.
func (s *Session) begin(ref string) *target.Model {
	to, err := s.target(ref)
	if err == nil {
		return to
	}
	endpoint, model, _ := strings.Cut(strings.TrimSpace(ref), "/")
	if ref == "" {
		err = errors.New("no model is chosen for this chat")
	}
	return target.NewUnavailable(s.modelDeps(s.deps.Sampling), endpoint, model,
		fmt.Errorf("%w; /model or -m chooses another model", err))
}

// find resolves a reference as llm.Catalog.Find does. References without an endpoint are looked up in the list of the
// endpoint home.
func (s *Session) find(ctx context.Context, ref, home string) (*target.Model, error) {
	found, err := s.deps.Models.FindModel(ctx, ref, home)
	if err != nil {
		return nil, err
	}
	return s.target(found)
}

// Model returns the model that the turn asks.
func (t *turn) Model() *target.Model {
	if t.otherModel != nil {
		return t.otherModel
	}
	return t.Session.Model()
}

// setModel changes the model of the next request. The caller holds mu.
func (s *Session) setModel(to *target.Model) {
	st := &s.state
	st.Model = to
	st.Row.Endpoint, st.Row.Model = to.Client.Endpoint().Name, to.Name
	st.System = s.deps.systemPrompt(st.Row)
}

// CheckServer asks the model's server for its list of models. It returns an error if the server does not listen, does
// not answer or refuses the key. A server without such a list is fine.
func (s *Session) CheckServer(ctx context.Context) error {
	to := s.Model()
	if to.Unavailable != nil {
		return nil
	}
	_, err := to.Client.Models(ctx)
	if fault, is := errors.AsType[*llm.Error](err); is && fault.Unavailable() {
		return err
	}
	return nil
}
