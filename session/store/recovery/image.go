package recovery

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
)

// Image is a damaged database read as it lies on disk: page by page, trusting neither its header
// nor the trees over its pages. SQLite stops at the first page that it cannot follow; the rows stand
// in the leaves, and every leaf can be read without the rest.
//
// The layout is that of SQLite's file format: https://sqlite.org/fileformat2.html.
type Image struct {
	File  io.ReaderAt
	Size  int    // bytes of a page
	pages uint32 // how many there are, the last one perhaps cut

	wal   io.ReaderAt      // its journal
	newer map[uint32]int64 // where in the journal the newest content of a page is
}

// usualPage is the page size that winnow's files have.
const usualPage = 4096

// OpenImage reads the page size from the header where that has a sensible one.
func OpenImage(f *os.File) (Image, error) {
	info, err := f.Stat()
	if err != nil {
		return Image{}, err
	}
	im := Image{File: f, Size: usualPage}
	header := make([]byte, 100)
	if _, err := f.ReadAt(header, 0); err == nil {
		size := int(binary.BigEndian.Uint16(header[16:]))
		if size == 1 {
			size = 65536
		}
		// A size that does not divide the file is more likely a damaged number than a cut file.
		if size >= 512 && size&(size-1) == 0 && info.Size()%int64(size) == 0 {
			im.Size = size
		}
	}
	pages := (info.Size() + int64(im.Size) - 1) / int64(im.Size)
	if pages > math.MaxUint32-1 {
		return Image{}, errors.New("the file is larger than a database can be")
	}
	im.pages = uint32(pages)
	return im, nil
}

// page reads a page into buf. What a cut file lacks of its last page reads as zeros.
func (im Image) page(n uint32, buf []byte) error {
	from, at := im.File, int64(n-1)*int64(im.Size)
	if place, ok := im.newer[n]; ok {
		from, at = im.wal, place
	}
	got, err := from.ReadAt(buf[:im.Size], at)
	clear(buf[got:im.Size])
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Cell is one row as it is in a leaf.
type Cell struct {
	ID     int64
	Values []any // nil, int64, float64, string for text, []byte for a blob
	Broken bool  // a page of its long values is missing: they end in zeros
}

// cells calls f with the rows of a page, where it is the leaf of a table and the row can be read.
// page is what the page n holds.
func (im Image) cells(n uint32, page []byte, f func(Cell) error) error {
	head := 0
	if n == 1 {
		head = 100
	}
	const tableLeaf = 0x0d
	if page[head] != tableLeaf {
		return nil
	}
	count := int(binary.BigEndian.Uint16(page[head+3:]))
	for i := range count {
		at := head + 8 + 2*i
		if at+2 > im.Size {
			return nil
		}
		start := int(binary.BigEndian.Uint16(page[at:]))
		if start < head+8 || start >= im.Size {
			continue
		}
		c, ok := im.cell(page[start:im.Size])
		if !ok {
			continue
		}
		if err := f(c); err != nil {
			return err
		}
	}
	return nil
}

// cell reads the row that begins at b.
func (im Image) cell(b []byte) (Cell, bool) {
	length, n := varint(b)
	if n == 0 || length < 1 || length > int64(im.pages)*int64(im.Size) {
		return Cell{}, false
	}
	id, m := varint(b[n:])
	if m == 0 {
		return Cell{}, false
	}
	payload, broken, ok := im.payload(b[n+m:], int(length))
	if !ok {
		return Cell{}, false
	}
	values, ok := record(payload)
	return Cell{ID: id, Values: values, Broken: broken}, ok
}

// payload returns the length bytes of a row, which begin at b and go on in overflow pages where they
// are many. broken is whether the chain of those ends early.
func (im Image) payload(b []byte, length int) (payload []byte, broken, ok bool) {
	local, atMost := length, im.Size-35
	if length > atMost {
		least := (im.Size-12)*32/255 - 23
		if local = least + (length-least)%(im.Size-4); local > atMost {
			local = least
		}
	}
	if local == length {
		if length > len(b) {
			return nil, false, false
		}
		return b[:length], false, true
	}
	if local+4 > len(b) {
		return nil, false, false
	}
	payload = append(make([]byte, 0, length), b[:local]...)
	next := binary.BigEndian.Uint32(b[local:])
	page := make([]byte, im.Size)
	for len(payload) < length {
		if next < 2 || next > im.pages || im.page(next, page) != nil {
			return payload[:length], true, true // the rest is zeros
		}
		next = binary.BigEndian.Uint32(page)
		payload = append(payload, page[4:min(im.Size, 4+length-len(payload))]...)
	}
	return payload, false, true
}

// record takes a row's bytes apart. Kinds that do not add up to its length make it none.
func record(b []byte) ([]any, bool) {
	header, n := varint(b)
	if n == 0 || header < int64(n) || header > int64(len(b)) {
		return nil, false
	}
	kinds, body := b[n:header], b[header:]
	var values []any
	for len(kinds) > 0 {
		kind, n := varint(kinds)
		if n == 0 {
			return nil, false
		}
		kinds = kinds[n:]
		value, size, ok := decode(kind, body)
		if !ok {
			return nil, false
		}
		values, body = append(values, value), body[size:]
	}
	return values, len(body) == 0
}

// decode reads one value of a kind from the beginning of b and says how many bytes it takes.
func decode(kind int64, b []byte) (value any, size int, ok bool) {
	switch {
	case kind < 0 || kind == 10 || kind == 11:
		return nil, 0, false
	case kind >= 12:
		long := (kind - 12) / 2
		if long > int64(len(b)) {
			return nil, 0, false
		}
		if kind%2 == 1 {
			return string(b[:long]), int(long), true
		}
		return append([]byte{}, b[:long]...), int(long), true
	}
	size = [...]int{0, 1, 2, 3, 4, 6, 8, 8, 0, 0}[kind]
	if size > len(b) {
		return nil, 0, false
	}
	switch kind {
	case 0:
		return nil, 0, true
	case 7:
		return math.Float64frombits(binary.BigEndian.Uint64(b)), size, true
	case 8, 9:
		return kind - 8, 0, true
	}
	number := int64(int8(b[0]))
	for _, c := range b[1:size] {
		number = number<<8 | int64(c)
	}
	return number, size, true
}

// varint reads SQLite's number of 1 to 9 bytes and says how many it took, 0 where b ends within it.
func varint(b []byte) (int64, int) {
	var v uint64
	for i, c := range b {
		if i == 8 {
			return int64(v<<8 | uint64(c)), 9
		}
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return int64(v), i + 1
		}
	}
	return 0, 0
}
