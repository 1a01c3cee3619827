package jsonrepair

import (
	"encoding/json"
	"strconv"
	"strings"
)

// bareLiteral is the JSON for a literal or a number of JSON, Python or JavaScript.
func bareLiteral(word string) (literal string, ok bool) {
	switch word {
	case "true", "True", "TRUE":
		return "true", true
	case "false", "False", "FALSE":
		return "false", true
	case "null", "None", "Null", "NULL", "nil", "undefined", "NaN", "Infinity", "-Infinity", "+Infinity":
		return "null", true
	}
	return bareNumber(word)
}

// bareNumber is the JSON for a number: 1_000, .5, 5., +5 and 0x1f have their value. A leading zero
// makes it no number, because the zeros of an article number count.
func bareNumber(word string) (number string, ok bool) {
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

// isNumber reports whether a word is a number of JSON that servers can read.
func isNumber(word string) bool { return json.Valid([]byte(word)) && fitsDouble(word) }

// fitsDouble reports whether the size of a number of JSON is within what a double can hold: servers
// that read arguments again refuse it otherwise.
func fitsDouble(number string) bool {
	_, err := strconv.ParseFloat(number, 64)
	return err == nil
}
