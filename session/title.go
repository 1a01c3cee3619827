package session

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"winnow/history"
	"winnow/llm"
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
const titlePrompt = "Write a title of two to six words for this conversation, in its own language. Answer with the title alone: no quotes, no full stop."

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
	first, answer := s.opener()
	if s.deps.TitleRef == "" {
		return TitleFrom(first), nil
	}
	ref, err := s.deps.Models.Find(ctx, s.deps.TitleRef, "")
	if err != nil {
		return "", err
	}
	client, model, err := s.deps.Models.Resolve(ref)
	if err != nil {
		return "", err
	}
	question := "User: " + cutAtWord(first, 2000) + "\n\nAssistant: " + cutAtWord(answer, 2000)
	text, err := wholeText(ctx, client, llm.Request{Model: model, Messages: []history.Message{
		{Role: history.System, Content: titlePrompt},
		{Role: history.User, Content: question},
	}})
	if err != nil {
		return "", err
	}
	return TitleFrom(strings.Trim(text, "\"'“”„«» \n")), nil
}

// wholeText asks a model beside the conversation and waits for all of its text.
func wholeText(ctx context.Context, client *llm.Client, r llm.Request) (string, error) {
	var reply llm.Reply
	for event, err := range client.Stream(ctx, r) {
		if err != nil {
			return "", err
		}
		reply.Add(event)
	}
	return reply.Text, nil
}

// opener is the first user message of the loaded branch and the answer to it.
func (s *Session) opener() (user, answer string) {
	for _, m := range s.Messages() {
		switch {
		case m.Role == history.User && user == "":
			user = m.Content
		case m.Role == history.Assistant && user != "" && m.Content != "":
			return user, m.Content
		}
	}
	return user, ""
}
