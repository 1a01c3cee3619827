package llm

import (
	"bufio"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
)

// packed is a file of an archive.
type packed struct {
	name string
	size uint64 // of its text, 0 where that is not known
	open func() (io.ReadCloser, error)
}

// The parts of the header in front of every file of an archive.
const (
	localHead   = "PK\x03\x04"
	localSize   = 30
	sizesFollow = 1 << 3 // the sizes stand behind the file
)

// salvage lists the files of an archive that has lost its list, as far as they follow each other from the
// beginning. The last one may be cut off.
func salvage(r io.ReaderAt, size int64) []packed {
	var all []packed
	for at := int64(0); at+localSize <= size; {
		head := make([]byte, localSize)
		if _, err := r.ReadAt(head, at); err != nil || string(head[:4]) != localHead {
			break
		}
		le := binary.LittleEndian
		flags, method, length := le.Uint16(head[6:]), le.Uint16(head[8:]), int64(le.Uint32(head[18:]))
		name := make([]byte, le.Uint16(head[26:]))
		from := at + localSize + int64(len(name)) + int64(le.Uint16(head[28:]))
		if _, err := r.ReadAt(name, at+localSize); err != nil || from > size || method != 0 && method != 8 {
			break
		}
		end := from + length
		if flags&sizesFollow != 0 {
			if method == 0 {
				break // nothing tells where it ends
			}
			end = from + inflated(io.NewSectionReader(r, from, size-from))
			end += descriptor(r, end)
		}
		section := io.NewSectionReader(r, from, min(end, size)-from)
		all = append(all, packed{string(name), uint64(le.Uint32(head[22:])), func() (io.ReadCloser, error) {
			if _, err := section.Seek(0, io.SeekStart); err != nil {
				return nil, err
			}
			if method == 0 {
				return io.NopCloser(section), nil
			}
			return flate.NewReader(section), nil
		}})
		at = end
	}
	return all
}

// inflated is how many bytes of a compressed text there are up to its end, or to where it is broken.
func inflated(r io.Reader) int64 {
	count := &counting{r: bufio.NewReader(r)}
	io.Copy(io.Discard, flate.NewReader(count)) // Where it is broken, reading it will say so.
	return count.n
}

// counting counts the bytes that are taken. It gives single bytes, so that none is taken too many.
type counting struct {
	r *bufio.Reader
	n int64
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

func (c *counting) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// descriptor is how many bytes stand between the end of a file and the next one: its sizes, in one of four
// forms.
func descriptor(r io.ReaderAt, at int64) int64 {
	next := make([]byte, 4)
	for _, n := range []int64{16, 12, 24, 20} {
		_, err := r.ReadAt(next, at+n)
		if string(next) == localHead || string(next) == "PK\x01\x02" && (err == nil || errors.Is(err, io.EOF)) {
			return n
		}
	}
	return 16
}
