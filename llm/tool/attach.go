package tool

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // for the size of a picture
	_ "image/jpeg"
	_ "image/png"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"

	_ "golang.org/x/image/webp"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"winnow/history/message"
)

// LargestFile is the largest file that can be attached, in bytes. Servers take requests of some tens of megabytes, and
// a file goes with every request that holds its message.
const LargestFile = 10 << 20

var errTooLarge = fmt.Errorf("the file is larger than %d MB", LargestFile>>20)

// ReadFile reads a file that can be attached. The error has no path.
func ReadFile(path string) ([]byte, error) {
	// A pipe is asked before it is opened: opening one waits for somebody who writes.
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such file")
	case err != nil:
		return nil, errors.Unwrap(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > LargestFile:
		return nil, errTooLarge
	}
	data, err := os.ReadFile(path)
	return data, errors.Unwrap(err)
}

// Attach reads a file's bytes as a part of a message: a text or a picture, recognised by its content and not by its
// name. The cost of a picture is estimated for a model, a text is counted by count, where nil leaves it uncounted.
// Bytes of a text that are not UTF-8 are kept; UTF-16 is read as the text it is. The error says why the file cannot be
// sent.
func Attach(name string, data []byte, model string, count func(string) int) (message.Part, error) {
	if len(data) == 0 {
		return message.Part{}, errors.New("the file is empty")
	}
	if len(data) > LargestFile {
		return message.Part{}, errTooLarge
	}
	kind, _, _ := mime.ParseMediaType(http.DetectContentType(data)) // It is always a valid type.
	if slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind) {
		w, h, ok := PictureSize(data)
		if !ok {
			return message.Part{}, fmt.Errorf("it looks like an image (%s), but its size cannot be read", kind)
		}
		tokens := PictureTokens(model, w, h)
		return message.Part{Kind: message.ImagePart, Name: name, MediaType: kind, Data: data, Tokens: tokens}, nil
	}
	text, ok := asText(data)
	if !ok {
		if kind == "application/octet-stream" || strings.HasPrefix(kind, "text/") {
			kind = "a binary file"
		}
		err := fmt.Errorf("it is %s; only text files and images (png, jpeg, gif, webp) can be attached", kind)
		return message.Part{}, err
	}
	p := message.Part{Kind: message.TextPart, Name: name, MediaType: "text/plain", Text: text}
	if count != nil {
		p.Tokens = count(p.AsText())
	}
	return p, nil
}

// asText reads bytes as a text, and says whether they are one: no text holds null bytes, but for the UTF-16 that begins
// with its mark.
func asText(data []byte) (string, bool) {
	data, _, err := transform.Bytes(unicode.BOMOverride(transform.Nop), data)
	if err != nil || bytes.IndexByte(data, 0) >= 0 || bytes.HasPrefix(data, []byte("%PDF-")) {
		return "", false
	}
	controls := 0
	for _, b := range data {
		if b < ' ' && !strings.ContainsRune("\t\n\r\f\x1b", rune(b)) {
			controls++
		}
	}
	return string(data), controls*100 <= len(data)
}

// PictureSize is the width and height in pixels of a picture that Attach takes.
func PictureSize(data []byte) (w, h int, ok bool) {
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	return c.Width, c.Height, err == nil && c.Width > 0 && c.Height > 0
}
