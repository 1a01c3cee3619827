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
	x := &export{images: map[string]*zip.File{}, left: conversation.Largest}
	if from.Large {
		x.left = math.MaxInt64
	}
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
	first, err := x.files[0].Open()
	if err != nil {
		return f, fmt.Errorf("read %s of the archive: %w", x.files[0].Name, err)
	}
	defer first.Close()
	if f = recognise(first); !f.claude {
		f = format{read: chatgpt.Reader(x.image), many: true}
	}
	f.values = x.values()
	return f, nil
}

// values are those of all files of conversations. A file that cannot be read is passed on as Broken.
func (x *export) values() iter.Seq2[conversation.Value, error] {
	return func(yield func(conversation.Value, error) bool) {
		for _, f := range x.files {
			err := x.valuesOf(f, yield)
			switch rest := fmt.Sprintf("the rest of %s cannot be read: %v", f.Name, err); {
			case errors.Is(err, conversation.ErrTooLarge):
				yield(conversation.Value{}, err)
				return
			case err == io.EOF, err != nil && !yield(conversation.Value{Broken: rest}, nil):
				return
			}
		}
	}
}

// valuesOf yields the values of one file. The error is io.EOF where no more are wanted.
func (x *export) valuesOf(f *zip.File, yield func(conversation.Value, error) bool) error {
	file, err := f.Open()
	if err != nil {
		return err
	}
	defer file.Close()
	for v, err := range conversation.List(&limited{file, x}, 1) {
		if err != nil {
			return err
		}
		if !yield(v, nil) {
			return io.EOF
		}
	}
	return nil
}

// image reads a file of the archive by the id that its name begins with.
func (x *export) image(id string) (name string, data []byte, ok bool) {
	f := x.images[id]
	if f == nil || f.UncompressedSize64 > maxImage {
		return "", nil, false
	}
	r, err := f.Open()
	if err != nil {
		return "", nil, false
	}
	defer r.Close()
	data, err = io.ReadAll(io.LimitReader(&limited{r, x}, maxImage+1))
	return path.Base(f.Name), data, err == nil && len(data) <= maxImage
}

// limited is a file of the archive while it is unpacked.
type limited struct {
	from io.Reader
	x    *export
}

func (l *limited) Read(b []byte) (int, error) {
	if l.x.left <= 0 {
		return 0, conversation.ErrTooLarge
	}
	n, err := l.from.Read(b[:min(int64(len(b)), l.x.left)])
	l.x.left -= int64(n)
	return n, err
}
