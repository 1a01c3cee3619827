// Package clipboard reads the system's clipboard, by the program that the system has for it: its text, else an image in
// it.
package clipboard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// patience is how long a clipboard is waited for: its owner may not answer.
const patience = 5 * time.Second

// errEmpty says that there is neither a text nor an image.
var errEmpty = errors.New("the clipboard has no text and no image")

// Content is what the clipboard holds: a text, else an image.
type Content struct {
	Text  string
	Image []byte
}

// programs read the clipboards of Wayland and of X11. The type of what is wanted goes behind the arguments.
var programs = []struct {
	name, display string // the program, and the variable that says that there is a display for it
	types         []string
	get           []string
	install       string
}{
	{"wl-paste", "WAYLAND_DISPLAY", []string{"--list-types"}, []string{"--no-newline", "--type"}, "wl-clipboard"},
	{
		"xclip", "DISPLAY",
		[]string{"-selection", "clipboard", "-out", "-target", "TARGETS"},
		[]string{"-selection", "clipboard", "-out", "-target"},
		"xclip",
	},
}

// The types of a clipboard that are read, the best first: texts, and images that can be attached.
var (
	texts  = []string{"text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "STRING"}
	images = []string{"image/png", "image/webp", "image/jpeg", "image/gif"}
)

// Read reads the clipboard. Where the system has no program for that, the error says which one to install.
func Read(ctx context.Context) (Content, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	missing := "there is no display (ssh)"
	for _, p := range programs {
		if os.Getenv(p.display) == "" {
			continue
		}
		at, err := exec.LookPath(p.name)
		if err != nil {
			missing = "install " + p.install
			continue
		}
		list, err := exec.CommandContext(ctx, at, p.types...).Output()
		if err != nil {
			return Content{}, errEmpty // An empty clipboard has no list either.
		}
		types := strings.Fields(string(list))
		get := func(wanted []string) ([]byte, error) {
			i := slices.IndexFunc(wanted, func(kind string) bool { return slices.Contains(types, kind) })
			if i < 0 {
				return nil, errEmpty
			}
			return exec.CommandContext(ctx, at, append(slices.Clip(p.get), wanted[i])...).Output()
		}
		if text, err := get(texts); err == nil && strings.TrimSpace(string(text)) != "" {
			return Content{Text: strings.ToValidUTF8(string(text), "\uFFFD")}, nil
		}
		image, err := get(images)
		if ctx.Err() != nil {
			err = errors.New("the clipboard does not respond")
		}
		return Content{Image: image}, err
	}
	return Content{}, fmt.Errorf("images cannot be read from the clipboard here: %s; attach a file with /attach PATH",
		missing)
}
