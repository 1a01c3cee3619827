package conversation

import (
	"slices"

	"winnow/llm"
	"winnow/ui/frame"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// suggestions returns the questions for the guide that the first screen offers.
func suggestions() []string {
	return []string{
		"How does winnow choose what to send?", "Why was my message cut?", "What does a broken tool call look like?",
	}
}

// Suggestion returns the suggested question that follows the one in the draft, "" if the draft holds anything else.
func (c *Model) Suggestion(draft string) string {
	list := suggestions()
	at := slices.Index(list, draft)
	if !c.Chat.Empty() || !c.UsesGuide() || at < 0 && draft != "" {
		return ""
	}
	return list[(at+1)%len(list)]
}

// FirstScreen returns the sections of an empty chat's screen: which model answers and why, and three things to try.
func (c *Model) FirstScreen(choice llm.ModelChoice, unreachable bool) []frame.Section {
	st := c.Themes.Styles
	parts := []frame.Section{
		{Label: "Model", Lines: c.modelLines(st, choice, unreachable)}, {Label: "Try", Lines: c.tryLines(st)},
	}
	if c.Session.Temporary() || c.Deps.Store == nil {
		parts = append(parts, frame.Section{Label: "Not saved", Lines: []frame.Line{
			{Text: "This chat is temporary: nothing of it is written to disk.", Style: st.Text},
		}})
	}
	return parts
}

// modelLines names the model in use and says why it was chosen.
func (c *Model) modelLines(st theme.Styles, choice llm.ModelChoice, unreachable bool) (lines []frame.Line) {
	name := c.ModelName()
	if host := markdown.OneLine(c.Endpoint().HostPort(), 60); host != "" {
		name += " at " + host
	}
	switch {
	case c.UsesGuide():
		name = "guide, built in and offline"
	case unreachable:
		name += " is not available"
	}
	lines = append(lines, frame.Line{Text: name, Style: st.Strong})
	if why := markdown.Visible(choice.Reason); why != "" && choice.Ref == c.Ref {
		lines = append(lines, frame.Line{Text: theme.UpperFirst(why) + ".", Style: st.Muted})
	}
	if c.UsesGuide() {
		lines = append(lines, frame.Line{Style: st.Muted, Text: "It isn’t a language model: it answers from winnow’s " +
			"documentation. " + c.Keys.First(keymap.Models) + " adds a real one."})
	}
	return lines
}

// tryLines returns three things to try: questions for the guide, or keys for any other model.
func (c *Model) tryLines(st theme.Styles) (lines []frame.Line) {
	if c.UsesGuide() {
		for _, text := range suggestions() {
			lines = append(lines, frame.Line{
				Prefix: st.You.Render("▌") + " ", Text: text, Style: st.Text,
			})
		}
		return lines
	}
	for _, try := range [][2]string{
		{"@", "attach a file to your message"},
		{c.Keys.First(keymap.Context), "see what the next request sends"},
		{c.Keys.First(keymap.Palette), "find a command: model, tools, export"},
	} {
		lines = append(lines, frame.Line{
			Prefix: st.Text.Render(theme.Fit(try[0], 10)), Text: try[1], Style: st.Muted,
		})
	}
	return lines
}
