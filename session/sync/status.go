package sync

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"filippo.io/age"
	"github.com/dustin/go-humanize/english"

	"winnow/session/store"
)

// StatusReport says how a synced folder and a history stand to each other.
type StatusReport struct {
	Dir       string
	Machine   string // "" where the history was never synced
	Name      string // of this host
	Waiting   int    // rows and changes that are to be written
	Rewrite   int    // segments of this machine that are to be written again
	Encrypted bool   // this machine's segments are
	Machines  []MachineReport
	Ignored   []string // files below the machines' folders that are no segments, such as copies of files that conflicted
}

// MachineReport is another machine.
type MachineReport struct {
	Machine string
	Name    string    // "" where nothing of it was merged
	Last    time.Time // when it wrote the newest segment that is merged
	New     int       // segments that are not merged yet
	Why     string    // why the first of them cannot be merged, "" where it can or where there is none
}

// Unmerged is how many files of other machines are not merged yet.
func (r StatusReport) Unmerged() int {
	n := 0
	for _, m := range r.Machines {
		n += m.New
	}
	return n
}

// Status looks at the folder and the history, and changes nothing.
func Status(ctx context.Context, s *store.Store, o Options) (StatusReport, error) {
	out := StatusReport{Dir: o.Dir}
	if err := checkFolder(o.Dir, s.Path()); err != nil {
		return out, err
	}
	state, err := s.Sync().State(ctx)
	if err != nil {
		return out, err
	}
	f, err := readFolder(o.Dir)
	if err != nil {
		return out, err
	}
	out.Machine, out.Name, out.Waiting, out.Ignored = state.Machine, state.Name, int(state.Waiting), f.ignored
	keys, err := o.Keys.open(ctx, f, state.Machine, false)
	if err != nil {
		return out, err
	}
	out.Encrypted = keys.own != nil
	own := f.machine(state.Machine)
	for _, segment := range state.Segments {
		plain := out.Encrypted && isPlain(segmentPath(f.dir, state.Machine, segment.Number))
		if segment.Sum == nil || !own.has(segment.Number) || plain {
			out.Rewrite++
		}
	}
	others := map[string]store.SyncOther{}
	for _, other := range state.Others {
		others[other.Machine] = other
	}
	for _, m := range f.machines {
		if m.id == state.Machine {
			continue
		}
		out.Machines = append(out.Machines, machineReport(s.Sync(), f, m, others[m.id], keys))
		delete(others, m.id)
	}
	for _, other := range state.Others {
		if _, gone := others[other.Machine]; gone {
			out.Machines = append(out.Machines, MachineReport{Machine: other.Machine, Name: other.Name, Last: other.Last, Why: "its files are not in the folder"})
		}
	}
	return out, nil
}

func machineReport(y *store.Sync, f *folder, m machineFolder, known store.SyncOther, keys ring) MachineReport {
	r := MachineReport{Machine: m.id, Name: known.Name, Last: known.Last}
	for _, number := range m.segments {
		if number > known.Merged {
			r.New++
		}
	}
	if r.New == 0 {
		return r
	}
	next := known.Merged + 1
	if !m.has(next) {
		r.Why = fmt.Sprintf("%s is missing, and %s for it", filepath.Base(segmentPath("", m.id, next)), waits(r.New))
		return r
	}
	if err := r.readable(y, segmentPath(f.dir, m.id, next), keys.keys); err != nil {
		r.Why = err.Error()
		for _, kind := range []error{errIncomplete, errLater, errLocked, refusal(err)} {
			if kind != nil && errors.Is(err, kind) {
				r.Why = filepath.Base(segmentPath("", m.id, next)) + ": " + kind.Error()
			}
		}
	}
	return r
}

// readable returns why a segment of the machine cannot be merged, as far as reading it tells, and takes the machine's name
// from it.
func (r *MachineReport) readable(y *store.Sync, path string, keys []age.Identity) error {
	s, err := openSegment(path)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.mayBeMerged(keys); err != nil {
		return err
	}
	return s.lines(keys, func(l store.SyncLine) error {
		if l.Head != nil {
			r.Name = l.Head.Name
		}
		return y.CheckClocks(l)
	})
}

func waits(n int) string {
	if n == 1 {
		return "1 segment waits"
	}
	return english.Plural(n, "segment", "") + " wait"
}
