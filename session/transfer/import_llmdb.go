package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"winnow/session/transfer/conversation"
	"winnow/session/transfer/llmdb"
)

// llm imports the conversations of llm's database.
func (a *importingAll) llm(ctx context.Context) error {
	path, done, err := a.onDisk()
	if err != nil {
		return err
	}
	defer done()
	logs, err := llmdb.Open(ctx, path)
	if err != nil {
		return err
	}
	defer logs.Close()
	return a.conversations(ctx, func() (conversation.Conversation, error) {
		c, err := logs.Next(ctx)
		if err != nil && err != io.EOF && ctx.Err() == nil {
			c.Broken, err = &Remark{What: err.Error()}, nil // the others can still be read
		}
		return c, err
	})
}

// onDisk is a path under which the file can be opened. One without a name is copied for that.
func (a *importingAll) onDisk() (path string, done func(), err error) {
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
