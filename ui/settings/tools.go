package settings

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/llm/mcp"
	"winnow/llm/tool"
	"winnow/session"
	"winnow/session/approval"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// The beginnings of the values of the list of tools.
const (
	ofServer = "server:"
	ofTool   = "tool:"
)

// toolsMsg says that something about the tools changed, or why a tool may not be changed.
type toolsMsg struct {
	server bool // a server changed it
	err    error
}

func (toolsMsg) settingsMsg() {}

// Tools lists the tools of the model in use with their servers. Choosing one changes what it may do; choosing a server
// starts it again.
func (s *Model) Tools(string) tea.Cmd {
	list := s.tools()
	if len(list.Choices) == 0 {
		return s.Say("No tool is offered yet. A table [mcp_servers.NAME] in the configuration adds the tools of an " +
			"MCP server.")
	}
	s.Emit(Listed{
		List{
			Kind: ToolList, Title: "tools", Prompt: "Choose what a tool may do", Remark: list.Remark, Does: "change",
			Stays: true, Choices: list.Choices, Notes: list.Notes, Chosen: (*Model).toolChosen,
		},
	})
	return nil
}

// FillTools makes the open list of tools anew.
func (s *Model) FillTools() tea.Cmd { return s.Emit(s.tools()) }

// AwaitServers waits until something about the MCP servers changes: the next request may offer other tools then.
func (s *Model) AwaitServers() tea.Cmd {
	if s.Servers == nil {
		return nil
	}
	changed := s.Servers.Changed()
	return s.Run(func(ctx context.Context) tea.Msg {
		select {
		case <-changed:
			return toolsMsg{server: true}
		case <-ctx.Done():
			return nil
		}
	})
}

// toolsChanged has the list of tools made anew, where it is open: that counts the tokens of each tool.
func (s *Model) toolsChanged(msg toolsMsg) tea.Cmd {
	if msg.err != nil {
		return s.SayError(theme.Sentence(msg.err))
	}
	s.Emit(Outdated{ToolList})
	next := func() tea.Msg { return DoneMsg{} } // The next request offers other tools.
	if msg.server {
		return tea.Batch(next, s.AwaitServers())
	}
	return next
}

// tools are the lines of the list: winnow's own tools, then each server with its tools. The title says what they cost
// together, the notes what is wrong with a server.
func (s *Model) tools() Filled {
	list, cost := s.Session.ToolStates()
	offered := 0
	for _, t := range list {
		if t.Tokens > 0 {
			offered++
		}
	}
	filled := Filled{
		Kind: ToolList, Remark: fmt.Sprintf("%d offered, ~%s in each request", offered, theme.Plural(cost, "token")),
	}
	of := func(server string) {
		for _, t := range list {
			if t.Tool.Server == server {
				filled.Choices = append(filled.Choices, toolChoice(t))
			}
		}
	}
	of("")
	if s.Servers == nil {
		return filled
	}
	for _, server := range s.Servers.List() {
		offered := 0
		for _, t := range list {
			if t.Tool.Server == server.Name && t.Tokens > 0 {
				offered++
			}
		}
		filled.Choices = append(filled.Choices, Choice{
			Label: markdown.OneLine(server.Name, 40), About: "MCP server",
			Right: serverState(server, offered), Value: ofServer + server.Name,
		})
		of(server.Name)
		if server.Err != nil {
			filled.Notes = append(filled.Notes, server.Name+": "+markdown.OneLine(server.Err.Error(), 300))
		}
	}
	return filled
}

// serverState is the state of a server with the number of its tools that are offered.
func serverState(s mcp.Status, offered int) string {
	switch {
	case s.State != mcp.Ready:
		return string(s.State)
	case offered < len(s.Tools):
		return fmt.Sprintf("%s · %d of %s", s.State, offered, theme.Plural(len(s.Tools), "tool"))
	}
	return fmt.Sprintf("%s · %s", s.State, theme.Plural(offered, "tool"))
}

// toolChoice is a tool's line: what it may do, who says so where the list cannot change it, and its tokens.
func toolChoice(t session.ToolState) Choice {
	may := string(t.Permission)
	switch {
	case t.Permission == tool.Allow && t.Tool.EachTime:
		may = string(tool.Ask)
	case t.By == approval.ByConfiguration:
		may += " (config)"
	}
	if t.Tokens > 0 {
		may += " · ~" + theme.Thousands(t.Tokens)
	}
	return Choice{
		Label: markdown.OneLine(t.Tool.Name, 60), About: markdown.OneLine(t.Tool.Description, 300), Right: may,
		Group: t.Tool.Server, Value: ofTool + t.Tool.Name,
	}
}

// toolChosen changes what a tool may do, from off to ask to allow, or starts a server again.
func (s *Model) toolChosen(value string) tea.Cmd {
	if name, ok := strings.CutPrefix(value, ofServer); ok {
		if err := s.Servers.Restart(name); err != nil {
			return s.SayError(theme.Sentence(err))
		}
		return nil
	}
	list, _ := s.Session.ToolStates()
	at := slices.IndexFunc(list, func(t session.ToolState) bool { return ofTool+t.Tool.Name == value })
	if at < 0 {
		return nil // Its server took it away.
	}
	t, next, current := list[at].Tool, nextPermission(list[at]), s.Session
	return s.Run(func(ctx context.Context) tea.Msg { return toolsMsg{err: current.PermitTool(ctx, t, next)} })
}

// nextPermission is what a tool may do after it was chosen.
func nextPermission(t session.ToolState) tool.Permission {
	switch {
	case t.Permission == tool.Off:
		return tool.Ask
	case t.Permission == tool.Ask && !t.Tool.EachTime:
		return tool.Allow
	}
	return tool.Off
}
