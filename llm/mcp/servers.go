// Package mcp uses the tools, prompts and resources of MCP servers. It starts the programs that the user named,
// starts those again that ended when they are needed, and bounds what they send. It decides nothing about whether a
// call may run.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"winnow/llm/tool"
)

// Server says how to reach one MCP server, and what its tools may do.
type ServerConfig struct {
	Name           string // as the user calls it
	DisplayAddress string // its address for people, "" for the command or the URL as they are

	// A program, which speaks over its standard input and output.
	Command string
	Args    []string
	Env     map[string]string // more variables of its environment

	// A server that is asked by HTTP, where there is no Command.
	URL     string
	Headers map[string]string // of each request; their values may be secret

	Disabled       bool
	StartupTimeout time.Duration // 0 is DefaultStartup
	ToolTimeout    time.Duration // 0 is DefaultTool

	ConfigErr error // why it cannot be used, nil for nothing

	DefaultPermission tool.Permission            // of the tools that Tools does not name; "" is what holds for all tools
	ToolPermissions   map[string]tool.Permission // by the server's own name of the tool
}

// What a server gets where its configuration does not say.
const (
	DefaultStartupTimeout = 30 * time.Second
	DefaultToolTimeout    = 2 * time.Minute
)

// Bounds of what a server may send. Beyond them, something is left out and the user reads what.
const (
	// MostResult is the largest limit of a result: a message of a server with more bytes is not read.
	MaxResultBytes = 16 << 20

	maxListed           = 10_000   // entries of a list that are read
	maxDescriptionBytes = 8_192    // bytes of a description that are sent to the model
	maxSchemaBytes      = 64 << 10 // bytes of a tool's schema
)

// Address is the server's command or address in words, without user, password, query and values of variables.
func (s ServerConfig) Address() string {
	switch {
	case s.DisplayAddress != "":
		return s.DisplayAddress
	case s.Command == "":
		return shownURL(s.URL)
	}
	return strings.Join(append([]string{s.Command}, s.Args...), " ")
}

// Check says why a server cannot be started, in words for the user, as far as that is known without starting it.
func (s ServerConfig) Check() error {
	switch {
	case s.ConfigErr != nil:
		return s.ConfigErr
	case s.Command == "" && s.URL == "":
		return errors.New("it has neither a command nor a url")
	case s.Command != "":
		_, err := s.program()
		return err
	}
	return nil
}

// ServerState is what a server is doing.
type ServerState string

// The states of a server.
const (
	Disabled   ServerState = "off"         // the configuration says so
	NotStarted ServerState = "not started" // nothing has needed it yet
	Starting   ServerState = "starting"
	Ready      ServerState = "ready"
	Failed     ServerState = "failed" // it did not start
	Ended      ServerState = "ended"  // it ended, and starts again when it is needed
)

// Servers are the MCP servers that the user named. Nothing is started before Start or Prepare. The methods may be
// called from several goroutines.
type Servers struct {
	version string
	all     []*server
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex
	changed chan struct{} // closed at the next change of any server
	news    []string      // sentences that the user has not read yet
}

// New makes servers of different names ready to be started. They are told winnow's version.
func NewServers(version string, configured ...ServerConfig) *Servers {
	m := &Servers{version: version, changed: make(chan struct{})}
	m.ctx, m.stop = context.WithCancel(context.Background())
	for _, c := range configured {
		c.StartupTimeout = cmp.Or(c.StartupTimeout, DefaultStartupTimeout)
		c.ToolTimeout = cmp.Or(c.ToolTimeout, DefaultToolTimeout)
		s := &server{m: m, config: c}
		s.status = ServerStatus{Name: c.Name, Address: c.Address(), State: NotStarted}
		if c.Disabled {
			s.status.State = Disabled
		}
		m.all = append(m.all, s)
	}
	return m
}

// Start connects in the background to all servers that were not started or have ended.
func (m *Servers) Start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.all {
		s.start()
	}
}

// silentWait is how long Prepare waits without a word.
const silentWait = 400 * time.Millisecond

// Prepare starts the servers as Start does and waits until each of them is ready or has failed, or until ctx ends. It
// says what it waits for, and what happened since it was called last: which servers failed or were started again.
func (m *Servers) Prepare(ctx context.Context, say func(sentence string)) error {
	m.Start()
	var waiting, news []string
	started := func() bool {
		waiting, news = nil, m.news
		for _, s := range m.all {
			if s.status.State == Starting {
				waiting = append(waiting, s.config.Name)
			}
		}
		if waiting == nil {
			m.news = nil
		}
		return waiting == nil
	}
	quiet, cancel := context.WithTimeout(ctx, silentWait)
	defer cancel()
	err := m.await(quiet, started)
	if err != nil && ctx.Err() == nil {
		say("waiting for MCP servers to start: " + strings.Join(waiting, ", "))
		err = m.await(ctx, started)
	}
	if err != nil {
		return err
	}
	for _, sentence := range news {
		say(sentence)
	}
	return nil
}

// await calls done at each change of a server, under the lock, until it says yes or ctx ends.
func (m *Servers) await(ctx context.Context, done func() bool) error {
	for {
		m.mu.Lock()
		over := done()
		changed := m.changed
		m.mu.Unlock()
		if over {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Boxes are the tools of each server, for a session. They are empty until their server is ready, and change with it.
func (m *Servers) Toolboxes() (boxes []*tool.Toolbox) {
	for _, s := range m.all {
		boxes = append(boxes, &s.box)
	}
	return boxes
}

// Status is one server as of now.
type ServerStatus struct {
	Name      string
	Address   string // its command or url, without secrets
	State     ServerState
	Err       error  // why it is not in use, or ended
	Title     string // what the server calls itself, with its version
	Tools     []Tool
	Listed    bool // its prompts and resources were asked for
	Prompts   []*Prompt
	Resources []*Resource
}

// List says what each server is doing.
func (m *Servers) Statuses() (all []ServerStatus) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.all {
		all = append(all, s.status)
	}
	return all
}

// Changed returns a channel that is closed when something about a server changes.
func (m *Servers) Changed() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changed
}

// Restart ends a server, and starts it. It waits for the end.
func (m *Servers) Restart(name string) error {
	s, err := m.find(name)
	if err == nil && s.config.Disabled {
		err = fmt.Errorf("the MCP server %s is off in the configuration", name)
	}
	if err != nil {
		return err
	}
	return m.await(m.ctx, func() bool {
		switch s.status.State {
		case Ready:
			s.link.finish(errors.New("restarted by the user"))
			return false
		case Failed:
			s.status.State = NotStarted
		}
		s.start()
		return true
	})
}

func (m *Servers) find(name string) (*server, error) {
	for _, s := range m.all {
		if s.config.Name == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("there is no MCP server %q", name)
}

// Close ends all servers and waits for their end.
func (m *Servers) Close() {
	m.mu.Lock()
	m.stop()
	m.mu.Unlock()
	m.running.Wait()
}

// announce wakes those who wait for a change. The caller holds the lock.
func (m *Servers) announce() {
	close(m.changed)
	m.changed = make(chan struct{})
}
