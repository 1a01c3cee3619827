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

// Attach attaches the files, pages and resources that the arguments of /attach name.
func (c *Model) Attach(args string) tea.Cmd { return c.attach(splitWords(args)...) }

// attach attaches paths at the cursor. For a web page it asks the user first.
func (c *Model) attach(paths ...string) tea.Cmd {
	var cmds []tea.Cmd
	for _, path := range paths {
		if isAddress(path) {
			cmds = append(cmds, c.askForPage(path))
			continue
		}
		cmds = append(cmds, c.read(path))
		c.Editor.Insert(" ")
		c.Hooks.Focus()
	}
	return tea.Batch(cmds...)
}

// read inserts a chip for a file at the cursor and reads the file.
func (c *Model) read(path string) tea.Cmd {
	path = resolved(path)
	return c.fill(&draftChip{
		label: "[" + theme.OneLine(filepath.Base(path)) + ": reading…]", path: path,
	})
}

// fill inserts a chip at the cursor and reads its file.
func (c *Model) fill(chip *draftChip) tea.Cmd {
	c.Editor.InsertInset(chip)
	s := c.Session
	return c.Run(func(ctx context.Context) tea.Msg {
		part, note, err := c.file(ctx, s, chip.path)
		return app.Then(func() tea.Cmd { return c.filled(chip, part, note, err) })
	})
}

// file reads a file, a page or a resource. The note says what is unusual about it, "" for nothing.
func (c *Model) file(ctx context.Context, s *session.Session, path string) (p history.Part, note string, err error) {
	text, cut := "", false
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
		note = theme.OneLine(p.Name) + " is not valid UTF-8; invalid bytes are sent as replacement characters."
	}
	return p, note, err
}

// filled replaces a chip by the file that was read, in the draft on the screen or a suspended one. If it failed, the
// chip becomes its text.
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
	return nil // The user deleted the chip.
}

// maxDropBytes is the length of a paste up to which it may be the paths of dragged files.
const maxDropBytes = 8 << 10

// pasteOrAttach inserts a pasted text at the cursor. If it consists of file paths, as when files are dragged into the
// terminal, it attaches the files.
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
		cmds = append(cmds, c.fill(&draftChip{
			label: theme.OneLine(pasted), Text: pasted, path: resolved(paths[i]),
		}))
	}
	return tea.Batch(cmds...)
}

// printImage prints the image in the clipboard, of Wayland or else of X11.
const printImage = "wl-paste --no-newline --type image/png || xclip -selection clipboard -target image/png -out"

// readClipboard pastes the text in the clipboard, or attaches the image.
func (c *Model) readClipboard() tea.Cmd {
	s, name := c.Session, fmt.Sprintf("pasted-%d.png", c.pasted+1)
	return c.Run(func(ctx context.Context) tea.Msg {
		text, _ := clipboard.ReadAll() // It fails if there is only an image.
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
			c.Hooks.Focus()
			return nil
		})
	})
}

// askForPage asks whether winnow may fetch a page.
func (c *Model) askForPage(address string) tea.Cmd {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return c.Fail(theme.OneLine(address) + " is not a URL.")
	}
	o := list.Options{
		Title: "fetch a page from " + theme.OneLine(u.Host) + "?", ChooseHint: "fetch",
	}
	page := list.Item{
		Label: theme.OneLine(address), Right: "at most 4 MB, as text", Value: address,
	}
	c.Hooks.OpenList(list.New(c.Context, o, page), func(address string) tea.Cmd {
		c.Hooks.Focus()
		cmd := c.fill(&draftChip{
			label: "[" + theme.OneLine(address) + ": fetching…]", path: address,
		})
		c.Editor.Insert(" ")
		return cmd
	})
	return nil
}

// isAddress reports whether a path is the address of a web page.
func isAddress(path string) bool {
	return strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "http://")
}

// isMention reports whether a path names an MCP resource, @SERVER:URI.
func isMention(path string) bool { return strings.HasPrefix(path, "@") && strings.Contains(path, ":") }

// resolved returns the absolute path of a file URL, a path below ~, or a relative path.
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

// A word of a line, and a quoted part of a word.
var (
	word   = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|\\.|\S)+`)
	quoted = regexp.MustCompile(`'([^']*)'|"([^"]*)"|\\(.)`)
)

// splitWords splits a line like a shell: at spaces that are neither quoted nor escaped.
func splitWords(line string) []string {
	words := word.FindAllString(line, -1)
	for i := range words {
		words[i] = quoted.ReplaceAllString(words[i], "$1$2$3")
	}
	return words
}
