package tokenizer

import _ "embed" // holds the vocabulary

// vocabularyFile is the vocabulary as it is searched: a hash table of all tokens, where each of them begins, and their
// bytes one after another. It is never read as a whole and nothing is made of it, so that only the pages in which
// something is looked up are in memory, and the system can take them back.
//
// All numbers are little endian. A slot of the table is 0 where it is empty, else the token's number plus one and, above
// slotBits, some bits of its hash. A token is in the first free slot behind that of its hash.
//
//go:embed o200k.bin
var vocabularyFile string

// The sizes of the vocabulary, in tokens, slots and bytes of a number.
const (
	vocabularySize = 199_998
	slotBits       = 18
	slots          = 1 << slotBits
	numberSize     = 4
)

// The places of the parts in the file.
const (
	startsAt = slots * numberSize
	bytesAt  = startsAt + (vocabularySize+1)*numberSize
)

// noRank is the rank of what is no token.
const noRank = ^uint32(0)

// hash is that of the table. Tokens are short, so that a simple one is the fastest.
func hash(token string) uint64 {
	h := uint64(len(token)) * 0x9e3779b97f4a7c15
	for len(token) >= 8 {
		h = (h ^ word(token)) * 0xff51afd7ed558ccd
		h ^= h >> 32
		token = token[8:]
	}
	last := uint64(0)
	for i := range len(token) {
		last = last<<8 | uint64(token[i])
	}
	h = (h ^ last) * 0xff51afd7ed558ccd
	return h ^ h>>29
}

// word is the first eight bytes of a text.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// number reads a number of the vocabulary.
func number(at int) uint32 {
	s := vocabularyFile[at : at+numberSize]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// rank is the number of a token, which says how early a pair of parts is joined to it; noRank for what is none.
func rank(token string) uint32 {
	h := hash(token)
	mark := uint32(h>>32) >> slotBits
	for slot := int(h % slots); ; slot = (slot + 1) % slots {
		entry := number(slot * numberSize)
		if entry == 0 {
			return noRank
		}
		if entry>>slotBits != mark {
			continue
		}
		id := entry&(slots-1) - 1
		at := startsAt + int(id)*numberSize
		if vocabularyFile[bytesAt+int(number(at)):bytesAt+int(number(at+numberSize))] == token {
			return id
		}
	}
}
