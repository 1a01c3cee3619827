package transfer

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"winnow/session/transfer/chatgpt"
	"winnow/session/transfer/conversation"
)

// maxImage is the largest file of an export that is taken as an image, in bytes.
const maxImage = 64 << 20

// conversationFile is the name of a file with conversations, of which a large export has several.
var conversationFile = regexp.MustCompile(`^conversations([-_ ]?[0-9]+)?\.json$`)

// export is the archive that an export of ChatGPT or of Claude comes as.
type export struct {
	files  []*zip.File // the files of conversations, in the order of their names
	images map[string]*zip.File
	left   int64 // bytes that may still be read, unpacked
}

// openZip reads the list of files of an archive.
func openZip(from Source) (f format, err error) {
	size, err := from.File.Seek(0, io.SeekEnd)
	if err != nil {
		return f, fmt.Errorf("read the archive's end: %w", err)
	}
	archive, err := zip.NewReader(from.File, size)
	switch {
	case errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF):
		return f, errBrokenZip
	case err != nil && !errors.Is(err, zip.ErrInsecurePath): // No file is written by its name.
		return f, fmt.Errorf("read the archive: %w", err)
	}
	x := &export{images: map[string]*zip.File{}, left: math.MaxInt64}
	for _, f := range archive.File {
		name := path.Base(strings.ReplaceAll(f.Name, `\`, "/"))
		if conversationFile.MatchString(name) {
			x.files = append(x.files, f)
		}
		if id := chatgpt.AssetID.FindString(name); id != "" && strings.HasPrefix(name, id) && x.images[id] == nil {
			x.images[id] = f
		}
	}
	if len(x.files) == 0 {
		return f, errOtherZip
	}
	slices.SortStableFunc(x.files, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	if f = recognise(x.open(x.files[0])); !f.claude {
		f = format{read: chatgpt.Reader(x.image), many: true}
	}
	if !from.Large {
		x.left = conversation.Largest
	}
	f.values = x.values()
	return f, nil
}

// values are those of all files of conversations. A file that cannot be read is passed on as Broken.
func (x *export) values() iter.Seq2[conversation.Value, error] {
	return func(yield func(conversation.Value, error) bool) {
		for _, f := range x.files {
			for v, err := range conversation.List(x.open(f), 1) {
				if err != nil && !errors.Is(err, conversation.ErrTooLarge) {
					v.Broken, err = fmt.Sprintf("the rest of %s cannot be read: %v", f.Name, err), nil
				}
				if !yield(v, err) || err != nil {
					return
				}
			}
		}
	}
}

// image reads a file of the archive by the id that its name begins with.
func (x *export) image(id string) (name string, data []byte, ok bool) {
	f := x.images[id]
	if f == nil || f.UncompressedSize64 > maxImage {
		return "", nil, false
	}
	data, err := io.ReadAll(io.LimitReader(x.open(f), maxImage+1))
	return path.Base(f.Name), data, err == nil && len(data) <= maxImage
}

// open reads a file of the archive. What is unpacked is in memory, so nothing has to be closed.
func (x *export) open(f *zip.File) io.Reader { return &unpacking{x: x, file: f} }

// unpacking is a file of the archive while it is unpacked.
type unpacking struct {
	x    *export
	file *zip.File
	from io.Reader // nil before the first Read
}

func (u *unpacking) Read(b []byte) (n int, err error) {
	if u.from == nil {
		if u.from, err = u.file.Open(); err != nil {
			return 0, err
		}
	}
	if u.x.left <= 0 {
		return 0, conversation.ErrTooLarge
	}
	n, err = u.from.Read(b[:min(int64(len(b)), u.x.left)])
	u.x.left -= int64(n)
	return n, err
}
