package tool

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // for image.DecodeConfig
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

// MaxFileBytes is the maximum size of an attached file. Servers accept requests of some tens of megabytes, and a file
// is sent with every request that contains its message.
const MaxFileBytes = 10 << 20

var errTooLarge = fmt.Errorf("the file is larger than %d MB", MaxFileBytes>>20)

// ReadFile reads a file to be attached. The error does not contain the path.
func ReadFile(path string) ([]byte, error) {
	// Check before opening: opening a named pipe would block until something writes to it.
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such file")
	case err != nil:
		return nil, errors.Unwrap(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > MaxFileBytes:
		return nil, errTooLarge
	}
	data, err := os.ReadFile(path)
	return data, errors.Unwrap(err)
}

// NewAttachment returns the content of a file as a part of a message. Whether it is a text or an image is detected from
// the content, not from the name. The tokens of an image are estimated for the model; those of a text are counted by
// count, which may be nil. Invalid UTF-8 in a text is kept, and UTF-16 is converted. The error tells why the file
// cannot be sent.
func NewAttachment(name string, data []byte, model string, count func(string) int) (message.Part, error) {
	if len(data) == 0 {
		return message.Part{}, errors.New("the file is empty")
	}
	if len(data) > MaxFileBytes {
		return message.Part{}, errTooLarge
	}
	kind, _, _ := mime.ParseMediaType(http.DetectContentType(data)) // The type is always valid.
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
		err := fmt.Errorf(
			"it is %s; only text files and images (png, jpeg, gif, webp) can be attached", kind,
		)
		return message.Part{}, err
	}
	p := message.Part{
		Kind: message.TextPart, Name: name, MediaType: "text/plain", Text: text,
	}
	if count != nil {
		p.Tokens = count(p.AsText())
	}
	return p, nil
}

// asText converts bytes to text, and reports whether they are text. Text contains no null bytes, except UTF-16 with a
// byte order mark.
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

// PictureSize returns the width and height in pixels of an image in a format that NewAttachment accepts.
func PictureSize(data []byte) (w, h int, ok bool) {
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	return c.Width, c.Height, err == nil && c.Width > 0 && c.Height > 0
}
