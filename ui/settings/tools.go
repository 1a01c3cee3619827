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
	l := list.New(s.Context, list.Options{
		Title: "tools", Prompt: "Choose what a tool may do", Does: "change", Stays: true,
	})
	if s.fillTools(l); l.Len() == 0 {
		return s.Say("No tool is offered yet. A table [mcp_servers.NAME] in the configuration adds the tools of an " +
			"MCP server.")
	}
	s.tools = l
	s.Open(l, s.toolChosen)
	return nil
}

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
		return s.Failed(err)
	}
	if s.tools != nil {
		s.fillTools(s.tools)
	}
	return s.Settled("", nil) // the next request offers other tools
}

// fillTools lists winnow's own tools, then each server with its tools. The remark says what they cost together, the
// notes what is wrong with a server.
func (s *Model) fillTools(l *list.Model) {
	tools, cost := s.Session.ToolStates()
	var items []list.Item
	add := func(server string) (offered int) {
		for _, t := range tools {
			if t.Tool.Server == server {
				items = append(items, toolItem(t))
				offered += min(1, t.Tokens)
			}
		}
		return offered
	}
	offered := add("")
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
		n := add(server.Name)
		items[at].Right = string(server.State)
		if server.State == mcp.Ready {
			items[at].Right = fmt.Sprintf("%s · %d of %s", server.State, n, theme.Plural(len(server.Tools), "tool"))
		}
		offered += n
		if server.Err != nil {
			l.Notes = append(l.Notes, server.Name+": "+markdown.OneLine(server.Err.Error(), 300))
		}
	}
	l.Remark = fmt.Sprintf("%d offered, ~%s in each request", offered, theme.Plural(cost, "token"))
	l.Fill(items)
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
		return s.Failed(s.Servers.Restart(name))
	}
	tools, _ := s.Session.ToolStates()
	at := slices.IndexFunc(tools, func(t session.ToolState) bool { return ofTool+t.Tool.Name == value })
	if at < 0 {
		return nil // Its server took it away.
	}
	t, next, of := tools[at].Tool, tool.Off, s.Session
	if tools[at].Permission == tool.Off {
		next = tool.Ask
	} else if tools[at].Permission == tool.Ask && !t.EachTime {
		next = tool.Allow
	}
	return s.Run(func(ctx context.Context) tea.Msg {
		err := of.PermitTool(ctx, t, next)
		return app.Then(func() tea.Cmd { return s.toolsChanged(err) })
	})
}
