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
	"winnow/ui/app"
	"winnow/ui/list"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// The beginnings of the values of the list of tools.
const (
	ofServer = "server:"
	ofTool   = "tool:"
)

// Tools lists the tools of the model in use with their servers. Choosing one changes what it may do; choosing a server
// starts it again.
func (s *Model) Tools(string) tea.Cmd {
	l := list.New(s.Context, list.Options{Title: ToolsTitle, Prompt: "Choose what a tool may do", Does: "change"})
	if s.fillTools(l); l.Len() == 0 {
		return s.Say("No tool is offered yet. A table [mcp_servers.NAME] in the configuration adds the tools of an " +
			"MCP server.")
	}
	s.tools = l
	s.Open(l, s.toolChosen)
	return nil
}

// ToolsTitle is the title of the list of tools, which stays open when one is chosen.
const ToolsTitle = "tools"

// AwaitServers waits until something about the MCP servers changes: the next request may offer other tools then.
func (s *Model) AwaitServers() tea.Cmd {
	if s.Servers == nil {
		return nil
	}
	changed := s.Servers.Changed()
	return s.Run(func(ctx context.Context) tea.Msg {
		select {
		case <-changed:
			return app.Then(func() tea.Cmd { return tea.Batch(s.toolsChanged(nil), s.AwaitServers()) })
		case <-ctx.Done():
			return nil
		}
	})
}

// toolsChanged makes the list of tools anew, which counts the tokens of each tool, or says why a tool stays as it is.
func (s *Model) toolsChanged(err error) tea.Cmd {
	if err != nil {
		return s.Fail(theme.Sentence(err))
	}
	if s.tools != nil {
		s.fillTools(s.tools)
	}
	return s.Done("", nil) // the next request offers other tools
}

// fillTools lists winnow's own tools, then each server with its tools. The remark says what they cost together, the
// notes what is wrong with a server.
func (s *Model) fillTools(l *list.Model) {
	tools, cost := s.Session.ToolStates()
	var items []list.Item
	of := func(server string) (offered int) {
		for _, t := range tools {
			if t.Tool.Server == server {
				items = append(items, toolItem(t))
				offered += min(1, t.Tokens)
			}
		}
		return offered
	}
	offered := of("")
	l.Notes = nil
	var servers []mcp.Status
	if s.Servers != nil {
		servers = s.Servers.List()
	}
	for _, server := range servers {
		at := len(items)
		items = append(items, list.Item{
			Label: markdown.OneLine(server.Name, 40), About: "MCP server", Value: ofServer + server.Name,
		})
		n := of(server.Name)
		items[at].Right = serverState(server, n)
		offered += n
		if server.Err != nil {
			l.Notes = append(l.Notes, server.Name+": "+markdown.OneLine(server.Err.Error(), 300))
		}
	}
	l.Remark = fmt.Sprintf("%d offered, ~%s in each request", offered, theme.Plural(cost, "token"))
	l.Fill(items)
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

// toolItem is a tool's line: what it may do, who says so where the list cannot change it, and its tokens.
func toolItem(t session.ToolState) list.Item {
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
	return list.Item{
		Label: markdown.OneLine(t.Tool.Name, 60), About: markdown.OneLine(t.Tool.Description, 300), Right: may,
		Group: t.Tool.Server, Value: ofTool + t.Tool.Name,
	}
}

// toolChosen changes what a tool may do, from off to ask to allow, or starts a server again.
func (s *Model) toolChosen(value string) tea.Cmd {
	if name, ok := strings.CutPrefix(value, ofServer); ok {
		if err := s.Servers.Restart(name); err != nil {
			return s.Fail(theme.Sentence(err))
		}
		return nil
	}
	list, _ := s.Session.ToolStates()
	at := slices.IndexFunc(list, func(t session.ToolState) bool { return ofTool+t.Tool.Name == value })
	if at < 0 {
		return nil // Its server took it away.
	}
	t, next, current := list[at].Tool, nextPermission(list[at]), s.Session
	return s.Run(func(ctx context.Context) tea.Msg {
		err := current.PermitTool(ctx, t, next)
		return app.Then(func() tea.Cmd { return s.toolsChanged(err) })
	})
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
