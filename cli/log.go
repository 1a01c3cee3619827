//go:build cgo

package cli

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"winnow/llm"
)

// openLog starts the log of --debug: JSON lines, appended, readable by the user alone. Without
// the flag nothing is written anywhere.
func (p *program) openLog(r *llm.Redactor) (*slog.Logger, io.Closer, error) {
	if !p.flags.debug {
		return slog.New(slog.DiscardHandler), io.NopCloser(nil), nil
	}
	path, err := p.logPath()
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, fail(Failed, "cannot make the folder of the log: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fail(Failed, "cannot write the log: %w", err)
	}
	json := slog.NewJSONHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug})
	return slog.New(redactHandler{json, r}), f, nil
}
