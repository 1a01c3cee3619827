package sync

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"winnow/session/store"
)

// A segment file is a line that says what it is, its lines of JSON in zstd, which may be encrypted with age, and the
// SHA-256 of all that.
const (
	magic       = "winnow-segment 1\n"
	magicPrefix = "winnow-segment "
	encrypted   = "age-encryption.org/"
)

// Limits of what a file may hold. What comes through a folder may be anybody's.
const (
	mostFile     = 512 << 20 // bytes of a file
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

// encoder writes the lines of one segment. A head begins it anew.
type encoder struct {
	to       age.Recipient // nil where it is not encrypted
	file     bytes.Buffer
	sealed   io.WriteCloser // nil where it is not encrypted
	packed   *zstd.Encoder
	messages int
}

// line takes the next line.
func (e *encoder) line(l store.SyncLine) error {
	if l.Head != nil {
		if err := e.begin(); err != nil {
			return err
		}
	}
	if e.packed == nil {
		return errors.New("a segment begins with its head")
	}
	if l.Message != nil {
		e.messages++
	}
	text := json.NewEncoder(e.packed)
	text.SetEscapeHTML(false)
	return text.Encode(l)
}

func (e *encoder) begin() error {
	e.file.Reset()
	e.messages = 0
	e.file.WriteString(magic)
	var to io.Writer = &e.file
	if e.sealed = nil; e.to != nil {
		var err error
		if e.sealed, err = age.Encrypt(&e.file, e.to); err != nil {
			return err
		}
		to = e.sealed
	}
	var err error
	if e.packed == nil {
		e.packed, err = zstd.NewWriter(to, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(encodeWindow))
	} else {
		e.packed.Reset(to)
	}
	return err
}

// end returns the file and its SHA-256, which is that of its last 32 bytes too.
func (e *encoder) end() (file, sum []byte, err error) {
	if err := e.packed.Close(); err != nil {
		return nil, nil, err
	}
	if e.sealed != nil {
		if err := e.sealed.Close(); err != nil {
			return nil, nil, err
		}
	}
	of := sha256.Sum256(e.file.Bytes())
	e.file.Write(of[:])
	return e.file.Bytes(), of[:], nil
}

// segmentFile is an opened segment whose checksum is right.
type segmentFile struct {
	f    *os.File
	size int64 // without the checksum
	sum  []byte
}

// openSegment opens a segment and checks it.
func openSegment(path string) (*segmentFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &segmentFile{f: f}
	if err := s.check(); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

func (s *segmentFile) check() error {
	info, err := s.f.Stat()
	if err != nil {
		return err
	}
	s.size = info.Size() - sha256.Size
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
	if _, err := io.CopyN(sum, s.f, s.size-int64(len(begin))); err != nil {
		return err
	}
	want := make([]byte, sha256.Size)
	if _, err := io.ReadFull(s.f, want); err != nil {
		return err
	}
	if s.sum = sum.Sum(nil); !bytes.Equal(s.sum, want) {
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

// lines hands out the lines, from the first one each time it is called.
func (s *segmentFile) lines(keys []age.Identity, take func(store.SyncLine) error) error {
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
	for lines.Scan() {
		var l store.SyncLine
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return fmt.Errorf("%w: %w", errIncomplete, err)
		}
		if err := take(l); err != nil {
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
