// Package mcp uses the tools, prompts and resources of MCP servers. It starts the programs that the user named,
// keeps them running, and bounds what they send. It decides nothing about whether a call may run.
package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"winnow/llm/tool"
)

// Server says how to reach one MCP server, and what its tools may do.
type Server struct {
	Name string // as the user calls it
	From string // the file that names it, "" for the configuration

	// A program of the user's, which speaks over its standard input and output.
	Command string
	Args    []string
	Env     map[string]string // more variables of its environment
	Dir     string            // the folder that it starts in; "" is winnow's own

	// A server that is asked by HTTP, where there is no Command.
	URL     string
	Headers map[string]string // of each request; their values may be secret

	Disabled       bool
	StartupTimeout time.Duration // 0 is DefaultStartup
	ToolTimeout    time.Duration // 0 is DefaultTool
	MaxResult      int           // the most bytes of a result that are kept; 0 is DefaultResult

	Fault error // why it cannot be used, nil for nothing

	Approve tool.Permission            // of the tools that Tools does not name; "" is what holds for all tools
	Tools   map[string]tool.Permission // by the server's own name of the tool

	shown string // its address before variables were replaced
}

// What a server gets where its configuration does not say.
const (
	DefaultStartup = 30 * time.Second
	DefaultTool    = 2 * time.Minute
	DefaultResult  = 1_000_000
)

// Bounds of what a server may send. Beyond them, something is left out and the user reads what.
const (
	// MostTools is the most tools that are offered to a model, over all servers: OpenAI's servers refuse
	// requests with more.
	MostTools = 128

	mostListed      = 10_000   // entries of a list that are read
	mostDescription = 8_192    // bytes of a description that are sent to the model
	mostSchema      = 64 << 10 // bytes of a tool's schema
	mostMessage     = 16 << 20 // bytes of one message of a server
)

// MostResult is the largest limit of a result: a message with more than that is not read.
const MostResult = mostMessage

// Address is the server's command or address in words, without user, password, query and values of variables.
func (s Server) Address() string {
	switch {
	case s.shown != "":
		return s.shown
	case s.Command == "":
		return shownURL(s.URL)
	}
	return strings.Join(append([]string{s.Command}, s.Args...), " ")
}

// Check says why a server cannot be started, in words for the user, as far as that is known without starting it.
func (s Server) Check() error {
	switch {
	case s.Fault != nil:
		return s.Fault
	case s.Command == "" && s.URL == "":
		return errors.New("it has neither a command nor a url")
	case s.Command != "" && s.URL != "":
		return errors.New("it has both a command and a url; use only one of them")
	case s.Command != "":
		_, err := lookPath(s)
		return err
	}
	return nil
}

// Expand replaces ${NAME} and ${NAME:-default} in the server's command, arguments, environment, folder, url and
// headers by environment variables. ${env:NAME}, ${workspaceFolder} and ${userHome} are what other clients
// write. Where that cannot be done, Fault says why. It returns the variables that were used.
func (s Server) Expand(look Lookup) (Server, []string) {
	s.shown = s.Address()
	e := expander{look: look}
	s.Command, s.Dir, s.URL = e.text(s.Command), e.text(s.Dir), e.text(s.URL)
	s.Args = slices.Clone(s.Args)
	for i := range s.Args {
		s.Args[i] = e.text(s.Args[i])
	}
	s.Env, s.Headers = e.values(s.Env), e.values(s.Headers)
	s.Fault = cmp.Or(s.Fault, e.err)
	return s, e.used
}

// Lookup is what a server's texts are expanded with.
type Lookup struct {
	Variable func(name string) string // "" for one that is not set
	Folder   string                   // the working folder
	Home     string
}

// expander replaces variables, and remembers the first one that cannot be replaced.
type expander struct {
	look Lookup
	used []string
	err  error
}

func (e *expander) values(all map[string]string) map[string]string {
	out := make(map[string]string, len(all))
	for name, value := range all {
		out[name] = e.text(value)
	}
	return out
}

var variables = regexp.MustCompile(`\$\{([^}]*)\}`)

// text replaces the variables of one text. What stands in their values is left as it is.
func (e *expander) text(text string) string {
	return variables.ReplaceAllStringFunc(text, func(found string) string {
		return e.variable(found[len("${") : len(found)-len("}")])
	})
}

func (e *expander) variable(name string) string {
	switch name {
	case "workspaceFolder":
		return e.look.Folder
	case "userHome":
		return e.look.Home
	}
	if input, ok := strings.CutPrefix(name, "input:"); ok {
		e.err = cmp.Or(e.err, fmt.Errorf("it needs the input %q, which winnow cannot ask for; "+
			"replace it by ${%s} and set that environment variable", input, strings.ToUpper(input)))
		return ""
	}
	name = strings.TrimPrefix(name, "env:")
	name, fallback, optional := strings.Cut(name, ":-")
	if value := e.look.Variable(name); value != "" {
		e.used = append(e.used, name)
		return value
	}
	if !optional {
		e.err = cmp.Or(e.err, fmt.Errorf("the environment variable %s is not set", name))
	}
	return fallback
}
