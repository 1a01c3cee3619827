package sync

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"winnow/session/store"
)

// A segment file is a line that says what it is, and lines of JSON in zstd, which may be encrypted with age. The first
// of them is the head, all others are rows. Its name has the SHA-256 of the file.
const (
	magic       = "winnow-segment 1\n"
	magicPrefix = "winnow-segment "
	encrypted   = "age-encryption.org/"
)

// Limits of what a file may hold. What comes through a folder may be anybody's.
const (
	mostBytes    = 8 << 20   // of the rows of a segment, but for one attachment that is larger
	mostFile     = 512 << 20 // of a file
	mostLine     = 256 << 20 // of a line, which may have an attachment
	mostWindow   = 8 << 20   // that the decompressor keeps
	lineBuffer   = 64 << 10
	encodeWindow = 1 << 20
)

var (
	errIncomplete = errors.New("it is incomplete or damaged")
	errLarge      = fmt.Errorf("it is larger than %d MB", mostFile>>20)
	errLong       = fmt.Errorf("a line of it is larger than %d MB", mostLine>>20)
	errPlain      = errors.New("it is not encrypted, and under a key only what the key opens is merged")
	errLater      = errors.New("another build of winnow wrote it")
	errLocked     = errors.New("it is encrypted, and there is no key for it")
)

// head is the first line of a segment.
type head struct {
	Folder   string   `json:"home"`
	Host     string   `json:"host"`
	Number   int64    `json:"number"`
	Created  int64    `json:"created_ms"`
	Replaces []string `json:"replaces,omitempty"` // names of segments whose rows it has
}

func (h head) home() store.Home { return store.Home{Folder: h.Folder, Name: h.Host, Number: h.Number} }

// writeSegment writes a segment with the rows that lines hands out, and returns it: to a file that gets its name when
// it is whole.
func writeSegment(
	dir string, h head, to age.Recipient, lines func(take func(store.Line) error) error,
) (store.Segment, error) {
	folder := filepath.Join(dir, h.Folder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return store.Segment{}, err
	}
	f, err := os.CreateTemp(folder, ".segment-*.tmp")
	if err != nil {
		return store.Segment{}, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	sum := sha256.New()
	sessions, err := encode(io.MultiWriter(f, sum), h, to, lines)
	if err != nil {
		return store.Segment{}, err
	}
	size, err := f.Seek(0, io.SeekCurrent)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return store.Segment{}, err
	}
	s := store.Segment{
		Home: h.Folder, Name: segmentName(h.Created, sum.Sum(nil)), Size: size, Created: time.UnixMilli(h.Created),
		Sessions: sessions,
	}
	return s, os.Rename(f.Name(), filepath.Join(folder, s.Name))
}

// encode writes the content of a segment and returns the ids of the sessions that it names.
func encode(w io.Writer, h head, to age.Recipient, lines func(take func(store.Line) error) error) ([]string, error) {
	if _, err := io.WriteString(w, magic); err != nil {
		return nil, err
	}
	closers := []io.Closer{}
	if to != nil {
		sealed, err := age.Encrypt(w, to)
		if err != nil {
			return nil, err
		}
		w, closers = sealed, append(closers, sealed)
	}
	packed, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(encodeWindow))
	if err != nil {
		return nil, err
	}
	closers = append(closers, packed)
	text := json.NewEncoder(packed)
	text.SetEscapeHTML(false)
	if err := text.Encode(h); err != nil {
		return nil, err
	}
	sessions := map[string]bool{}
	err = lines(func(l store.Line) error {
		if l.Session != nil {
			sessions[l.Session.ID] = true
		}
		return text.Encode(l)
	})
	for _, c := range slices.Backward(closers) {
		err = errors.Join(err, c.Close())
	}
	return slices.Sorted(maps.Keys(sessions)), err
}

// segmentFile is an opened segment whose content is that of its name.
type segmentFile struct {
	f         *os.File
	size      int64
	encrypted bool
}

// openSegment opens a segment and checks it.
func openSegment(path string) (*segmentFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &segmentFile{f: f}
	if err := s.check(filepath.Base(path)); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

func (s *segmentFile) check(name string) error {
	info, err := s.f.Stat()
	if err != nil {
		return err
	}
	s.size = info.Size()
	if !info.Mode().IsRegular() {
		return errIncomplete
	}
	if s.size > mostFile {
		return errLarge
	}
	begin, needsKey := beginning(s.f)
	if !strings.HasPrefix(begin, magicPrefix) {
		return errIncomplete
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(s.f, 0, s.size)); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != hashOf(name) {
		return errIncomplete
	}
	if begin != magic {
		return errLater
	}
	s.encrypted = needsKey
	return nil
}

// beginning is the first line of a segment, and whether a key is needed for what stands behind it.
func beginning(f *os.File) (line string, needsKey bool) {
	begin := make([]byte, len(magic)+len(encrypted))
	n, _ := f.ReadAt(begin, 0)
	line = string(begin[:min(n, len(magic))])
	return line, string(begin[len(line):n]) == encrypted
}

// isPlain reports whether a file is a segment that is not encrypted.
func isPlain(path string) bool { is, encrypted := peekFile(path); return is && !encrypted }

// isEncrypted reports whether a file is a segment that a key opens.
func isEncrypted(path string) bool { is, encrypted := peekFile(path); return is && encrypted }

func peekFile(path string) (segment, encrypted bool) {
	f, err := os.Open(path)
	if err != nil {
		return false, false
	}
	defer f.Close()
	line, encrypted := beginning(f)
	return line == magic, encrypted
}

func (s *segmentFile) close() { s.f.Close() }

// body is what stands behind the first line, decrypted.
func (s *segmentFile) body(keys []age.Identity) (io.Reader, error) {
	from := io.NewSectionReader(s.f, int64(len(magic)), s.size-int64(len(magic)))
	if !s.encrypted {
		return from, nil
	}
	if len(keys) == 0 {
		return nil, errLocked
	}
	plain, err := age.Decrypt(bufio.NewReader(from), keys...)
	if no := (*age.NoIdentityMatchError)(nil); errors.As(err, &no) {
		return nil, errLocked
	}
	return plain, damaged(err)
}

// read returns the head and hands out the rows, from the first one each time it is called. Where take is nil it reads
// the head alone.
func (s *segmentFile) read(keys []age.Identity, take func(store.Line) error) (h head, err error) {
	from, err := s.body(keys)
	if err != nil {
		return h, err
	}
	unpacked, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(mostWindow))
	if err != nil {
		return h, err
	}
	defer unpacked.Close()
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(make([]byte, 0, lineBuffer), mostLine)
	if lines.Scan() {
		err = json.Unmarshal(lines.Bytes(), &h)
	}
	if lines.Err() == nil && (err != nil || !machineName.MatchString(h.Folder)) {
		return h, errIncomplete
	}
	for take != nil && lines.Scan() {
		var l store.Line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return h, damaged(err)
		}
		if err := take(l); err != nil {
			return h, err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return h, errLong
	}
	return h, damaged(lines.Err())
}

// damaged is errIncomplete with its cause, nil for none.
func damaged(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errIncomplete, err)
}
