package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/composer"
	"winnow/ui/composer/queue"
	"winnow/ui/event"
	"winnow/ui/list"
	"winnow/ui/servers"
	"winnow/ui/theme"
)

// updateComposer gives the composer a message, nil for none, and does what it asks for.
func (m *Model) updateComposer(msg tea.Msg) tea.Cmd {
	m.surround()
	var cmd tea.Cmd
	m.composer, cmd = m.composer.Update(msg)
	return m.handle(cmd, m.composer.Events(), m.composerEvent)
}

// countedWhole is the longest text of a draft, in bytes, that is counted: a longer one would be waited for.
const countedWhole = 256 << 10

// tokensOf is how many tokens a text of the draft has.
func (m *Model) tokensOf(text string) int {
	if count := m.current.With.Count; count != nil && len(text) <= countedWhole {
		return count(text)
	}
	return theme.TokensOf(len(text))
}

// surround gives the composer what it depends on beside itself.
func (m *Model) surround() {
	m.composer.Around = composer.Around{
		Session: m.current.Info.ID, Home: m.current.Session.Store(), Temporary: m.current.Session.Temporary(),
		Closed:    m.current.ReadOnly,
		Guide:     m.current.Ref == "guide" || strings.HasPrefix(m.current.Ref, "guide/"),
		Completes: m.focus == draftPane && !m.overlays.any() && !(m.question.Waits() && m.turn.Busy),
		ReadFile:  m.current.Session.Attach, AttachText: m.current.Session.AttachText,
		Count: m.tokensOf,
	}
}

// completions are what the MCP servers offer to the draft, as the composer lists it.
func completions(list []servers.Completion) []composer.Command {
	var out []composer.Command
	for _, c := range list {
		out = append(out, composer.Command{Name: c.Name, Args: c.Args, Help: c.Help})
	}
	return out
}

func (m *Model) composerEvent(e event.Event) tea.Cmd {
	switch e := e.(type) {
	case composer.Changed:
		m.arrange()
		return m.draftChanged()
	case composer.Focused:
		m.setFocus(draftPane)
	case composer.Wanted:
		return m.do(e.Action)
	case composer.Entered:
		if e.Cut {
			return m.sendCut()
		}
		return m.send()
	case composer.TakenBack:
		return takeBack(m, (*queue.Model).TakeNewest)
	case composer.AskedFor:
		o := list.Options{Title: "fetch a page from " + theme.OneLine(e.Host) + "?", Does: "choose"}
		choices := []list.Item{
			{Label: "Don’t fetch it", Value: ""},
			{Label: "Fetch " + theme.OneLine(e.URL), Right: "at most 4 MB, as text", Value: e.URL},
		}
		m.overlays.open(newList(m, o, choices, func(address string) tea.Cmd {
			if address == "" {
				return m.notice.Say("The page was not fetched.")
			}
			return m.composer.FetchPage(address)
		}))
	case composer.Ran:
		return m.runCommand(e.Command)
	case composer.ChipOpened:
		m.overlays.open(newReader(e.Title, e.Text))
	case composer.ListPrompts:
		var choices []list.Item
		for i, p := range m.composer.Prompts {
			choices = append(choices, list.Item{Label: composer.PromptLabel(p.Draft), Value: strconv.Itoa(i)})
		}
		o := list.Options{
			Title: "prompts", Prompt: "Find an earlier prompt", Noun: "prompt", Does: "put in the draft",
		}
		m.overlays.open(newList(m, o, choices, func(value string) tea.Cmd {
			i, _ := strconv.Atoi(value)
			m.setFocus(draftPane)
			return m.composer.TakePrompt(i)
		}))
	}
	return nil
}
