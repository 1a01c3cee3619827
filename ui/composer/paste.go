package composer

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/composer/clipboard"
	"winnow/ui/theme"
)

// mostClipboard is the most that is taken from the clipboard, in bytes. An image may be as large as a file.
const mostClipboard = 20 << 20

// clipboardMsg is what the clipboard holds.
type clipboardMsg struct {
	content clipboard.Content
	err     error
}

func (clipboardMsg) composerMsg() {}

// readClipboard reads the clipboard for the draft.
func (c *Model) readClipboard() tea.Cmd {
	return c.Run(func(ctx context.Context) tea.Msg {
		content, err := clipboard.Read(ctx, mostClipboard)
		return clipboardMsg{content, err}
	})
}

// clipboardRead puts what the clipboard holds into the draft: an image as a chip, a text as it would be pasted.
func (c *Model) clipboardRead(msg clipboardMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		return c.SayError(theme.UpperFirst(theme.Sentence(msg.err)))
	case c.Closed:
		return nil
	case len(msg.content.Image) == 0:
		return c.drop(msg.content.Text)
	}
	c.images++
	part, err := c.AttachText(fmt.Sprintf("pasted-%d", c.images), string(msg.content.Image))
	if err == nil && part.Kind != history.ImagePart {
		err = fmt.Errorf("the clipboard has no image that can be attached")
	}
	if err != nil {
		return c.SayError(theme.UpperFirst(theme.Sentence(err)))
	}
	if _, kind, ok := strings.Cut(part.MediaType, "/"); ok {
		part.Name += "." + kind
	}
	c.hang(part)
	c.Area.Insert(" ")
	c.Emit(Focused{})
	return nil
}

// isAddress says that what is to be attached is a page of the web.
func isAddress(path string) bool {
	return strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "http://")
}

// askForPage has the user asked whether the page at an address may be read.
func (c *Model) askForPage(address string) tea.Cmd {
	u, err := url.Parse(address)
	switch {
	case c.ReadPage == nil:
		return c.SayError("Pages cannot be fetched here.")
	case err != nil || u.Host == "":
		return c.SayError(theme.OneLine(address) + " is not a URL.")
	}
	return c.Emit(AskedFor{URL: address, Host: u.Host})
}

// FetchPage reads a page that the user agreed to, and hangs it on the draft as text.
func (c *Model) FetchPage(address string) tea.Cmd {
	n := c.put(Chip{Label: "[" + theme.OneLine(address) + ": fetching…]", Path: address})
	c.Area.Insert(" ")
	c.Emit(Focused{})
	read, attach := c.ReadPage, c.AttachText
	return c.Run(func(ctx context.Context) tea.Msg {
		f := file{path: address}
		text, cut, err := read(ctx, address)
		if f.err = err; err == nil {
			f.part, f.err = attach(address, text)
		} else {
			f.err = fmt.Errorf("%s cannot be attached: %w", address, err)
		}
		return readMsg{chip: n, files: []file{f}, cut: cut}
	})
}
