// Package sync shares a history with other machines through a folder that another program keeps in sync, such as
// Syncthing, a cloud drive or git. Each machine writes files of its own, called segments, and merges the segments of
// the others. A segment is named by the hash of its content and never changes; to remove rows from one or to encrypt
// it, it is replaced by another. The rows themselves and how they are merged are the business of package store.
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

// Options configure a sync.
type Options struct {
	Dir    string
	Key    string // path of an age identity file, as written by NewKey; "" writes plain text
	Verify bool   // check the content of this machine's segments and replace damaged ones
	Adopt  string // name of the folder of a machine that is gone, to be taken over; "" for none

	// Progress is called with the number of rows written or segments read so far, and their total. May be nil.
	Progress func(doing string, done, total int)

	step func() error // for tests: an error ends the run
}

// Result is what a run did.
type Result struct {
	Sent     int      // messages written
	Received int      // messages merged from other machines
	Sessions int      // sessions added by them
	Purged   int      // sessions purged by another machine
	Diverged int      // sessions continued on two machines at once
	Saved    int      // sessions kept because the machine that purged them lacked some messages
	From     []string // names of the machines whose changes were merged
	Changed  []string // ids of all sessions that a merge changed or purged
	Skipped  []string // sentences about files that could not be read
}

// Run merges what is new in the folder and then writes what is new here. If ctx ends, it stops and the next run
// continues. The result is valid even if the error is not nil.
func Run(ctx context.Context, s *store.Store, o Options) (Result, error) {
	r, err := newRun(ctx, s, o)
	if err != nil {
		return Result{}, err
	}
	err = r.run()
	slices.Sort(r.result.Changed)
	r.result.Changed = slices.Compact(r.result.Changed)
	return r.result, err
}

// run is the state of one call of Run.
type run struct {
	ctx     context.Context
	store   *store.Sync
	options Options
	keys    keyRing
	result  Result

	// Set by reload.
	state  store.SyncState
	known  map[string]store.Segment // segments written or merged, by name
	newest map[string]time.Time     // the newest segment's time, by machine
	folder *folder
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
	return &run{ctx: ctx, store: s.Sync(), options: o, keys: keys}, err
}

func (r *run) run() error {
	release, err := r.store.Lock()
	if err != nil {
		return err
	}
	defer release()
	host, _ := os.Hostname() // shown to the user
	if _, err := r.store.Join(r.ctx, host); err != nil {
		return err
	}
	// Rows are sent again, because their file is lost or damaged, only after what is new, and in segments of their own:
	// they are whole sessions, and need no other segment to be merged first.
	for _, step := range []func() error{
		r.checkKey, r.removeReplaced, r.read, r.write, r.resendLost, r.replace, r.fold, r.adopt, r.write,
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

// reload reads the state of the store and of the folder.
func (r *run) reload() (err error) {
	if r.state, err = r.store.State(r.ctx); err != nil {
		return err
	}
	r.known, r.newest = map[string]store.Segment{}, map[string]time.Time{}
	for _, s := range r.state.Segments { // oldest first
		r.known[s.Name], r.newest[s.Machine] = s, s.Created
	}
	r.folder, err = readFolder(r.options.Dir)
	return err
}

// checkKey returns ErrNoKey if another machine encrypts its segments and there is no key.
func (r *run) checkKey() error {
	for id, names := range r.folder.machines {
		newest := len(names) - 1
		if r.keys.own == nil && id != r.state.Folder && newest >= 0 && isEncrypted(r.folder.path(id, names[newest])) {
			return ErrNoKey
		}
	}
	return nil
}

// own returns the current segments of this machine that pick selects.
func (r *run) own(pick func(store.Segment) bool) (own []store.Segment) {
	for _, s := range r.state.Segments {
		if s.Machine == r.state.Folder && !s.Replaced && pick(s) {
			own = append(own, s)
		}
	}
	return own
}

func (r *run) pathOf(s store.Segment) string { return r.folder.path(s.Machine, s.Name) }

// mayRemove reports whether this machine may remove and rewrite the files of a machine: itself, or one that has been
// inactive for so long that it may be gone.
func (r *run) mayRemove(machine string) bool {
	return machine == r.state.Folder || time.Since(r.newest[machine]) > inactiveAfter
}

// stale reports whether a segment has to be rewritten: it names purged sessions, or is in plain text although there is
// a key.
func (r *run) stale(s store.Segment) bool {
	purged := func(id string) bool { return slices.Contains(r.state.Purged, id) }
	return r.keys.own != nil && !isEncrypted(r.pathOf(s)) || slices.ContainsFunc(s.Sessions, purged)
}

// lost reports whether the file of a segment is missing. Files of this machine are also lost if they are damaged; their
// content is read only with Verify.
func (r *run) lost(s store.Segment) bool {
	switch there := slices.Contains(r.folder.machines[s.Machine], s.Name); {
	case !there || s.Machine != r.state.Folder:
		return !there
	case r.options.Verify:
		f, err := openSegment(r.pathOf(s))
		if err == nil {
			f.Close()
		}
		return err != nil
	}
	info, err := os.Stat(r.pathOf(s))
	return err != nil || info.Size() != s.Size
}

// remove removes the files of segments that this machine may remove.
func (r *run) remove(segments ...store.Segment) error {
	for _, s := range segments {
		if !r.mayRemove(s.Machine) {
			continue
		}
		if err := os.Remove(r.pathOf(s)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// removeReplaced removes files that a previous run replaced. The delay gives all machines the time to see the
// replacement.
func (r *run) removeReplaced() error {
	left := func(s store.Segment) bool { return !s.Replaced }
	return r.remove(slices.DeleteFunc(slices.Clone(r.state.Segments), left)...)
}

// resendLost sends rows again that are in no file any more: those of missing or damaged files of this machine, and
// those merged from another machine whose history or folder was restored from a backup and lacks them.
func (r *run) resendLost() error {
	found := func(s store.Segment) bool { return s.Replaced || !r.lost(s) }
	return r.resend(slices.DeleteFunc(slices.Clone(r.state.Segments), found))
}

// resend removes the files of segments and marks their rows as not sent.
func (r *run) resend(lost []store.Segment) error {
	if len(lost) == 0 {
		return nil
	}
	if err := r.remove(lost...); err != nil {
		return err
	}
	return r.store.MarkLost(r.ctx, lost...)
}

// segment writes rows to a new segment of this machine, which replaces the named ones.
func (r *run) segment(replaces []string, from rowSource) (store.Segment, error) {
	h := head{Folder: r.state.Folder, Host: r.state.Name, Number: r.state.Number, Replaces: replaces}
	h.Created = time.Now().UnixMilli()
	return writeSegment(r.folder.dir, h, r.keys.own, from)
}

// write writes the rows that are in no segment yet.
func (r *run) write() error {
	total, done := r.state.Waiting, 0
	for more := total > 0; more; {
		var collected store.CollectResult
		written, err := r.segment(nil, func(take func(store.Line) error) (err error) {
			collected, err = r.store.Collect(r.ctx, maxBytes, take)
			return err
		})
		if err != nil {
			return err
		}
		if len(collected.IDs) == 0 { // the waiting rows are not finished
			return r.remove(written)
		}
		if err := r.options.step(); err != nil {
			return err
		}
		if err := r.store.MarkWritten(r.ctx, collected.IDs, []store.Segment{written}, nil); err != nil {
			return err
		}
		r.result.Sent += collected.Messages
		done += len(collected.IDs)
		r.options.Progress("writing", min(done, total), total)
		more = collected.More
	}
	return nil
}

// replace rewrites stale segments. It removes the old files at once, because they hold what must disappear.
func (r *run) replace() error {
	for _, s := range r.state.Segments {
		if s.Replaced || !r.mayRemove(s.Machine) || !r.stale(s) {
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

// More than maxSmall segments below the size small are folded into one.
const (
	maxSmall = 64
	small    = 256 << 10 // bytes
)

// fold replaces the small segments of this machine by one, if there are many.
func (r *run) fold() error {
	few := r.own(func(s store.Segment) bool { return s.Size < small })
	if len(few) <= maxSmall {
		return nil
	}
	return r.rewrite(few...)
}

// adopt takes over the folder of a machine that is gone: its segments become this machine's.
func (r *run) adopt() error {
	if r.options.Adopt == "" {
		return nil
	}
	names, ok := r.folder.machines[r.options.Adopt]
	if !ok || r.options.Adopt == r.state.Folder {
		return fmt.Errorf("there is no other machine of that name in the folder: %s", r.options.Adopt)
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
	return os.RemoveAll(filepath.Join(r.folder.dir, r.options.Adopt))
}

// rewrite copies the rows of segments, except those of purged sessions, to one new segment of this machine. The rows of
// segments that cannot be read are sent again.
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
	if err := r.resend(lost); err != nil || len(whole) == 0 {
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
	if err := r.options.step(); err != nil {
		return err
	}
	return r.store.MarkWritten(r.ctx, nil, []store.Segment{written}, names)
}

// unpurged wraps take so that it skips the rows of purged sessions.
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
