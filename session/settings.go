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

// Settings are changes to the settings of a conversation. Fields that are nil or "" leave a setting as it is.
type Settings struct {
	Title         *string // the user's own title, which no automatic title replaces
	System        *string // the conversation's own system prompt; may be empty
	Model         string  // a reference, for the turns that follow
	Window        *int    // of the model, in tokens and for every session; 0 means to find it out
	Budget        *int    // of each request, in tokens; 0 means auto
	Preset        string  // name of a policy; resets the overrides
	SummaryAlways *bool   // send an existing summary even if all messages would fit
}

// applyTo returns row with the settings except for the model, and the keys of the policy that they set.
func (to Settings) applyTo(row store.Session) (store.Session, []string, error) {
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
	row, err := settings.WithOverrides(row, set)
	return row, keys, err
}

// Try returns the conversation with other settings, without changing it. It may wait for the network if the settings
// name a model that was not used before.
func (s *Session) Try(ctx context.Context, to Settings) Trial {
	w := Trial{s: s, plans: &s.plans, State: s.State()}
	w.Target = w.Model
	if w.Err = w.set(ctx, to); w.Err != nil {
		w.Target = w.Model
	}
	return w
}

// set applies the settings to the trial.
func (w *Trial) set(ctx context.Context, to Settings) (err error) {
	if w.Row, w.keys, err = to.applyTo(w.Row); err != nil {
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
			err = cmp.Or(model.FindWindow(ctx), ctx.Err()) // if ctx ends, the window stays unknown
		}
		if err != nil {
			return err
		}
		w.Model, w.Row.Address = model, model.Address()
	}
	w.Target = w.Model
	w.Row.Endpoint, w.Row.Model = w.Target.Client.Endpoint().Name, w.Target.Name
	w.System = w.s.deps.systemPrompt(w.Row)
	if to.Window != nil {
		w.Target, err = w.Target.WithWindow(*to.Window)
	}
	return err
}

// Set changes the settings in one transaction. After an error nothing has changed. The model reference is resolved by
// llm.Catalog.Find; one without an endpoint is looked up in the list of the endpoint in use. If the store is read-only,
// a choice of the model still takes effect in this window.
func (s *Session) Set(ctx context.Context, to Settings) error {
	if err := s.mayWrite(); err != nil {
		return err
	}
	w := s.Try(ctx, to) // may wait for the network, so no lock is held
	if w.Err != nil {
		return w.Err
	}
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	was := s.Info()
	now, _, impossible := to.applyTo(was)
	policy, invalid := s.deps.PolicyOf(now)
	if err := cmp.Or(impossible, s.deps.CheckOverridable(was, now), invalid); err != nil {
		return err
	}
	take := func(row *store.Session) {
		*row, _, _ = to.applyTo(*row) // Try has checked them
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
			s.setModel(w.Model)
		}
		st.Policy, st.System = policy, s.deps.systemPrompt(st.Row)
	})
	if to.Window == nil {
		return nil
	}
	return w.Model.SetWindow(ctx, *to.Window)
}

// Settings returns what decides the next request, each value with its origin: the model, the system prompt, the
// parameters of the model, and the keys of [context] in their order.
func (w Trial) Settings() ([]settings.Setting, error) {
	if w.Err != nil {
		return nil, w.Err
	}
	keys, err := w.s.deps.List(w.Row, w.Policy, w.keys)
	if err != nil {
		return nil, err
	}
	of := w.s.deps.defaultsFor(w.Row.Endpoint, w.Row.Model)
	model := settings.Setting{Key: "model", Value: w.Target.Ref(), From: "configuration"}
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

// SetFlags sets flags by message id; "" removes a flag. After an error nothing has changed. before has the previous
// flags of the messages that changed: pass it to SetFlags to undo the change.
//
// Exclude is set and removed for all messages of a tool group, because a branch may begin before a late result and then
// hold the call without it.
func (s *Session) SetFlags(
	ctx context.Context, flags map[int64]history.Flag,
) (before map[int64]history.Flag, err error) {
	all, st := maps.Clone(flags), s.State()
	for id, f := range flags {
		for _, member := range s.ToolGroup(id) {
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

// ToolGroup returns the ids of the messages that are sent or left out together with a message, including its own: a
// message that calls tools and the results, or the message alone. Flags and remedies hold for the whole group. Messages
// of a running turn are not grouped yet.
func (s *Session) ToolGroup(message int64) (list []int64) {
	st := s.State()
	planned := st.Branch.Len()
	if st.Busy() {
		planned = max(0, st.Branch.LastOf(history.User)) // the running turn begins there
	}
	if at, there := st.Branch.Find(message); there && at < planned {
		_ = s.plans.withConversation(st, planned, func(c *history.Conversation) {
			for _, i := range c.ToolGroup(at) {
				list = append(list, st.Branch.ID(i))
			}
		})
	}
	if list == nil {
		return []int64{message}
	}
	return list
}

// SetRemedy sets what is sent instead of a repair for some damaged messages and their tool groups, from the next
// request on; history.SendRepaired removes the remedy. After an error nothing has changed. A remedy has no effect on a
// message without damage.
func (s *Session) SetRemedy(ctx context.Context, r history.Remedy, messages ...int64) error {
	groups := s.toolGroups(messages)
	return s.change(func(string) error { return s.deps.Store.SetRemedies(ctx, r, groups...) },
		func(st *State) { st.Remedies = withRemedy(st.Remedies, r, groups) })
}

// toolGroups returns the ids of all messages in the tool groups of some messages.
func (s *Session) toolGroups(messages []int64) (list []int64) {
	for _, id := range messages {
		list = append(list, s.ToolGroup(id)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// withRemedy returns the remedies with another one for some messages.
func withRemedy(before map[int64]history.Remedy, r history.Remedy, messages []int64) map[int64]history.Remedy {
	all := maps.Clone(before)
	for _, id := range messages {
		all[id] = r
	}
	maps.DeleteFunc(all, func(_ int64, r history.Remedy) bool { return r == history.SendRepaired })
	return all
}

// AddressChangedError reports that the endpoint of a conversation is now at another address than its earlier requests
// went to. Nothing is sent there until the user agrees by setting the model again.
type AddressChangedError struct {
	Endpoint string
	Was, Now string // addresses without secrets
}

func (e *AddressChangedError) Error() string {
	return fmt.Sprintf("this chat used %[1]s at %[2]s, which is now at %[3]s", e.Endpoint, e.Was, e.Now)
}

// Ready returns nil if a turn can start. Otherwise it returns why the model cannot be used, or an *AddressChangedError.
func (s *Session) Ready() error {
	st := s.State()
	if st.Model.Unavailable != nil {
		return st.Model.Unavailable
	}
	if now := st.Model.Address(); st.Row.Address != "" && st.Row.Address != now {
		return &AddressChangedError{Endpoint: st.Row.Endpoint, Was: st.Row.Address, Now: now}
	}
	return nil
}
