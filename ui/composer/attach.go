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

// attachPrefix begins a draft in which paths are completed.
const attachPrefix = "/attach "

// Attach hangs the files that a command names on the draft.
func (c *Model) Attach(args string) tea.Cmd { return c.attach(Words(args)) }

// AttachMore takes the command out of a draft that is files and, behind them, the command that hangs more of them on
// it. It reports whether the draft is that.
func (c *Model) AttachMore() (tea.Cmd, bool) {
	args, ok := strings.CutPrefix(strings.TrimSpace(c.Text()), attachPrefix)
	if chips := c.chips(); ok && c.edit == nil && len(chips) > 0 && !strings.Contains(args, "\n") {
		c.Set("")
		for _, chip := range chips {
			c.put(chip)
		}
		return c.Attach(args), true
	}
	return nil, false
}

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
		cmds = append(cmds, c.read(chip, ""))
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

// read reads the file of a chip. Sum is that of the file when it was attached before, "" for never.
func (c *Model) read(chip *Chip, sum string) tea.Cmd {
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
		f, err := fileAt(path, s)
		if now := (&Chip{Part: &f.part}).sum(); sum != "" && sum != now {
			f.note = theme.OneLine(f.part.Name) + " has changed since it was attached; the new version is attached."
		}
		return []file{f}, err
	})
}

// fileAt reads a file as it hangs on a message.
func fileAt(path string, s *session.Session) (f file, err error) {
	f.path = resolved(path)
	f.part, err = s.Attach(f.path)
	if n := notText(f.part.Text); n > 0 {
		f.note = theme.OneLine(f.part.Name) + " holds " + theme.Plural(n, "byte") +
			" that are not UTF-8; each is sent as a replacement character."
	}
	return f, err
}

// notText counts the bytes of a text that are not UTF-8.
func notText(text string) (n int) {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			n++
		}
	}
	return n
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
	var areas []*editor.Editor // the draft on the screen, and those that wait behind it
	for _, d := range []*draft{&c.draft, &c.own, c.left} {
		for ; d != nil; d = d.behind() {
			areas = append(areas, &d.Area)
		}
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

// drop puts a pasted text at the cursor. One that looks like dragged files becomes them; until they are found, and
// where there are none, the draft shows the text.
func (c *Model) drop(text string) tea.Cmd {
	ways, s := dropped(text), c.Session
	if len(ways) == 0 {
		c.Paste(text)
		return nil
	}
	chip := &Chip{label: theme.OneLine(text), Text: text, path: text}
	c.Area.InsertInset(chip)
	return c.fill(chip, func(context.Context) (files []file, err error) {
		for _, way := range ways {
			if !each(way, isThere) {
				continue
			}
			for _, path := range way {
				f, err := fileAt(path, s)
				if err != nil {
					return nil, err
				}
				files = append(files, f)
			}
			break
		}
		return files, nil
	})
}

// mostClipboard is the most that is taken from the clipboard, in bytes. An image may be as large as a file.
const mostClipboard = 20 << 20

// readClipboard puts what the clipboard holds into the draft: an image as a chip, a text as it would be pasted.
func (c *Model) readClipboard() tea.Cmd {
	s, name := c.Session, fmt.Sprintf("pasted-%d", c.pasted+1)
	return c.Run(func(ctx context.Context) tea.Msg {
		content, err := clipboard.Read(ctx, mostClipboard)
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
