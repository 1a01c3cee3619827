// Package sync shares a history with other machines through a folder that another program keeps in sync, such as
// Syncthing, a cloud drive, git or a USB stick. Each machine writes files of its own, called segments, and merges those
// of the others. A segment is named by the hash of its content and never changes; one that is to hold less, or to be
// encrypted, is replaced by another. What is in them, and how they are merged, is the store's.
package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"winnow/session/store"
)

// Options say how a history is synced.
type Options struct {
	Dir    string
	Key    string // an age identity file, as NewKey writes it; "" writes plain text
	Verify bool   // read the segments of this machine again, and write those that are damaged
	Adopt  string // take over the folder of a machine that is gone; "" for none

	// Progress is told how many rows are written, or segments read, of all that there are; nil for nobody.
	Progress func(doing string, done, total int)

	step func() error // a test's: ends the run where it returns an error
}

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

// Run merges what is new in the folder, and writes what is new here. It stops where its context ends, and goes on the
// next time. Beside an error the result is what was done before.
func Run(ctx context.Context, s *store.Store, o Options) (Result, error) {
	r, err := newRun(ctx, s, o)
	if err != nil {
		return Result{}, err
	}
	err = r.run()
	slices.Sort(r.out.Changed)
	r.out.Changed = slices.Compact(r.out.Changed)
	return r.out, err
}

// run is one run.
type run struct {
	ctx  context.Context
	y    *store.Sync
	o    Options
	keys ring
	out  Result

	// What reload reads.
	state store.SyncState
	known map[string]store.Segment // that were written or merged, by name
	last  map[string]time.Time     // when the newest of them was written, by the machine
	f     *folder
}

func newRun(ctx context.Context, s *store.Store, o Options) (*run, error) {
	if o.step == nil {
		o.step = func() error { return nil }
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	if err := checkFolder(o.Dir, s.Path()); err != nil {
		return nil, err
	}
	keys, err := openKeys(o.Key)
	return &run{ctx: ctx, y: s.Sync(), o: o, keys: keys}, err
}

func (r *run) run() error {
	release, err := r.y.Lock()
	if err != nil {
		return err
	}
	defer release()
	host, _ := os.Hostname() // for people alone
	if _, err := r.y.Join(r.ctx, host); err != nil {
		return err
	}
	// What is told again, because a file of it is lost or damaged, is written at last and apart from what is new: those
	// are whole sessions, and wait for no other segment.
	for _, step := range []func() error{
		r.checkKey, r.tidy, r.read, r.write, r.tellAgain, r.replace, r.fold, r.adopt, r.write,
	} {
		if err := r.reload(); err != nil {
			return err
		}
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
	r.known, r.last = map[string]store.Segment{}, map[string]time.Time{}
	for _, s := range r.state.Segments { // the oldest first
		r.known[s.Name], r.last[s.Machine] = s, s.Created
	}
	r.f, err = readFolder(r.o.Dir)
	return err
}

// checkKey wants a key where another machine encrypts what it writes.
func (r *run) checkKey() error {
	for id, names := range r.f.machines {
		newest := len(names) - 1
		if r.keys.own == nil && id != r.state.Folder && newest >= 0 && isEncrypted(r.f.path(id, names[newest])) {
			return ErrLocked
		}
	}
	return nil
}

// own are the segments of this machine that a condition picks of those that no other replaces.
func (r *run) own(pick func(store.Segment) bool) (own []store.Segment) {
	for _, s := range r.state.Segments {
		if s.Machine == r.state.Folder && !s.Replaced && pick(s) {
			own = append(own, s)
		}
	}
	return own
}

func (r *run) pathOf(s store.Segment) string { return r.f.path(s.Machine, s.Name) }

// mine reports whether a machine's files are this one's to remove and to write anew: its own, and those of a machine
// that has written nothing for so long that it may be gone.
func (r *run) mine(machine string) bool {
	return machine == r.state.Folder || time.Since(r.last[machine]) > silent
}

// stale reports whether a segment names sessions that were purged, or is in plain text where there is a key now.
func (r *run) stale(s store.Segment) bool {
	purged := func(id string) bool { return slices.Contains(r.state.Purged, id) }
	return r.keys.own != nil && !isEncrypted(r.pathOf(s)) || slices.ContainsFunc(s.Sessions, purged)
}

// lost reports whether the file of a segment is missing or, where it is this machine's and is read, damaged.
func (r *run) lost(s store.Segment) bool {
	switch there := slices.Contains(r.f.machines[s.Machine], s.Name); {
	case !there || s.Machine != r.state.Folder:
		return !there
	case r.o.Verify:
		f, err := openSegment(r.pathOf(s))
		if err == nil {
			f.Close()
		}
		return err != nil
	}
	info, err := os.Stat(r.pathOf(s))
	return err != nil || info.Size() != s.Size
}

// remove removes the files of segments, where they are there and this machine's to remove.
func (r *run) remove(segments ...store.Segment) error {
	for _, s := range segments {
		if !r.mine(s.Machine) {
			continue
		}
		if err := os.Remove(r.pathOf(s)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// tidy removes files that others replace: one run later, so that no machine misses them in between.
func (r *run) tidy() error {
	left := func(s store.Segment) bool { return !s.Replaced }
	return r.remove(slices.DeleteFunc(slices.Clone(r.state.Segments), left)...)
}

// tellAgain has the rows of segments told again that are in no file any more: of this machine's, where a file is
// missing or damaged, and of those that it merged, where another machine, or its folder, was restored from a backup and
// does not know them.
func (r *run) tellAgain() error {
	found := func(s store.Segment) bool { return s.Replaced || !r.lost(s) }
	return r.giveUp(slices.DeleteFunc(slices.Clone(r.state.Segments), found))
}

// giveUp removes the files of segments, and has their rows told again.
func (r *run) giveUp(lost []store.Segment) error {
	if len(lost) == 0 {
		return nil
	}
	if err := r.remove(lost...); err != nil {
		return err
	}
	return r.y.MarkLost(r.ctx, lost...)
}

// segment writes rows to a segment of this machine that replaces others.
func (r *run) segment(replaces []string, from rows) (store.Segment, error) {
	h := head{Folder: r.state.Folder, Host: r.state.Name, Number: r.state.Number, Replaces: replaces}
	h.Created = time.Now().UnixMilli()
	return writeSegment(r.f.dir, h, r.keys.own, from)
}

// write writes what is in no segment yet.
func (r *run) write() error {
	total, done := r.state.Waiting, 0
	for more := total > 0; more; {
		var collected store.CollectResult
		written, err := r.segment(nil, func(take func(store.Line) error) (err error) {
			collected, err = r.y.Collect(r.ctx, mostBytes, take)
			return err
		})
		if err != nil {
			return err
		}
		if len(collected.IDs) == 0 { // What waits is not finished.
			return r.remove(written)
		}
		if err := r.o.step(); err != nil {
			return err
		}
		if err := r.y.MarkWritten(r.ctx, collected.IDs, []store.Segment{written}, nil); err != nil {
			return err
		}
		r.out.Sent += collected.Messages
		done += len(collected.IDs)
		r.o.Progress("writing", min(done, total), total)
		more = collected.More
	}
	return nil
}

// replace writes segments anew that are stale. What is to go goes at once.
func (r *run) replace() error {
	for _, s := range r.state.Segments {
		if s.Replaced || !r.mine(s.Machine) || !r.stale(s) {
			continue
		}
		if err := r.rewrite(s); err != nil {
			return err
		}
		if err := r.remove(s); err != nil {
			return err
		}
	}
	return nil
}

// Small segments are folded into one where there are more than that.
const (
	mostSmall = 64
	small     = 256 << 10 // bytes
)

// fold replaces many small segments of this machine by one.
func (r *run) fold() error {
	few := r.own(func(s store.Segment) bool { return s.Size < small })
	if len(few) <= mostSmall {
		return nil
	}
	return r.rewrite(few...)
}

// adopt takes over the folder of a machine that is gone: its segments become this machine's.
func (r *run) adopt() error {
	if r.o.Adopt == "" {
		return nil
	}
	names, ok := r.f.machines[r.o.Adopt]
	if !ok || r.o.Adopt == r.state.Folder {
		return fmt.Errorf("there is no other machine of that name in the folder: %s", r.o.Adopt)
	}
	for _, name := range names {
		s, merged := r.known[name]
		if !merged {
			return fmt.Errorf("the machine's folder cannot be taken over: %s cannot be read", shortName(name))
		}
		if s.Replaced {
			continue
		}
		if err := r.rewrite(s); err != nil {
			return err
		}
	}
	return os.RemoveAll(filepath.Join(r.f.dir, r.o.Adopt))
}

// rewrite writes the rows of segments, but for those of purged sessions, to one segment of this machine. One that
// cannot be read is lost: its rows are told again.
func (r *run) rewrite(segments ...store.Segment) error {
	var names []string
	var lost []store.Segment
	var whole []*os.File
	for _, s := range segments {
		f, err := openSegment(r.pathOf(s))
		if err != nil {
			lost = append(lost, s)
			continue
		}
		defer f.Close()
		whole, names = append(whole, f), append(names, s.Name)
	}
	if err := r.giveUp(lost); err != nil || len(whole) == 0 {
		return err
	}
	written, err := r.segment(names, func(take func(store.Line) error) error {
		for _, f := range whole {
			if _, err := readSegment(f, r.keys.keys, r.unpurged(take)); err != nil {
				return fmt.Errorf("read %s: %w", f.Name(), err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.o.step(); err != nil {
		return err
	}
	return r.y.MarkWritten(r.ctx, nil, []store.Segment{written}, names)
}

// unpurged takes the rows of a segment, but for those of purged sessions.
func (r *run) unpurged(take func(store.Line) error) func(store.Line) error {
	purged := false
	return func(l store.Line) error {
		if l.Session != nil {
			purged = slices.Contains(r.state.Purged, l.Session.ID)
		}
		if purged && l.Tombstone == nil {
			return nil
		}
		return take(l)
	}
}
