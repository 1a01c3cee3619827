// Package sync shares a history with other machines through a folder that another program keeps in sync, such as
// Syncthing, a cloud drive, git or a USB stick. Each machine writes files of its own, called segments, and merges those of
// the others. A segment is named by the hash of its content and never changes; one that is to hold less, or to be
// encrypted, is replaced by another. What is in them, and how they are merged, is the store's.
package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dustin/go-humanize/english"

	"winnow/session/store"
)

// Options say how a history is synced.
type Options struct {
	Dir      string
	Keys     Keys
	Verify   bool           // read the segments of this machine again, and write those that are damaged
	Adopt    string         // take over the folder of a machine that is gone; "" for none
	Progress func(Progress) // is told how far the run is; may be nil

	now  func() time.Time        // a test's; nil is time.Now
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
	Saved    int      // sessions made of messages that the machine which purged their session had not got
	From     []string // the names of the machines of which something was merged
	Changed  []string // the ids of all sessions of which something was merged, those that were purged included
	Skipped  []string // sentences about the files that could not be read
}

// Run writes what is new here, and merges what is new in the folder. It stops where its context ends, and goes on the next
// time. Beside an error the result is what was done before.
func Run(ctx context.Context, s *store.Store, o Options) (Result, error) {
	r := run{ctx: ctx, y: s.Sync(), o: o}
	if r.o.step == nil {
		r.o.step = func(string) error { return nil }
	}
	if r.o.now == nil {
		r.o.now = time.Now
	}
	err := r.run(s.Path())
	slices.Sort(r.out.Changed)
	r.out.Changed = slices.Compact(r.out.Changed)
	return r.out, err
}

// run is one run.
type run struct {
	ctx   context.Context
	y     *store.Sync
	o     Options
	state store.SyncState
	f     *folder
	keys  ring
	out   Result
}

func (r *run) run(database string) error {
	if err := checkFolder(r.o.Dir, database); err != nil {
		return err
	}
	release, err := r.y.Lock()
	if err != nil {
		return err
	}
	defer release()
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	if r.state, err = r.y.Join(r.ctx, host); err != nil {
		return err
	}
	if r.f, err = readFolder(r.o.Dir); err != nil {
		return err
	}
	if r.keys, err = r.o.Keys.open(r.ctx, r.f, r.state.Folder, true); err != nil {
		return err
	}
	if r.keys.own == nil && r.foldersLocked() {
		return ErrLocked
	}
	steps := []func() error{r.tidy, r.checkOwn, r.write, r.read, r.checkOthers, r.write, r.replace, r.fold}
	if r.o.Adopt != "" {
		steps = append(steps, r.adopt)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// reload reads what is known and what the folder holds anew.
func (r *run) reload() (err error) {
	if r.state, err = r.y.State(r.ctx); err != nil {
		return err
	}
	r.f, err = readFolder(r.o.Dir)
	return err
}

// foldersLocked reports whether another machine encrypts what it writes.
func (r *run) foldersLocked() bool {
	for _, m := range r.f.machines {
		if m.locked {
			return true
		}
		if m.id == r.state.Folder || len(m.segments) == 0 {
			continue
		}
		s, err := openSegment(r.f.path(m.id, m.segments[len(m.segments)-1]))
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

// own are the segments of this machine that no other replaces.
func (r *run) own() []store.Segment {
	return slices.DeleteFunc(slices.Clone(r.state.Segments), func(s store.Segment) bool { return s.Home != r.state.Folder || s.Gone })
}

// tidy removes files of this machine that others replace: one run later, so that no machine misses them in between.
func (r *run) tidy() error {
	own := r.f.machine(r.state.Folder)
	for _, s := range r.state.Segments {
		if !s.Gone || !own.has(s.Name) {
			continue
		}
		if err := os.Remove(r.f.path(own.id, s.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return r.reload()
}

// checkOwn has the rows of segments of this machine told again whose files are missing or damaged.
func (r *run) checkOwn() error {
	own := r.f.machine(r.state.Folder)
	var lost []store.Segment
	for _, s := range r.own() {
		if own.has(s.Name) && r.whole(s) {
			continue
		}
		if err := os.Remove(r.f.path(own.id, s.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		lost = append(lost, s)
	}
	return r.lost(lost)
}

func (r *run) lost(segments []store.Segment) error {
	if len(segments) == 0 {
		return nil
	}
	if err := r.y.Lost(r.ctx, segments...); err != nil {
		return err
	}
	return r.reload()
}

// whole reports whether the file of a segment is as it was written, as far as it is read.
func (r *run) whole(segment store.Segment) bool {
	path := r.f.path(segment.Home, segment.Name)
	if !r.o.Verify {
		info, err := os.Stat(path)
		return err == nil && info.Size() == segment.Size
	}
	s, err := openSegment(path)
	if err != nil {
		return false
	}
	s.close()
	return true
}

// checkOthers has the rows of segments told by this machine that it merged and whose files are gone, although no other
// file has their rows: another machine, or its folder, was restored from a backup and does not know them any more.
func (r *run) checkOthers() error {
	if err := r.reload(); err != nil {
		return err
	}
	var lost []store.Segment
	for _, s := range r.state.Segments {
		if s.Home != r.state.Folder && !s.Gone && !r.f.machine(s.Home).has(s.Name) {
			lost = append(lost, s)
		}
	}
	return r.lost(lost)
}

// head begins a segment that is written now.
func (r *run) head(replaces ...string) head {
	return head{
		Folder: r.state.Folder, Host: r.state.Name, Number: r.state.Number,
		Created: r.o.now().UnixMilli(), Replaces: replaces,
	}
}

// write writes what is in no segment yet.
func (r *run) write() error {
	total, done := r.state.Waiting, 0
	for more := total > 0; more; {
		var rows store.Collected
		written, err := writeSegment(r.f.dir, r.head(), r.keys.own, func(take func(store.Line) error) (err error) {
			rows, err = r.y.Collect(r.ctx, mostBytes, take)
			return err
		})
		if err != nil {
			return err
		}
		if len(rows.IDs) == 0 { // what waits is not finished
			return os.Remove(r.f.path(written.Home, written.Name))
		}
		if err := r.o.step("written"); err != nil {
			return err
		}
		if err := r.y.Told(r.ctx, rows.IDs, []store.Segment{written}, nil); err != nil {
			return err
		}
		r.out.Sent += rows.Messages
		done += len(rows.IDs)
		r.progress(Writing, min(done, total), total)
		more = rows.More
	}
	return r.reload()
}

func (r *run) progress(doing Doing, done, total int) {
	if r.o.Progress != nil && total > 0 {
		r.o.Progress(Progress{doing, done, total})
	}
}

// known are the names of the segments that were written or merged here.
func (r *run) known() map[string]bool {
	known := map[string]bool{}
	for _, s := range r.state.Segments {
		known[s.Name] = true
	}
	return known
}

// read merges the segments of the other machines, as long as one of them can be merged: one may wait for another. Those of
// this machine that it does not know are read as well: its file was restored from a backup.
func (r *run) read() error {
	type file struct{ machine, name string }
	known := r.known()
	var files []file
	for _, m := range r.f.machines {
		for _, name := range m.segments {
			if !known[name] {
				files = append(files, file{m.id, name})
			}
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	total := len(files)
	stuck := map[file]string{}
	for moved := true; moved; {
		moved = false
		var left []file
		for _, f := range files {
			why, err := r.merge(f.machine, f.name)
			if err != nil {
				return err
			}
			if stuck[f] = why; why != "" {
				left = append(left, f)
				continue
			}
			moved = true
			r.progress(Reading, total-len(files)+1, total)
		}
		files = left
	}
	for _, f := range files {
		r.out.Skipped = append(r.out.Skipped, stuck[f])
	}
	return nil
}

// merge merges a segment. It returns a sentence where that cannot be done now.
func (r *run) merge(machine, file string) (why string, err error) {
	name := filepath.Join(machine, shortName(file))
	s, err := openSegment(r.f.path(machine, file))
	if r.o.Verify && machine == r.state.Folder && errors.Is(err, errIncomplete) {
		// It was written before this history was restored. Machines that merged it tell its rows where the file is gone.
		return "", os.Remove(r.f.path(machine, file))
	}
	if err != nil {
		return unreadable(name, err)
	}
	defer s.close()
	if err := s.mayBeMerged(r.keys.keys); err != nil {
		return unreadable(name, err)
	}
	h, err := s.head(r.keys.keys)
	if err == nil && h.Folder != machine {
		err = fmt.Errorf("%w: it is another machine's", errIncomplete)
	}
	if err == nil && h.Created > r.o.now().Add(aheadOfTime).UnixMilli() {
		err = store.ErrAhead
	}
	if err != nil {
		return unreadable(name, err)
	}
	segment := store.Segment{Home: machine, Name: file, Size: s.size, Created: time.UnixMilli(h.Created)}
	out, err := r.y.Merge(r.ctx, h.home(), segment, h.Replaces, func(take func(store.Line) error) error {
		return s.read(r.keys.keys, func(head) error { return nil }, take)
	})
	if err != nil {
		return unreadable(name, err)
	}
	r.out.Received += out.Messages
	r.out.Sessions += out.Sessions
	r.out.Purged += out.Purged
	r.out.Diverged += out.Diverged
	r.out.Saved += out.Saved
	r.out.Changed = append(r.out.Changed, out.Changed...)
	if n := out.Refused; n > 0 {
		r.out.Skipped = append(r.out.Skipped, fmt.Sprintf("%s has other content for %s that %s here; what is here stays.",
			name, english.Plural(n, "message", ""), english.PluralWord(n, "is", "are")))
	}
	if len(out.Changed) > 0 && machine != r.state.Folder && !slices.Contains(r.out.From, h.Host) {
		r.out.From = append(r.out.From, h.Host)
	}
	return "", r.o.step("merged")
}

// aheadOfTime is how far beyond the time another machine's clock may be.
const aheadOfTime = 24 * time.Hour

// refusal is why a file is not merged as it is, however long it lies there; nil where there is another reason.
func refusal(err error) error {
	for _, kind := range []error{errLarge, errLong, errPlain, store.ErrAhead} {
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
	for _, kind := range []error{errIncomplete, errLater, errLocked, store.ErrLine, store.ErrWaits} {
		if errors.Is(err, kind) {
			return fmt.Sprintf("%s cannot be read yet: %v.", name, kind), nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return fmt.Sprintf("%s cannot be read: %v.", name, err), nil
	}
	return "", err
}

// replace writes segments of this machine anew that name sessions which were purged, or that are in plain text where
// there is a key now.
func (r *run) replace() error {
	if err := r.reload(); err != nil {
		return err
	}
	purged := map[string]bool{}
	for _, id := range r.state.Purged {
		purged[id] = true
	}
	for _, s := range r.own() {
		plain := r.keys.own != nil && isPlain(r.f.path(s.Home, s.Name))
		if !plain && !slices.ContainsFunc(s.Sessions, func(id string) bool { return purged[id] }) {
			continue
		}
		if err := r.rewrite(purged, s); err != nil {
			return err
		}
		// What is to go goes at once.
		if err := os.Remove(r.f.path(s.Home, s.Name)); err != nil {
			return err
		}
	}
	return r.reload()
}

// rewrite writes the rows of segments, but for those of purged sessions, to one segment of this machine.
func (r *run) rewrite(purged map[string]bool, segments ...store.Segment) error {
	var names []string
	for _, s := range segments {
		names = append(names, s.Name)
	}
	written, err := writeSegment(r.f.dir, r.head(names...), r.keys.own, func(take func(store.Line) error) error {
		for _, s := range segments {
			if err := r.copy(s, purged, take); err != nil {
				return fmt.Errorf("read %s: %w", filepath.Join(s.Home, s.Name), err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.o.step("rewritten"); err != nil {
		return err
	}
	return r.y.Told(r.ctx, nil, []store.Segment{written}, names)
}

// copy hands out the rows of a segment, but for those of purged sessions.
func (r *run) copy(segment store.Segment, purged map[string]bool, take func(store.Line) error) error {
	s, err := openSegment(r.f.path(segment.Home, segment.Name))
	if err != nil {
		return err
	}
	defer s.close()
	skip := false
	return s.read(r.keys.keys, func(head) error { return nil }, func(l store.Line) error {
		if l.Session != nil {
			skip = purged[l.Session.ID]
		}
		if skip && l.Tombstone == nil {
			return nil
		}
		return take(l)
	})
}

// Small segments are folded into one where there are more than that.
const (
	mostSmall = 64
	small     = 256 << 10 // bytes
)

// fold replaces many small segments of this machine by one.
func (r *run) fold() error {
	few := slices.DeleteFunc(r.own(), func(s store.Segment) bool { return s.Size >= small })
	if len(few) <= mostSmall {
		return nil
	}
	if err := r.rewrite(nil, few...); err != nil {
		return err
	}
	return r.reload()
}

// adopt takes over the folder of a machine that is gone: its segments become this machine's.
func (r *run) adopt() error {
	m := r.f.machine(r.o.Adopt)
	if m.id == r.state.Folder || len(m.segments) == 0 && !m.locked {
		return fmt.Errorf("%w: %s", ErrNoMachine, r.o.Adopt)
	}
	known := map[string]store.Segment{}
	for _, s := range r.state.Segments {
		known[s.Name] = s
	}
	purged := map[string]bool{}
	for _, id := range r.state.Purged {
		purged[id] = true
	}
	for _, name := range m.segments {
		s, merged := known[name]
		if !merged {
			return fmt.Errorf("%w: %s cannot be read", ErrNotMerged, filepath.Join(m.id, shortName(name)))
		}
		if s.Gone {
			continue
		}
		s.Home = m.id
		if err := r.rewrite(purged, s); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(filepath.Join(r.f.dir, m.id)); err != nil {
		return err
	}
	return r.reload()
}

var (
	// ErrNoMachine says that the folder has no other machine of that name.
	ErrNoMachine = errors.New("there is no other machine of that name in the folder")
	// ErrNotMerged says that a machine's folder holds what is not merged here, and so cannot be taken over.
	ErrNotMerged = errors.New("the machine's folder cannot be taken over")
)

// shortName is the name of a segment for people.
func shortName(name string) string {
	const hash = 8
	if at := len(name) - len(".seg"); at > len("0000000000000-")+hash {
		return name[:len("0000000000000-")+hash] + "….seg"
	}
	return name
}

// sorted are the keys of a set in order.
func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
