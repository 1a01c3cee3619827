//go:build cgo

package cli

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"winnow/llm"
)

// openLog starts the log of --debug: JSON lines, appended, readable by the user alone. Without the flag
// nothing is written anywhere. Where the log cannot be written a warning says so, and nothing else changes.
func (p *program) openLog(r *llm.Redactor) (*slog.Logger, io.Closer) {
	none := slog.New(slog.DiscardHandler)
	if !p.flags.debug {
		return none, io.NopCloser(nil)
	}
	f, err := p.createLog()
	if err != nil {
		fmt.Fprintf(p.err, "winnow: there is no log: %s\n", p.sentence(err.Error()))
		return none, io.NopCloser(nil)
	}
	json := slog.NewJSONHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug})
	return slog.New(redactHandler{json, r}).With("process", os.Getpid()), f
}

func (p *program) createLog() (*os.File, error) {
	path, err := p.logPath()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the folder %s: %w", filepath.Dir(path), why(err))
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, why(err))
	}
	return f, nil
}
