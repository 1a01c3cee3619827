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

// read merges the segments of other machines, the oldest first, until none of the rest can be merged: a segment may
// have to wait for another one. Unknown segments of this machine are read too, because its history may have been
// restored from a backup.
func (r *run) read() error {
	waiting := map[string]string{} // machine by segment name
	for machine, names := range r.folder.machines {
		for _, name := range names {
			if _, known := r.known[name]; !known {
				waiting[name] = machine
			}
		}
	}
	total := len(waiting)
	var refused []string // sentences about messages in merged files
	for moved := true; moved; {
		moved = false
		r.result.Skipped = nil
		for _, name := range slices.Sorted(maps.Keys(waiting)) {
			file := filepath.Join(waiting[name], shortName(name))
			n, err := r.merge(waiting[name], name)
			if why := reason(err); why != nil {
				r.result.Skipped = append(r.result.Skipped, fmt.Sprintf("%s is not merged: %v.", file, why))
				continue
			}
			if err != nil {
				return err
			}
			if n > 0 {
				refused = append(refused, fmt.Sprintf("%s has different content for %s; the stored content is kept.",
					file, english.Plural(n, "stored message", "")))
			}
			delete(waiting, name)
			moved = true
			r.options.Progress("reading", total-len(waiting), total)
		}
	}
	r.result.Skipped = append(r.result.Skipped, refused...)
	return nil
}

// merge merges a segment and returns the number of messages that were refused, because they are stored here with other
// content.
func (r *run) merge(machine, name string) (refused int, err error) {
	path := r.folder.path(machine, name)
	f, h, err := r.open(path)
	if r.options.Verify && machine == r.state.Folder && errors.Is(err, errDamaged) {
		// It was written before this history was restored. Other machines that merged it send its rows again once it is
		// gone.
		return 0, os.Remove(path)
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if h.Folder != machine { // copied from another machine's folder
		return 0, errDamaged
	}
	created := time.UnixMilli(h.Created)
	if created.After(time.Now().Add(24 * time.Hour)) { // clocks may differ by a day at most
		return 0, store.ErrClockAhead
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	segment := store.Segment{Machine: machine, Name: name, Size: info.Size(), Created: created}
	out, err := r.store.Merge(r.ctx, h.home(), segment, h.Replaces, func(take func(store.Line) error) error {
		_, err := readSegment(f, r.keys.keys, take)
		return err
	})
	if err != nil {
		return 0, err
	}
	r.result.Received += out.Messages
	r.result.Sessions += out.Sessions
	r.result.Purged += out.Purged
	r.result.Diverged += out.Diverged
	r.result.Saved += out.Recovered
	r.result.Changed = append(r.result.Changed, out.Changed...)
	if len(out.Changed) > 0 && machine != r.state.Folder && !slices.Contains(r.result.From, h.Host) {
		r.result.From = append(r.result.From, h.Host)
	}
	return out.Conflicts, r.options.step()
}

// open opens a segment that may be merged and reads its head.
func (r *run) open(path string) (*os.File, head, error) {
	f, err := openSegment(path)
	if err != nil {
		return nil, head{}, err
	}
	h, err := readSegment(f, r.keys.keys, nil)
	if len(r.keys.keys) > 0 && !isEncrypted(path) {
		err = errPlain // anyone with write access to the folder may have written it
	}
	if err != nil {
		f.Close()
		return nil, head{}, err
	}
	return f, h, nil
}

// reason returns why a file cannot be merged, for the user, or nil if the error is not about the file.
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
