package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"winnow/llm/tool"
)

// State is what a server is doing.
type State string

// The states of a server.
const (
	Disabled   State = "off"         // the configuration says so
	Idle       State = "not started" // nothing has needed it yet
	Starting   State = "starting"
	Ready      State = "ready"
	Restarting State = "restarting" // it ended by itself
	Failed     State = "failed"     // it did not start, or ended too often
	Ended      State = "ended"      // winnow ends, or has ended it
)

// Options are what the servers of one program share. The zero value is for use as it is.
type Options struct {
	Version string        // winnow's, for the servers
	Log     *slog.Logger  // nil discards
	Delay   time.Duration // before the first restart; 0 is half a second
}

// Servers are the MCP servers that the user named. Nothing is started before Start, Prepare or Restart. The
// methods may be called from several goroutines.
type Servers struct {
	options Options
	all     []*server // by name

	mu      sync.Mutex
	changed chan struct{} // closed at the next change of any server
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup
}

// New makes the servers ready to be started. A server without a name of its own replaces none: the first one counts.
func New(o Options, configured ...Server) *Servers {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Delay = cmp.Or(o.Delay, 500*time.Millisecond)
	m := &Servers{options: o, changed: make(chan struct{})}
	m.ctx, m.stop = context.WithCancel(context.Background())
	configured = slices.Clone(configured)
	slices.SortStableFunc(configured, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	for _, c := range configured {
		if !slices.ContainsFunc(m.all, func(s *server) bool { return s.config.Name == c.Name }) {
			m.all = append(m.all, newServer(m, c))
		}
	}
	return m
}

// Start connects to all servers at once, in the background. It does nothing where it was called before.
func (m *Servers) Start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.all {
		m.start(s)
	}
}

// start starts a server for the first time. The caller holds the lock.
func (m *Servers) start(s *server) {
	if s.status.State == Idle && m.ctx.Err() == nil {
		s.status.State = Starting
		m.running.Go(func() { s.run(m.ctx) })
		m.announce()
	}
}

// silentWait is how long Prepare waits without a word.
const silentWait = 400 * time.Millisecond

// Prepare starts the servers and waits until each of them is ready or has failed, or until ctx ends. It says what
// it waits for, and what happened since it was called last: which servers failed, were started again or changed
// their tools.
func (m *Servers) Prepare(ctx context.Context, say func(sentence string)) error {
	m.Start()
	patience := time.NewTimer(silentWait)
	defer patience.Stop()
	for {
		m.mu.Lock()
		var starting []string
		for _, s := range m.all {
			if s.status.State == Starting {
				starting = append(starting, s.config.Name)
			}
		}
		changed := m.changed
		m.mu.Unlock()
		if starting == nil {
			break
		}
		select {
		case <-changed:
		case <-patience.C:
			say("waiting for " + serversNamed(starting) + " to start")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	m.mu.Lock()
	var news []string
	for _, s := range m.all {
		news = append(news, s.news...)
		s.news = nil
	}
	m.mu.Unlock()
	for _, sentence := range news {
		say(sentence)
	}
	return nil
}

func serversNamed(names []string) string {
	if len(names) == 1 {
		return "the MCP server " + names[0]
	}
	return "the MCP servers " + strings.Join(names, ", ")
}

// Boxes are the tools of each server, for a session. They are empty until their server is ready, and change with it.
func (m *Servers) Boxes() []*tool.Toolbox {
	boxes := make([]*tool.Toolbox, len(m.all))
	for i, s := range m.all {
		boxes[i] = &s.box
	}
	return boxes
}

// Status is one server as of now.
type Status struct {
	Name      string
	From      string // the file that names it, "" for the configuration
	Address   string // its command or url, without secrets
	Approve   tool.Permission
	State     State
	Err       error    // why it is not in use, or ended
	Stderr    []string // the last lines of its standard error, where it failed
	Title     string   // what the server calls itself, with its version
	Note      string   // a sentence about its list of tools, "" for none
	Tools     []Tool
	Listed    bool // its prompts and resources were asked for
	Prompts   []Prompt
	Resources []Resource
	Restarts  int // how often it was restarted
}

// List says what each server is doing, by name.
func (m *Servers) List() []Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]Status, len(m.all))
	for i, s := range m.all {
		out[i] = s.status
		out[i].Tools = slices.Clone(s.status.Tools)
	}
	return out
}

// Idle says that there are servers that were not started yet.
func (m *Servers) Idle() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.all, func(s *server) bool { return s.status.State == Idle })
}

// Changed returns a channel that is closed when something about a server changes.
func (m *Servers) Changed() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changed
}

// Restart starts a server anew, or for the first time. One that is off stays off.
func (m *Servers) Restart(name string) error {
	s, err := m.find(name)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch s.status.State {
	case Disabled:
		return fmt.Errorf("the MCP server %s is off in the configuration", name)
	case Idle:
		m.start(s)
		return nil
	}
	select {
	case s.again <- struct{}{}:
	default: // It was asked for already.
	}
	return nil
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
	m.stop()
	m.mu.Lock()
	for _, s := range m.all {
		if s.status.State == Idle {
			s.status.State = Ended
		}
	}
	m.mu.Unlock()
	m.running.Wait()
}

// announce wakes those who wait for a change. The caller holds the lock.
func (m *Servers) announce() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// deal fills the boxes of all servers: together they hold as many tools as a request may. The caller holds the lock.
func (m *Servers) deal() {
	room := MostTools
	for _, s := range m.all {
		s.status.Note = ""
		if s.status.State != Ready && s.status.State != Restarting {
			s.box.Replace(nil, nil)
			continue
		}
		offered, left := choose(s.config, s.status.Tools, room)
		room -= offered
		if left > 0 {
			s.status.Note = fmt.Sprintf("%d of its %d tools are offered: requests hold at most %d tools; "+
				"approve and tools in its configuration choose among them",
				offered, len(s.status.Tools), MostTools)
		}
		tools := make([]tool.Tool, 0, offered)
		own := make(map[string]string, offered)
		for _, t := range s.status.Tools {
			if t.Offered {
				tools = append(tools, t.Tool)
				own[t.Name] = t.Own
			}
		}
		s.box.Replace(tools, func(ctx context.Context, name string, arguments json.RawMessage) (string, error) {
			return s.call(ctx, own[name], arguments)
		})
	}
}
