// Package sync shares a history with other machines through a folder that another program keeps in sync, such as
// Syncthing, a cloud drive, git or a USB stick. Each machine writes files of its own, which it never changes but to take out
// what was purged, and merges those of the others. What is in them, and how they are merged, is the store's.
package sync

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/dustin/go-humanize/english"
	"github.com/google/renameio/v2/maybe"

	"winnow/session/store"
)

// Options say how a history is synced.
type Options struct {
	Dir      string
	Keys     Keys
	Verify   bool           // read the segments of this machine again, and write those that are damaged
	Progress func(Progress) // is told how far the run is; may be nil

	step func(name string) error // a test's: ends the run where it returns an error
}

// Progress is how far a run is.
type Progress struct {
	Doing Doing
	Done  int
	Total int
}

// Doing is what a run does.
type Doing string

// What a run does: Total counts rows that are written, or segments that are read.
const (
	Writing Doing = "writing"
	Reading Doing = "reading"
)

// Result says what a run did.
type Result struct {
	Sent     int      // messages that were written
	Received int      // messages of other machines that were merged
	Sessions int      // sessions that they added
	Purged   int      // sessions that another machine purged
	Diverged int      // sessions that were continued on two machines at once
	From     []string // the names of the machines of which something was merged
	Changed  []string // the ids of all sessions of which something was merged, those that were purged included
	Skipped  []string // sentences about the files that could not be read
}

// Run writes what is new here, and merges what is new in the folder. It stops where its context ends, and goes on the next
// time. Beside an error the result is what was done before.
func Run(ctx context.Context, s *store.Store, o Options) (Result, error) {
	r := run{ctx: ctx, s: s, y: s.Sync(), o: o}
	if r.o.step == nil {
		r.o.step = func(string) error { return nil }
	}
	err := r.run()
	slices.Sort(r.out.Changed)
	r.out.Changed = slices.Compact(r.out.Changed)
	return r.out, err
}

// run is one run.
type run struct {
	ctx   context.Context
	s     *store.Store
	y     *store.Sync
	o     Options
	state store.SyncState
	f     *folder
	keys  ring
	out   Result
}

func (r *run) run() error {
	if err := checkFolder(r.o.Dir, r.s.Path()); err != nil {
		return err
	}
	release, err := r.y.Lock()
	if err != nil {
		return err
	}
	defer release()
	if err := r.join(); err != nil {
		return err
	}
	if r.keys, err = r.o.Keys.open(r.ctx, r.f, r.state.Machine, true); err != nil {
		return err
	}
	if r.keys.own == nil && r.foldersLocked() {
		return ErrLocked
	}
	for _, step := range []func() error{r.heal, r.write, r.read, r.tidy} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// join makes the history one that is shared. Where the folder has segments of this machine that it has not written, the
// file was restored from a backup: it is another machine from now on.
func (r *run) join() error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	path, err := filepath.Abs(r.s.Path())
	if err != nil {
		return err
	}
	place := sha256.Sum256([]byte(host + "\x00" + path))
	for again := false; ; again = true {
		if r.state, err = r.y.Join(r.ctx, hex.EncodeToString(place[:]), host); err != nil {
			return err
		}
		if r.f, err = readFolder(r.o.Dir); err != nil {
			return err
		}
		if r.f.machine(r.state.Machine).newest() < r.state.Next || again {
			return nil
		}
		if err := r.y.Forget(r.ctx); err != nil {
			return err
		}
	}
}

// foldersLocked reports whether another machine encrypts what it writes.
func (r *run) foldersLocked() bool {
	for _, m := range r.f.machines {
		if m.locked {
			return true
		}
		if m.id == r.state.Machine || len(m.segments) == 0 {
			continue
		}
		s, err := openSegment(segmentPath(r.f.dir, m.id, m.newest()))
		if err != nil {
			continue
		}
		locked := s.encrypted()
		s.close()
		if locked {
			return true
		}
	}
	return false
}

// heal writes the segments of this machine again that are missing or damaged, hold what was purged since, or are in plain
// text where there is a key now.
func (r *run) heal() error {
	own := r.f.machine(r.state.Machine)
	for _, segment := range r.state.Segments {
		if segment.Sum != nil && own.has(segment.Number) && r.whole(segment) {
			continue
		}
		if err := r.writeAgain(segment.Number); err != nil {
			return err
		}
	}
	return nil
}

// whole reports whether the file of a segment is as it was written, as far as it is read.
func (r *run) whole(segment store.SyncSegment) bool {
	path := segmentPath(r.f.dir, r.state.Machine, segment.Number)
	if r.keys.own != nil && isPlain(path) {
		return false
	}
	if !r.o.Verify {
		info, err := os.Stat(path)
		return err == nil && info.Size() == segment.Size
	}
	s, err := openSegment(path)
	if err != nil {
		return false
	}
	defer s.close()
	return slices.Equal(s.sum, segment.Sum)
}

func (r *run) writeAgain(number int64) error {
	e := encoder{to: r.keys.own}
	if err := r.y.Segment(r.ctx, number, e.line); err != nil {
		return err
	}
	return r.put(number, &e)
}

// put writes the file of a segment.
func (r *run) put(number int64, e *encoder) error {
	file, sum, err := e.end()
	if err != nil {
		return err
	}
	if err := r.o.step("collected"); err != nil {
		return err
	}
	path := segmentPath(r.f.dir, r.state.Machine, number)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := maybe.WriteFile(path, file, 0o600); err != nil {
		return err
	}
	if err := r.o.step("written"); err != nil {
		return err
	}
	return r.y.Written(r.ctx, number, sum, int64(len(file)))
}

// write writes what is in no segment yet.
func (r *run) write() error {
	total, done := int(r.state.Waiting), 0
	for e := (encoder{to: r.keys.own}); ; {
		number, more, err := r.y.Collect(r.ctx, e.line)
		if err != nil || number == 0 {
			return err
		}
		r.out.Sent += e.messages
		if err := r.put(number, &e); err != nil {
			return err
		}
		done += e.messages
		r.progress(Writing, min(done, total), total)
		if !more {
			return nil
		}
	}
}

func (r *run) progress(doing Doing, done, total int) {
	if r.o.Progress != nil && total > 0 {
		r.o.Progress(Progress{doing, done, total})
	}
}

// read merges the segments of the other machines, as long as one of them can be merged. A segment waits for those that
// its writer had merged before.
func (r *run) read() error {
	var err error
	if r.state, err = r.y.State(r.ctx); err != nil {
		return err
	}
	merged := map[string]int64{}
	for _, other := range r.state.Others {
		merged[other.Machine] = other.Merged
	}
	total, done := 0, 0
	for _, m := range r.f.machines {
		if m.id != r.state.Machine {
			for _, number := range m.segments {
				if number > merged[m.id] {
					total++
				}
			}
		}
	}
	stuck := map[string]string{} // why the next segment of a machine is not merged
	for moved := true; moved; {
		moved = false
		for _, m := range r.f.machines {
			for m.id != r.state.Machine && m.newest() > merged[m.id] {
				number := merged[m.id] + 1
				why, err := r.merge(m, number)
				if err != nil {
					return err
				}
				if stuck[m.id] = why; why != "" {
					break
				}
				merged[m.id], moved = number, true
				done++
				r.progress(Reading, done, total)
			}
		}
	}
	for _, m := range r.f.machines {
		if why := stuck[m.id]; why != "" {
			r.out.Skipped = append(r.out.Skipped, why)
		}
	}
	return nil
}

// merge merges a segment. It returns a sentence where that cannot be done now.
func (r *run) merge(m machineFolder, number int64) (why string, err error) {
	name := filepath.Join(m.id, filepath.Base(segmentPath("", m.id, number)))
	if !m.has(number) {
		return fmt.Sprintf("%s is missing, and %s wait for it.", name, english.Plural(int(m.newest()-number), "later segment", "")), nil
	}
	s, err := openSegment(segmentPath(r.f.dir, m.id, number))
	if err != nil {
		return unreadable(name, err)
	}
	defer s.close()
	if err := s.mayBeMerged(r.keys.keys); err != nil {
		return unreadable(name, err)
	}
	host := ""
	out, err := r.y.Merge(r.ctx, func(take func(store.SyncLine) error) error {
		return s.lines(r.keys.keys, func(l store.SyncLine) error {
			if l.Head != nil {
				host = l.Head.Name
				if l.Head.Machine != m.id || l.Head.Number != number {
					return fmt.Errorf("%w: it is another segment", errIncomplete)
				}
			}
			return take(l)
		})
	})
	if err != nil {
		return unreadable(name, err)
	}
	r.out.Received += out.Messages
	r.out.Sessions += out.Sessions
	r.out.Purged += out.Purged
	r.out.Diverged += out.Diverged
	r.out.Changed = append(r.out.Changed, out.Changed...)
	if n := out.Refused; n > 0 {
		r.out.Skipped = append(r.out.Skipped, fmt.Sprintf("%s has other content for %s that %s here; what is here stays.",
			name, english.Plural(n, "message", ""), english.PluralWord(n, "is", "are")))
	}
	if len(out.Changed) > 0 && !slices.Contains(r.out.From, host) {
		r.out.From = append(r.out.From, host)
	}
	return "", r.o.step("merged")
}

// refusal is why a file is not merged as it is, however long it lies there; nil where there is another reason.
func refusal(err error) error {
	for _, kind := range []error{errLarge, errLong, errPlain, store.ErrSyncAhead} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	return nil
}

// unreadable is the sentence about a file that cannot be merged now; any other error comes back.
func unreadable(name string, err error) (string, error) {
	if why := refusal(err); why != nil {
		return fmt.Sprintf("%s is not merged: %v.", name, why), nil
	}
	for _, kind := range []error{errIncomplete, errLater, errLocked, store.ErrSyncDamaged, store.ErrSyncWaits} {
		if errors.Is(err, kind) {
			return fmt.Sprintf("%s cannot be read yet: %v.", name, kind), nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return fmt.Sprintf("%s cannot be read: %v.", name, err), nil
	}
	return "", err
}

// tidy overwrites the text of sessions that were purged, and writes the segments of this machine again that held it.
func (r *run) tidy() error {
	if r.out.Purged > 0 {
		if err := r.y.FinishPurge(r.ctx); err != nil && !errors.Is(err, store.ErrNotOverwritten) {
			return err
		}
	}
	var err error
	if r.state, err = r.y.State(r.ctx); err != nil {
		return err
	}
	for _, segment := range r.state.Segments {
		if segment.Sum != nil {
			continue
		}
		if err := r.writeAgain(segment.Number); err != nil {
			return err
		}
	}
	return r.tidyFormer()
}

// tidyFormer takes what was purged out of the segments that this machine wrote under a former name.
func (r *run) tidyFormer() error {
	machines, purged, err := r.y.Former(r.ctx)
	if err != nil {
		return err
	}
	gone := map[string]bool{}
	for _, id := range purged {
		gone[id] = true
	}
	for _, machine := range machines {
		tidied := true
		for _, number := range r.f.machine(machine).segments {
			whole, err := r.without(segmentPath(r.f.dir, machine, number), gone)
			if err != nil {
				return err
			}
			tidied = tidied && whole
		}
		if !tidied {
			continue
		}
		if err := r.y.TidiedFormer(r.ctx, machine, len(purged)); err != nil {
			return err
		}
	}
	return nil
}

// without writes a segment again without the lines of some sessions, where it has any. It is false where the segment cannot
// be read.
func (r *run) without(path string, gone map[string]bool) (bool, error) {
	s, err := openSegment(path)
	if err != nil {
		return false, nil
	}
	defer s.close()
	e, found, skip := encoder{to: r.keys.own}, false, false
	err = s.lines(r.keys.keys, func(l store.SyncLine) error {
		if l.Session != nil {
			skip = gone[l.Session.ID]
			found = found || skip
		}
		if skip {
			return nil
		}
		return e.line(l)
	})
	if err != nil || !found {
		return err == nil, nil
	}
	file, _, err := e.end()
	if err != nil {
		return false, err
	}
	return true, maybe.WriteFile(path, file, 0o600)
}
