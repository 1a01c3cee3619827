package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"winnow/history"
	"winnow/llm"
	"winnow/session/calibration"
	"winnow/session/store"
)

// target is a model that requests go to, with what is known of it.
type target struct {
	client    *llm.Client
	model     string // as the endpoint knows it
	dated     bool   // it is winnow's own default, and the server was not asked yet whether it has it
	unready   error  // why nothing may be asked of it, nil where it may
	window    llm.Window
	stated    llm.Window // what the server says of its window now, without tokens where it does not
	ran       bool       // it answered since its server was asked for a window that it could not say
	learned   store.Learned
	shrunkTo  int  // the most tokens of a request, after refusals that named none; 0 is none
	inexact   bool // the endpoint was asked for exact counts and could not answer
	replyMost int  // tokens of a reply that the server has room for, 0 for as many as are asked
	lowered   int  // the window for which it was said that max_tokens is lowered
	toolCost  int  // tokens of the endpoint's tool schemas, 0 before they were counted
	asText    textTrial

	counts     calibration.Calibration // what the server counts of this conversation's requests
	countsRead bool                    // counts knows the requests that are stored
	unread     []int64                 // the last requests of which the server read only a part
}

// target resolves a model's reference. Nothing is known of the model yet.
func (d Deps) target(ref string) (target, error) {
	client, model, err := d.Models.Resolve(ref)
	return target{client: client, model: model}, err
}

// ref names the model, "endpoint/model".
func (to target) ref() string { return fullRef(to.client.Endpoint().Name, to.model) }

// same says that it is the same model of the same endpoint, whatever is known of it.
func (to target) same(other target) bool { return to.client == other.client && to.model == other.model }

// begin makes the model of a reference the one that the conversation starts with. Where there is no such
// model the conversation has none that may be asked, and keeps the name.
func (s *Session) begin(ref string) {
	err := s.useModel(ref)
	if err == nil {
		return
	}
	endpoint, model, _ := strings.Cut(strings.TrimSpace(ref), "/")
	if ref == "" {
		err = errors.New("no model is chosen for this session")
	}
	err = fmt.Errorf("%w; /model or -m chooses another model", err)
	s.use(target{client: llm.NewClosedClient(endpoint, err), model: model, unready: err})
}

// Unready says why no turn can begin: the conversation's model or its endpoint is not there. It is nil
// where one can.
func (s *Session) Unready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unready
}

// SetModel asks another model from the next turn on. A reference that the catalog's FindListed does not know
// changes nothing; a model without an endpoint is looked for in the list of the endpoint in use. A history that cannot be
// written does not keep the choice, which holds for this window all the same.
func (s *Session) SetModel(ctx context.Context, ref string) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	s.mu.Lock()
	home := s.client.Endpoint().Name
	s.mu.Unlock()
	found, err := s.deps.Models.FindListed(ctx, ref, home)
	if err != nil {
		return err
	}
	if err := s.keepModel(ctx, found); err != nil {
		return err
	}
	return s.findWindow(ctx)
}

func (s *Session) keepModel(ctx context.Context, ref string) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	to, err := s.deps.target(ref)
	if err != nil {
		return err
	}
	row := s.Info()
	row.Endpoint, row.Model = to.client.Endpoint().Name, to.model
	return s.configure(ctx, to, row, s.Policy())
}

// configure stores a conversation's model and settings and makes them those of the next request: all of
// them, or none where the error is not nil. A history that cannot be written does not keep the choice of a
// model, which holds for this window all the same. The caller holds the lock of writing.
func (s *Session) configure(ctx context.Context, to target, row store.Session, policy history.Policy) error {
	was := s.Info()
	if err := s.deps.free(was, row); err != nil {
		return err
	}
	if row.ID != "" {
		err := s.deps.Store.Configure(ctx, row)
		otherModel := row.Preset == was.Preset && row.Overrides == was.Overrides
		if err != nil && !(otherModel && errors.Is(err, store.ErrReadOnly)) {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.row.Preset, s.row.Overrides, s.policy = row.Preset, row.Overrides, policy
	if !s.target.same(to) {
		s.use(to)
	}
	return nil
}

// useModel resolves ref and makes it the model of the next request.
func (s *Session) useModel(ref string) error {
	to, err := s.deps.target(ref)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.use(to)
	return nil
}

// use makes to the model of the next request. The caller holds the lock.
func (s *Session) use(to target) {
	s.target, s.before.shortfall = to, nil
	delete(s.considered, to.ref()) // From now on more may be learned of it.
	s.row.Endpoint, s.row.Model = to.client.Endpoint().Name, to.model
}

// Reach asks the model's server for its list of models, and says why it cannot be talked to: nothing
// listens, it does not answer, or it refuses the key. A server without a list is no error. A model that
// is winnow's own default and not in the list is replaced by the nearest one that is, unless the
// conversation has begun; replaced then says so.
func (s *Session) Reach(ctx context.Context) (replaced string, err error) {
	s.mu.Lock()
	to, begun := s.target, s.row.ID != "" && s.turn == nil
	s.mu.Unlock()
	if to.unready != nil {
		return "", nil // Unready says it.
	}
	models, err := to.client.Models(ctx)
	var fault *llm.Error
	switch {
	case errors.As(err, &fault) && fault.Unreached():
		return "", err
	case err != nil || !to.dated || begun:
		return "", nil
	}
	current, ok := llm.Current(to.model, models)
	s.mu.Lock()
	s.dated = s.dated && !s.target.same(to)
	changed := !s.target.same(to)
	s.mu.Unlock()
	if !ok || changed || current == to.model {
		return "", nil
	}
	endpoint := to.client.Endpoint().Name
	if err := s.SetModel(ctx, endpoint+"/"+current); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s does not list %s, winnow's default model as of %s; this session asks the nearest that it lists: %s/%s",
		endpoint, to.model, llm.DefaultsDate, endpoint, current), nil
}
