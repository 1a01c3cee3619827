// Package tokenizer counts the tokens of texts, exactly for one vocabulary or as a fast estimate. It does not know what
// a request adds to its texts.
package tokenizer

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// pieceMax is the longest text that is counted at once, in bytes. Longer ones would temporarily take many times their
// size in memory.
const pieceMax = 256 << 10

// Tokenizer counts tokens with OpenAI's o200k vocabulary. For models of other makers this is an estimate, to be
// corrected by the usage that servers report. It is safe for concurrent use.
type Tokenizer struct {
	vocabulary func() *codec.Codec // loaded by the first Count, in about 40 ms
}

// New returns a Tokenizer. The vocabulary is loaded by the first Count.
func New() *Tokenizer { return &Tokenizer{sync.OnceValue(codec.NewO200kBase)} }

// Name is the name of the vocabulary. Stored counts are valid as long as it is the same.
func (t *Tokenizer) Name() string { return "o200k_base" }

// Count counts the tokens of a text. Special tokens count as ordinary text.
func (t *Tokenizer) Count(text string) int {
	total := 0
	for text != "" {
		piece := firstPiece(text)
		n, err := t.vocabulary().Count(piece)
		if err != nil { // the pattern matching of the library failed
			n = t.Estimate(piece)
		}
		total += n
		text = text[len(piece):]
	}
	return total
}

// firstPiece returns the beginning of a long text up to a position where a token ends: after a line break, else before
// a space, else between two code points.
func firstPiece(text string) string {
	if len(text) <= pieceMax {
		return text
	}
	if at := strings.LastIndexByte(text[:pieceMax], '\n'); at > pieceMax/2 {
		return text[:at+1]
	}
	if at := strings.LastIndexByte(text[:pieceMax], ' '); at > pieceMax/2 {
		return text[:at]
	}
	at := pieceMax
	for at > pieceMax-utf8.UTFMax && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at]
}
