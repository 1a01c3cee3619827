//go:build cgo

package cli

import (
	"fmt"
	"reflect"
	"slices"
)

// didYouMean is the end of a sentence about an unknown word: the known one that is nearest to it,
// or "" where none is near.
func didYouMean(word string, known []string) string {
	best, distance := "", len(word)/2+1
	for _, k := range known {
		if d := edits(word, k); d < distance {
			best, distance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
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

// keysAt lists the keys that a table of the configuration takes; nil where there is no such table.
func keysAt(t reflect.Type, path []string) []string {
	t = typeAt(t, path)
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var keys []string
	for i := range t.NumField() {
		keys = append(keys, t.Field(i).Tag.Get("toml"))
	}
	slices.Sort(keys)
	return keys
}

// typeAt is the type of a key's value, nil where the configuration has no such key.
func typeAt(t reflect.Type, path []string) reflect.Type {
	for _, key := range path {
		switch t.Kind() {
		case reflect.Map:
			t = t.Elem()
		case reflect.Struct:
			next := reflect.Type(nil)
			for i := range t.NumField() {
				if t.Field(i).Tag.Get("toml") == key {
					next = t.Field(i).Type
				}
			}
			if next == nil {
				return nil
			}
			t = next
		default:
			return nil
		}
	}
	return t
}
