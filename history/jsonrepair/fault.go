package jsonrepair

import "strings"

// Faults is the set of what is wrong with a text that should be JSON.
type Faults uint32

// The faults that are repaired, apart from a text that ends too early.
const (
	faultControl  Faults = 1 << iota // raw control characters in a string
	faultEscape                      // invalid escapes
	faultEncoding                    // characters that are not Unicode
	faultQuote                       // invalid quotes
	faultInner                       // unescaped quotes in a string
	faultJoined                      // strings joined by +
	faultKey                         // names without quotes
	faultLiteral                     // literals of another language
	faultBare                        // text without quotes
	faultComment                     // comments or ellipses
	faultComma                       // missing or extra commas
	faultColon                       // missing or extra colons
	faultValue                       // a name without a value
	faultBracket                     // a missing or extra bracket
	faultBlank                       // invalid whitespace
	faultAround                      // text around the object
)

// faultNames are the names of the faults, in the order of the bits.
const faultNames = "control escape encoding quote inner joined key literal bare comment comma colon value bracket blank around"

// String has the names of the faults.
func (f Faults) String() string {
	var names []string
	for i, name := range strings.Fields(faultNames) {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}
