package llm

import (
	"regexp"
	"slices"
	"strings"

	"winnow/history"
)

// complaint is what a refusal says of one parameter of the request.
type complaint int

const (
	noComplaint complaint = iota // nothing, or it names the parameter for another reason
	wrongValue                   // its value is refused: another one may pass
	unsupported                  // it is refused with any value
)

// What refusals call the parameters, as alternatives of a regular expression.
const (
	temperatureNames = `temperature`
	topPNames        = `top_?p`
	effortNames      = `reasoning[_. ]effort|thinking level|effort|thinking`
	maxTokensNames   = `max_?(?:completion_?|output_?)?tokens`
)

// What refusals say of a value, and of a parameter.
const (
	valueWords = `\bbetween\b|\brange\b|\b(?:less|greater|higher|lower|larger|smaller|more) than\b|[<>]|` +
		`\bat (?:most|least)\b|\b(?:maximum|minimum)\b|\btoo (?:large|high|low|small)\b|\bexceeds?\b|\bone of\b|` +
		`\b(?:must|should) be (?:in|a number)\b|\bnon-negative\b|\binput should be\b`
	parameterWords = `\bunsupported\b|\bunrecogni[sz]ed\b|\bunknown\b|\bunexpected\b|\bdeprecated\b|` +
		`\bextra_forbidden\b|\b(?:not|doesn't) support(?:ed)?\b|\bnot (?:be )?(?:permitted|allowed|accepted)\b|` +
		`\bcannot (?:both )?be\b`
)

// complaintOf reads what a refusal of a request says of the parameter with these names. The words must be about the
// parameter: in the same sentence, unless the refusal names it in a field of its own.
func complaintOf(e *Error, r Request, names string) complaint {
	if strings.Contains(strings.ToLower(e.Message), "schema for function") {
		return noComplaint // The parameter of a tool has the same name.
	}
	names = `\b(?:` + names + `)\b`
	inField := matches(`"param"\s*:\s*"[\w.]*`+names+`"`, e.Body) || matches(`\([\w.]*`+names+`\)$`, e.Message)
	if inField && matches(parameterWords, e.Message) && !matches(valueWords, e.Message) {
		return unsupported
	}
	if inField {
		return wrongValue
	}
	text := withoutQuotes(e.Message, names, r.Messages)
	near := func(words string) bool {
		const between = `(?:[^.;\n]|\.\d){0,80}?`
		return matches(names+between+`(?:`+words+`)|(?:`+words+`)`+between+names, text)
	}
	const quote = "['\"`]?"
	invalid := `\binvalid (?:value (?:for|of) )?` + quote + names
	isInvalid := names + `(?: value)?` + quote + ` (?:is )?(?:invalid|not valid)\b`
	switch {
	case near(valueWords), matches(invalid, text), matches(isInvalid, text):
		return wrongValue
	case near(parameterWords):
		return unsupported
	}
	return noComplaint
}

// matches says that an expression, whatever the case of its letters, matches a text. It is compiled each time: that is
// done for refusals alone, and for few of these.
func matches(expression, text string) bool {
	return regexp.MustCompile(`(?i)` + expression).MatchString(text)
}

// A refusal is taken to quote a message if it has so many words in a row of it, or all words of a shorter one. Of the
// shortest ones a refusal has the words by chance.
const (
	quoteWords = 5
	quoteLeast = 3
)

var words = lazyRegexp(`[\pL\pN_]+`)

// withoutQuotes is a refusal with blanks for every name in it that is quoted from a message.
func withoutQuotes(text, names string, messages []history.Message) string {
	found := regexp.MustCompile(`(?i)`+names).FindAllStringIndex(text, -1)
	if found == nil {
		return text
	}
	said := make([]string, len(messages))
	for i, m := range messages {
		said[i] = spaced(words().FindAllString(m.Content, -1))
	}
	at := words().FindAllStringIndex(text, -1)
	all := words().FindAllString(text, -1)
	out := []byte(text)
	for _, name := range found {
		first := slices.IndexFunc(at, func(word []int) bool { return word[1] > name[0] })
		quoted := slices.ContainsFunc(said, func(message string) bool {
			n := min(quoteWords, strings.Count(message, " ")-1) // words
			for from := max(0, first-n+1); n >= quoteLeast && from <= first && from+n <= len(all); from++ {
				if strings.Contains(message, spaced(all[from:from+n])) {
					return true
				}
			}
			return false
		})
		if quoted {
			copy(out[name[0]:name[1]], strings.Repeat(" ", name[1]-name[0]))
		}
	}
	return string(out)
}

// spaced are words in lower case, with a space before and after each.
func spaced(words []string) string { return strings.ToLower(" " + strings.Join(words, " ") + " ") }
