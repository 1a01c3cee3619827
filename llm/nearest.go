package llm

import "fmt"

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

// edits counts the letters to insert, remove, replace or swap with a neighbour to get from a to b.
func edits(a, b string) int {
	s, t := []rune(a), []rune(b)
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
			case s[i-1] == t[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j], rows[i][j-1], rows[i-1][j-1])
			}
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
			}
		}
	}
	return rows[len(s)][len(t)]
}
