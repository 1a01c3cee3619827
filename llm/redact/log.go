package redact

import (
	"io"
	"log/slog"
)

// NewLog returns a logger that writes JSON lines and removes secrets from messages and values. Values that are neither
// numbers nor booleans are logged as text.
func NewLog(to io.Writer, r *Redactor) *slog.Logger {
	clean := func(_ []string, a slog.Attr) slog.Attr {
		if kind := a.Value.Kind(); kind != slog.KindString && kind != slog.KindAny {
			return a
		}
		return slog.String(a.Key, r.Redact(a.Value.String()))
	}
	return slog.New(slog.NewJSONHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: clean}))
}
