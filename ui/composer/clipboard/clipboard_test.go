package clipboard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// scripts makes these programs the only ones that are found, beside what they call themselves, and sets the display
// that they are for. The machine's own programs for its clipboard are not found.
func scripts(t *testing.T, display string, programs map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	if display != "" {
		t.Setenv(display, ":0")
	}
}

const wayland = `case "$*" in
--list-types) printf '%s\n' TYPES;;
"--no-newline --type image/png") printf 'the picture';;
"--no-newline --type text/plain;charset=utf-8") printf 'the text';;
*) exit 1;;
esac`

func TestTheClipboardHasATextOrAnImage(t *testing.T) {
	x11 := strings.NewReplacer("--list-types", "\"-selection clipboard -out -target TARGETS\"", "--no-newline --type ",
		"-selection clipboard -out -target ").Replace(wayland)
	for _, c := range []struct {
		name, display, program, text string
		want                         Content
		err                          string
	}{
		{"an image", "WAYLAND_DISPLAY", "wl-paste", strings.Replace(wayland, "TYPES", "text/html image/png",
			1), Content{Image: []byte("the picture")}, ""},
		{"a text goes first", "WAYLAND_DISPLAY", "wl-paste", strings.Replace(wayland, "TYPES",
			"'text/plain;charset=utf-8' image/png", 1), Content{Text: "the text"}, ""},
		{"an image of X11", "DISPLAY", "xclip", strings.Replace(x11, "TYPES", "TARGETS image/png", 1), Content{
			Image: []byte("the picture"),
		}, ""},
		{
			"nothing", "WAYLAND_DISPLAY", "wl-paste", "echo 'Nothing is copied' >&2; exit 1",
			Content{},
			"no text and no image",
		},
		{"a picture of another kind", "DISPLAY", "xclip", strings.Replace(x11, "TYPES", "image/tiff",
			1), Content{}, "no text and no image"},
		{"no program", "DISPLAY", "other", "", Content{}, "install xclip"},
		{"no display", "", "xclip", "echo image/png", Content{}, "no display"},
	} {
		t.Run(c.name, func(t *testing.T) {
			scripts(t, c.display, map[string]string{c.program: c.text})
			got, err := Read(t.Context())
			if got.Text != c.want.Text || string(got.Image) != string(c.want.Image) || (err == nil) != (c.err == "") ||
				err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %q, %q, %v; want %q, %q, %q", got.Text, got.Image, err, c.want.Text, c.want.Image, c.err)
			}
		})
	}
}
