package tokenizer

import (
	"unicode"
	"unicode/utf8"
)

// class is a set of what a character is, as the pattern of the vocabulary asks.
type class uint8

const (
	capital  class = 1 << iota // may begin a word: Lu, Lt, Lm, Lo, M
	small                      // may end a word: Ll, Lm, Lo, M
	letter                     // L
	digit                      // N
	blank                      // white space
	newline                    // \r and \n
	anything = letter | digit | blank
)

// asciiClasses are the classes of the characters of ASCII.
var asciiClasses = func() (table [utf8.RuneSelf]class) {
	for r := range rune(utf8.RuneSelf) {
		table[r] = classOf(r)
	}
	return table
}()

func classOf(r rune) (c class) {
	switch {
	case unicode.IsSpace(r):
		c = blank
		if r == '\r' || r == '\n' {
			c |= newline
		}
	case unicode.Is(unicode.Lo, r) || unicode.Is(unicode.Lm, r):
		c = capital | small | letter
	case unicode.Is(unicode.Ll, r):
		c = small | letter
	case unicode.Is(unicode.Lu, r) || unicode.Is(unicode.Lt, r):
		c = capital | letter
	case unicode.Is(unicode.M, r):
		c = capital | small
	case unicode.Is(unicode.N, r):
		c = digit
	}
	return c
}

// next is the class of the character at a place and where the one behind it begins. At the end it is the same place.
func next(text string, at int) (class, int) {
	if at >= len(text) {
		return 0, at
	}
	if b := text[at]; b < utf8.RuneSelf {
		return asciiClasses[b], at + 1
	}
	r, n := utf8.DecodeRuneInString(text[at:])
	return classOf(r), at + n
}

// run is where a run of characters of a class ends.
func run(text string, at int, of class) int {
	for at < len(text) {
		c, behind := next(text, at)
		if c&of == 0 {
			break
		}
		at = behind
	}
	return at
}

// firstWord is where the first part of a text ends within which tokens are joined. It is what this pattern matches,
// which the vocabulary was made with:
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
func firstWord(text string) int {
	c, behind := next(text, 0)
	for _, endOf := range [...]func(string, int) int{smallWord, capitalWord} {
		if c&(letter|digit|newline) == 0 {
			if end := endOf(text, behind); end > 0 {
				return contraction(text, end)
			}
		}
		if c&(capital|small) != 0 {
			if end := endOf(text, 0); end > 0 {
				return contraction(text, end)
			}
		}
	}
	switch {
	case c&digit != 0:
		end := behind
		for range 2 {
			if c, behind := next(text, end); c&digit != 0 {
				end = behind
			}
		}
		return end
	case text[0] == ' ':
		if end := signs(text, behind); end > behind {
			return end
		}
	case c&blank == 0:
		return signs(text, 0)
	}
	return blanks(text)
}

// smallWord is where a word ends that begins at a place and ends with small letters, 0 for none.
func smallWord(text string, at int) int {
	end, last := at, 0 // behind the last character that is both
	for end < len(text) {
		c, behind := next(text, end)
		if c&capital == 0 {
			break
		}
		end = behind
		if c&small != 0 {
			last = end
		}
	}
	if all := run(text, end, small); all > end {
		return all
	}
	return last
}

// capitalWord is where a word ends that begins at a place with capital letters, 0 for none.
func capitalWord(text string, at int) int {
	end := run(text, at, capital)
	if end == at {
		return 0
	}
	return run(text, end, small)
}

// contraction is where a word ends with what English appends to it.
func contraction(text string, end int) int {
	rest := text[end:]
	if len(rest) < 2 || rest[0] != '\'' {
		return end
	}
	switch rest[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return end + 2
	case 'r', 'v':
		if len(rest) > 2 && rest[2]|0x20 == 'e' {
			return end + 3
		}
	case 'l':
		if len(rest) > 2 && rest[2]|0x20 == 'l' {
			return end + 3
		}
	}
	if rest[1:2] == "\xc5" && len(rest) > 2 && rest[2] == 0xbf { // ſ is an s
		return end + 3
	}
	return end
}

// signs is where a run of signs ends with the line breaks behind it.
func signs(text string, at int) int {
	end := at
	for end < len(text) {
		c, behind := next(text, end)
		if c&anything != 0 {
			break
		}
		end = behind
	}
	if end == at {
		return end
	}
	for end < len(text) && (text[end] == '\r' || text[end] == '\n' || text[end] == '/') {
		end++
	}
	return end
}

// blanks is where white space ends at the beginning of a text: behind its last line break, else before its last
// character, which belongs to the word that follows.
func blanks(text string) int {
	end, last, before := 0, 0, 0
	for end < len(text) {
		c, behind := next(text, end)
		if c&blank == 0 {
			break
		}
		before, end = end, behind
		if c&newline != 0 {
			last = end
		}
	}
	switch {
	case last > 0:
		return last
	case end < len(text) && before > 0:
		return before
	}
	return end
}
