package transfer

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"

	"winnow/session/transfer/chatgpt"
	"winnow/session/transfer/claude"
	"winnow/session/transfer/conversation"
)

// maxImage is the largest file of an export that is taken as an image, in bytes.
const maxImage = 64 << 20

// conversationFile is the name of a file with conversations, of which a large export has several.
var conversationFile = regexp.MustCompile(`^conversations([-_ ]?[0-9]+)?\.json$`)

// export is the archive that an export of ChatGPT or of Claude comes as.
type export struct {
	archive *zip.Reader
	files   []*zip.File // the files of conversations, in the order of their names
	images  map[string]*zip.File
}

// openZip reads the list of files of an archive.
func openZip(from Source) (opened, error) {
	size, err := from.File.Seek(0, io.SeekEnd)
	if err != nil {
		return opened{}, fmt.Errorf("read the archive's end: %w", err)
	}
	archive, err := zip.NewReader(from.File, size)
	switch {
	case errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF):
		return opened{}, errBrokenZip
	case err != nil && !errors.Is(err, zip.ErrInsecurePath): // No file is written by its name.
		return opened{}, fmt.Errorf("read the archive: %w", err)
	}
	x := export{archive: archive, images: map[string]*zip.File{}}
	for _, f := range archive.File {
		name := path.Base(f.Name)
		if conversationFile.MatchString(name) {
			x.files = append(x.files, f)
		}
		if id := chatgpt.AssetID.FindString(name); id != "" && strings.HasPrefix(name, id) {
			x.images[id] = f
		}
	}
	if len(x.files) == 0 {
		return opened{}, unrecognised("the archive holds no conversations.json")
	}
	slices.SortStableFunc(x.files, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	first, err := x.files[0].Open()
	if err != nil {
		return opened{}, fmt.Errorf("read %s: %w", x.files[0].Name, err)
	}
	defer first.Close()
	f := opened{read: chatgpt.Reader(x.image), values: x.values(), close: func() {}}
	if recognise(first) == "chat_messages" {
		f.read = claude.Read
	}
	return f, nil
}

// values are those of all files of conversations. A file that cannot be read is passed on as Broken.
func (x export) values() iter.Seq2[conversation.Value, error] {
	return func(yield func(conversation.Value, error) bool) {
		for _, f := range x.files {
			in, err := f.Open()
			if err != nil {
				yield(conversation.Value{Broken: fmt.Sprintf("%s cannot be read: %v", f.Name, err)}, nil)
				return
			}
			defer in.Close()
			for v, err := range list(in) {
				if err != nil {
					v.Broken = fmt.Sprintf("the rest of %s cannot be read: %v", f.Name, err)
				}
				if !yield(v, nil) || err != nil {
					return
				}
			}
		}
	}
}

// image reads a file of the archive by the id that its name begins with.
func (x export) image(id string) (name string, data []byte, ok bool) {
	f := x.images[id]
	if f == nil || f.UncompressedSize64 > maxImage {
		return "", nil, false
	}
	data, err := fs.ReadFile(x.archive, f.Name)
	return path.Base(f.Name), data, err == nil
}
