package sync

import (
	"bufio"
	"crypto/sha256"
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

// A segment is a file of JSON lines, compressed with zstd and optionally encrypted with age. The first line is the
// head, all others are rows. The file name ends with the SHA-256 of the file.

// format is the version of the segment format.
const format = 1

// encrypted is the beginning of an encrypted file.
const encrypted = "age-encryption.org/"

// Limits for files in the folder, which anybody may have written.
const (
	maxBytes     = 8 << 20   // of the rows in a segment, unless a single attachment is larger
	maxFile      = 512 << 20 // of a file, and of its unpacked content
	maxWindow    = 8 << 20   // memory of the decompressor
	encodeWindow = 1 << 20
)

// The reasons why a file cannot be merged.
var (
	errDamaged = errors.New("it is incomplete or damaged")
	errLarge   = fmt.Errorf("it is larger than %d MB", maxFile>>20)
	errPlain   = errors.New("it is not encrypted, but a key is set")
	errLater   = errors.New("another build of winnow wrote it")
	errLocked  = errors.New("it is encrypted, and there is no key for it")
)

// head is the first line of a segment.
type head struct {
	Format   int      `json:"winnow"`
	Folder   string   `json:"home"`
	Host     string   `json:"host"`
	Number   int64    `json:"number"`
	Created  int64    `json:"created_ms"`
	Replaces []string `json:"replaces,omitempty"` // names of the segments whose rows it has
}

func (h head) home() store.Machine {
	return store.Machine{Folder: h.Folder, Name: h.Host, Number: h.Number}
}

// rowSource calls take with each row.
type rowSource func(take func(store.Line) error) error

// writeSegment writes a segment to a temporary file and renames it when it is complete. to may be nil for plain text.
func writeSegment(dir string, h head, to age.Recipient, from rowSource) (s store.Segment, err error) {
	folder := filepath.Join(dir, h.Folder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return s, err
	}
	f, err := os.CreateTemp(folder, ".segment-*.tmp")
	if err != nil {
		return s, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	sum := sha256.New()
	if s.Sessions, err = encode(io.MultiWriter(f, sum), h, to, from); err != nil {
		return s, err
	}
	s.Size, err = f.Seek(0, io.SeekCurrent)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return s, err
	}
	s.Machine, s.Created = h.Folder, time.UnixMilli(h.Created)
	s.Name = fmt.Sprintf("%013d", h.Created) + segmentEnd(sum.Sum(nil))
	return s, os.Rename(f.Name(), filepath.Join(folder, s.Name))
}

// encode writes the content of a segment and returns the ids of its sessions.
func encode(w io.Writer, h head, to age.Recipient, from rowSource) (sessions []string, err error) {
	if to != nil {
		sealed, failed := age.Encrypt(w, to)
		if failed != nil {
			return nil, failed
		}
		defer func() { err = errors.Join(err, sealed.Close()) }()
		w = sealed
	}
	packed, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(encodeWindow))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, packed.Close()) }()
	text := json.NewEncoder(packed)
	text.SetEscapeHTML(false)
	h.Format = format
	if err := text.Encode(h); err != nil {
		return nil, err
	}
	named := map[string]bool{}
	err = from(func(l store.Line) error {
		if l.Session != nil {
			named[l.Session.ID] = true
		}
		return text.Encode(l)
	})
	return slices.Sorted(maps.Keys(named)), err
}

// openSegment opens a segment after checking its content against the hash in its name.
func openSegment(path string) (_ *os.File, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, errLarge
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return nil, err
	}
	if !strings.HasSuffix(path, segmentEnd(sum.Sum(nil))) {
		return nil, errDamaged
	}
	return f, nil
}

// readSegment returns the head of an open segment and calls take with each row, always from the first one. If take is
// nil, it reads only the head.
func readSegment(f *os.File, keys []age.Identity, take func(store.Line) error) (h head, err error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return h, err
	}
	from := bufio.NewReader(f)
	if begin, _ := from.Peek(len(encrypted)); string(begin) == encrypted {
		if len(keys) == 0 {
			return h, errLocked
		}
		plain, err := age.Decrypt(from, keys...)
		if err != nil {
			return h, errLocked
		}
		from = bufio.NewReader(plain)
	}
	unpacked, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return h, err
	}
	defer unpacked.Close()
	lines := json.NewDecoder(io.LimitReader(unpacked, maxFile))
	if err := lines.Decode(&h); err != nil || !machineName.MatchString(h.Folder) {
		return h, errDamaged
	}
	if h.Format != format {
		return h, errLater
	}
	for take != nil {
		var l store.Line
		switch err := lines.Decode(&l); {
		case err == io.EOF:
			return h, nil
		case err != nil:
			return h, fmt.Errorf("%w: %w", errDamaged, err)
		}
		if err := take(l); err != nil {
			return h, err
		}
	}
	return h, nil
}

// isEncrypted reports whether a file is encrypted.
func isEncrypted(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, len(encrypted))
	n, _ := io.ReadFull(f, begin)
	return string(begin[:n]) == encrypted
}
