// Package clipboard reads the system's clipboard, by the program that the system has for it: its text, else an image in
// it. What it reads is bounded in size and time.
package clipboard

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	patience  = 5 * time.Second // the owner of a clipboard may not answer
	mostTypes = 64 << 10        // bytes of the list of what a clipboard holds
)

// Errors of Read. Their texts are sentences for the user.
var (
	// ErrEmpty says that there is neither a text nor an image.
	ErrEmpty = errors.New("the clipboard has no text and no image")
	// ErrTooLarge says that it holds more than may be read.
	ErrTooLarge = errors.New("the content of the clipboard is too large to attach")
)

// Content is what the clipboard holds: a text, else an image.
type Content struct {
	Text  string
	Image []byte
}

// program is one that reads the clipboard.
type program struct {
	name  string
	usual bool                                 // it works on this system
	types []string                             // arguments that list what there is; nil where that cannot be asked
	text  func(types []string) []string        // arguments that print the text, nil for none
	image func(types []string) []string        // arguments that print the image, nil for none
	plain func(printed []byte) ([]byte, error) // the image in what it printed; nil is all of it
}

// imageTypes are the images that can be attached, the best first.
var imageTypes = []string{"image/png", "image/webp", "image/jpeg", "image/gif"}

// oneOf is the first of the wanted types that there is, "" for none.
func oneOf(types, wanted []string) string {
	for _, t := range wanted {
		if slices.Contains(types, t) {
			return t
		}
	}
	return ""
}

// getImage prints the image of a Windows clipboard as base64: its output is text.
const getImage = `Add-Type -AssemblyName System.Windows.Forms; Add-Type -AssemblyName System.Drawing; ` +
	`$i = [System.Windows.Forms.Clipboard]::GetImage(); if ($i) { $m = New-Object System.IO.MemoryStream; ` +
	`$i.Save($m, [System.Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($m.ToArray()) }`

// programs are the programs for clipboards, the likeliest first.
func programs() []program {
	always := func(args ...string) func([]string) []string { return func([]string) []string { return args } }
	texts := []string{"text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "STRING"}
	typed := func(wanted []string, args func(kind string) []string) func([]string) []string {
		return func(types []string) []string {
			if kind := oneOf(types, wanted); kind != "" {
				return args(kind)
			}
			return nil
		}
	}
	wayland := func(kind string) []string { return []string{"--no-newline", "--type", kind} }
	x11 := func(kind string) []string { return []string{"-selection", "clipboard", "-target", kind, "-out"} }
	return []program{
		{
			name: "wl-paste", usual: os.Getenv("WAYLAND_DISPLAY") != "", types: []string{"--list-types"},
			text: typed(texts, wayland), image: typed(imageTypes, wayland),
		},
		{
			name: "xclip", usual: os.Getenv("DISPLAY") != "", types: x11("TARGETS"),
			text: typed(texts, x11), image: typed(imageTypes, x11),
		},
		{name: "pbpaste", usual: runtime.GOOS == "darwin", text: always()},
		{name: "pngpaste", usual: runtime.GOOS == "darwin", image: always("-")},
		{
			name: "powershell.exe", usual: true, text: always("-NoProfile", "-Command", "Get-Clipboard -Raw"),
			image: always("-NoProfile", "-STA", "-Command", getImage),
			plain: func(printed []byte) ([]byte, error) {
				return base64.StdEncoding.DecodeString(string(bytes.TrimSpace(printed)))
			},
		},
	}
}

// Read reads the clipboard, at most so many bytes of it. Where the system has no program for that, the error says which
// one to install.
func Read(ctx context.Context, most int) (Content, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var c Content
	asked, pictures := false, false
	for _, p := range programs() {
		at, err := exec.LookPath(p.name)
		if err != nil || !p.usual {
			continue
		}
		asked, pictures = true, pictures || p.image != nil
		var types []string
		if p.types != nil {
			list, err := run(ctx, mostTypes, at, p.types)
			if err != nil {
				continue // An empty clipboard has no list either.
			}
			types = strings.Fields(string(list))
		}
		if p.text != nil && c.Text == "" {
			if args := p.text(types); args != nil || p.types == nil {
				text, err := run(ctx, most, at, args)
				if errors.Is(err, ErrTooLarge) {
					return Content{}, err
				}
				if err == nil {
					c.Text = strings.ToValidUTF8(strings.TrimRight(string(text), "\r\n"), "\uFFFD")
				}
			}
		}
		if p.image == nil || strings.TrimSpace(c.Text) != "" {
			continue
		}
		if args := p.image(types); args != nil {
			image, err := run(ctx, most, at, args)
			if err == nil && p.plain != nil {
				image, err = p.plain(image)
			}
			if errors.Is(err, ErrTooLarge) {
				return Content{}, err
			}
			if err == nil && len(image) > 0 {
				return Content{Image: image}, nil
			}
		}
	}
	switch {
	case c.Text != "":
		return c, nil
	case ctx.Err() != nil:
		return Content{}, errors.New("the clipboard does not respond")
	case asked && pictures:
		return Content{}, ErrEmpty
	}
	return Content{}, fmt.Errorf("images cannot be read from the clipboard here: %s; attach a file with /attach PATH",
		missing())
}

// missing says which program to install.
func missing() string {
	switch {
	case runtime.GOOS == "darwin":
		return "install pngpaste"
	case runtime.GOOS == "windows":
		return "PowerShell was not found"
	case os.Getenv("WAYLAND_DISPLAY") != "":
		return "install wl-clipboard"
	case os.Getenv("DISPLAY") != "":
		return "install xclip"
	}
	return "there is no display (ssh)"
}

// run runs a program and returns what it prints.
func run(ctx context.Context, most int, name string, args []string) ([]byte, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	printed, err := io.ReadAll(io.LimitReader(out, int64(most)+1))
	if len(printed) > most {
		stop()
		cmd.Wait()
		return nil, ErrTooLarge
	}
	return printed, errors.Join(err, cmd.Wait())
}
