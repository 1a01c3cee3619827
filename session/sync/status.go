package sync

import (
	"cmp"
	"context"
	"maps"
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
	Unmerged  int      // the new segments of all other machines
	Lost      int      // the lost segments of all other machines
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

// silent is how long a machine that writes nothing is taken for one that is in use.
const silent = 30 * 24 * time.Hour

// Silent reports whether a machine has written nothing for so long that it may be gone: see Options.Adopt.
func (m MachineReport) Silent(now time.Time) bool {
	return !m.Last.IsZero() && now.Sub(m.Last) > silent
}

// Status looks at the folder and the history, and changes nothing.
func Status(ctx context.Context, s *store.Store, o Options) (StatusReport, error) {
	out := StatusReport{Dir: o.Dir}
	r, err := newRun(ctx, s, o)
	if err != nil {
		return out, err
	}
	if err := r.reload(); err != nil {
		return out, err
	}
	out.Machine, out.Name, out.Waiting, out.Ignored = r.state.Folder, r.state.Name, r.state.Waiting, r.f.ignored
	out.Encrypted = r.keys.own != nil
	out.Rewrite = len(r.own(func(s store.Segment) bool { return r.lost(s) || r.stale(s) }))
	others := map[string]string{} // names by folders
	for machine, names := range r.f.machines {
		others[machine] = ""
		for _, name := range names {
			if out.Encrypted && !isEncrypted(r.f.path(machine, name)) {
				out.Plain++
			}
		}
	}
	for _, other := range r.state.Others {
		others[other.Folder] = other.Name
	}
	delete(others, r.state.Folder)
	for _, id := range slices.Sorted(maps.Keys(others)) {
		m, there := r.report(id, others[id])
		if there || m.Lost > 0 {
			out.Machines = append(out.Machines, m)
			out.Unmerged, out.Lost = out.Unmerged+m.New, out.Lost+m.Lost
		}
	}
	return out, nil
}

// report reports on another machine, and whether its folder is there.
func (r *run) report(id, name string) (out MachineReport, there bool) {
	names, there := r.f.machines[id]
	out.Machine, out.Name, out.Last = id, name, r.last[id]
	for _, s := range r.state.Segments {
		if s.Machine == id && !s.Replaced && r.lost(s) {
			out.Lost++
		}
	}
	if !there {
		out.Why = "its files are not in the folder"
	}
	for _, name := range names {
		if _, known := r.known[name]; known {
			continue
		}
		if out.New++; out.Why != "" {
			continue
		}
		f, h, err := r.open(r.f.path(id, name))
		if err != nil {
			out.Why = shortName(name) + ": " + cmp.Or(reason(err), err).Error()
			continue
		}
		f.Close()
		out.Name = h.Host
	}
	return out, there
}
