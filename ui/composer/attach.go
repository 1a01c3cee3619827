package composer

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/app"
	"winnow/ui/composer/clipboard"
	"winnow/ui/composer/editor"
	"winnow/ui/list"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Attach hangs the files that a command names on the draft.
func (c *Model) Attach(args string) tea.Cmd { return c.attach(Words(args)) }

// attach hangs files on the draft, at the cursor. Whether a page of the web may be asked for is asked first.
func (c *Model) attach(paths []string) tea.Cmd {
	var cmds []tea.Cmd
	for _, path := range paths {
		if isAddress(path) {
			cmds = append(cmds, c.askForPage(path))
			continue
		}
		chip := c.reading(path)
		c.Area.Insert(" ")
		cmds = append(cmds, c.read(chip))
		c.Screen.Focus()
	}
	return tea.Batch(cmds...)
}

// reading puts a chip for a file at the cursor that is going to be read.
func (c *Model) reading(path string) *Chip {
	chip := &Chip{label: "[" + theme.OneLine(filepath.Base(path)) + ": reading…]", path: path}
	c.Area.InsertInset(chip)
	return chip
}

// file is what was read for a chip.
type file struct {
	path string
	part history.Part
	note string // what the user is to know of it, "" for nothing
}

// read reads the file of a chip.
func (c *Model) read(chip *Chip) tea.Cmd {
	s, path := c.Session, chip.path
	return c.fill(chip, func(ctx context.Context) ([]file, error) {
		switch {
		case isAddress(path): // of a draft that was left unsent: nobody agreed to another request
			const again = "%s was attached to the draft, but is not fetched again automatically; /attach %s fetches it"
			return nil, fmt.Errorf(again, path, path)
		case isMention(path):
			text, err := c.servers().read(ctx, path)
			if err != nil {
				return nil, err
			}
			part, err := s.AttachText(path, text)
			return []file{{path: path, part: part}}, err
		}
		return readFiles(s, path)
	})
}

// readFiles reads files as they hang on a message, all or none.
func readFiles(s *session.Session, paths ...string) (files []file, err error) {
	for _, path := range paths {
		f := file{path: resolved(path)}
		if f.part, err = s.Attach(f.path); err != nil {
			return nil, err
		}
		if !utf8.ValidString(f.part.Text) {
			f.note = theme.OneLine(f.part.Name) + " is not all UTF-8; what is not is sent as replacement characters."
		}
		files = append(files, f)
	}
	return files, nil
}

// fill reads what a chip stands for, and puts the files in its place: a paste may turn out to be several. Where there is
// none, the chip becomes its text.
func (c *Model) fill(chip *Chip, read func(context.Context) ([]file, error)) tea.Cmd {
	return c.Run(func(ctx context.Context) tea.Msg {
		files, err := read(ctx)
		return app.Then(func() tea.Cmd { return c.filled(chip, files, err) })
	})
}

func (c *Model) filled(chip *Chip, files []file, err error) (said tea.Cmd) {
	areas := []*editor.Editor{&c.Area, &c.own.Area} // the draft on the screen, and those that wait behind it
	if c.edit != nil {
		areas = append(areas, &c.edit.behind.Area)
	}
	for _, area := range areas {
		found := area.ReplaceInset(chip, func() {
			if err != nil || len(files) == 0 {
				area.Insert(markdown.Visible(chip.Text))
				return
			}
			for i, f := range files {
				if i > 0 {
					area.Insert(" ")
				}
				made := &Chip{label: c.fileLabel(f.part), path: f.path, Part: &f.part}
				if chip.Text != "" {
					made.Text = Escaped(f.path)
				}
				area.InsertInset(made)
			}
		})
		if !found {
			continue
		}
		if err != nil {
			return c.Fail(theme.Sentence(err))
		}
		for _, f := range files {
			said = tea.Batch(said, c.Say(f.note))
		}
		return said
	}
	return nil // The chip was deleted meanwhile.
}

// drop puts a pasted text at the cursor. Paths of files that were dragged here become the files; until they are found,
// and where there are none, the draft shows the text.
func (c *Model) drop(text string) tea.Cmd {
	paths, s := Words(text), c.Session
	if len(text) > mostDropped || len(paths) == 0 || !each(paths, rooted) {
		c.Paste(text)
		return nil
	}
	chip := &Chip{label: theme.OneLine(text), Text: text, path: text}
	c.Area.InsertInset(chip)
	return c.fill(chip, func(context.Context) ([]file, error) {
		if !each(paths, isThere) {
			return nil, nil
		}
		return readFiles(s, paths...)
	})
}

// readClipboard puts what the clipboard holds into the draft: an image as a chip, a text as it would be pasted.
func (c *Model) readClipboard() tea.Cmd {
	s, name := c.Session, fmt.Sprintf("pasted-%d", c.pasted+1)
	return c.Run(func(ctx context.Context) tea.Msg {
		content, err := clipboard.Read(ctx)
		var part history.Part
		if err == nil && len(content.Image) > 0 {
			part, err = s.AttachText(name, string(content.Image))
		}
		return app.Then(func() tea.Cmd {
			switch {
			case err != nil:
				return c.Fail(theme.UpperFirst(theme.Sentence(err)))
			case c.ReadOnly:
				return nil
			case len(content.Image) == 0:
				return c.drop(content.Text)
			case part.Kind != history.ImagePart:
				return c.Fail("The clipboard has no image that can be attached.")
			}
			c.pasted++
			part.Name += "." + strings.TrimPrefix(part.MediaType, "image/")
			c.hang(part)
			c.Screen.Focus()
			return nil
		})
	})
}

// isAddress reports whether what is to be attached is a page of the web.
func isAddress(path string) bool {
	return strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "http://")
}

// askForPage asks the user whether the page at an address may be read.
func (c *Model) askForPage(address string) tea.Cmd {
	u, err := url.Parse(address)
	switch {
	case c.ReadPage == nil:
		return c.Fail("Pages cannot be fetched here.")
	case err != nil || u.Host == "":
		return c.Fail(theme.OneLine(address) + " is not a URL.")
	}
	o := list.Options{Title: "fetch a page from " + theme.OneLine(u.Host) + "?", Does: "choose"}
	c.Screen.Open(list.New(c.Context, o, list.Item{Label: "Don’t fetch it"},
		list.Item{Label: "Fetch " + theme.OneLine(address), Right: "at most 4 MB, as text", Value: address}),
		func(value string) tea.Cmd {
			if value == "" {
				return c.Say("The page was not fetched.")
			}
			return c.fetch(value)
		}, nil)
	return nil
}

// fetch reads a page that the user agreed to, and hangs it on the draft as text.
func (c *Model) fetch(address string) tea.Cmd {
	chip := &Chip{label: "[" + theme.OneLine(address) + ": fetching…]", path: address}
	c.put(chip)
	c.Screen.Focus()
	s := c.Session
	return c.fill(chip, func(ctx context.Context) ([]file, error) {
		f := file{path: address}
		text, cut, err := c.ReadPage(ctx, address)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be attached: %w", address, err)
		}
		if cut {
			f.note = "Only the beginning of " + theme.OneLine(address) + " was read: " + theme.Size(len(text)) + "."
		}
		f.part, err = s.AttachText(address, text)
		return []file{f}, err
	})
}
