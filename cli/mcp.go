//go:build cgo

package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"winnow/cli/config"
	"winnow/llm"
	"winnow/llm/mcp"
)

// mcpServers are the MCP servers that the configuration names, ready to be started, with the secrets in their
// texts. A file of another client's that cannot be read is a fault, and the other servers are there all the same.
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

// checkServers finds what is wrong with the MCP servers of a file that only shows when the files of other clients
// are read.
func (p *program) checkServers(file string, doc []byte, c config.Config) []*config.Mistake {
	servers, _, faults := p.mcpServers(c)
	var out []*config.Mistake
	for _, fault := range faults {
		out = append(out, config.MistakeAt(file, doc, "tools.mcp_files", fault.Error()))
	}
	for _, s := range servers {
		if s.Command == "" && s.URL == "" && s.From == "" {
			out = append(out, config.MistakeAt(file, doc, "mcp_servers."+s.Name, "mcp_servers."+s.Name+" has neither "+
				"a command nor a url, and no file in tools.mcp_files names it"))
		} else if s.Fault != nil {
			fmt.Fprintf(p.err, "winnow: mcp_servers.%s: %s\n", s.Name, s.Fault)
		}
	}
	return out
}

// clientFile reads the servers of a file of another client's. A name that is not absolute is one beside the
// configuration file: the folder that winnow happens to run in may be a stranger's, and its files may name any program.
func (p *program) clientFile(name string) ([]mcp.Server, error) {
	if !filepath.IsAbs(name) && !strings.HasPrefix(name, "~") {
		configured, _, err := p.configPath()
		if err != nil {
			return nil, err
		}
		name = filepath.Join(filepath.Dir(configured), name)
	}
	path, err := p.expand(name)
	if err != nil {
		return nil, err
	}
	doc, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read it: %w", fileCause(err))
	}
	return config.ReadMCPFile(path, doc)
}

// prepareTools makes the MCP servers ready. What they say of themselves may hold a secret.
func (k *conversation) prepareTools(ctx context.Context, say func(sentence string)) error {
	return k.servers.Prepare(ctx, func(sentence string) { say(k.redactor.Text(sentence)) })
}

// newServers makes the configured MCP servers ready. None is started yet. It returns what is wrong with their
// files, for the user.
func (w *setup) newServers(p *program) (*mcp.Servers, []string) {
	servers, _, faults := p.mcpServers(w.config)
	var notices []string
	for _, fault := range faults {
		notices = append(notices, w.redactor.Text(fault.Error()))
	}
	return mcp.New(p.build, servers...), notices
}
