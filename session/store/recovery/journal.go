package recovery

import (
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"os"
)

// journal is what a write-ahead log holds: for each page the place of its newest committed content.
type journal struct {
	at     map[uint32]int64
	pages  uint32 // how many the database then has, 0 where the log holds none
	holes  bool   // committed frames stand behind a damaged one
	headed bool   // the header is sound
}

// readJournal finds the committed frames of a log whose pages have size bytes.
//
// SQLite stops at the first frame that is damaged. Each frame's checksum goes on from the one
// before it, so that every frame can be checked by itself, and only the damaged ones are left out.
func readJournal(wal io.ReaderAt, size int) journal {
	const headLen, frameHead = 32, 24
	head := make([]byte, headLen)
	if _, err := wal.ReadAt(head, 0); err != nil {
		return journal{}
	}
	order, salts, seed, headed := walHeader(head, size)
	j := journal{at: map[uint32]int64{}, headed: headed}
	waiting := map[uint32]int64{}
	hole := !headed
	frame := make([]byte, frameHead+size)
	for i := int64(0); ; i++ {
		place := headLen + i*int64(len(frame))
		if n, _ := wal.ReadAt(frame, place); n < len(frame) {
			return j
		}
		if i == 0 && !headed {
			salts = [8]byte(frame[8:16])
		}
		sum := checksum(order, checksum(order, seed, frame[:8]), frame[frameHead:])
		seed = stored(frame[16:])
		n, last := binary.BigEndian.Uint32(frame), binary.BigEndian.Uint32(frame[4:])
		switch {
		case [8]byte(frame[8:16]) != salts:
			hole = true // of an earlier round, or damaged
		case i == 0 && !headed:
			waiting[n] = place + frameHead // nothing tells what it goes on from; the next one vouches for it
		case sum != seed:
			hole = true
		default:
			waiting[n] = place + frameHead
			if last != 0 {
				maps.Copy(j.at, waiting)
				clear(waiting)
				j.pages, j.holes = last, j.holes || hole
			}
		}
	}
}

// walHeader reads a log's header, which is sound where its own checksum says so.
func walHeader(head []byte, size int) (order binary.ByteOrder, salts [8]byte, seed [2]uint32, sound bool) {
	const bigEndian = 0x377f0683
	order = binary.LittleEndian
	if binary.BigEndian.Uint32(head) == bigEndian {
		order = binary.BigEndian
	}
	seed = checksum(order, [2]uint32{}, head[:24])
	sound = seed == stored(head[24:]) && int(binary.BigEndian.Uint32(head[8:])) == size
	return order, [8]byte(head[16:24]), seed, sound
}

func stored(b []byte) [2]uint32 {
	return [2]uint32{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])}
}

// checksum goes on with a log's checksum over b, whose length is a multiple of 8.
func checksum(order binary.ByteOrder, s [2]uint32, b []byte) [2]uint32 {
	for i := 0; i+8 <= len(b); i += 8 {
		s[0] += order.Uint32(b[i:]) + s[1]
		s[1] += order.Uint32(b[i+4:]) + s[0]
	}
	return s
}

// OpenWithJournal is an image of a database with what its log holds.
func OpenWithJournal(f *os.File, path string) (im Image, closed func() error, err error) {
	im, err = OpenImage(f)
	if err != nil {
		return im, nil, err
	}
	wal, err := os.Open(path + "-wal")
	if errors.Is(err, os.ErrNotExist) {
		return im, func() error { return nil }, nil
	}
	if err != nil {
		return im, nil, err
	}
	im.wal = wal
	info, err := wal.Stat()
	if err != nil {
		return im, nil, errors.Join(err, wal.Close())
	}
	walSize := info.Size()
	j := readJournal(wal, im.Size)
	im.newer = j.at
	if largest := int64(im.pages) + walSize/int64(im.Size); 0 < j.pages && int64(j.pages) <= largest {
		im.pages = j.pages
	}
	return im, wal.Close, nil
}

// JournalState is what a log shows of itself.
type JournalState struct {
	Sound bool // its header is sound
	Holes bool // committed frames are behind a damaged one
}

// CheckJournal reads the log of a database. One that is not there is sound.
func CheckJournal(path string) JournalState {
	wal, err := os.Open(path + "-wal")
	if err != nil {
		return JournalState{Sound: true}
	}
	defer wal.Close()
	j := readJournal(wal, usualPage)
	return JournalState{Sound: j.headed, Holes: j.holes}
}
