package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"winnow/session/store/search"
	"winnow/session/store/sqlite"
)

// Copy is a file beside the history that holds a session, or may hold it: a backup, a file that was set
// aside, or what is left of a copy that was never finished.
type Copy struct {
	Path    string
	Damaged bool // it cannot be read as a history, so it can be deleted and not rewritten
}

// Copies returns the backups and the files set aside beside the history at path that hold a session. A
// damaged file is one of them where it may hold it: unless the session was begun after it was set aside.
func Copies(ctx context.Context, path string, session Session) ([]Copy, error) {
	if path == sqlite.Memory {
		return nil, nil
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	var out []Copy
	for _, file := range filesBeside(path) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		holds, err := holdsSession(ctx, file, session.ID)
		switch {
		case err == nil && holds:
			out = append(out, Copy{Path: file})
		case err != nil && (mentions(file, session.ID) || !setAsideBefore(path, file, session.Created)):
			out = append(out, Copy{Path: file, Damaged: true})
		}
	}
	return out, nil
}

// filesBeside are the files that hold an earlier state of the history at path.
func filesBeside(path string) []string {
	list := func(folder string, mine func(name string) bool) (out []string) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil // no copy was made there yet
		}
		for _, e := range entries {
			journal := slices.ContainsFunc(append([]string{"-journal"}, besides...), func(end string) bool { return strings.HasSuffix(e.Name(), end) })
			if e.Type().IsRegular() && !journal && mine(e.Name()) {
				out = append(out, filepath.Join(folder, e.Name()))
			}
		}
		return out
	}
	base := filepath.Base(path) + "."
	out := list(backupFolder(path), func(name string) bool {
		name, _, _ = strings.Cut(name, ".db.new-")
		_, _, ok := backupDay(path, strings.TrimSuffix(name, ".db")+".db")
		return ok
	})
	return append(out, list(filepath.Dir(path), func(name string) bool {
		rest, ok := strings.CutPrefix(name, base)
		return ok && slices.ContainsFunc([]string{"damaged-", "before-restore-", "schema-", "new-", "next"}, func(kind string) bool { return strings.HasPrefix(rest, kind) })
	})...)
}

// readCopy opens a copy for reading, with its journal where it has one.
func readCopy(file string) *sql.DB {
	if journaled(file) {
		return sqlite.Pool(file, sqlite.ReadOnly, 1)
	}
	return sqlite.Pool(file, sqlite.Immutable, 1)
}

// holdsSession reports whether a copy has a session. The error is for a file that cannot be read whole.
func holdsSession(ctx context.Context, file, id string) (bool, error) {
	db := readCopy(file)
	defer db.Close()
	version, err := sqlite.SchemaVersion(ctx, db)
	if err != nil || version == 0 {
		return false, err // an empty file holds nothing
	}
	if strings.Contains(filepath.Base(file), ".damaged-") {
		if err := soundness(ctx, db); err != nil {
			return false, err
		}
	}
	var holds bool
	err = db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ?)`, id).Scan(&holds)
	return holds, err
}

// mentions reports whether a text is anywhere in a file or its journal, or whether that cannot be known.
func mentions(file, text string) bool {
	for _, end := range []string{"", "-wal"} {
		f, err := os.Open(file + end)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return true
		}
		found, err := contains(f, []byte(text))
		f.Close()
		if found || err != nil {
			return true
		}
	}
	return false
}

// contains reports whether a stream has a text in it.
func contains(r io.Reader, text []byte) (bool, error) {
	buf := make([]byte, 1<<20)
	kept := 0
	for {
		n, err := io.ReadFull(r, buf[kept:])
		if bytes.Contains(buf[:kept+n], text) {
			return true, nil
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		kept = copy(buf, buf[len(buf)-len(text)+1:])
	}
}

// setAsideBefore reports whether a file was set aside before a moment, by the time in its name.
func setAsideBefore(path, file string, moment time.Time) bool {
	_, stamp, _ := strings.Cut(strings.TrimPrefix(filepath.Base(file), filepath.Base(path)+"."), "-")
	at, err := time.ParseInLocation(stampLayout, stamp[:min(len(stamp), len(stampLayout))], time.UTC)
	return err == nil && at.Before(moment)
}

// PurgeCopy writes a copy anew without a session. Whatever fails, the copy is then as it was before.
func PurgeCopy(ctx context.Context, c Copy, session Session) error {
	doing := "rewrite the copy"
	before, err := os.Stat(c.Path)
	if err != nil {
		return &trouble{doing: doing, where: c.Path, kind: notThere(err), cause: err}
	}
	if c.Damaged {
		return &trouble{doing: doing, where: c.Path, kind: fmt.Errorf("%w: it can only be deleted", ErrDamaged)}
	}
	draft, err := blank(c.Path)
	if err != nil {
		return &trouble{doing: doing, where: c.Path, kind: noAccess(err), cause: err}
	}
	defer removeDatabase(draft)
	if err := copyWithout(ctx, c.Path, draft, session.ID); err != nil {
		return explain(doing, c.Path, err)
	}
	// Its time decides which backups are due, and is that of what it holds.
	if err := os.Chtimes(draft, before.ModTime(), before.ModTime()); err != nil {
		return explain(doing, c.Path, err)
	}
	if err := os.Rename(draft, c.Path); err != nil {
		return &trouble{doing: doing, where: c.Path, kind: noAccess(err), cause: err}
	}
	for _, end := range besides {
		os.Remove(c.Path + end) // the new file has all that was in them
	}
	return syncFolder(c.Path)
}

// copyWithout copies a history of any schema into an empty file, without a session.
func copyWithout(ctx context.Context, from, draft, id string) error {
	source := readCopy(from)
	defer source.Close()
	if err := sqlite.Copy(ctx, source, draft); err != nil {
		return err
	}
	db := sqlite.Pool(draft, sqlite.Scratch, 1)
	defer db.Close()
	err := sqlite.InTx(ctx, db, func(tx *sql.Tx) error {
		n, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		var indexed bool
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'found')`).Scan(&indexed); err != nil {
			return err
		}
		if indexed {
			if err := search.Renew(ctx, tx); err != nil {
				return err
			}
		}
		return deleteSession(ctx, tx, n)
	})
	if err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "VACUUM"); err != nil {
		return err
	}
	if err := soundness(ctx, db); err != nil {
		return err
	}
	return errors.Join(db.Close(), syncFile(draft))
}

// DeleteCopy removes a copy with its journal.
func DeleteCopy(c Copy) error {
	err := os.Remove(c.Path)
	if err != nil {
		return &trouble{doing: "delete the copy", where: c.Path, kind: notThere(err), cause: err}
	}
	for _, end := range besides {
		os.Remove(c.Path + end)
	}
	return syncFolder(c.Path)
}
