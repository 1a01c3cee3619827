package tool

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"winnow/history/message"
)

// picture is an image of w by h pixels.
func picture(t *testing.T, format string, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	m := image.NewGray(image.Rect(0, 0, w, h))
	var err error
	switch format {
	case "png":
		err = png.Encode(&b, m)
	case "jpeg":
		err = jpeg.Encode(&b, m, nil)
	case "gif":
		err = gif.Encode(&b, m, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAttachRecognisesPicturesByTheirContent(t *testing.T) {
	dot, err := base64.StdEncoding.DecodeString("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		data []byte
		kind string
		w, h int
	}{
		{picture(t, "png", 1024, 768), "image/png", 1024, 768},
		{picture(t, "jpeg", 33, 7), "image/jpeg", 33, 7},
		{picture(t, "gif", 5, 300), "image/gif", 5, 300},
		{dot, "image/webp", 1, 1},
	} {
		p, err := NewAttachment("main.go", c.data, "gpt-4o", nil)
		if err != nil || p.Kind != message.ImagePart || p.MediaType != c.kind || !bytes.Equal(p.Data, c.data) ||
			p.Tokens != PictureTokens("gpt-4o", c.w, c.h) {
			t.Errorf("%s of %d by %d: %s, %s, %d tokens, %v", c.kind, c.w, c.h, p.Kind, p.MediaType, p.Tokens, err)
		}
		if w, h, ok := PictureSize(c.data); !ok || w != c.w || h != c.h {
			t.Errorf("%s has %d by %d pixels, %t; want %d by %d", c.kind, w, h, ok, c.w, c.h)
		}
	}
}

func TestAttachReadsTexts(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"code", "package main\n", "package main\n"},
		{
			"a drawing is a text", "<svg xmlns='http://www.w3.org/2000/svg'/>",
			"<svg xmlns='http://www.w3.org/2000/svg'/>",
		},
		{"a page", "<!DOCTYPE html><p>hi", "<!DOCTYPE html><p>hi"},
		{"bytes that are not UTF-8 stay", "caf\xe9 au lait", "caf\xe9 au lait"},
		{"a mark in front is not the text's", "\xef\xbb\xbfhi", "hi"},
		{"UTF-16, the small end first", "\xff\xfeh\x00\xe9\x00", "hé"},
		{"UTF-16, the large end first", "\xfe\xff\x00h\x00\xe9", "hé"},
		{"coloured output", "\x1b[31mred\x1b[0m\n", "\x1b[31mred\x1b[0m\n"},
	} {
		p, err := NewAttachment("f", []byte(c.data), "gpt-4o", func(s string) int { return len(s) })
		if err != nil || p.Kind != message.TextPart || p.Text != c.want || p.Tokens != len(p.AsText()) {
			t.Errorf("%s: %+v, %v; want the text %q", c.name, p, err, c.want)
		}
	}
}

func TestAttachNamesTheReason(t *testing.T) {
	large := bytes.Repeat([]byte("x"), MaxFileBytes+1)
	for _, c := range []struct {
		name, data, says string
		is               error
	}{
		{name: "empty", says: "the file is empty"},
		{name: "large", data: string(large), is: errTooLarge},
		{name: "a program", data: "\x7fELF\x02\x01\x01\x00", says: "binary file;"},
		{name: "null bytes far behind", data: strings.Repeat("words\n", 1000) + "\x00", says: "binary file;"},
		{name: "a paper", data: "%PDF-1.7\n", says: "application/pdf"},
		{name: "packed", data: "PK\x03\x04\x14\x00", says: "application/zip"},
		{
			name: "another picture", data: "BM\x00\x00\x00\x00",
			says: "it is image/bmp; only text files and images (png, jpeg, gif, webp)",
		},
		{name: "half a picture", data: string(picture(t, "png", 9, 9)[:20]), says: "its size cannot be read"},
	} {
		p, err := NewAttachment("f", []byte(c.data), "gpt-4o", nil)
		if err == nil || !strings.Contains(err.Error(), c.says) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %s, %v; want an error with %q", c.name, p.Kind, err, c.says)
		}
	}
	if p, err := NewAttachment("f", large[:MaxFileBytes], "gpt-4o", nil); err != nil || len(p.Text) != MaxFileBytes {
		t.Errorf("the largest file that is allowed: %v", err)
	}
}

// The numbers are from the makers' own examples and tables.
func TestPictureTokens(t *testing.T) {
	for _, c := range []struct {
		model      string
		w, h, want int
	}{
		{"gpt-4o", 1024, 1024, 765},
		{"gpt-4o", 2048, 4096, 1105},
		{"gpt-4o", 512, 512, 255},
		{"openai/gpt-4o-mini", 512, 512, 8500},
		{"gpt-4.1-mini", 1024, 1024, 1659},
		{"gpt-5.2", 256, 256, 77},
		{"gpt-5.2", 1024, 1024, 1229},
		{"gpt-5", 512, 512, 210},
		{"o3", 512, 512, 225},
		{"anthropic/claude-sonnet-4.5", 1000, 1000, 1334},
		{"claude-opus-4", 10, 10, 1},
		{"claude-haiku", 4000, 3000, 1600},
		{"google/gemini-2.5-flash", 300, 300, 258},
		{"gemini-2.0", 1000, 1000, 1032},
		{"gemini-3-pro", 4000, 3000, 1120},
		{"qwen2.5vl:7b", 1024, 1024, 765},
		{"", 1, 1, 255},
	} {
		if got := PictureTokens(c.model, c.w, c.h); got != c.want {
			t.Errorf("%s, %d by %d: %d tokens, want %d", c.model, c.w, c.h, got, c.want)
		}
	}
}
