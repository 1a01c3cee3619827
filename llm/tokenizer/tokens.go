// Package tokenizer counts the tokens of texts, exactly by one vocabulary or quickly about. It does not know what a
// request adds to its texts.
package tokenizer

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// pieceMax is the longest text that is counted in one go, in bytes: a longer one would take many times its size in
// memory at once.
const pieceMax = 256 << 10

// Tokenizer counts tokens with OpenAI's o200k vocabulary. For the models of other makers that is an estimate, to be
// corrected by the usage that servers report. It is safe for concurrent use.
type Tokenizer struct {
	vocabulary func() *codec.Codec // loads it at the first count, in some 40 ms
}

// New makes a Tokenizer. It is cheap until the first count.
func New() *Tokenizer { return &Tokenizer{sync.OnceValue(codec.NewO200kBase)} }

// Name names the vocabulary. Stored counts are good for as long as it is the same.
func (t *Tokenizer) Name() string { return "o200k_base" }

// Count counts the tokens of a text. What looks like a special token counts as the text it is.
func (t *Tokenizer) Count(text string) int {
	total := 0
	for text != "" {
		piece := firstPiece(text)
		n, err := t.vocabulary().Count(piece)
		if err != nil { // its pattern gave up
			n = t.Estimate(piece)
		}
		total += n
		text = text[len(piece):]
	}
	return total
}

// firstPiece is the beginning of a long text up to a place where tokens end as well: after a line break, which belongs
// to the text before it, else before a space, which belongs to the word after it, else between two code points.
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
