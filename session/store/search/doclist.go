package search

import "math/bits"

// doclist is where the reading of a doclist is: at a message, the newest first. A doclist is a sequence of numbers: for each
// message how much less its id is than the one before, then how far each place is behind the one before, plus two, then a
// zero. No other byte of it is zero, because a number has no more bytes than it needs.
type doclist struct {
	data string
	at   int   // where the places in the message begin
	id   int64 // of the message, 0 at the end
	term int32 // the word
}

// next goes to the next message. after is where the places in this one have ended; the first message is next of 0.
func (d *doclist) next(after int) error {
	switch {
	case after == len(d.data):
		d.at, d.id = after, 0
		return nil
	case after > len(d.data):
		return errMalformed
	}
	step, at, ok := number(d.data, after)
	id := int64(step)
	if d.id != 0 {
		id = d.id - id
	}
	if !ok || id <= 0 || d.id != 0 && id >= d.id {
		return errMalformed
	}
	d.at, d.id = at, id
	return nil
}

// skipTo goes on to the newest message up to id.
func (d *doclist) skipTo(id int64) error {
	for d.id > id {
		d.leap(id)
		for end := d.at + 8; d.id > id && d.at <= end; {
			if err := d.next(afterPlaces(d.data, d.at)); err != nil {
				return err
			}
		}
	}
	return nil
}

// leap goes on, but not as far as to a message up to id. It may end in the middle of the places in a message. It adds up
// the steps from message to message, which stand behind the zeros, eight bytes at a time, and ends before a step that has
// several bytes.
func (d *doclist) leap(id int64) {
	far := d.id - id
	ended := uint64(0) // the highest bit of the lowest byte, where the byte before is a zero
	for ; d.at+8 <= len(d.data); d.at += 8 {
		eight := eightAt(d.data, d.at)
		zeros := allZeros(eight)
		behind := zeros<<8 | ended
		steps := eight & (behind<<1 - behind>>7)
		if steps&highest != 0 {
			break
		}
		steps = steps&0x00ff00ff00ff00ff + steps>>8&0x00ff00ff00ff00ff
		step := int64(steps * 0x0001000100010001 >> 48)
		if step >= far {
			break
		}
		far -= step
		ended = zeros >> 56
	}
	d.id = id + far
	if ended != 0 {
		d.at-- // to the zero
	}
}

// afterPlaces is where the places that begin at a byte have ended: behind the zero, beyond the end where there is none.
func afterPlaces(data string, at int) int {
	for ; at+8 <= len(data); at += 8 {
		if zeros := firstZero(eightAt(data, at)); zeros != 0 {
			return at + bits.TrailingZeros64(zeros)/8 + 1
		}
	}
	for at < len(data) && data[at] != 0 {
		at++
	}
	return at + 1
}

// placesIn adds the places that begin at a byte to out, each less by. A place before that is left out.
func placesIn(data string, at, by int, out []int) ([]int, error) {
	for place := -by; ; {
		step, next, ok := number(data, at)
		switch {
		case !ok || step == 1: // a place in another column of the index, and there is none
			return nil, errMalformed
		case step == 0:
			return out, nil
		}
		at = next
		if place += int(step) - 2; place >= 0 {
			out = append(out, place)
		}
	}
}

// Eight bytes are looked at as one number, the first byte as its lowest: how many places a message has is random, and a
// processor that guesses it wrong at each message waits longer than it computes.
const (
	lowest  = 0x0101010101010101 // the lowest bit of each byte
	highest = 0x8080808080808080
)

func eightAt(data string, at int) uint64 {
	s := data[at : at+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// firstZero is the highest bit of the first byte that is zero, with perhaps some of the bytes behind it.
func firstZero(eight uint64) uint64 { return (eight - lowest) &^ eight & highest }

// allZeros is the highest bit of each byte that is zero.
func allZeros(eight uint64) uint64 { return ^(eight&^highest + ^uint64(highest) | eight) & highest }

// shadowOf is a bit for each of the places that begin at a byte, of which those that are 64 apart share one, and where the
// places have ended, as afterPlaces has it.
func shadowOf(data string, at int) (shadow uint64, after int) {
	place := 0
	for at < len(data) && data[at] != 0 {
		step := int(data[at])
		at++
		if step >= 0x80 {
			long, next, ok := number(data, at-1)
			if !ok {
				return 0, len(data) + 1
			}
			step, at = int(long), next
		}
		place += step - 2
		shadow |= 1 << (place & 63)
	}
	return shadow, at + 1
}

// shadowOfEight is the shadow of up to seven places, each of one byte. mask has all bits of their bytes.
func shadowOfEight(eight, mask uint64) (shadow uint64) {
	steps := (eight - 2*lowest) & mask & (63 * lowest)
	places := steps & 0xffffffff * 0x01010101 // each byte the sum of the steps up to it; behind the last place it stays the same
	shadow |= 1 << (places & 63)
	shadow |= 1 << (places >> 8 & 63)
	shadow |= 1 << (places >> 16 & 63)
	shadow |= 1 << (places >> 24 & 63)
	if steps >>= 32; steps != 0 {
		places = (steps + places>>24&63) * 0x01010101
		shadow |= 1 << (places & 63)
		shadow |= 1 << (places >> 8 & 63)
		shadow |= 1 << (places >> 16 & 63)
	}
	return shadow
}
