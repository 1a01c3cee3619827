package session

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

// titleLength is the longest automatic title, in code points.
const titleLength = 48

// TitleFrom makes a title of a first message by a plain rule: its first line with a letter or
// digit in it, without Markdown's marks, up to its first sentence's end, cut at a word.
func TitleFrom(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, "#>*-`~ \t")
		line = strings.Join(strings.Fields(strings.NewReplacer("**", "", "`", "").Replace(line)), " ")
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return cutAtWord(firstSentence(printable(line)), titleLength)
		}
	}
	return "Untitled"
}

// titleOf makes a title of a first message, which may be nothing but its files.
func titleOf(m history.Message) string {
	if strings.TrimSpace(m.Content) == "" && len(m.Parts) > 0 {
		return TitleFrom(m.Parts[0].Name)
	}
	return TitleFrom(m.Content)
}

// firstSentence ends a line at a sentence's end, but not inside "v1.2" or "e.g.".
func firstSentence(line string) string {
	for i, r := range line {
		rest := line[i+len(string(r)):]
		switch {
		case strings.ContainsRune("。！？", r):
			return line[:i]
		case strings.ContainsRune(".!?", r) && strings.HasPrefix(rest, " ") && i > 12:
			return strings.TrimRight(line[:i], ".!?")
		}
	}
	return strings.TrimRight(line, ".:,; ")
}

// cutAtWord cuts a line to at most limit code points and an ellipsis, at a space where one is near.
func cutAtWord(line string, limit int) string {
	runes := []rune(line)
	if len(runes) <= limit {
		return line
	}
	cut := string(runes[:limit-1])
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		cut = cut[:space]
	}
	return cut + "…"
}

// printable leaves out what a title must not hold: control characters and broken UTF-8.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, line)
}

// titlePrompt asks a model for a title.
const (
	titlePrompt   = "You give conversations their titles."
	titleQuestion = "Write a title of two to six words for the conversation above, in its own language. Answer with the title alone: no quotes, no full stop."
	titleChars    = 2000 // of each message
)

// Retitle gives the conversation a new title: by the configured title model, or by the plain rule where
// none is configured. With asked the user wants it, and it becomes the user's own; without, a title of the
// user's own stays, even one given while the model wrote. It returns the title that the store has then.
func (s *Session) Retitle(ctx context.Context, asked bool) (string, error) {
	row := s.Info()
	if err := s.mayWrite(); err != nil {
		return row.Title, err
	}
	if row.ID == "" {
		return row.Title, ErrNothingToAnswer
	}
	if row.TitleFrom == "user" && !asked {
		return row.Title, nil
	}
	from := "auto"
	if asked {
		from = "user"
	}
	title, err := s.newTitle(ctx)
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
	s.mu.Lock()
	defer s.mu.Unlock()
	s.row.Title, s.row.TitleFrom = row.Title, row.TitleFrom
	return row.Title, nil
}

// Untitled says that a model is configured to write titles and that this conversation, after its
// first answer, still has the one of the plain rule.
func (s *Session) Untitled() bool {
	row := s.Info()
	return s.deps.TitleRef != "" && row.TitleFrom == "auto" && row.Turns == 1
}

func (s *Session) newTitle(ctx context.Context) (string, error) {
	if err := s.loadBranch(ctx); err != nil {
		return "", err
	}
	branch := s.Messages()
	from, to := s.opening(branch)
	if to == 0 {
		return "", ErrNothingToAnswer
	}
	user := branch[from]
	if s.deps.TitleRef == "" {
		return titleOf(user.Message), nil
	}
	a, err := s.planTitle(ctx, branch, from, to)
	if err != nil {
		return "", err
	}
	turn, err := s.deps.Store.Turn(ctx, user.ID)
	if err != nil {
		return "", err
	}
	if err := s.record(ctx, &a, turn, user.ID, store.ForTitle); err != nil {
		return "", err
	}
	text, err := s.askOwn(ctx, &a, func(Event) {})
	if err != nil {
		return "", err
	}
	return TitleFrom(strings.Trim(text, "\"'“”„«» \n")), nil
}

// opening is the first exchange of a branch that is not excluded, up to its first answer: the places of its first
// message and behind its last, 0 and 0 for none. What was excluded goes to no model, not even for a title.
func (s *Session) opening(branch []store.Message) (from, to int) {
	asked := false
	for i, m := range branch {
		switch {
		case s.Flag(m.ID) == history.Exclude:
			asked = asked && m.Role != history.User
		case m.Role == history.User:
			from, to, asked = i, i+1, true
		case asked && m.Role == history.Assistant && m.Content != "":
			for to = i + 1; to < len(branch) && branch[to].Role == history.Tool; to++ {
			}
			return from, to
		}
	}
	return from, to
}

// planTitle plans the request for a title: some messages of a branch, their texts cut to what a title needs.
func (s *Session) planTitle(ctx context.Context, branch []store.Message, from, to int) (asked, error) {
	model, err := s.deps.target(s.deps.TitleRef)
	if err != nil {
		return asked{}, err
	}
	policy, err := history.Preset("balanced")
	if err != nil {
		return asked{}, err
	}
	policy.UserMaxChars, policy.AssistantMaxChars, policy.ToolHistory = titleChars, titleChars, history.ToolsText
	policy.Elastic, policy.LastWholeMaxTokens, policy.RecallShare = false, 0, 0
	past := make([]history.Message, len(branch))
	for i, m := range branch {
		past[i] = m.Message
	}
	s.mu.Lock()
	o := s.options(&model, policy, []history.Message{question(titleQuestion)})
	s.mu.Unlock()
	o.System, o.Tools, o.Summaries = titlePrompt, 0, nil
	o.Scope = &history.Scope{For: history.ForTitle, Messages: history.IDsOf(past[from:to], func(history.Message) bool { return true })}
	plan, err := history.Build(past, o)
	if err != nil {
		return asked{}, err
	}
	if plan.Sum.Sent == 0 {
		return asked{}, ErrNothingToAnswer
	}
	a := asked{client: model.client, plan: plan, request: llm.Request{Model: model.model, Messages: plan.Messages}}
	a.decision = decisionOf(past[len(past)-1].ID, o, plan, a.request, a.client)
	return a, nil
}
