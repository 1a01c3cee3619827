package jsonrepair

import (
	"strconv"
	"strings"
)

// bareNumber is the JSON for a number: 1_000, .5, 5., +5 and 0x1f have their value. A leading zero
// makes it no number, because the zeros of an article number count.
func bareNumber(word string) (number string, ok bool) {
	if isNumber(word) {
		return word, true
	}
	digits := strings.TrimPrefix(word, "+")
	sign := ""
	if rest, negative := strings.CutPrefix(digits, "-"); negative && digits == word {
		sign, digits = "-", rest
	}
	if digits == "" || digits[0] != '.' && !isDigit(digits[0]) {
		return "", false
	}
	if hex, found := strings.CutPrefix(strings.ToLower(digits), "0x"); found {
		n, err := strconv.ParseUint(hex, 16, 53)
		return sign + strconv.FormatUint(n, 10), err == nil
	}
	if strings.HasPrefix(digits, ".") {
		digits = "0" + digits
	}
	if strings.HasSuffix(digits, ".") {
		digits += "0"
	}
	if !strings.HasSuffix(digits, "_") && !strings.Contains(digits, "__") {
		digits = strings.ReplaceAll(digits, "_", "")
	}
	number = sign + digits
	return number, isNumber(number)
}

// openNumber reports whether a text is a number of which the end is missing: -, 2e, 1.5e+.
func openNumber(text string) bool {
	digits := strings.TrimLeft(text, "+-")
	if digits == "" {
		return len(text) == 1
	}
	number := strings.TrimRight(digits, "+-")
	number, exponent := strings.CutSuffix(strings.ToLower(number), "e")
	return exponent && isNumber(number)
}

// mostPlainDigits is how long a number without an exponent can be and fit a double in any case.
const mostPlainDigits = 300

// fitsDouble reports whether the size of a number of JSON is within what a double can hold: servers
// that read arguments again refuse it otherwise.
func fitsDouble(number string) bool {
	if len(number) <= mostPlainDigits && !strings.ContainsAny(number, "eE") {
		return true
	}
	_, err := strconv.ParseFloat(number, 64)
	return err == nil
}

// isNumber reports whether s is a number of JSON that servers can read.
func isNumber(s string) bool {
	return numberForm(s) && fitsDouble(s)
}

func numberForm(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole := digitsLength(s)
	if whole == 0 || whole > 1 && s[0] == '0' {
		return false
	}
	s = s[whole:]
	if strings.HasPrefix(s, ".") {
		n := digitsLength(s[1:])
		if n == 0 {
			return false
		}
		s = s[1+n:]
	}
	if s == "" || s[0] != 'e' && s[0] != 'E' {
		return s == ""
	}
	s = s[1:]
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && digitsLength(s) == len(s)
}

func digitsLength(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
