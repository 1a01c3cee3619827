package llm

import (
	"cmp"
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

// configured is the first of the settings of a model that says something.
func (e Endpoint) configured(model string, says func(ModelSettings) bool) (ModelSettings, bool) {
	for _, s := range slices.Concat(e.Models, e.Patterns) {
		if match, err := MatchModel(s.Match, e.Name, model); match && err == nil && says(s) {
			return s, true
		}
	}
	return ModelSettings{}, false
}

// takesNoTools says that the configuration wants no tools offered to a model.
func (e Endpoint) takesNoTools(model string) bool {
	s, said := e.configured(model, func(s ModelSettings) bool { return s.Tools != nil })
	return said && !*s.Tools
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

var wildcard = lazyRegexp(`[*?]|\[[^]]*\]?`)

// SpecificFirst orders patterns: one without * and its like goes before the others, then the one with more literal
// characters.
func SpecificFirst(a, b string) int {
	literalA, literalB := wildcard().ReplaceAllString(a, ""), wildcard().ReplaceAllString(b, "")
	if exactA, exactB := literalA == a, literalB == b; exactA != exactB {
		return cmp.Compare(len(a)-len(literalA), len(b)-len(literalB)) // Nothing is taken from the exact one.
	}
	return cmp.Or(cmp.Compare(len(literalB), len(literalA)), strings.Compare(a, b))
}
