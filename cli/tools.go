package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	c := p.command("tools", "List the tools that models may call, with their tokens",
		func(ctx context.Context, _ []string) error {
			return p.withSetup(ctx, func(w *setup) error { return p.listTools(ctx, w) })
		})
	p.jsonFlag(c)
	return c
}

// mcpServers are the MCP servers that the configuration names, ready to be started, with the secrets in their texts. A
// file of another client's that cannot be read is a fault, and the other servers are there all the same.
func (p *program) mcpServers(c config.Config) (servers []mcp.Server, secrets []string, faults []error) {
	var files []mcp.Server
	for _, name := range c.Tools.MCPFiles {
		more, err := p.clientFile(name)
		if err != nil {
			faults = append(faults, fmt.Errorf("tools.mcp_files: %s: %w", name, err))
		}
		files = append(files, more...)
	}
	folder, _ := os.Getwd()
	look := config.Lookup{Variable: p.env, Folder: folder, Home: p.env("HOME")}
	for _, s := range c.Servers(files) {
		s, used := config.Expand(s, look)
		values := make(map[string]string, len(used))
		for _, name := range used {
			values[name] = p.env(name)
		}
		for _, e := range []llm.Endpoint{{BaseURL: s.URL, Headers: s.Headers}, {Headers: s.Env}, {Headers: values}} {
			secrets = append(secrets, e.Secrets()...)
		}
		servers = append(servers, s)
	}
	return servers, secrets, faults
}

// clientFile reads the servers of a file of another client's. A name that is not absolute is one beside the
// configuration file: the folder that winnow happens to run in may be a stranger's, and its files may name any program.
func (p *program) clientFile(name string) ([]mcp.Server, error) {
	path, err := p.expand(name)
	if !filepath.IsAbs(name) && !strings.HasPrefix(name, "~") {
		path, err = p.besideConfig(name)
	}
	if err != nil {
		return nil, err
	}
	doc, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read it: %w", fileCause(err))
	}
	return config.ReadMCPFile(path, doc)
}

// newServers makes the configured MCP servers ready. None is started yet. It returns what is wrong with their files,
// for the user.
func (w *setup) newServers() (*mcp.Servers, []string) {
	servers, _, faults := w.p.mcpServers(w.config)
	var notices []string
	for _, fault := range faults {
		notices = append(notices, w.redactor.Text(fault.Error()))
	}
	return mcp.New(w.p.build, servers...), notices
}

// builtinTools are winnow's own tools that need no conversation.
func (p *program) builtinTools(c config.Tools) *tool.Toolbox {
	box := new(tool.Toolbox)
	if c.Now {
		box.Register(tool.Now(p.now))
	}
	if c.Fetch {
		box.Register(tool.Fetch(c.FetchHosts))
	}
	return box
}

// listTools starts every server and lists what it offers. It fails where one of them did not start.
func (p *program) listTools(ctx context.Context, w *setup) error {
	servers, notices := w.newServers()
	defer servers.Close()
	for _, notice := range notices {
		p.warn("%s", notice)
	}
	list, err := settled(ctx, servers)
	if err != nil {
		return err
	}
	tools, err := w.toolReport(ctx, list)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		p.warn("there are no MCP servers: add one as a table [mcp_servers.NAME] in the configuration, or name the " +
			"configuration file of another client in tools.mcp_files")
	}
	failed := len(notices)
	for _, s := range list {
		if s.State == mcp.Failed {
			failed++
		}
	}
	if err := p.show(tools); err != nil || failed == 0 {
		return err
	}
	return fail(Failed, "%s not in use", theme.PluralOf(failed, "MCP server or file is", "MCP servers or files are"))
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

// toolReport is what the servers and winnow itself offer, with the tokens of each tool, without secrets.
func (w *setup) toolReport(ctx context.Context, list []mcp.Status) (out report.Tools, err error) {
	rules := approval.Rules{Mode: approval.Mode(w.config.Tools.Approve), Permissions: w.config.Tools.Permissions}
	if rules.Remembered, err = w.store.ToolPermissions(ctx); err != nil {
		return out, err
	}
	counter := tokenizer.New()
	cost := func(tools ...tool.Tool) int {
		if len(tools) == 0 {
			return 0
		}
		return counter.Count(llm.Schemas(tools))
	}
	var offered []tool.Tool
	add := func(server *report.ToolServer, t tool.Tool, one report.ToolRow) {
		permission, _ := rules.Permission(t)
		one.Name, one.Permission, one.Description = t.Name, string(permission), t.Description
		if one.Offered = one.Offered && permission != tool.Off && len(offered) < tool.MostTools; one.Offered {
			one.Tokens = cost(t)
			offered = append(offered, t)
			server.Offered++
			server.Tokens += one.Tokens
		}
		server.Tools = append(server.Tools, one)
	}
	for _, s := range list {
		server := report.ToolServer{
			Name: s.Name, State: string(s.State), Address: w.redactor.Text(s.Address), From: s.From, Title: s.Title,
			Prompts: len(s.Prompts), Resources: len(s.Resources),
		}
		if s.Err != nil {
			server.Error = w.redactor.Text(s.Err.Error())
		}
		for _, t := range s.Tools {
			add(&server, t.Tool, report.ToolRow{Own: t.Own, Offered: t.Offered, Note: t.Note})
		}
		out.Servers = append(out.Servers, server)
	}
	own := report.ToolServer{Name: "winnow", State: "built in"}
	for _, t := range w.p.builtinTools(w.config.Tools).Tools() {
		one := report.ToolRow{Own: t.Name, Offered: !t.Companion || len(offered) > 0}
		if !one.Offered {
			one.Note = "offered only if there are other tools"
		}
		add(&own, t, one)
	}
	if len(own.Tools) > 0 {
		out.Servers = append(out.Servers, own)
	}
	out.Offered, out.Tokens = len(offered), cost(offered...)
	return out, nil
}
