package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"winnow/history"
	"winnow/session/settings"
	"winnow/session/store"
)

// Settings are what a conversation is set to, or what is tried out in its place. What is nil or "" stays.
type Settings struct {
	Title         *string // of the user's own, which no automatic title replaces
	System        *string // a system prompt of its own, be it none
	Model         string  // that is asked from the next turn on
	Window        *int    // of the model, in tokens and in every session; 0 finds it out
	Budget        *int    // of requests, in tokens; 0 is auto
	Preset        string  // by which requests are cut; the overrides go with it
	SummaryAlways *bool   // the summary that there is stands even where everything would fit
}

// on is a conversation's row with the settings, the model aside, and the keys of the policy that they set.
func (to Settings) on(row store.Session) (store.Session, []string, error) {
	if to.Title != nil {
		row.Title, row.TitleFrom = strings.TrimSpace(*to.Title), store.TitleUser
	}
	if to.System != nil {
		row.System, row.SystemFixed = *to.System, true
	}
	set := map[string]any{}
	if to.Budget != nil {
		if *to.Budget < 0 {
			return row, nil, fmt.Errorf("a budget of %d tokens is not possible; 0 is auto", *to.Budget)
		}
		set["budget"] = *to.Budget
	}
	if to.SummaryAlways != nil {
		set["summary_always"] = *to.SummaryAlways
	}
	keys := slices.Collect(maps.Keys(set))
	if to.Preset != "" {
		row.Preset, row.Overrides = to.Preset, ""
		keys = append(keys, "preset")
	}
	row, err := settings.With(row, set)
	return row, keys, err
}

// Try tries out other settings. A model among them that was not asked before may have it wait for the network.
func (s *Session) Try(ctx context.Context, to Settings) Tried {
	w := Tried{s: s, plans: &s.plans, State: s.Now()}
	w.To = w.Model
	if w.Err = w.set(ctx, to); w.Err != nil {
		w.To = w.Model
	}
	return w
}

// set sets what is tried.
func (w *Tried) set(ctx context.Context, to Settings) (err error) {
	if w.Row, w.keys, err = to.on(w.Row); err != nil {
		return err
	}
	if len(w.keys) > 0 {
		if w.Policy, err = w.s.deps.PolicyOf(w.Row, w.keys...); err != nil {
			return err
		}
	}
	if to.Model != "" {
		model, err := w.s.find(ctx, to.Model, w.Model.Client.Endpoint().Name)
		if err == nil {
			err = cmp.Or(model.Find(ctx), ctx.Err()) // an end of ctx leaves the window unknown
		}
		if err != nil {
			return err
		}
		w.Model, w.Row.Address = model, model.Address()
	}
	w.To = w.Model
	w.Row.Endpoint, w.Row.Model = w.To.Client.Endpoint().Name, w.To.Name
	w.System = w.s.deps.system(w.Row)
	if to.Window != nil {
		w.To, err = w.To.WithWindow(*to.Window)
	}
	return err
}

// Set sets the conversation: all of it in one transaction, or nothing where the error is not nil. A reference of a
// model that the catalog's Find does not know changes nothing; one without an endpoint is looked for in the list of the
// endpoint in use. A history that cannot be written does not keep the choice of a model, which holds for this window
// all the same.
func (s *Session) Set(ctx context.Context, to Settings) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	w := s.Try(ctx, to) // It may wait for the network, and nobody waits with it.
	if w.Err != nil {
		return w.Err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	was := s.Info()
	now, _, impossible := to.on(was)
	policy, invalid := s.deps.PolicyOf(now)
	if err := cmp.Or(impossible, s.deps.CheckFree(was, now), invalid); err != nil {
		return err
	}
	take := func(row *store.Session) {
		*row, _, _ = to.on(*row) // Try found no fault
		if to.Model != "" {
			row.Endpoint, row.Model, row.Address = w.Row.Endpoint, w.Row.Model, w.Row.Address
		}
	}
	if was.ID != "" {
		err := s.deps.Store.UpdateSession(ctx, was.ID, take)
		if err != nil && !(to == Settings{Model: to.Model} && errors.Is(err, store.ErrReadOnly)) {
			return err
		}
	}
	s.set(func(st *State) {
		if take(&st.Row); to.Model != "" {
			s.use(w.Model)
		}
		st.Policy, st.System = policy, s.deps.system(st.Row)
	})
	if to.Window == nil {
		return nil
	}
	return w.Model.SetWindow(ctx, *to.Window)
}

// Settings are what decides the next request, each with where it comes from: the model and the system
// prompt, which are the session's from its first request on, what is asked of the model beside the messages, and
// the keys of [context] in their order. What is tried comes from the trial.
func (w Tried) Settings() ([]settings.Setting, error) {
	if w.Err != nil {
		return nil, w.Err
	}
	keys, err := w.s.deps.Settings(w.Row, w.Policy, w.keys)
	if err != nil {
		return nil, err
	}
	of := w.s.deps.of(w.Row.Endpoint, w.Row.Model)
	model := settings.Setting{Key: "model", Value: w.To.Ref(), From: "configuration"}
	if w.Row.ID != "" {
		model.From = "session"
	}
	if w.Model != w.s.Model() {
		model.From = "trial"
	}
	system := settings.Setting{Key: "system", Value: "none", From: "configuration", Table: of.Tables["system"]}
	if w.Row.SystemFixed || w.Row.System != "" {
		system.From, system.Table = "session", ""
	}
	if w.System != "" {
		system.Value = fmt.Sprintf("%d characters", utf8.RuneCountInString(w.System))
	}
	list := []settings.Setting{model, system}
	add := func(key string, set bool, value any) {
		if set {
			list = append(list, settings.Setting{Key: key, Value: value, From: "configuration", Table: of.Tables[key]})
		}
	}
	asked := of.Sampling
	add("max_tokens", asked.MaxTokens > 0, asked.MaxTokens)
	add("temperature", asked.Temperature != nil, *cmp.Or(asked.Temperature, new(float64)))
	add("top_p", asked.TopP != nil, *cmp.Or(asked.TopP, new(float64)))
	add("effort", asked.Effort != "", asked.Effort)
	return append(list, keys...), nil
}

// SetFlags gives messages flags, "" for none: all of them, or none where the error is not nil. before has the flag that
// each message had of those that have another one now: to set it undoes this.
//
// Exclusion is set and taken back for a whole tool group, each of its messages: a branch that begins in front of
// a late result holds the call without it.
func (s *Session) SetFlags(
	ctx context.Context, flags map[int64]history.Flag,
) (before map[int64]history.Flag, err error) {
	all, st := maps.Clone(flags), s.Now()
	for id, f := range flags {
		for _, member := range s.Group(id) {
			_, said := flags[member]
			if !said && f != history.Pin && (f == history.Exclude || st.Flags[member] == history.Exclude) {
				all[member] = f
			}
		}
	}
	err = s.change(func(string) (err error) {
		before, err = s.deps.Store.SetFlags(ctx, all)
		return err
	}, func(st *State) {
		now := maps.Clone(st.Flags)
		maps.Copy(now, all)
		maps.DeleteFunc(now, func(_ int64, f history.Flag) bool { return f == "" })
		st.Flags = now
	})
	return before, err
}

// Group is the messages that are sent or left out together with this one, itself among them: a message
// that calls tools and the results of its calls, or the message alone. A flag on one of them holds for
// all, and so does a remedy. Of what cannot be planned yet, such as the running turn, each message is alone.
func (s *Session) Group(message int64) (list []int64) {
	st := s.Now()
	planned := st.Branch.Len()
	if st.Busy() {
		planned = max(0, st.Branch.Last(history.User)) // The turn begins there.
	}
	if at, there := st.Branch.Find(message); there && at < planned {
		_ = s.plans.reads(st, planned, func(c *history.Conversation) {
			for _, i := range c.Group(at) {
				list = append(list, st.Branch.ID(i))
			}
		})
	}
	if list == nil {
		return []int64{message}
	}
	return list
}

// SetRemedy has the damaged tool groups of some messages, or the damaged messages themselves, sent
// otherwise than repaired from the next request on; history.SendRepaired has them repaired again. It is kept for
// every message of each group, or for none where the error is not nil. A message that is sound may get
// a remedy too, and is sent as it is.
func (s *Session) SetRemedy(ctx context.Context, r history.Remedy, messages ...int64) error {
	groups := s.groups(messages)
	return s.change(func(string) error { return s.deps.Store.SetRemedies(ctx, r, groups...) },
		func(st *State) { st.Remedies = withRemedy(st.Remedies, r, groups) })
}

// groups are the messages of the groups of some messages.
func (s *Session) groups(messages []int64) (list []int64) {
	for _, id := range messages {
		list = append(list, s.Group(id)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// withRemedy are the remedies with another for some messages.
func withRemedy(before map[int64]history.Remedy, r history.Remedy, messages []int64) map[int64]history.Remedy {
	all := maps.Clone(before)
	for _, id := range messages {
		all[id] = r
	}
	maps.DeleteFunc(all, func(_ int64, r history.Remedy) bool { return r == history.SendRepaired })
	return all
}

// OtherAddressError says that the endpoint of a conversation is at another address than the one that its requests went
// to. None goes there before the user names the model again: to set the model agrees to the address.
type OtherAddressError struct {
	Endpoint string
	Was, Now string // addresses, without what may be secret in them
}

func (e *OtherAddressError) Error() string {
	return fmt.Sprintf("this chat was with %[1]s at %[2]s, and %[1]s is at %[3]s now", e.Endpoint, e.Was, e.Now)
}

// Ready says why no turn of the conversation's model can begin, nil where one can: why the model may not be asked, or
// an *OtherAddressError.
func (s *Session) Ready() error {
	st := s.Now()
	if st.Model.Unready != nil {
		return st.Model.Unready
	}
	if now := st.Model.Address(); st.Row.Address != "" && st.Row.Address != now {
		return &OtherAddressError{Endpoint: st.Row.Endpoint, Was: st.Row.Address, Now: now}
	}
	return nil
}
