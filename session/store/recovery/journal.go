package recovery

import (
	"encoding/binary"
	"os"
)

// JournalDamaged reports whether the write-ahead log beside a database holds committed pages behind a damaged one.
// SQLite reads a log up to the first damaged page and drops the rest without a word, so this is the only way to find
// out that something is missing. A log that ends within a transaction, as after a crash, is not damaged.
//
// The layout is that of https://sqlite.org/fileformat2.html#walformat.
func JournalDamaged(path string) bool {
	wal, err := os.Open(path + "-wal")
	if err != nil {
		return false
	}
	defer wal.Close()
	const headSize, frameHead = 32, 24
	head := make([]byte, headSize)
	if n, _ := wal.ReadAt(head, 0); n < headSize {
		return n > 0
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if head[3]&1 == 1 {
		order = binary.BigEndian
	}
	sum := checksum(order, [8]byte{}, head[:24])
	if sum != [8]byte(head[24:]) {
		return true
	}
	damaged := false
	frame := make([]byte, frameHead+pageSize)
	for at := int64(headSize); ; at += int64(len(frame)) {
		if n, _ := wal.ReadAt(frame, at); n < len(frame) {
			return false
		}
		if [8]byte(frame[8:]) != [8]byte(head[16:]) {
			damaged = true // the rest may be of an earlier round, which has other salts
			continue
		}
		sum = checksum(order, checksum(order, sum, frame[:8]), frame[frameHead:])
		damaged = damaged || sum != [8]byte(frame[16:])
		sum = [8]byte(frame[16:])
		if commits := binary.BigEndian.Uint32(frame[4:]) > 0; damaged && commits {
			return true
		}
	}
}

// checksum continues the checksum of a log, two numbers of 32 bits, with more bytes of it.
func checksum(order binary.ByteOrder, sum [8]byte, b []byte) [8]byte {
	first, second := binary.BigEndian.Uint32(sum[:]), binary.BigEndian.Uint32(sum[4:])
	for ; len(b) >= 8; b = b[8:] {
		first += order.Uint32(b) + second
		second += order.Uint32(b[4:]) + first
	}
	binary.BigEndian.PutUint32(sum[:], first)
	binary.BigEndian.PutUint32(sum[4:], second)
	return sum
}
