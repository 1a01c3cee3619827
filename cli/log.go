//go:build cgo

package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"winnow/cli/report"
	"winnow/llm/redact"
)

// openLog starts the log of --debug: JSON lines, appended, readable by the user alone. Without the flag
// nothing is written anywhere. Where the log cannot be written a warning says so, and nothing else changes.
func (p *program) openLog(r *redact.Redactor) (*slog.Logger, io.Closer) {
	none := slog.New(slog.DiscardHandler)
	if !p.flags.debug {
		return none, io.NopCloser(nil)
	}
	f, err := p.createLog()
	if err != nil {
		fmt.Fprintf(p.err, "winnow: the log cannot be written: %s\n", report.Sentence(err.Error()))
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
		return nil, fmt.Errorf("cannot create the folder %s: %w", filepath.Dir(path), fileCause(err))
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, fileCause(err))
	}
	return f, nil
}

// redactHandler is a slog.Handler that takes the secrets out of every message and every value.
type redactHandler struct {
	slog.Handler
	redactor *redact.Redactor
}

// Handle redacts a record and hands it on.
func (h redactHandler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, h.redactor.Text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attr(a))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

// WithAttrs redacts what every later record will carry.
func (h redactHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.attr(a)
	}
	return redactHandler{h.Handler.WithAttrs(clean), h.redactor}
}

// WithGroup keeps the redaction under a group.
func (h redactHandler) WithGroup(name string) slog.Handler {
	return redactHandler{h.Handler.WithGroup(name), h.redactor}
}

func (h redactHandler) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, h.redactor.Text(v.String()))
	case slog.KindGroup:
		group := v.Group()
		clean := make([]slog.Attr, len(group))
		for i, member := range group {
			clean[i] = h.attr(member)
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(clean...)}
	case slog.KindAny:
		// Errors, structs and byte slices are logged as the text they print as: their fields
		// cannot be reached one by one.
		if raw, ok := v.Any().([]byte); ok {
			return slog.String(a.Key, h.redactor.Text(string(raw)))
		}
		return slog.String(a.Key, h.redactor.Text(v.String()))
	default:
		return slog.Attr{Key: a.Key, Value: v}
	}
}
