package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"winnow/cli/config"
	"winnow/cli/report"
	"winnow/llm"
	"winnow/llm/mcp"
	"winnow/llm/tokenizer"
	"winnow/llm/tool"
	"winnow/session/approval"
	"winnow/ui/theme"
)

func (p *program) toolsCommand() *cobra.Command {
	return p.withJSON(p.command("tools", "List the tools that models may call, with their tokens",
		func(ctx context.Context, _ []string) error {
			return p.withApp(ctx, purposeLook, func(a *app) error { return a.listTools(ctx) })
		}))
}

// mcpServers returns the configured MCP servers, and the secrets in their settings.
func (p *program) mcpServers(c config.Config) (servers []mcp.Server, secrets []string) {
	servers, used := c.ResolveMCPServers(p.env)
	secrets = llm.Endpoint{Headers: used}.Secrets()
	for _, s := range servers {
		for _, e := range []llm.Endpoint{{BaseURL: s.URL, Headers: s.Headers}, {Headers: s.Env}} {
			secrets = append(secrets, e.Secrets()...)
		}
	}
	return servers, secrets
}

// builtinTools returns winnow's own tools that need no session.
func (p *program) builtinTools(c config.Tools) *tool.Toolbox {
	box := new(tool.Toolbox)
	box.Register(tool.Now(p.now))
	if c.Fetch {
		box.Register(tool.Fetch(c.FetchHosts))
	}
	return box
}

// listTools starts every server and lists its tools. It fails if a server did not start.
func (a *app) listTools(ctx context.Context) error {
	a.fetchKeys(ctx) // servers must not inherit keys, and the list must not show them
	if err := a.servers.Prepare(ctx, func(string) {}); err != nil {
		return err
	}
	list := a.servers.List()
	tools, err := a.toolReport(ctx, list)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		a.warn("there are no MCP servers: add one as a table [mcp_servers.NAME] in the configuration")
	}
	failed := len(slices.DeleteFunc(list, func(s mcp.Status) bool { return s.State != mcp.Failed }))
	if err := a.show(tools); err != nil || failed == 0 {
		return err
	}
	return fail(exitFailed, "%s not in use", theme.PluralOf(failed, "MCP server is", "MCP servers are"))
}

// toolReport returns the tools of the servers and of winnow itself, with their token counts and without secrets.
func (a *app) toolReport(ctx context.Context, list []mcp.Status) (out report.ToolList, err error) {
	rules := a.approval()
	if rules.Remembered, err = a.store.ToolPermissions(ctx); err != nil {
		return out, err
	}
	own := mcp.Status{Name: "winnow", State: "built in"}
	for _, t := range a.builtinTools(a.config.Tools).Tools() {
		own.Tools = append(own.Tools, mcp.Tool{Tool: t, Own: t.Name, Offered: true})
	}
	counter := tokenizer.New()
	var offered []tool.Tool
	for _, s := range append(list, own) {
		server := report.ToolServer{
			Name: s.Name, State: string(s.State), Address: a.redactor.Text(s.Address), Title: s.Title,
		}
		if s.Err != nil {
			server.Error = a.redactor.Text(s.Err.Error())
		}
		for _, t := range s.Tools {
			permission, _ := rules.Permission(t.Tool)
			row := report.ToolRow{
				Name: t.Name, Own: t.Own, Permission: string(permission), Description: t.Description, Note: t.Note,
			}
			used := t.Offered && permission != tool.Off && len(offered) < tool.MostTools
			if used && (!t.Companion || len(offered) > 0) {
				row.Offered, row.Tokens = true, counter.Count(llm.Schemas([]tool.Tool{t.Tool}))
				offered = append(offered, t.Tool)
			}
			server.Tools = append(server.Tools, row)
		}
		out.Servers = append(out.Servers, server)
	}
	if out.Offered = len(offered); out.Offered > 0 {
		out.Tokens = counter.Count(llm.Schemas(offered))
	}
	return out, nil
}

// approval returns the configured rules for running tools without asking.
func (a *app) approval() approval.Rules {
	return approval.Rules{Mode: approval.Mode(a.config.Tools.Approve), Permissions: a.config.Tools.Permissions}
}
