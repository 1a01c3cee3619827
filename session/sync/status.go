package sync

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"winnow/session/store"
)

// StatusReport compares a synced folder with the history.
type StatusReport struct {
	Dir       string
	Machine   string // folder of this machine, "" if it was never synced
	Name      string // host name of this machine
	Waiting   int    // rows to be written
	Rewrite   int    // segments of this machine that are missing or to be rewritten
	Encrypted bool   // this machine encrypts its segments
	Plain     int    // unencrypted segments of all machines, if this machine encrypts
	Machines  []MachineReport
	Unmerged  int      // new segments of all other machines
	Lost      int      // lost segments of all other machines
	Ignored   []string // files in the machines' folders that are not segments, such as conflicted copies
}

// MachineReport describes another machine.
type MachineReport struct {
	Machine string    // name of its folder
	Name    string    // host name, "" if nothing of it was merged
	Last    time.Time // when it wrote its newest merged segment
	New     int       // segments not merged yet
	Lost    int       // merged segments whose files are gone, so that this machine has to send their rows
	Why     string    // why its first new segment cannot be merged, "" if it can or if there is none
}

// inactiveAfter is the time without a new segment after which a machine counts as inactive.
const inactiveAfter = 30 * 24 * time.Hour

// Inactive reports whether the machine has written nothing for so long that it may be gone: see Options.Adopt.
func (m MachineReport) Inactive(now time.Time) bool {
	return !m.Last.IsZero() && now.Sub(m.Last) > inactiveAfter
}

// Status compares the folder with the history, and changes nothing.
func Status(ctx context.Context, s *store.Store, o Options) (StatusReport, error) {
	out := StatusReport{Dir: o.Dir}
	r, err := newRun(ctx, s, o)
	if err != nil {
		return out, err
	}
	if err := r.reload(); err != nil {
		return out, err
	}
	out.Machine, out.Name, out.Waiting, out.Ignored = r.state.Folder, r.state.Name, r.state.Waiting, r.folder.ignored
	out.Encrypted = r.keys.own != nil
	out.Rewrite = len(r.own(func(s store.Segment) bool { return r.lost(s) || r.stale(s) }))
	others := map[string]string{} // host name by folder
	for machine, names := range r.folder.machines {
		others[machine] = ""
		for _, name := range names {
			if out.Encrypted && !isEncrypted(r.folder.path(machine, name)) {
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

// report describes another machine and reports whether its folder exists.
func (r *run) report(id, name string) (out MachineReport, there bool) {
	names, there := r.folder.machines[id]
	out.Machine, out.Name, out.Last = id, name, r.newest[id]
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
		f, h, err := r.open(r.folder.path(id, name))
		if err != nil {
			out.Why = shortName(name) + ": " + cmp.Or(reason(err), err).Error()
			continue
		}
		f.Close()
		out.Name = h.Host
	}
	return out, there
}
