package sync

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"winnow/session/store"
)

// A segment file is a line that says what it is, and lines of JSON in zstd, which may be encrypted with age. The first of
// them is the head, all others are rows. Its name has the SHA-256 of the file.
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

// writeSegment writes a segment with the rows that lines hands out, and returns it: to a file that gets its name when it
// is whole.
func writeSegment(dir string, h head, to age.Recipient, lines func(take func(store.Line) error) error) (store.Segment, error) {
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
		Home: h.Folder, Name: segmentName(h.Created, sum.Sum(nil)), Size: size, Created: time.UnixMilli(h.Created), Sessions: sessions,
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
	return sorted(sessions), err
}

// segmentFile is an opened segment whose content is that of its name.
type segmentFile struct {
	f    *os.File
	size int64
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
	if !info.Mode().IsRegular() || s.size < int64(len(magic)) {
		return errIncomplete
	}
	if s.size > mostFile {
		return errLarge
	}
	begin := make([]byte, len(magic))
	if _, err := io.ReadFull(s.f, begin); err != nil {
		return err
	}
	if !bytes.HasPrefix(begin, []byte(magicPrefix)) {
		return errIncomplete
	}
	sum := sha256.New()
	sum.Write(begin)
	if _, err := io.Copy(sum, s.f); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != hashOf(name) {
		return errIncomplete
	}
	if string(begin) != magic {
		return errLater
	}
	return nil
}

func (s *segmentFile) close() { s.f.Close() }

// body is what stands behind the first line.
func (s *segmentFile) body() *bufio.Reader {
	return bufio.NewReader(io.NewSectionReader(s.f, int64(len(magic)), s.size-int64(len(magic))))
}

// encrypted reports whether a key is needed.
func (s *segmentFile) encrypted() bool {
	begin, _ := s.body().Peek(len(encrypted))
	return string(begin) == encrypted
}

// mayBeMerged returns errPlain where there are keys and the segment needs none: anybody who can write into the folder can
// have written it.
func (s *segmentFile) mayBeMerged(keys []age.Identity) error {
	if len(keys) > 0 && !s.encrypted() {
		return errPlain
	}
	return nil
}

// isPlain reports whether a file is a segment that is not encrypted.
func isPlain(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, len(magic)+len(encrypted))
	if _, err := io.ReadFull(f, begin); err != nil {
		return false
	}
	return !bytes.HasSuffix(begin, []byte(encrypted))
}

// head is the first line.
func (s *segmentFile) head(keys []age.Identity) (out head, err error) {
	begun := errors.New("it has begun")
	err = s.read(keys, func(h head) error { out = h; return begun }, nil)
	if errors.Is(err, begun) {
		return out, nil
	}
	if err == nil {
		err = errIncomplete
	}
	return out, err
}

// read hands out the head and then the rows, from the first one each time it is called.
func (s *segmentFile) read(keys []age.Identity, begin func(head) error, take func(store.Line) error) error {
	body := s.body()
	var from io.Reader = body
	if s.encrypted() {
		if len(keys) == 0 {
			return errLocked
		}
		var err error
		if from, err = age.Decrypt(body, keys...); err != nil {
			var no *age.NoIdentityMatchError
			if errors.As(err, &no) {
				return errLocked
			}
			return fmt.Errorf("%w: %w", errIncomplete, err)
		}
	}
	unpacked, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(mostWindow))
	if err != nil {
		return err
	}
	defer unpacked.Close()
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(make([]byte, 0, lineBuffer), mostLine)
	for begun := false; lines.Scan(); begun = true {
		if err := readLine(lines.Bytes(), begun, begin, take); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return errLong
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%w: %w", errIncomplete, err)
	}
	return nil
}

func readLine(text []byte, begun bool, begin func(head) error, take func(store.Line) error) error {
	if !begun {
		var h head
		if err := json.Unmarshal(text, &h); err != nil || !machineName.MatchString(h.Folder) {
			return fmt.Errorf("%w: %w", errIncomplete, err)
		}
		return begin(h)
	}
	var l store.Line
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("%w: %w", errIncomplete, err)
	}
	return take(l)
}
