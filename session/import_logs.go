package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"winnow/session/store"
)

// logs brings the conversations of llm's database.
func (a *arriving) logs(ctx context.Context) error {
	path, done, err := a.onDisk()
	if err != nil {
		return err
	}
	defer done()
	logs, err := store.OpenLogs(ctx, path)
	if err != nil {
		return err
	}
	defer logs.Close()
	for place := 1; ; place++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		talk, odd, err := logs.Next(ctx)
		if err == io.EOF {
			break
		}
		im := Imported{Place: place, Title: plainLine(talk.Session.Title)}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			im.Errors = []Remark{{Index: -1, What: err.Error()}}
			a.report(im)
			continue
		}
		for _, what := range odd {
			im.Warnings = append(im.Warnings, Remark{Index: -1, What: what})
		}
		a.complete(&talk)
		if err := a.bring(ctx, im, talk); err != nil {
			return err
		}
	}
	if a.held == 0 {
		return ErrNoMessage
	}
	return nil
}

// onDisk is a path under which the file can be opened. One without a name is copied for that.
func (a *arriving) onDisk() (path string, done func(), err error) {
	if a.from.Path != "" {
		return a.from.Path, func() {}, nil
	}
	f, err := os.CreateTemp("", "winnow-import-*.db")
	if err != nil {
		return "", nil, fmt.Errorf("keep the database in a temporary file: %w", err)
	}
	done = func() {
		for _, end := range []string{"", "-wal", "-shm"} {
			os.Remove(f.Name() + end)
		}
	}
	_, err = io.Copy(f, a.from.File)
	if err = errors.Join(err, f.Close()); err != nil {
		done()
		return "", nil, fmt.Errorf("keep the database in a temporary file: %w", err)
	}
	return f.Name(), done, nil
}
