//go:build cgo

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"winnow/cli/report"
	"winnow/session"
	"winnow/session/transfer"
)

// exportCommand writes a session as the words behind /export want it, a format and a file, and says where it
// is. Without a file it goes to the working directory, under a name that is the session's own.
func (k *conversation) exportCommand(ctx context.Context, s *session.Session, words string) (string, error) {
	row := s.Info()
	format, path, err := exportArguments(words)
	if err != nil {
		return "", err
	}
	clean := redaction{redact: k.redactor.Text}
	o := transfer.ExportOptions{Format: format, Redact: clean.text, Marks: marksOf}
	row.Title = k.redactor.Text(row.Title)
	name := fileName(row, report.ShortID(row.ID), format)
	named := path != ""
	if !named {
		path = name
	}
	path, err = fullPath(path)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path, named = filepath.Join(path, name), false
	}
	if !named {
		path = unusedPath(path)
	}
	err = writeFile(path, false, func(out io.Writer) error {
		return transfer.Export(ctx, s.Store(), row.ID, out, o)
	})
	switch {
	case errors.Is(err, fs.ErrExist):
		return "", fmt.Errorf("%s already exists; choose another name", path)
	case err != nil:
		return "", err
	}
	sentence := "Exported to " + path + "."
	switch {
	case clean.count == 1:
		sentence += " 1 possible secret was redacted."
	case clean.count > 1:
		sentence += fmt.Sprintf(" %d possible secrets were redacted.", clean.count)
	}
	return sentence, nil
}

// unusedPath is a path, or the next one of its kind that nothing has: chat.md, chat-2.md.
func unusedPath(path string) string {
	ending, next := filepath.Ext(path), path
	for n := 2; exists(next); n++ {
		next = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ending), n, ending)
	}
	return next
}

// exportArguments reads a format and a file, either of which may be missing. A single word that is neither a
// format nor looks like a path is refused, and so is an ending that no format has: it was meant for a format.
func exportArguments(words string) (transfer.Format, string, error) {
	words = strings.TrimSpace(words)
	first, rest, _ := strings.Cut(words, " ")
	if format, ok := transfer.ReadFormat(first); ok && !strings.HasPrefix(first, ".") {
		return format, unquoted(rest), nil
	}
	path := unquoted(words)
	ending := filepath.Ext(path)
	if format, ok := transfer.ReadFormat(ending); ok {
		return format, path, nil
	}
	info, err := os.Stat(path)
	folder := path == "" || err == nil && info.IsDir()
	if !folder && (ending != "" || !strings.ContainsAny(path, `/\ `)) {
		return "", "",
			fmt.Errorf("/export has no format %q; use md, html, json, jsonl or prompt, followed by the name of a file",
				strings.TrimPrefix(cmp.Or(ending, path), "."))
	}
	return transfer.Markdown, path, nil
}

// unquoted is a path without the quotes around it.
func unquoted(path string) string {
	path = strings.TrimSpace(path)
	for _, q := range []string{`"`, "'"} {
		if len(path) > 1 && strings.HasPrefix(path, q) && strings.HasSuffix(path, q) {
			return path[1 : len(path)-1]
		}
	}
	return path
}

// fullPath is a path as the shell would read it.
func fullPath(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("cannot find the home folder: %w", err)
		}
		path = filepath.Join(home, rest)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("cannot find the current folder: %w", err)
	}
	return path, nil
}
