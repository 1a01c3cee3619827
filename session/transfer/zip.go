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

// maxImage is the maximum size of an image in an export, in bytes.
const maxImage = 64 << 20

// conversationFile matches the names of files with conversations; large exports have several.
var conversationFile = regexp.MustCompile(`^conversations([-_ ]?[0-9]+)?\.json$`)

// openZip opens an archive with an export of ChatGPT or Claude.
func openZip(from Source) (openedFile, error) {
	size, _ := from.File.Seek(0, io.SeekEnd) // an archive without bytes is a broken one
	archive, err := zip.NewReader(from.File, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // nothing is written to the paths in the archive
		return openedFile{}, errBrokenZip
	}
	var files []*zip.File // those with conversations
	images := map[string]*zip.File{}
	for _, f := range archive.File {
		name := path.Base(f.Name)
		if conversationFile.MatchString(name) {
			files = append(files, f)
		}
		if id := chatgpt.AssetID.FindString(name); id != "" && strings.HasPrefix(name, id) {
			images[id] = f
		}
	}
	if len(files) == 0 {
		return openedFile{}, unrecognised("the archive holds no conversations.json")
	}
	slices.SortStableFunc(files, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	first, err := files[0].Open()
	if err != nil {
		return openedFile{}, fmt.Errorf("read %s: %w", files[0].Name, err)
	}
	defer first.Close()
	f := openedFile{values: zipValues(files), close: func() {}}
	if f.read = claude.Read; formatKey(first) != "chat_messages" {
		f.read = chatgpt.Reader(func(id string) (string, []byte, bool) {
			image := images[id]
			if image == nil || image.UncompressedSize64 > maxImage {
				return "", nil, false
			}
			data, err := fs.ReadFile(archive, image.Name)
			return path.Base(image.Name), data, err == nil
		})
	}
	return f, nil
}

// zipValues reads the values of several files. A file that cannot be read is passed on as Broken.
func zipValues(files []*zip.File) iter.Seq2[conversation.Value, error] {
	return func(yield func(conversation.Value, error) bool) {
		for _, f := range files {
			in, err := f.Open()
			if err != nil {
				yield(
					conversation.Value{Broken: fmt.Sprintf("%s cannot be read: %v", f.Name, err)}, nil,
				)
				return
			}
			defer in.Close()
			for v, err := range list(in) {
				if err != nil {
					v.Broken = fmt.Sprintf(
						"the rest of %s cannot be read: %v", f.Name, err,
					)
				}
				if !yield(v, nil) || err != nil {
					return
				}
			}
		}
	}
}
