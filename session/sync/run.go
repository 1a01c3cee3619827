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

// Run merges what is new in the folder, and writes what is new here. It stops where its context ends, and goes on the
// next time. Beside an error the result is what was done before.
func Run(ctx context.Context, s *store.Store, o Options) (Result, error) {
	r := newRun(ctx, s, o)
	err := r.run(s.Path())
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

	refused []string // sentences about content of merged files that was refused

	// What reload reads.
	state  store.SyncState
	known  map[string]store.Segment // by name
	purged map[string]bool          // ids of sessions
	f      *folder
}

func newRun(ctx context.Context, s *store.Store, o Options) *run {
	if o.step == nil {
		o.step = func(string) error { return nil }
	}
	if o.now == nil {
		o.now = time.Now
	}
	return &run{ctx: ctx, y: s.Sync(), o: o}
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
	if _, err := r.y.Join(r.ctx, host); err != nil {
		return err
	}
	if err := r.reload(); err != nil {
		return err
	}
	if r.keys, err = r.o.Keys.open(r.ctx, r.f, r.state.Folder, true); err != nil {
		return err
	}
	if r.keys.own == nil && r.othersEncrypt() {
		return ErrLocked
	}
	// What is told again, because a file of it is lost or damaged, is written at last.
	for _, step := range []func() error{r.tidy, r.read, r.tellAgain, r.replace, r.fold, r.adopt, r.write} {
		if err := step(); err != nil {
			return err
		}
		if err := r.reload(); err != nil {
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
	r.known, r.purged = map[string]store.Segment{}, map[string]bool{}
	for _, s := range r.state.Segments {
		r.known[s.Name] = s
	}
	for _, id := range r.state.Purged {
		r.purged[id] = true
	}
	r.f, err = readFolder(r.o.Dir)
	return err
}

// othersEncrypt reports whether another machine encrypts what it writes.
func (r *run) othersEncrypt() bool {
	return slices.ContainsFunc(r.f.machines, func(m machineFolder) bool {
		if m.locked || m.id == r.state.Folder || len(m.segments) == 0 {
			return m.locked
		}
		return isEncrypted(r.f.path(m.id, m.segments[len(m.segments)-1]))
	})
}

// own are the segments of this machine that no other replaces.
func (r *run) own() []store.Segment {
	return slices.DeleteFunc(slices.Clone(r.state.Segments), func(s store.Segment) bool {
		return s.Home != r.state.Folder || s.Gone
	})
}

// stale reports whether a segment of this machine names sessions that were purged, or is in plain text where there is a
// key now.
func (r *run) stale(s store.Segment) bool {
	return r.keys.own != nil && isPlain(r.f.path(s.Home, s.Name)) ||
		slices.ContainsFunc(s.Sessions, func(id string) bool { return r.purged[id] })
}

// remove removes the file of a segment, where it is there.
func (r *run) remove(s store.Segment) error {
	err := os.Remove(r.f.path(s.Home, s.Name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// tidy removes files of this machine that others replace: one run later, so that no machine misses them in between.
func (r *run) tidy() error {
	for _, s := range r.state.Segments {
		if !s.Gone || s.Home != r.state.Folder {
			continue
		}
		if err := r.remove(s); err != nil {
			return err
		}
	}
	return nil
}

// tellAgain has the rows of segments told again that are in no file any more: of this machine's, where a file is
// missing or damaged, and of those that it merged, where another machine, or its folder, was restored from a backup and
// does not know them.
func (r *run) tellAgain() error {
	var lost []store.Segment
	for _, s := range r.state.Segments {
		if !s.Gone && !(r.f.machine(s.Home).has(s.Name) && (s.Home != r.state.Folder || r.whole(s))) {
			lost = append(lost, s)
		}
	}
	return r.giveUp(lost)
}

// giveUp removes the files of segments, where they are there and this machine's, and has their rows told again.
func (r *run) giveUp(lost []store.Segment) error {
	if len(lost) == 0 {
		return nil
	}
	for _, s := range lost {
		if s.Home != r.state.Folder {
			continue
		}
		if err := r.remove(s); err != nil {
			return err
		}
	}
	return r.y.Lost(r.ctx, lost...)
}

// readable reports whether the file of a segment has the content that it was written with.
func (r *run) readable(segment store.Segment) bool {
	s, err := openSegment(r.f.path(segment.Home, segment.Name))
	if err != nil {
		return false
	}
	s.close()
	return true
}

// whole reports whether the file of a segment is as it was written, as far as it is read.
func (r *run) whole(segment store.Segment) bool {
	if r.o.Verify {
		return r.readable(segment)
	}
	info, err := os.Stat(r.f.path(segment.Home, segment.Name))
	return err == nil && info.Size() == segment.Size
}

// newHead begins a segment that is written now.
func (r *run) newHead(replaces ...string) head {
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
		written, err := writeSegment(r.f.dir, r.newHead(), r.keys.own, func(take func(store.Line) error) (err error) {
			rows, err = r.y.Collect(r.ctx, mostBytes, take)
			return err
		})
		if err != nil {
			return err
		}
		if len(rows.IDs) == 0 { // what waits is not finished
			return r.remove(written)
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
	return nil
}

func (r *run) progress(doing Doing, done, total int) {
	if r.o.Progress != nil && total > 0 {
		r.o.Progress(Progress{doing, done, total})
	}
}

// read merges the segments of the other machines, the oldest first, as long as one of them can be merged: one may wait
// for another. Those of this machine that it does not know are read as well: its file was restored from a backup.
func (r *run) read() error {
	waiting := map[string]string{} // machines by the name of a segment
	for _, m := range r.f.machines {
		for _, name := range m.segments {
			if _, known := r.known[name]; !known {
				waiting[name] = m.id
			}
		}
	}
	total := len(waiting)
	for moved := true; moved; {
		moved = false
		r.out.Skipped = nil
		for _, name := range slices.Sorted(maps.Keys(waiting)) {
			err := r.merge(waiting[name], name)
			if why := reason(err); why != nil {
				name = filepath.Join(waiting[name], shortName(name))
				r.out.Skipped = append(r.out.Skipped, fmt.Sprintf("%s is not merged: %v.", name, why))
				continue
			}
			if err != nil {
				return err
			}
			delete(waiting, name)
			moved = true
			r.progress(Reading, total-len(waiting), total)
		}
	}
	r.out.Skipped = append(r.out.Skipped, r.refused...)
	return nil
}

// merge merges a segment.
func (r *run) merge(machine, name string) error {
	s, err := openSegment(r.f.path(machine, name))
	if r.o.Verify && machine == r.state.Folder && errors.Is(err, errIncomplete) {
		// It was written before this history was restored. Machines that merged it tell its rows when the file is gone.
		return os.Remove(r.f.path(machine, name))
	}
	if err != nil {
		return err
	}
	defer s.close()
	h, err := r.head(s)
	if err != nil {
		return err
	}
	if h.Folder != machine {
		return fmt.Errorf("%w: it is another machine's", errIncomplete)
	}
	if h.Created > r.o.now().Add(aheadOfTime).UnixMilli() {
		return store.ErrAhead
	}
	segment := store.Segment{Home: machine, Name: name, Size: s.size, Created: time.UnixMilli(h.Created)}
	out, err := r.y.Merge(r.ctx, h.home(), segment, h.Replaces, func(take func(store.Line) error) error {
		_, err := s.read(r.keys.keys, take)
		return err
	})
	if err != nil {
		return err
	}
	r.out.Received += out.Messages
	r.out.Sessions += out.Sessions
	r.out.Purged += out.Purged
	r.out.Diverged += out.Diverged
	r.out.Saved += out.Saved
	r.out.Changed = append(r.out.Changed, out.Changed...)
	if n := out.Refused; n > 0 {
		r.refused = append(r.refused, fmt.Sprintf("%s has other content for %s that %s here; what is here stays.",
			filepath.Join(machine, shortName(name)),
			english.Plural(n, "message", ""), english.PluralWord(n, "is", "are")))
	}
	if len(out.Changed) > 0 && machine != r.state.Folder && !slices.Contains(r.out.From, h.Host) {
		r.out.From = append(r.out.From, h.Host)
	}
	return r.o.step("merged")
}

// head is the head of a segment that may be merged.
func (r *run) head(s *segmentFile) (head, error) {
	if len(r.keys.keys) > 0 && !s.encrypted {
		return head{}, errPlain // Anybody who can write into the folder can have written it.
	}
	return s.read(r.keys.keys, nil)
}

// aheadOfTime is how far beyond the time another machine's clock may be.
const aheadOfTime = 24 * time.Hour

// reason is why a file cannot be merged now, for people; nil where an error is none of the file's.
func reason(err error) error {
	for _, kind := range []error{
		errLarge, errLong, errPlain, errIncomplete, errLater, errLocked, store.ErrAhead, store.ErrLine, store.ErrWaits,
	} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// replace writes segments of this machine anew that are stale.
func (r *run) replace() error {
	for _, s := range r.own() {
		if !r.stale(s) {
			continue
		}
		if err := r.rewrite(s); err != nil {
			return err
		}
		if err := r.remove(s); err != nil { // What is to go goes at once.
			return err
		}
	}
	return nil
}

// rewrite writes the rows of segments, but for those of purged sessions, to one segment of this machine. One that
// cannot be read is lost: its rows are told again.
func (r *run) rewrite(segments ...store.Segment) error {
	var names []string
	var whole, lost []store.Segment
	for _, s := range segments {
		if !r.readable(s) {
			lost = append(lost, s)
			continue
		}
		whole, names = append(whole, s), append(names, s.Name)
	}
	if err := r.giveUp(lost); err != nil || len(whole) == 0 {
		return err
	}
	written, err := writeSegment(r.f.dir, r.newHead(names...), r.keys.own, func(take func(store.Line) error) error {
		for _, s := range whole {
			if err := r.copy(s, take); err != nil {
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
func (r *run) copy(segment store.Segment, take func(store.Line) error) error {
	s, err := openSegment(r.f.path(segment.Home, segment.Name))
	if err != nil {
		return err
	}
	defer s.close()
	skip := false
	_, err = s.read(r.keys.keys, func(l store.Line) error {
		if l.Session != nil {
			skip = r.purged[l.Session.ID]
		}
		if skip && l.Tombstone == nil {
			return nil
		}
		return take(l)
	})
	return err
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
	return r.rewrite(few...)
}

// adopt takes over the folder of a machine that is gone: its segments become this machine's.
func (r *run) adopt() error {
	if r.o.Adopt == "" {
		return nil
	}
	m := r.f.machine(r.o.Adopt)
	if m.id == r.state.Folder || len(m.segments) == 0 && !m.locked {
		return fmt.Errorf("%w: %s", ErrNoMachine, r.o.Adopt)
	}
	for _, name := range m.segments {
		s, merged := r.known[name]
		if !merged {
			return fmt.Errorf("%w: %s cannot be read", ErrNotMerged, filepath.Join(m.id, shortName(name)))
		}
		if s.Gone {
			continue
		}
		s.Home = m.id
		if err := r.rewrite(s); err != nil {
			return err
		}
	}
	return os.RemoveAll(filepath.Join(r.f.dir, m.id))
}

var (
	// ErrNoMachine says that the folder has no other machine of that name.
	ErrNoMachine = errors.New("there is no other machine of that name in the folder")
	// ErrNotMerged says that a machine's folder holds what is not merged here, and so cannot be taken over.
	ErrNotMerged = errors.New("the machine's folder cannot be taken over")
)

// shortName is the name of a segment for people.
func shortName(name string) string { return name[:len("0000000000000-00000000")] + "….seg" }
