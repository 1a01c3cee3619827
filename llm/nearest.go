package llm

import (
	"fmt"
	"strings"

	"github.com/sahilm/fuzzy"
)

// Nearest is the known word that a mistyped one was probably meant to be, "" where none is near.
func Nearest(word string, known []string) string {
	best, distance := "", len([]rune(word))/2+1
	for _, k := range known {
		if d := edits(word, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// DidYouMean ends a sentence about an unknown word with the nearest known one; it is "" where none is near.
func DidYouMean(word string, known []string) string {
	if best := Nearest(word, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// abbreviated is the one known word that begins as a shorter one does and has all its letters in their order,
// as openai has those of oai; "" where there is none or more than one.
func abbreviated(word string, known []string) string {
	found := ""
	for _, match := range fuzzy.Find(word, known) {
		if len(word) < 2 || !strings.HasPrefix(match.Str, word[:1]) {
			continue
		}
		if found != "" {
			return ""
		}
		found = match.Str
	}
	return found
}

// edits counts the letters to insert, remove, replace or swap with a neighbour to get from a to b.
func edits(a, b string) int {
	s, t := []rune(a), []rune(b)
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(s); i++ {
		for j := 1; j <= len(t); j++ {
			change := 1
			if s[i-1] == t[j-1] {
				change = 0
			}
			n := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				n = min(n, rows[i-2][j-2]+1)
			}
			rows[i][j] = n
		}
	}
	return rows[len(s)][len(t)]
}
