package conversation

import (
	"slices"

	"winnow/llm"
	"winnow/ui/frame"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// suggestions are what the first screen offers to ask the guide.
func suggestions() []string {
	return []string{
		"How does winnow choose what to send?", "Why was my message cut?", "What does a broken tool call look like?",
	}
}

// Suggestion is the question for the guide that comes after one that stands in the draft, "" for none.
func (c *Model) Suggestion(draft string) string {
	list := suggestions()
	at := slices.Index(list, draft)
	if !c.Chat.Empty() || !c.Guided() || at < 0 && draft != "" {
		return ""
	}
	return list[(at+1)%len(list)]
}

// First is what an empty chat shows: which model answers and why, and three things to try. Unreachable says that the
// model cannot be asked.
func (c *Model) First(choice llm.ModelChoice, unreachable bool) []frame.Part {
	st := c.Themes.Styles
	parts := []frame.Part{
		{Label: "Model", Lines: c.modelLines(st, choice, unreachable)}, {Label: "Try", Lines: c.tryLines(st)},
	}
	if c.Session.Temporary() || c.With.Store == nil {
		parts = append(parts, frame.Part{Label: "Not saved", Lines: []frame.Line{
			{Text: "This chat is temporary: nothing of it is written to disk.", Style: st.Text},
		}})
	}
	return parts
}

// modelLines name the model in use, and say why it is.
func (c *Model) modelLines(st theme.Styles, choice llm.ModelChoice, unreachable bool) (lines []frame.Line) {
	name := c.ModelName()
	if host := markdown.OneLine(c.Endpoint().HostPort(), 60); host != "" {
		name += " at " + host
	}
	switch {
	case c.Guided():
		name = "guide, built in and offline"
	case unreachable:
		name += " is not available"
	}
	lines = append(lines, frame.Line{Text: name, Style: st.Strong})
	if why := markdown.Visible(choice.Reason); why != "" && choice.Ref == c.Ref {
		lines = append(lines, frame.Line{Text: theme.UpperFirst(why) + ".", Style: st.Muted})
	}
	if c.Guided() {
		lines = append(lines, frame.Line{Style: st.Muted, Text: "It isn’t a language model: it answers from winnow’s " +
			"documentation. " + c.Keys.First(keymap.Models) + " adds a real one."})
	}
	return lines
}

// tryLines are three things to try: questions for the guide, else keys.
func (c *Model) tryLines(st theme.Styles) (lines []frame.Line) {
	if c.Guided() {
		for _, text := range suggestions() {
			lines = append(lines, frame.Line{Lead: st.You.Render("▌") + " ", Text: text, Style: st.Text})
		}
		return lines
	}
	for _, try := range [][2]string{
		{"@", "attach a file to your message"},
		{c.Keys.First(keymap.Context), "see what the next request sends"},
		{c.Keys.First(keymap.Palette), "find a command: model, tools, export"},
	} {
		lines = append(lines, frame.Line{Lead: st.Text.Render(theme.Fit(try[0], 10)), Text: try[1], Style: st.Muted})
	}
	return lines
}
