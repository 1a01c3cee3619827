package llm

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"winnow/llm/pricing"
)

// SameModel compares names as Ollama does: without a tag, it is the latest.
func SameModel(a, b string) bool {
	return a != "" && plainModel(a) == plainModel(b)
}

// plainModel is a model's name without what servers may write or leave out.
func plainModel(name string) string {
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(name, "models/"), ":latest"))
}

// ModelSettings is what the configuration says of the models that a pattern names, over what it says of their
// endpoint. A field that is not set says nothing.
type ModelSettings struct {
	Match  string // see MatchModel
	Table  string // the table of the configuration, for people; "" where that goes without saying
	Wire   Wire
	Window int
	Prices pricing.Prices
	Tools  *bool // false offers the models no tools
}

// configured is the first of the settings of a model that says something, zero for none.
func (e Endpoint) configured(model string, says func(ModelSettings) bool) ModelSettings {
	for _, s := range slices.Concat(e.Models, e.Patterns) {
		if match, _ := MatchModel(s.Match, e.Name, model); match && says(s) {
			return s
		}
	}
	return ModelSettings{}
}

// MatchModel says whether a pattern names a model of an endpoint. In a pattern * stands for any text, slashes
// included, ? for one character and [a-z] for one of several; a backslash takes their meaning from them. The pattern
// is compared with "endpoint/model", with the model's name, and with what follows the last slash of that name.
// Upper and lower case are the same. The error is path.ErrBadPattern.
func MatchModel(pattern, endpoint, model string) (bool, error) {
	model = plainModel(model)
	for _, name := range []string{endpoint + "/" + model, model, path.Base(model)} {
		if match, err := path.Match(flat(pattern), flat(name)); match || err != nil {
			return match, err
		}
	}
	return false, nil
}

// flat is a name in lower case in which * of path.Match stands for slashes as well.
func flat(name string) string { return strings.ReplaceAll(strings.ToLower(name), "/", "\x1f") }

// ExactModel is the pattern that names one model of one endpoint.
func ExactModel(endpoint, model string) string {
	escape := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
	return escape.Replace(endpoint + "/" + plainModel(model))
}

var wildcard = lazyRegexp(`[*?\\]|\[[^]]*\]?`)

// SpecificFirst orders patterns: one without * and its like goes before the others, then the one with more literal
// characters.
func SpecificFirst(a, b string) int {
	literalA, literalB := wildcard().ReplaceAllString(a, ""), wildcard().ReplaceAllString(b, "")
	if exactA, exactB := literalA == a, literalB == b; exactA != exactB {
		return cmp.Compare(len(a)-len(literalA), len(b)-len(literalB)) // Nothing is taken from the exact one.
	}
	return cmp.Or(cmp.Compare(len(literalB), len(literalA)), strings.Compare(a, b))
}

// Current is the model of a list that a default one goes by now: itself where it is listed, else the first one of
// those whose names begin most like its own. It is false for a list without a model to chat with.
func Current(model string, list []Model) (string, bool) {
	if slices.ContainsFunc(list, func(m Model) bool { return SameModel(m.ID, model) }) {
		return model, true
	}
	if list = chatModels(list); len(list) == 0 {
		return "", false
	}
	alike := func(m Model) (n int) {
		for n < min(len(m.ID), len(model)) && m.ID[n] == model[n] {
			n++
		}
		return n
	}
	return slices.MaxFunc(list, func(a, b Model) int { return cmp.Compare(alike(a), alike(b)) }).ID, true
}

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
