package llm

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"winnow/history"
)

// refusesParameter says that a server refused a request for something in it that can be left out or changed.
func (e *Error) refusesParameter() bool {
	return (e.Status == 400 || e.Status == 422) && e.Kind != Overflow
}

// learn learns what a refusal says of the request's parameters: that the model does not support one, which values of
// reasoning_effort it takes, or how long a reply may be. how says how the request goes out again; learned is false
// where the refusal says nothing new.
func (c *Client) learn(e *Error, r Request) (how string, learned bool) {
	if !e.refusesParameter() {
		return "", false
	}
	sent := c.sampling(r)
	lesson := c.lesson(e, r, sent)
	if lesson == nil {
		return "", false
	}
	news, learned := c.teach(r.Model, lesson)
	return cmp.Or(c.sampling(r).changed(sent), news), learned
}

// lesson is what a refusal teaches, nil for nothing.
func (c *Client) lesson(e *Error, r Request, sent sampled) func(*Learned) {
	cache, wire := c.caching(r), c.Wire(r.Model)
	refused := func(is bool, names string) bool { return is && complaintOf(e, r, names) == unsupported }
	switch {
	case refused(cache.Key != "", "prompt_cache_key"):
		return func(l *Learned) { l.NoCacheKey = true }
	case refused(len(cache.Marks) > 0, "cache_control"):
		return func(l *Learned) { l.NoCacheMarks = true }
	case refused(cache.Diagnose, "prompt_cache_options|comparison_response_id|diagnostics|previous_message_id"):
		return func(l *Learned) { l.NoCacheDiagnosis = true }
	case refused(wire == ResponsesWire, "include|encrypted[ _]content"):
		return func(l *Learned) { l.NoEncryptedReasoning = true }
	case refused(wire == ChatWire, "stream_options"):
		return func(l *Learned) { l.NoStreamOptions = true }
	case refused(sent.topP != nil, topPNames):
		return func(l *Learned) { l.NoTopP = true }
	case refused(sent.temperature != nil, temperatureNames):
		return func(l *Learned) { l.NoTemperature = true }
	case sent.effort != "" || len(r.Tools) > 0:
		if lesson := effortLesson(e, r, sent.effort); lesson != nil {
			return lesson
		}
	}
	if sent.maxTokens > 0 {
		return c.limitLesson(e, r, sent.maxTokens)
	}
	return nil
}

var (
	listsValues = lazyRegexp(`(?i)(?:(?:supported|valid) values(?: are)?|one of|input should be)(.{1,200})`)
	quotedWord  = lazyRegexp("['\"`]([a-z]+)['\"`]")
	namesTools  = lazyRegexp(`(?i)\btools\b`)
)

// effortLesson is what a refusal teaches of reasoning_effort: that tools go without it, the values that it lists beside
// the one that was sent, or that there is none.
func effortLesson(e *Error, r Request, sent string) func(*Learned) {
	said := complaintOf(e, r, effortNames)
	var values []string
	if list := listsValues().FindStringSubmatch(e.Message); list != nil {
		for _, m := range quotedWord().FindAllStringSubmatch(list[1], -1) {
			if slices.Contains(efforts, m[1]) && m[1] != sent {
				values = append(values, m[1])
			}
		}
	}
	switch {
	case said == noComplaint:
		return nil
	case len(r.Tools) > 0 && sent != "none" && namesTools().MatchString(e.Message):
		return func(l *Learned) { l.NoToolEffort = true }
	case sent == "":
		return nil
	case len(values) > 0:
		return func(l *Learned) {
			if l.Efforts == nil { // A second list contradicts the first.
				l.Efforts = values
			}
		}
	case said == unsupported:
		return func(l *Learned) { l.NoEffort = true }
	}
	return nil
}

// leastReplyLimit is the smallest number in a refusal that is taken for a limit of the reply, in tokens.
const leastReplyLimit = 64

// limitLesson is what a refusal teaches of the limit for the reply: that its key is another one, that there is none, or
// the largest number below what was asked for.
func (c *Client) limitLesson(e *Error, r Request, sent int) func(*Learned) {
	said := complaintOf(e, r, maxTokensNames)
	key, other := maxTokens, maxCompletionTokens
	if c.completionTokens(r.Model) {
		key, other = other, key
	}
	swaps := key == maxCompletionTokens || strings.Contains(e.Message, other)
	if said == unsupported && c.Wire(r.Model) == ChatWire && strings.Contains(e.Message, key) && swaps {
		return func(l *Learned) {
			if l.LimitKey == "" { // A server that refuses both gets neither.
				l.LimitKey = other
			}
		}
	}
	limit := nearestNumber(e.Message, float64(sent), leastReplyLimit, float64(sent))
	switch {
	case said == unsupported:
		return func(l *Learned) { l.NoReplyLimit = true }
	case said == wrongValue && limit != nil && c.Known(r.Model).ReplyLimit == 0:
		return func(l *Learned) {
			if l.ReplyLimit = int(*limit); strings.Contains(e.Message, "exclusive") {
				l.ReplyLimit--
			}
		}
	}
	return nil
}

// The keys of the limit for the reply in Chat Completions.
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
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
	if matches(`"param"\s*:\s*"[\w.]*`+names+`"`, e.Body) || matches(`\([\w.]*`+names+`\)$`, e.Message) {
		if matches(parameterWords, e.Message) && !matches(valueWords, e.Message) {
			return unsupported
		}
		return wrongValue
	}
	text := withoutQuotes(e.Message, r.Messages)
	near := func(words string) bool {
		const between = `(?:[^.;\n]|\.\d){0,80}?`
		return matches(names+between+`(?:`+words+`)|(?:`+words+`)`+between+names, text)
	}
	const quote = "['\"`]?"
	invalid := `\binvalid (?:value (?:for|of) )?` + quote + names + `|` +
		names + `(?: value)?` + quote + ` (?:is )?(?:invalid|not valid)\b`
	switch {
	case near(valueWords), matches(invalid, text):
		return wrongValue
	case near(parameterWords):
		return unsupported
	}
	return noComplaint
}

// quotation is a text of three words or more between quotation marks. A name between them is shorter.
var quotation = lazyRegexp(`(?:^|[\s(:])(?:"[^"]*\s[^"]*\s[^"]*"|'[^']*\s[^']*\s[^']*')`)

// withoutQuotes is a refusal in lower case without what it quotes, between quotation marks or from a message.
func withoutQuotes(text string, messages []history.Message) string {
	text = strings.ToLower(strings.Join(strings.Fields(quotation().ReplaceAllString(text, " ")), " "))
	for _, m := range messages {
		if words := strings.Fields(strings.ToLower(m.Content)); len(words) >= 3 && len(m.Content) < bodyMax {
			text = strings.ReplaceAll(text, strings.Join(words, " "), " ")
		}
	}
	return text
}

// matches says that an expression, whatever the case of its letters, matches a text. It is compiled each time: that is
// done for refusals alone, and for few of these.
func matches(expression, text string) bool {
	return regexp.MustCompile(`(?i)` + expression).MatchString(text)
}
