package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/settings"
	"winnow/ui/theme"
)

// personaFile matches the name of a persona file. The name of a persona is one word, so that /persona can take it.
var personaFile = regexp.MustCompile(`^([^.\s]\S*)\.(?:md|txt)$`)

// ReadPersonas reads the user's system prompts, the files NAME.md and NAME.txt in a folder. Without that folder there
// are none. The error names the files that could not be read; the others are returned nevertheless.
func ReadPersonas(folder string) (all []settings.Persona, unread error) {
	files, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read the personas: %w", err)
	}
	for _, f := range files {
		name := personaFile.FindStringSubmatch(f.Name())
		if name == nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			unread = errors.Join(unread, fmt.Errorf("cannot read the persona %s: %w", name[1], err))
			continue
		}
		// Editors leave byte order marks, carriage returns and trailing newlines.
		text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), []byte("\r\n"), []byte("\n"))
		all = append(all, settings.Persona{Name: name[1], Text: string(bytes.TrimRight(text, "\n"))})
	}
	return all, unread
}

// reached shows that the session's model can be asked, or err, which says why not.
func (m *Model) reached(err error) {
	if m.Turn.Busy || m.Session.Model().Ref() != m.Ref { // the model is being changed; its own check follows
		return
	}
	m.Refresh()
	if err != nil && !errors.Is(err, context.Canceled) {
		m.notice.ShowAlert(notice.Alert{
			Text: theme.Sentence(err), WayOut: m.Keys.First(keymap.Models) + " chooses another model",
			Cause: notice.ModelUnreachable,
		})
	}
}
