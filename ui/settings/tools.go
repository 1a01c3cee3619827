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

// Prefixes of the values in the list of tools.
const (
	serverPrefix = "server:"
	toolPrefix   = "tool:"
)

// ToolsCommand is the command /tools. It lists the tools of the model in use with their servers. Choosing a tool
// changes its permission; choosing a server restarts it.
func (s *Model) ToolsCommand(string) tea.Cmd {
	s.tools = list.New(s.Context, list.Options{
		Title: "tools", Placeholder: "Choose what a tool may do", ChooseHint: "change", StaysOpen: true,
	})
	if s.fillTools(); s.tools.Len() == 0 {
		return s.Say("No tool is offered yet. A table [mcp_servers.NAME] in the configuration adds the tools of an " +
			"MCP server.")
	}
	s.Dialogs.OpenList(s.tools, s.toolChosen)
	return nil
}

// AwaitServers waits for changes of the MCP servers, because the next request may then offer other tools.
func (s *Model) AwaitServers() tea.Cmd {
	if s.Servers == nil {
		return nil
	}
	changed := s.Servers.Changed()
	return s.Run(func(ctx context.Context) tea.Msg {
		select {
		case <-changed:
			return app.Then(func() tea.Cmd { return tea.Batch(s.settled("", nil), s.AwaitServers()) })
		case <-ctx.Done():
			return nil
		}
	})
}

// settled ends a change of the session and updates the list of tools.
func (s *Model) settled(sentence string, err error) tea.Cmd {
	if s.tools != nil {
		s.fillTools()
	}
	return s.SettingsChanged(sentence, err)
}

// fillTools lists winnow's own tools, then each server with its tools. The footnote says what they cost together; notes
// are errors of servers.
func (s *Model) fillTools() {
	tools, cost := s.Session.ToolStates()
	servers := []mcp.ServerStatus{{}} // winnow's own tools have a server without a name
	if s.Servers != nil {
		servers = append(servers, s.Servers.Statuses()...)
	}
	var items []list.Item
	offered := 0
	s.tools.Notes = nil
	for _, server := range servers {
		if server.Name != "" {
			items = append(items, list.Item{
				Label: markdown.OneLine(server.Name, 40), Description: "MCP server", Right: string(server.State),
				Value: serverPrefix + server.Name,
			})
		}
		if server.Err != nil {
			s.tools.Notes = append(s.tools.Notes, server.Name+": "+markdown.OneLine(server.Err.Error(), 300))
		}
		for _, t := range tools {
			if t.Tool.Server == server.Name {
				items = append(items, toolItem(t))
				offered += min(1, t.Tokens)
			}
		}
	}
	s.tools.Footnote = fmt.Sprintf("%d offered, ~%s in each request", offered, theme.Plural(cost, "token"))
	s.tools.SetItems(items)
}

// toolItem returns the item of a tool: its permission, whether the configuration fixes it, and its tokens.
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
		Label: markdown.OneLine(t.Tool.Name, 60), Description: markdown.OneLine(t.Tool.Description, 300), Right: may,
		Group: t.Tool.Server, Value: toolPrefix + t.Tool.Name,
	}
}

// toolChosen changes the permission of a tool from off to ask to allow, or restarts a server.
func (s *Model) toolChosen(value string) tea.Cmd {
	if name, ok := strings.CutPrefix(value, serverPrefix); ok {
		return s.ReportError(s.Servers.Restart(name))
	}
	tools, _ := s.Session.ToolStates()
	at := slices.IndexFunc(tools, func(t session.ToolState) bool { return toolPrefix+t.Tool.Name == value })
	if at < 0 {
		return nil // Its server no longer offers it.
	}
	t, next := tools[at].Tool, tool.Off
	if tools[at].Permission == tool.Off {
		next = tool.Ask
	} else if tools[at].Permission == tool.Ask && !t.EachTime {
		next = tool.Allow
	}
	return s.run(func(ctx context.Context, of *session.Session) (string, error) {
		return "", of.PermitTool(ctx, t, next)
	})
}
