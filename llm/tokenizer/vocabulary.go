package tokenizer

import _ "embed" // holds the vocabulary

// commonFile and restFile are the vocabulary as it is searched: the tokens of the lowest ranks, which are those that most
// texts consist of, and all others. They are never read as a whole and nothing is made of them, so that only the pages in
// which something is looked up are in memory, and the system can take them back. What is usual is on few pages.
//
// A file is a hash table of buckets: an index, and behind it the tokens of all buckets, one after another. The index has a
// number for each bucket and one more for the end: where its tokens begin, and above offsetBits which lengths they have. A
// token is its length in a byte, its rank in rankSize, and its bytes. All numbers are little endian.
var (
	//go:embed o200k-common.bin
	commonFile string

	//go:embed o200k-rest.bin
	restFile string
)

// The sizes of the vocabulary, in tokens, buckets, and bytes of a number.
const (
	vocabularySize = 199_998
	commonSize     = 1 << 14
	commonBuckets  = 1 << 12
	restBuckets    = 1 << 16
	numberSize     = 4
	rankSize       = 3
)

const (
	offsetBits = 22
	offsetMask = 1<<offsetBits - 1
)

// noRank is the rank of what is no token.
const noRank = ^uint32(0)

// hash is that of the tables. Tokens are short, so that a simple one is the fastest.
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

// number reads a number of an index.
func number(file string, at int) uint32 {
	s := file[at : at+numberSize]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// lengths has the bit that says in an index that a bucket has a token of this length.
func lengths(token string) uint32 { return 1 << (offsetBits + len(token)%(32-offsetBits)) }

// rank is the number of a token, which says how early a pair of parts is joined to it; noRank for what is none.
func rank(token string) uint32 {
	h := hash(token)
	if r := rankIn(commonFile, int(h%commonBuckets), token); r != noRank {
		return r
	}
	return rankIn(restFile, int(h%restBuckets), token)
}

// rankIn looks for a token in a bucket of one of the files.
func rankIn(file string, bucket int, token string) uint32 {
	begin := number(file, bucket*numberSize)
	if begin&lengths(token) == 0 {
		return noRank
	}
	at, end := int(begin&offsetMask), int(number(file, (bucket+1)*numberSize)&offsetMask)
	for at < end {
		bytesAt := at + 1 + rankSize
		next := bytesAt + int(file[at])
		if file[bytesAt:next] == token {
			return uint32(file[at+1]) | uint32(file[at+2])<<8 | uint32(file[at+3])<<16
		}
		at = next
	}
	return noRank
}
