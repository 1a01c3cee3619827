package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"winnow/llm"
	"winnow/session/store"
	"winnow/session/target"
)

// begin is the model that a conversation starts with. Where there is no such model the conversation has none that
// may be asked, and keeps the name.
func (d Deps) begin(ref string) *target.Model {
	to, err := d.target(ref)
	if err == nil {
		return to
	}
	endpoint, model, _ := strings.Cut(strings.TrimSpace(ref), "/")
	if ref == "" {
		err = errors.New("no model is chosen for this session")
	}
	return target.NewUnready(d.forModel(d.Sampling), endpoint, model,
		fmt.Errorf("%w; /model or -m chooses another model", err))
}

// modelOf is the model of a reference, which is known where it was asked or considered before: then what was learned of
// it since is not lost.
func (s *Session) modelOf(ref string) (to *target.Model, known bool, err error) {
	if to, err = s.deps.target(ref); err != nil {
		return nil, false, err
	}
	s.set(func(st *state) {
		if was := st.models[to.Ref()]; was != nil && was.Same(to) {
			to, known = was, true
		}
	})
	return to, known, nil
}

// find is modelOf for a reference as the catalog's Find takes it. The model is known from now on.
func (s *Session) find(ctx context.Context, ref, endpoint string) (*target.Model, error) {
	found, err := s.deps.Models.Find(ctx, ref, endpoint)
	if err != nil {
		return nil, err
	}
	to, _, err := s.modelOf(found)
	if err == nil {
		s.set(func(st *state) { st.models[to.Ref()] = to })
	}
	return to, err
}

// SetModel asks another model from the next turn on. A reference that the catalog's Find does not know
// changes nothing; a model without an endpoint is looked for in the list of the endpoint in use. A history that cannot
// be written does not keep the choice, which holds for this window all the same.
func (s *Session) SetModel(ctx context.Context, ref string) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	to, err := s.find(ctx, ref, s.Model().Client.Endpoint().Name)
	if err != nil {
		return err
	}
	if e := to.Client.Endpoint(); e.Dated && strings.EqualFold(strings.TrimSuffix(ref, "/"), e.Name) {
		to.Date() // The user named the service alone, and has its default.
	}
	if err := s.Apply(ctx, Trial{Model: to.Ref()}); err != nil {
		return err
	}
	return s.Model().Find(ctx)
}

// lend has the turn ask another model until back is called. What is learned of it is kept for later turns.
func (t *turn) lend(ctx context.Context, ref string) (back func(), err error) {
	to, err := t.find(ctx, ref, t.Model().Client.Endpoint().Name)
	if err != nil || to == t.Model() {
		return func() {}, err
	}
	t.lent = to
	past := t.before.Lend(to.Ref())
	return func() {
		to.FreeReply()
		past()
	}, nil
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
	s.model = to
	s.before.Use(to.Ref())
	s.models[to.Ref()] = to
	s.row.Endpoint, s.row.Model = to.Client.Endpoint().Name, to.Name
	s.system = s.deps.system(s.row)
}

// Reach asks the model's server for its list of models, and says why it cannot be talked to: nothing
// listens, it does not answer, or it refuses the key. A server without a list is no error. A model that
// is winnow's own default and not in the list is replaced by the nearest one that is, unless the
// conversation has begun; replaced then says so.
func (s *Session) Reach(ctx context.Context) (replaced string, err error) {
	st := s.now()
	to := st.model
	nearest, err := to.Reach(ctx, st.row.ID == "" || st.turn != nil)
	if nearest == "" || s.Model() != to {
		return "", err
	}
	endpoint := to.Client.Endpoint().Name
	if err := s.SetModel(ctx, endpoint+"/"+nearest); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s does not list %s, winnow's default model as of %s; using the nearest model that it lists: "+
		"%s/%s",
		endpoint, to.Name, llm.DefaultsDate, endpoint, nearest), nil
}

// LearnedOf is what was learned of how a model is asked.
func LearnedOf(ctx context.Context, st *store.Store, e llm.Endpoint, model string) (llm.Learned, error) {
	l, err := st.Endpoint(ctx, e.BaseURL, model)
	return target.Asked(l), err
}

// ListedWindows are what is known of the windows of models that their endpoints list: by the configuration, by
// what was set and learned, by what the servers state now, and by the models' names. One that would only be
// assumed is left empty. Without a store nothing was set or learned. The error is that of reading the store;
// the windows are what is known without it.
func ListedWindows(
	ctx context.Context, st *store.Store, endpoints []llm.Endpoint, list []llm.Model, now time.Time,
) ([]llm.Window, error) {
	named := make(map[string]llm.Endpoint, len(endpoints))
	for _, e := range endpoints {
		named[e.Name] = e
	}
	var failed error
	windows := make([]llm.Window, len(list))
	for i, m := range list {
		e, messages := named[m.Endpoint], m.Window
		var known store.Learned
		if st != nil && failed == nil {
			known, failed = st.Endpoint(ctx, e.BaseURL, m.ID)
		}
		if messages.At = known.StatedAt; messages.Tokens != known.Stated {
			messages.At = now
		}
		if found := target.KnownWindows(e, m.ID, known, messages).Window(); !found.Assumed {
			windows[i] = found
		}
	}
	return windows, failed
}
