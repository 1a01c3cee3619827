package session

import (
	"context"
	"fmt"
	"strings"

	"winnow/history"
	"winnow/llm"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/session/target"
	"winnow/session/title"
)

// titleOf makes a title of a first message, which may be nothing but its files.
func titleOf(m history.Message) string {
	if strings.TrimSpace(m.Content) == "" && len(m.Parts) > 0 {
		return title.Of(m.Parts[0].Name)
	}
	return title.Of(m.Content)
}

// titlePrompt asks a model for a title.
const (
	titlePrompt   = "You give conversations their titles."
	titleQuestion = "Write a title of two to six words for the conversation above, in its own language. Answer with " +
		"the title alone: no quotes, no full stop."
	titleChars = 2000 // of each message
)

// Retitle gives the conversation a new title: by the configured title model, or by the plain rule where
// none is configured. With asked the user wants it, and it becomes the user's own; without, a title of the
// user's own stays, even one given while the model wrote. It returns the title that the store has then. It shows
// when a model is asked, and each time that it is asked again.
func (s *Session) Retitle(ctx context.Context, asked bool, show func(Event)) (string, error) {
	row := s.Info()
	if err := s.mayWrite(); err != nil {
		return row.Title, err
	}
	if row.ID == "" {
		return row.Title, ErrNothingToAnswer
	}
	if row.TitleFrom == store.TitleUser && !asked {
		return row.Title, nil
	}
	from := store.TitleAuto
	if asked {
		from = store.TitleUser
	}
	title, err := s.newTitle(ctx, func(e Event) {
		if s.deps.Observe != nil {
			s.deps.Observe(nil, e)
		}
		show(e)
	})
	if err != nil {
		return row.Title, fmt.Errorf("write a title: %w", err)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.deps.Store.Rename(ctx, row.ID, title, from); err != nil {
		return row.Title, err
	}
	if row, err = s.deps.Store.Session(ctx, row.ID); err != nil {
		return title, err
	}
	s.set(func(st *state) { st.row.Title, st.row.TitleFrom = row.Title, row.TitleFrom })
	return row.Title, nil
}

// Untitled says that a model is configured to write titles and that this conversation, after its
// first answer, still has the one of the plain rule.
func (s *Session) Untitled() bool {
	row := s.Info()
	return s.deps.TitleRef != "" && row.TitleFrom == store.TitleAuto && row.Turns == 1
}

func (s *Session) newTitle(ctx context.Context, show func(Event)) (string, error) {
	if err := s.loadBranch(ctx); err != nil {
		return "", err
	}
	if _, err := s.Refresh(ctx); err != nil {
		return "", err
	}
	messages := s.Branch()
	from, to := opening(messages, s.Flag)
	if to == 0 {
		return "", ErrNothingToAnswer
	}
	user, err := messages.Message(from)
	if err != nil {
		return "", err
	}
	if s.deps.TitleRef == "" {
		return titleOf(user.Message), nil
	}
	model, err := s.deps.target(s.deps.TitleRef)
	if err != nil {
		return "", err
	}
	turn, err := s.deps.Store.Turn(ctx, user.ID)
	if err != nil {
		return "", err
	}
	a, err := s.planTitle(ctx, model, messages.First(to), from)
	if err != nil {
		return "", err
	}
	if _, err := s.allow(ctx, a.estimate(), nil); err != nil {
		return "", err
	}
	if err := s.record(ctx, &a, errand{turn: turn, user: user.ID, purpose: store.ForTitle}); err != nil {
		return "", err
	}
	show(Notice{"asking " + model.Ref() + " for a title"})
	text, err := s.text(ctx, &a, show)
	s.countSpent(ctx)
	if err != nil {
		return "", err
	}
	return title.Of(strings.Trim(text, "\"'“”„«» \n")), nil
}

// opening is the first turn of a branch that is not excluded, up to its first answer: the places of its first
// message and behind its last, 0 and 0 for none. What was excluded goes to no model, not even for a title.
func opening(messages branch.Branch, flag func(message int64) history.Flag) (from, to int) {
	asked := false
	for i := range messages.Len() {
		switch m := messages.Row(i); {
		case flag(m.ID) == history.Exclude:
			asked = asked && m.Role() != history.User
		case m.Role() == history.User:
			from, to, asked = i, i+1, true
		case asked && m.Role() == history.Assistant && m.Size > 0:
			for to = i + 1; to < messages.Len() && messages.Role(to) == history.Tool; to++ {
			}
			return from, to
		}
	}
	return from, to
}

// planTitle plans the request to a model for a title: the first messages of the branch but for some, their texts cut to
// what a title needs.
func (s *Session) planTitle(
	ctx context.Context, model *target.Model, messages branch.Branch, from int,
) (asked, error) {
	policy, err := history.Preset("balanced")
	if err != nil {
		return asked{}, err
	}
	policy.UserMaxChars, policy.AssistantMaxChars, policy.ToolHistory = titleChars, titleChars, history.ToolsText
	policy.Elastic, policy.LastWholeMaxTokens, policy.RecallMaxTokens = false, 0, 0
	options := func(st state) history.Options {
		o := st.options(model, policy, record.Question(titleQuestion))
		o.System, o.Tools, o.Summaries = titlePrompt, 0, nil
		o.Scope = &history.Scope{
			For:      history.ForTitle,
			Messages: history.IDsOf(messages.IDs(), func(id int64) bool { return id >= messages.ID(from) }),
		}
		return o
	}
	request := func(_ state, to *target.Model, plan history.Plan) llm.Request {
		return llm.Request{Model: to.Name, Messages: plan.Messages}
	}
	a, err := s.decide(ctx, &s.edits, messages.Len(), model, options, request)
	if err == nil && a.plan.Sum.Sent == 0 {
		err = ErrNothingToAnswer
	}
	return a, err
}
