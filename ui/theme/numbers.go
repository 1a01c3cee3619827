package theme

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// Thousands writes 5312 as 5,312, and what is below zero with a minus sign.
func Thousands(n int) string {
	return strings.Replace(humanize.Comma(int64(n)), "-", "−", 1)
}

// Signed writes a difference with its sign.
func Signed(n int) string {
	if n > 0 {
		return "+" + Thousands(n)
	}
	return Thousands(n)
}

// Size writes a number of bytes as people do: 312 B, 8.1 kB, 14 MB.
func Size(n int) string { return humanize.Bytes(uint64(n)) }

// Plural writes "1 line" and "2 lines".
func Plural(n int, thing string) string {
	return PluralOf(n, thing, english.PluralWord(2, thing, ""))
}

// PluralOf writes a number with one of two words.
func PluralOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + many
}

// TokensOf is about how many tokens a text of n bytes has, where nothing has counted them.
func TokensOf(n int) int { return n / 4 }

// Choices writes "a", "a or b" and "a, b or c".
func Choices(words []string) string { return english.WordSeries(words, "or") }

// InWords writes "2", "2 and 3" and "2, 3 and 4".
func InWords(words []string) string { return english.WordSeries(words, "and") }

// Duration writes a duration of a turn: 1.9 s, 42 s, 3 m 05 s.
func Duration(d time.Duration) string {
	s := int(d.Seconds())
	switch {
	case s < 10:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case s < 60:
		return fmt.Sprintf("%d s", s)
	}
	return fmt.Sprintf("%d m %02d s", s/60, s%60)
}
