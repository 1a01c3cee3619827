package composer

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/atotto/clipboard"

	"winnow/history"
	"winnow/session"
	"winnow/ui/app"
	"winnow/ui/list"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Attach hangs the files that a command names on the draft.
func (c *Model) Attach(args string) tea.Cmd { return c.attach(splitWords(args)...) }

// attach hangs files on the draft, at the cursor. Whether a page of the web may be asked for is asked first.
func (c *Model) attach(paths ...string) tea.Cmd {
	var cmds []tea.Cmd
	for _, path := range paths {
		if isAddress(path) {
			cmds = append(cmds, c.askForPage(path))
			continue
		}
		cmds = append(cmds, c.read(path))
		c.Editor.Insert(" ")
		c.Callbacks.Focus()
	}
	return tea.Batch(cmds...)
}

// read puts a chip for a file at the cursor, and reads it.
func (c *Model) read(path string) tea.Cmd {
	path = resolved(path)
	return c.fill(&draftChip{label: "[" + theme.OneLine(filepath.Base(path)) + ": reading…]", path: path})
}

// fill puts a chip at the cursor, and reads its file.
func (c *Model) fill(chip *draftChip) tea.Cmd {
	c.Editor.InsertInset(chip)
	s := c.Session
	return c.Run(func(ctx context.Context) tea.Msg {
		part, note, err := c.file(ctx, s, chip)
		return app.Then(func() tea.Cmd { return c.filled(chip, part, note, err) })
	})
}

// file reads the file of a chip. The note says what is unusual about it, "" for nothing.
func (c *Model) file(ctx context.Context, s *session.Session, chip *draftChip) (p history.Part, note string, err error) {
	path, text, cut := chip.path, "", false
	switch {
	case isAddress(path):
		if text, cut, err = c.ReadPage(ctx, path); err != nil {
			return p, "", fmt.Errorf("%s cannot be attached: %w", path, err)
		}
		p, err = s.AttachText(path, text)
	case isMention(path):
		if text, err = c.readResource(ctx, path); err == nil {
			p, err = s.AttachText(path, text)
		}
	default:
		p, err = s.Attach(path)
	}
	switch {
	case cut:
		note = "Only the beginning of " + theme.OneLine(path) + " was read: " + theme.Size(len(text)) + "."
	case !utf8.ValidString(p.Text):
		note = theme.OneLine(p.Name) + " is not all UTF-8; what is not is sent as replacement characters."
	}
	return p, note, err
}

// filled puts the file in the place of the chip that waited for it, in the draft on the screen or one that waits behind
// it. Where there is none, the chip becomes its text.
func (c *Model) filled(chip *draftChip, part history.Part, note string, err error) tea.Cmd {
	for d := &c.draft; d != nil; d = d.suspended {
		found := d.Editor.ReplaceInset(chip, func() {
			if err != nil {
				d.Editor.Insert(markdown.Visible(chip.Text))
				return
			}
			d.Editor.InsertInset(fileChip(&part, chip.path))
		})
		if found {
			return tea.Batch(c.ReportError(err), c.Say(note))
		}
	}
	return nil // The chip was deleted meanwhile.
}

// maxDropBytes is the longest paste that may be dragged files, in bytes.
const maxDropBytes = 8 << 10

// pasteOrAttach puts a pasted text at the cursor. Paths of files that were dragged here become the files.
func (c *Model) pasteOrAttach(text string) tea.Cmd {
	isWord := func(s string) bool {
		return !filepath.IsAbs(s) && !strings.HasPrefix(s, "~/") && !strings.HasPrefix(s, "file://")
	}
	paths := splitWords(text)
	if len(paths) == 0 || len(text) > maxDropBytes || slices.ContainsFunc(paths, isWord) {
		c.Paste(text)
		return nil
	}
	var cmds []tea.Cmd
	for i, pasted := range word.FindAllString(text, -1) {
		if i > 0 {
			c.Editor.Insert(" ")
		}
		cmds = append(cmds, c.fill(&draftChip{label: theme.OneLine(pasted), Text: pasted, path: resolved(paths[i])}))
	}
	return tea.Batch(cmds...)
}

// printImage prints the image of the clipboard: that of Wayland, else that of X11.
const printImage = "wl-paste --no-newline --type image/png || xclip -selection clipboard -target image/png -out"

// readClipboard puts what the clipboard holds into the draft: a text as it would be pasted, else an image as a chip.
func (c *Model) readClipboard() tea.Cmd {
	s, name := c.Session, fmt.Sprintf("pasted-%d.png", c.pasted+1)
	return c.Run(func(ctx context.Context) tea.Msg {
		text, _ := clipboard.ReadAll() // One with an image alone has no text.
		image, failed := exec.CommandContext(ctx, "/bin/sh", "-c", printImage).Output()
		part, err := s.AttachText(name, string(image))
		return app.Then(func() tea.Cmd {
			switch {
			case c.ReadOnly:
				return nil
			case strings.TrimSpace(text) != "" && utf8.ValidString(text):
				return c.pasteOrAttach(text)
			case failed != nil || len(image) == 0:
				return c.Fail("The clipboard has no text and no image, or none that can be read: that needs a " +
					"display, and wl-clipboard or xclip. /attach PATH attaches a file.")
			case err != nil:
				return c.ReportError(err)
			}
			c.pasted++
			c.attachPart(part)
			c.Callbacks.Focus()
			return nil
		})
	})
}

// askForPage asks the user whether the page at an address may be read.
func (c *Model) askForPage(address string) tea.Cmd {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return c.Fail(theme.OneLine(address) + " is not a URL.")
	}
	o := list.Options{Title: "fetch a page from " + theme.OneLine(u.Host) + "?", ChooseHint: "fetch"}
	page := list.Item{Label: theme.OneLine(address), Right: "at most 4 MB, as text", Value: address}
	c.Callbacks.OpenList(list.New(c.Context, o, page), func(address string) tea.Cmd {
		c.Callbacks.Focus()
		cmd := c.fill(&draftChip{label: "[" + theme.OneLine(address) + ": fetching…]", path: address})
		c.Editor.Insert(" ")
		return cmd
	})
	return nil
}

// isAddress reports whether what is to be attached is a page of the web.
func isAddress(path string) bool {
	return strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "http://")
}

// isMention reports whether a path is that of a resource, @SERVER:URI, and not of a file.
func isMention(path string) bool { return strings.HasPrefix(path, "@") && strings.Contains(path, ":") }

// resolved is the path that a person means: of a URL, of the home folder, or of the folder that winnow
// runs in.
func resolved(path string) string {
	if isAddress(path) || isMention(path) {
		return path
	}
	if u, err := url.Parse(path); err == nil && u.Scheme == "file" {
		path = filepath.FromSlash(u.Path)
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, _ := os.UserHomeDir()
		path = filepath.Join(home, rest)
	}
	whole, _ := filepath.Abs(path)
	return cmp.Or(whole, path)
}

// A word of a line, and what is quoted in one.
var (
	word   = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|\\.|\S)+`)
	quoted = regexp.MustCompile(`'([^']*)'|"([^"]*)"|\\(.)`)
)

// splitWords parts a line as a shell does: at spaces that are not quoted and have no backslash in front.
func splitWords(line string) []string {
	words := word.FindAllString(line, -1)
	for i := range words {
		words[i] = quoted.ReplaceAllString(words[i], "$1$2$3")
	}
	return words
}
