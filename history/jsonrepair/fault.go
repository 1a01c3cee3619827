package jsonrepair

import "strings"

// faults is the set of what is wrong with a text that should be JSON.
type faults uint32

// The faults that are repaired, apart from a text that ends too early.
const (
	faultControl faults = 1 << iota
	faultEscape
	faultEncoding
	faultQuote
	faultInner
	faultJoined
	faultKey
	faultLiteral
	faultBare
	faultComment
	faultComma
	faultColon
	faultValue
	faultBracket
	faultBlank
	faultAround
)

// faultWords names each fault, in the order of the bits.
var faultWords = [...]string{
	"raw control characters in a string",
	"escapes that JSON does not have",
	"characters that are not Unicode",
	"quotes that JSON does not have",
	"quotes inside a string",
	"strings joined by +",
	"names without quotes",
	"literals of another language",
	"text without quotes",
	"comments or dots in place of text",
	"commas missing or too many",
	"colons missing or too many",
	"a name without its value",
	"a bracket missing or too many",
	"blanks that JSON does not have",
	"text around the object",
}

func (f faults) String() string {
	var words []string
	for i, w := range faultWords {
		if f&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return strings.Join(words, ", ")
}
