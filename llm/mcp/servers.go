// Package mcp makes the tools, prompts and resources of MCP servers available. It starts the configured programs,
// restarts those that have exited when they are needed, and limits what they send. It does not decide whether a call
// may run.
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

// ServerConfig configures one MCP server: how to reach it, and the permissions of its tools.
type ServerConfig struct {
	Name           string // the user's name for it
	DisplayAddress string // its address to be shown; "" for the command or the URL

	// A program that communicates over standard input and output.
	Command string
	Args    []string
	Env     map[string]string // additional environment variables

	// A server over HTTP, if Command is "".
	URL     string
	Headers map[string]string // of each request; their values may be secret

	Disabled       bool
	StartupTimeout time.Duration // 0 is DefaultStartupTimeout
	ToolTimeout    time.Duration // 0 is DefaultToolTimeout

	ConfigErr error // why the configuration is not usable; may be nil

	DefaultPermission tool.Permission            // for other tools than ToolPermissions; "" is the general default
	ToolPermissions   map[string]tool.Permission // by the server's own name of the tool
}

// The default timeouts.
const (
	DefaultStartupTimeout = 30 * time.Second
	DefaultToolTimeout    = 2 * time.Minute
)

// Limits of what a server may send. What exceeds them is omitted, and the user is told.
const (
	// MaxResultBytes is the maximum size of a message from a server, and so of a result.
	MaxResultBytes = 16 << 20

	maxListed           = 10_000   // entries of a list that are read
	maxDescriptionBytes = 8_192    // of a description that is sent to the model
	maxSchemaBytes      = 64 << 10 // of a tool's schema
)

// Address is the server's command or URL to be shown, without user, password, query and environment variables.
func (s ServerConfig) Address() string {
	switch {
	case s.DisplayAddress != "":
		return s.DisplayAddress
	case s.Command == "":
		return shownURL(s.URL)
	}
	return strings.Join(append([]string{s.Command}, s.Args...), " ")
}

// Check returns the reason why a server cannot be started, as far as that is known without starting it. Its text is for
// the user.
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

// ServerState is the state of a server.
type ServerState string

// The states of a server.
const (
	Disabled   ServerState = "off"         // disabled in the configuration
	NotStarted ServerState = "not started" // not needed yet
	Starting   ServerState = "starting"
	Ready      ServerState = "ready"
	Failed     ServerState = "failed" // it could not be started
	Ended      ServerState = "ended"  // it exited, and will be restarted when it is needed
)

// Servers are the configured MCP servers. They are started by Start or Prepare. It is safe for concurrent use.
type Servers struct {
	version string
	all     []*server
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex
	changed chan struct{} // closed when the state of a server changes, then replaced
	news    []string      // sentences for the next Prepare
}

// NewServers returns servers, which must have different names. version is winnow's own, sent to the servers.
func NewServers(version string, configured ...ServerConfig) *Servers {
	m := &Servers{version: version, changed: make(chan struct{})}
	m.ctx, m.stop = context.WithCancel(context.Background())
	for _, c := range configured {
		c.StartupTimeout = cmp.Or(c.StartupTimeout, DefaultStartupTimeout)
		c.ToolTimeout = cmp.Or(c.ToolTimeout, DefaultToolTimeout)
		s := &server{m: m, config: c}
		s.status = ServerStatus{
			Name: c.Name, Address: c.Address(), State: NotStarted,
		}
		if c.Disabled {
			s.status.State = Disabled
		}
		m.all = append(m.all, s)
	}
	return m
}

// Start starts all servers that are not running, in the background.
func (m *Servers) Start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.all {
		s.start()
	}
}

// silentWait is how long Prepare waits before it announces that.
const silentWait = 400 * time.Millisecond

// Prepare starts the servers as Start does, and waits until each is ready or has failed, or until ctx ends. It calls
// say with sentences for the user: which servers it waits for, and which have failed or were restarted since the last
// call.
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

// await waits until done returns true or ctx ends. done is called under the lock, at first and after each change of a
// server.
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

// Toolboxes returns a toolbox for each server. It is empty until the server is ready, and is updated when the server
// changes.
func (m *Servers) Toolboxes() (boxes []*tool.Toolbox) {
	for _, s := range m.all {
		boxes = append(boxes, &s.box)
	}
	return boxes
}

// ServerStatus is a snapshot of a server.
type ServerStatus struct {
	Name      string
	Address   string // its command or URL, without secrets
	State     ServerState
	Err       error  // why it is not in use or exited; may be nil
	Title     string // the server's own name and version
	Tools     []Tool
	Listed    bool // its prompts and resources were read
	Prompts   []*Prompt
	Resources []*Resource
}

// Statuses returns the status of each server.
func (m *Servers) Statuses() (all []ServerStatus) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.all {
		all = append(all, s.status)
	}
	return all
}

// Changed returns a channel that is closed at the next change of a server.
func (m *Servers) Changed() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changed
}

// Restart stops a server, waits until it has exited, and starts it again.
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

// Close stops all servers and waits until they have exited.
func (m *Servers) Close() {
	m.mu.Lock()
	m.stop()
	m.mu.Unlock()
	m.running.Wait()
}

// announce wakes up everything that waits for a change. The caller holds the lock.
func (m *Servers) announce() {
	close(m.changed)
	m.changed = make(chan struct{})
}
