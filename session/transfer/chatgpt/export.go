package chatgpt

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"winnow/session/transfer/conversation"
	"winnow/session/transfer/rawjson"
)

// Export is the archive that a ChatGPT data export comes as.
type Export struct {
	files  []*zip.File // the files of conversations, in the order of their names
	assets map[string]*zip.File
	now    *Reader
	file   io.Closer
	done   int
	index  int
	large  bool
	left   int64 // bytes that may still be read, unpacked
}

// Errors that say why an archive holds no conversations.
var (
	ErrBrokenArchive = errors.New("the archive is truncated or damaged: its list of files is missing; download it again")
	ErrNoExport      = errors.New("the archive holds no conversations.json of a ChatGPT export")
)

// maxAsset is the largest file of an export that is taken as an image, in bytes.
const maxAsset = 64 << 20

// conversationFile is the name of a file with conversations, of which a large export has several.
var conversationFile = regexp.MustCompile(`^conversations([-_ ]?[0-9]+)?\.json$`)

// Open reads the archive's list of files. One that was cut off has none. Large lifts the limits on the size of the
// export and of a conversation.
func Open(r io.ReaderAt, size int64, large bool) (*Export, error) {
	x := &Export{assets: map[string]*zip.File{}, left: rawjson.Largest, large: large}
	if large {
		x.left = math.MaxInt64
	}
	archive, err := zip.NewReader(r, size)
	switch {
	case errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, ErrBrokenArchive
	case err != nil && !errors.Is(err, zip.ErrInsecurePath): // No file is written by its name.
		return nil, fmt.Errorf("read the archive: %w", err)
	}
	for _, f := range archive.File {
		x.add(f)
	}
	if len(x.files) == 0 {
		return nil, ErrNoExport
	}
	slices.SortStableFunc(x.files, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	return x, nil
}

// TooLarge reports whether the files of conversations are larger than what is read of them, by what the
// archive says of their sizes. What it says wrongly is found out while they are read.
func (x *Export) TooLarge() bool {
	var sum uint64
	for _, f := range x.files {
		sum += min(f.UncompressedSize64, rawjson.Largest+1)
	}
	return !x.large && sum > rawjson.Largest
}

// First opens the first file of conversations.
func (x *Export) First() (io.ReadCloser, error) { return x.files[0].Open() }

// limited is a file of the archive while it is unpacked.
type limited struct {
	io.ReadCloser
	x *Export
}

func (l limited) Read(b []byte) (int, error) {
	if l.x.left <= 0 {
		return 0, rawjson.ErrTooLarge
	}
	n, err := l.ReadCloser.Read(b[:min(int64(len(b)), l.x.left)])
	l.x.left -= int64(n)
	return n, err
}

// add takes a file by its name.
func (x *Export) add(f *zip.File) {
	name := path.Base(strings.ReplaceAll(f.Name, `\`, "/"))
	if conversationFile.MatchString(name) {
		x.files = append(x.files, f)
	}
	id := assetID.FindString(name)
	if _, twice := x.assets[id]; id != "" && strings.HasPrefix(name, id) && !twice {
		x.assets[id] = f
	}
}

// Next returns the next conversation of all the archive's files, or io.EOF after the last one. A file that
// cannot be read comes as a conversation with Broken set, and the next file follows.
func (x *Export) Next() (conversation.Conversation, error) {
	for {
		if x.now == nil {
			if x.done == len(x.files) {
				return conversation.Conversation{}, io.EOF
			}
			file, err := x.files[x.done].Open()
			if err != nil {
				x.done++
				return x.broken(err), nil
			}
			x.file, x.now = file, NewReader(limited{file, x}, x.asset, x.large)
		}
		conv, err := x.now.Next()
		if err == nil {
			conv.Index = x.index
			x.index++
			return conv, nil
		}
		x.file.Close()
		if errors.Is(err, rawjson.ErrTooLarge) {
			return conversation.Conversation{}, err
		}
		x.now = nil
		x.done++
		if err != io.EOF {
			return x.broken(err), nil
		}
	}
}

// broken is in the place of what follows in the file that was read last.
func (x *Export) broken(err error) conversation.Conversation {
	x.index++
	what := fmt.Sprintf("the rest of %s cannot be read: %v", x.files[x.done-1].Name, err)
	return conversation.Conversation{Index: x.index - 1, Line: 1, Broken: &conversation.Remark{Field: "file", What: what}}
}

// asset reads a file of the archive by the id that its name begins with.
func (x *Export) asset(id string) (Asset, bool) {
	f, ok := x.assets[id]
	if !ok || f.UncompressedSize64 > maxAsset {
		return Asset{}, false
	}
	r, err := f.Open()
	if err != nil {
		return Asset{}, false
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(limited{r, x}, maxAsset+1))
	if err != nil || len(data) > maxAsset {
		return Asset{}, false
	}
	return Asset{Name: path.Base(f.Name), Data: data}, true
}
