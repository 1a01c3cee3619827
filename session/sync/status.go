package sync

import (
	"cmp"
	"context"
	"slices"
	"time"

	"winnow/session/store"
)

// StatusReport says how a synced folder and a history stand to each other.
type StatusReport struct {
	Dir       string
	Machine   string // "" where the history was never synced
	Name      string // of this host
	Waiting   int    // rows that are to be written
	Rewrite   int    // segments of this machine that are missing, or are to be written again
	Encrypted bool   // this machine's segments are
	Plain     int    // segments of all machines that are not encrypted, where this machine's are
	Machines  []MachineReport
	Ignored   []string // files below the machines' folders that are no segments, such as copies that conflicted
}

// MachineReport is another machine.
type MachineReport struct {
	Machine string
	Name    string    // "" where nothing of it was merged
	Last    time.Time // when it wrote the newest segment that is merged
	New     int       // segments that are not merged yet
	Lost    int       // segments that are merged and whose files are gone: this machine is to tell their rows
	Why     string    // why the first of the new ones cannot be merged, "" where it can or where there is none
}

// Unmerged is how many files of other machines are not merged yet.
func (r StatusReport) Unmerged() int {
	n := 0
	for _, m := range r.Machines {
		n += m.New
	}
	return n
}

// Lost is how many files of other machines are gone that were merged.
func (r StatusReport) Lost() int {
	n := 0
	for _, m := range r.Machines {
		n += m.Lost
	}
	return n
}

// silent is how long a machine that writes nothing is taken for one that is in use.
const silent = 30 * 24 * time.Hour

// Silent reports whether a machine has written nothing for so long that it may be gone: see Options.Adopt.
func (m MachineReport) Silent(now time.Time) bool {
	return !m.Last.IsZero() && now.Sub(m.Last) > silent
}

// Status looks at the folder and the history, and changes nothing.
func Status(ctx context.Context, s *store.Store, o Options) (StatusReport, error) {
	out := StatusReport{Dir: o.Dir}
	if err := checkFolder(o.Dir, s.Path()); err != nil {
		return out, err
	}
	r := newRun(ctx, s, o)
	if err := r.reload(); err != nil {
		return out, err
	}
	state, f := r.state, r.f
	out.Machine, out.Name, out.Waiting, out.Ignored = state.Folder, state.Name, state.Waiting, f.ignored
	var err error
	if r.keys, err = o.Keys.open(ctx, f, state.Folder, false); err != nil {
		return out, err
	}
	out.Encrypted = r.keys.own != nil
	for _, segment := range r.own() {
		if !f.machine(segment.Home).has(segment.Name) || !r.whole(segment) || r.stale(segment) {
			out.Rewrite++
		}
	}
	for _, m := range f.machines {
		for _, name := range m.segments {
			if out.Encrypted && isPlain(f.path(m.id, name)) {
				out.Plain++
			}
		}
		if m.id != state.Folder {
			out.Machines = append(out.Machines, r.report(m))
		}
	}
	for _, other := range state.Others {
		if slices.ContainsFunc(f.machines, func(m machineFolder) bool { return m.id == other.Folder }) {
			continue
		}
		if report := r.report(machineFolder{id: other.Folder}); report.Lost > 0 {
			report.Why = "its files are not in the folder"
			out.Machines = append(out.Machines, report)
		}
	}
	return out, nil
}

func (r *run) report(m machineFolder) MachineReport {
	out := MachineReport{Machine: m.id}
	for _, other := range r.state.Others {
		if other.Folder == m.id {
			out.Name = other.Name
		}
	}
	for _, s := range r.state.Segments {
		if s.Home != m.id {
			continue
		}
		if s.Created.After(out.Last) {
			out.Last = s.Created
		}
		if !s.Gone && !m.has(s.Name) {
			out.Lost++
		}
	}
	for _, name := range m.segments {
		if _, known := r.known[name]; known {
			continue
		}
		if out.New++; out.Why != "" {
			continue
		}
		h, err := r.peek(m.id, name)
		if err == nil {
			out.Name = h.Host
			continue
		}
		out.Why = shortName(name) + ": " + cmp.Or(reason(err), err).Error()
	}
	return out
}

// peek is the head of a segment that is not merged yet. The error is why it cannot be, as far as looking at it tells.
func (r *run) peek(machine, name string) (head, error) {
	s, err := openSegment(r.f.path(machine, name))
	if err != nil {
		return head{}, err
	}
	defer s.close()
	return r.head(s)
}
