package sync

import (
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

// read merges the segments of the other machines, the oldest first, as long as one of them can be merged: one may wait
// for another. Those of this machine that it does not know are read as well: its file was restored from a backup.
func (r *run) read() error {
	waiting := map[string]string{} // machines by the name of a segment
	for machine, names := range r.f.machines {
		for _, name := range names {
			if _, known := r.known[name]; !known {
				waiting[name] = machine
			}
		}
	}
	total := len(waiting)
	var refused []string // sentences about content of merged files
	for moved := true; moved; {
		moved = false
		r.out.Skipped = nil
		for _, name := range slices.Sorted(maps.Keys(waiting)) {
			file := filepath.Join(waiting[name], shortName(name))
			n, err := r.merge(waiting[name], name)
			if why := reason(err); why != nil {
				r.out.Skipped = append(r.out.Skipped, fmt.Sprintf("%s is not merged: %v.", file, why))
				continue
			}
			if err != nil {
				return err
			}
			if n > 0 {
				refused = append(refused, fmt.Sprintf("%s has other content for %s that %s here; what is here stays.",
					file, english.Plural(n, "message", ""), english.PluralWord(n, "is", "are")))
			}
			delete(waiting, name)
			moved = true
			r.o.Progress("reading", total-len(waiting), total)
		}
	}
	r.out.Skipped = append(r.out.Skipped, refused...)
	return nil
}

// merge merges a segment and counts the messages of it that were refused, because they have other content here.
func (r *run) merge(machine, name string) (refused int, err error) {
	path := r.f.path(machine, name)
	f, h, err := r.open(path)
	if r.o.Verify && machine == r.state.Folder && errors.Is(err, errDamaged) {
		// It was written before this history was restored. Machines that merged it tell its rows when the file is gone.
		return 0, os.Remove(path)
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if h.Folder != machine { // It is another machine's.
		return 0, errDamaged
	}
	created := time.UnixMilli(h.Created)
	if created.After(time.Now().Add(24 * time.Hour)) { // No clock of a machine may be further beyond this one's.
		return 0, store.ErrClockAhead
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	segment := store.Segment{Machine: machine, Name: name, Size: info.Size(), Created: created}
	out, err := r.y.Merge(r.ctx, h.home(), segment, h.Replaces, func(take func(store.Line) error) error {
		_, err := readSegment(f, r.keys.keys, take)
		return err
	})
	if err != nil {
		return 0, err
	}
	r.out.Received += out.Messages
	r.out.Sessions += out.Sessions
	r.out.Purged += out.Purged
	r.out.Diverged += out.Diverged
	r.out.Saved += out.Recovered
	r.out.Changed = append(r.out.Changed, out.Changed...)
	if len(out.Changed) > 0 && machine != r.state.Folder && !slices.Contains(r.out.From, h.Host) {
		r.out.From = append(r.out.From, h.Host)
	}
	return out.Conflicts, r.o.step()
}

// open opens a segment that may be merged and reads its head.
func (r *run) open(path string) (*os.File, head, error) {
	f, err := openSegment(path)
	if err != nil {
		return nil, head{}, err
	}
	h, err := readSegment(f, r.keys.keys, nil)
	if len(r.keys.keys) > 0 && !isEncrypted(path) {
		err = errPlain // Anybody who can write into the folder can have written it.
	}
	if err != nil {
		f.Close()
		return nil, head{}, err
	}
	return f, h, nil
}

// reason is why a file cannot be merged now, for people; nil where an error is none of the file's.
func reason(err error) error {
	for _, kind := range []error{
		errLarge, errPlain, errDamaged, errLater, errLocked,
		store.ErrClockAhead, store.ErrInvalidLines, store.ErrMissingRows,
		fs.ErrNotExist, fs.ErrPermission,
	} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	return nil
}
