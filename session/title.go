package session

import (
	"context"
	"fmt"
	"strings"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/session/title"
)

// The prompts of a request for a title.
const (
	titlePrompt   = "You give conversations their titles."
	titleQuestion = "Write a title of two to six words for a conversation that begins so, in its own language. " +
		"Answer with the title alone: no quotes, no full stop."
	titleChars = 2000 // of the message
)

// Retitle writes a new title with the configured title model, or by a plain rule if none is configured, and returns the
// title that is then stored. If asked is set, the title counts as the user's own. Otherwise it replaces no title of the
// user's own, even one that was set while the model was writing. show gets the events of the request.
func (s *Session) Retitle(ctx context.Context, asked bool, show func(Event)) (string, error) {
	row, from := s.Info(), store.TitleAuto
	if asked {
		from = store.TitleUser
	}
	if err := s.mayWrite(); err != nil || !asked && row.TitleFrom == store.TitleUser {
		return row.Title, err
	}
	t := s.newTurn(func() {}) // not the session's running turn: a title may be written at the same time
	t.id, t.show = nil, show
	text, err := t.writeTitle(ctx)
	if err != nil {
		return row.Title, fmt.Errorf("write a title: %w", err)
	}
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	set := func(row *store.Session) { row.Title, row.TitleFrom = text, from }
	if err := s.deps.Store.UpdateSession(ctx, row.ID, set); err != nil {
		return row.Title, err
	}
	if row, err = s.deps.Store.Session(ctx, row.ID); err != nil {
		return text, err
	}
	s.set(func(st *State) { st.Row.Title, st.Row.TitleFrom = row.Title, row.TitleFrom })
	return row.Title, nil
}

// writeTitle makes a title of the first user message on the branch that is not excluded, cut to titleChars.
func (t *turn) writeTitle(ctx context.Context) (string, error) {
	if err := t.loadBranch(ctx); err != nil {
		return "", err
	}
	if _, err := t.RefreshSettings(ctx); err != nil {
		return "", err
	}
	st, at := t.State(), 0
	for at < st.Branch.Len() &&
		(st.Branch.Role(at) != history.User || st.Flags[st.Branch.ID(at)] == history.Exclude) {
		at++
	}
	if at == st.Branch.Len() {
		return "", ErrNothingToAnswer
	}
	user, err := st.Branch.Message(at)
	if err != nil || t.deps.TitleModel == "" {
		return title.FromMessage(user.Message), err
	}
	model, err := t.target(t.deps.TitleModel)
	if err != nil {
		return "", err
	}
	t.user = user.ID
	policy, err := history.Preset("classic")
	if err != nil {
		return "", err
	}
	policy.UserMaxChars = titleChars
	a, err := t.ask(ctx, task{
		purpose: store.PurposeTitle,
		plan: func(context.Context) (*attempt, error) {
			o := t.options(st, model, policy, record.OwnQuestion(titleQuestion))
			o.System, o.Tools, o.Summaries = titlePrompt, 0, nil
			o.Scope = &history.Scope{For: history.ForTitle, Messages: history.IDRanges{{user.ID, user.ID}}}
			a, err := t.decide(st, &t.other, at+1, model, o)
			if err == nil {
				a.request.Tools = nil
			}
			return a, err
		},
		reason: func(a *attempt) string { return "asking " + a.to.Ref() + " for a title" },
	})
	t.warn("sum up the costs", detached(ctx, t.ReadSpending))
	if err != nil {
		return "", err
	}
	return title.FromText(strings.Trim(a.text(), "\"'“”„«» \n")), nil
}
