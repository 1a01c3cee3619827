//go:build cgo

package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"winnow/cli/config"
	"winnow/cli/report"
	"winnow/llm"
	"winnow/llm/mcp"
	"winnow/llm/tokenizer"
	"winnow/llm/tool"
	"winnow/session/approval"
	"winnow/session/store"
	"winnow/ui/theme"
)

func (p *program) toolsCommand() *cobra.Command {
	var asJSON bool
	c := p.plainCommand("tools", "List the tools that models may call, with their tokens",
		func(ctx context.Context) error { return p.listTools(ctx, asJSON) })
	c.Long = "tools starts the configured MCP servers, lists their tools, and stops the servers. It needs no model. " +
		"Every request that offers tools contains their descriptions and schemas; the list shows the tokens of each."
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// listTools starts every server and lists what it offers. It fails where one of them did not start.
func (p *program) listTools(ctx context.Context, asJSON bool) error {
	w, err := p.setup(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	servers, notices := w.newServers(p)
	defer servers.Close()
	for _, notice := range notices {
		fmt.Fprintf(p.err, "winnow: %s\n", notice)
	}
	list, err := settled(ctx, servers)
	if err != nil {
		return err
	}
	rules, err := p.toolRules(ctx, w.config)
	if err != nil {
		return err
	}
	tools := w.toolReport(list, rules, p.builtinTools(w.config.Tools))
	if asJSON {
		err = report.WriteJSON(p.out, tools)
	} else {
		err = tools.Table(p.out)
		if len(list) == 0 {
			fmt.Fprintln(p.err, "There are no MCP servers. Add one as a table [mcp_servers.NAME] in the "+
				"configuration, or name the configuration file of another client in tools.mcp_files.")
		}
	}
	failed := len(notices)
	for _, s := range list {
		if s.State == mcp.Failed {
			failed++
		}
	}
	if err == nil && failed > 0 {
		return fail(Failed, "%s not in use", theme.PluralOf(failed, "MCP server or file is",
			"MCP servers or files are"))
	}
	return err
}

// settled starts the servers and waits until each of them is ready, with all of its lists, or has failed.
func settled(ctx context.Context, servers *mcp.Servers) ([]mcp.Status, error) {
	if err := servers.Prepare(ctx, func(string) {}); err != nil {
		return nil, err
	}
	for {
		changed := servers.Changed()
		list := servers.List()
		if !slices.ContainsFunc(list, func(s mcp.Status) bool { return s.State == mcp.Ready && !s.Listed }) {
			return list, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// toolRules is what the configuration and the user's earlier answers say of tools.
func (p *program) toolRules(ctx context.Context, c config.Config) (approval.Rules, error) {
	rules := approval.Rules{Mode: approval.Mode(c.Tools.Approve), Permissions: c.Tools.Permissions}
	path, err := p.dbPath(c)
	if err != nil || !exists(path) {
		return rules, nil // Nobody has answered anything.
	}
	s, err := store.Open(ctx, path, store.Options{Now: p.now})
	if err != nil {
		return rules, err
	}
	defer s.Close()
	rules.Remembered, err = s.ToolPermissions(ctx)
	return rules, err
}

// toolReport is what the servers and winnow itself offer, with the tokens of each tool, without secrets.
func (w *setup) toolReport(list []mcp.Status, rules approval.Rules, builtin *tool.Toolbox) report.Tools {
	counter := tokenizer.New()
	cost := func(tools ...tool.Tool) int {
		if len(tools) == 0 {
			return 0
		}
		return counter.Count(llm.Schemas(tools))
	}
	out := report.Tools{Servers: []report.ToolServer{}}
	var all []tool.Tool
	add := func(row *report.ToolServer, offered *[]tool.Tool, t tool.Tool, one report.ToolRow) {
		permission, _ := rules.Permission(t)
		one.Name, one.Permission, one.Description = t.Name, string(permission), t.Description
		if one.Offered = one.Offered && permission != tool.Off && len(all)+len(*offered) < tool.MostTools; one.Offered {
			one.Tokens = cost(t)
			*offered = append(*offered, t)
			row.Offered++
		}
		row.Tools = append(row.Tools, one)
	}
	for _, s := range list {
		row := report.ToolServer{
			Name: s.Name, State: string(s.State), Address: w.redactor.Text(s.Address), From: s.From, Title: s.Title,
			Tools: []report.ToolRow{}, Prompts: len(s.Prompts), Resources: len(s.Resources),
		}
		if s.Err != nil {
			row.Error = w.redactor.Text(s.Err.Error())
		}
		var offered []tool.Tool
		for _, t := range s.Tools {
			add(&row, &offered, t.Tool, report.ToolRow{Own: t.Own, Offered: t.Offered, Note: t.Note})
		}
		row.Tokens = cost(offered...)
		all = append(all, offered...)
		out.Servers = append(out.Servers, row)
	}
	own := report.ToolServer{Name: "winnow", State: "built in", Tools: []report.ToolRow{}}
	var offered []tool.Tool
	for _, t := range builtin.Tools() {
		one := report.ToolRow{Own: t.Name, Offered: !t.Companion || len(all) > 0}
		if !one.Offered {
			one.Note = "offered only if there are other tools"
		}
		add(&own, &offered, t, one)
	}
	own.Tokens = cost(offered...)
	if all = append(all, offered...); len(own.Tools) > 0 {
		out.Servers = append(out.Servers, own)
	}
	out.Offered, out.Tokens = len(all), cost(all...)
	return out
}

// checkTools says of each MCP server how it is reached; where start is set, whether it starts and what it offers.
func (p *program) checkTools(ctx context.Context, f *findings, c config.Config, start bool) {
	configured, _, faults := p.mcpServers(c)
	for _, fault := range faults {
		f.wrong("tools", "%s", report.ErrorText(fault))
	}
	if len(configured) == 0 {
		return
	}
	w, err := p.setup(ctx)
	if err != nil {
		return // checkEndpoints said why.
	}
	defer w.close()
	servers := mcp.New(p.build, configured...)
	defer servers.Close()
	list := servers.List()
	if start {
		if list, err = settled(ctx, servers); err != nil {
			f.wrong("tools", "%s", report.ErrorText(err))
			return
		}
	}
	rules, err := p.toolRules(ctx, c)
	if err != nil {
		return // checkStore says why.
	}
	for i, s := range w.toolReport(list, rules, nil).Servers {
		name := report.Line(s.Name)
		switch fault := configured[i].Check(); {
		case list[i].State == mcp.Disabled:
			f.note(name, "MCP server, off: %s", report.Line(s.Address))
		case fault != nil:
			f.wrong(name, "MCP server, %s: %s", report.Line(s.Address), report.ErrorText(fault))
		case !start:
			f.good(name, "MCP server, %s; not started (use winnow doctor --tools or winnow tools)",
				report.Line(s.Address))
		case s.Error != "":
			f.wrong(name, "MCP server, %s: %s", report.Line(s.Address), report.Sentence(s.Error))
		default:
			f.good(name, "MCP server, %s: offers %s, ~%s with each request", report.Line(s.Address),
				theme.Plural(s.Offered, "tool"), theme.Plural(s.Tokens, "token"))
		}
	}
}
