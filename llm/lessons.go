package llm

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"winnow/history"
	"winnow/llm/wire"
)

// parameter is something in a request that servers refuse for itself.
type parameter struct {
	name   string                         // for people, and among what is Learned
	names  string                         // what refusals call it, as alternatives of a regular expression
	drop   func(*wire.Request)            // leaves it out
	learn  func(rejection) func(*Learned) // what else a refusal teaches, nil for nothing; nil has nothing
	number func(*Request) **float64       // its value, from 0 to most; nil is no number
	most   float64
}

const replyLimit = "a limit for the reply"

// parameters are in the order in which they are looked for in a refusal.
var parameters = []parameter{
	{
		name: "prompt_cache_key", names: "prompt_cache_key",
		drop: func(r *wire.Request) { r.CacheKey = "" },
	},
	{
		name: "cache_control", names: "cache_control",
		drop: func(r *wire.Request) { r.CacheMarks = nil },
	},
	{
		name: "encrypted reasoning", names: "include|encrypted[ _]content",
		drop: func(r *wire.Request) { r.NoEncryptedReasoning = true },
	},
	{
		name: "stream_options", names: "stream_options",
		drop: func(r *wire.Request) { r.NoStreamOptions = true },
	},
	{
		name: "top_p", names: `top_?p`, most: 1,
		drop:   func(r *wire.Request) { r.TopP = nil },
		number: func(r *Request) **float64 { return &r.TopP },
	},
	{
		name: "temperature", names: `temperature`, most: 2,
		drop:   func(r *wire.Request) { r.Temperature = nil },
		number: func(r *Request) **float64 { return &r.Temperature },
	},
	{
		name: "reasoning_effort", names: `reasoning[_. ]effort|thinking level|effort|thinking`,
		drop:  func(r *wire.Request) { r.Effort = "" },
		learn: rejection.effort,
	},
	{
		name: replyLimit, names: `max_?(?:completion_?|output_?)?tokens`,
		drop:  func(r *wire.Request) { r.MaxTokens = 0 },
		learn: rejection.limit,
	},
}

// rejection is what is known of a refusal of one parameter.
type rejection struct {
	*Error
	said  complaint
	sent  wire.Request
	knows Learned // what was known of the model before
}

// amend makes a request that a server refused one that it may take: without a parameter that the model does not
// support, which is learned, or with another number. How says how it goes out again, "" for not at all. Next is the
// request where only a number was refused, which teaches nothing; it is nil where the same request goes out in another
// form, and where again says that a number was replaced before.
func (c *Client) amend(e *Error, r Request, again bool) (how string, next *Request) {
	if e.Status != 400 && e.Status != 422 || e.Kind == Overflow {
		return "", nil
	}
	x := rejection{Error: e, sent: c.asked(r), knows: c.Known(r.Model)}
	for _, p := range parameters {
		if x.said = complaintOf(e, r, p.names); x.said == noComplaint {
			continue
		}
		var lesson func(*Learned)
		if p.learn != nil {
			lesson = p.learn(x)
		}
		without := x.sent
		p.drop(&without)
		if lesson == nil && x.said == unsupported && !reflect.DeepEqual(without, x.sent) {
			lesson = func(l *Learned) { l.Without = append(slices.Clone(l.Without), p.name) }
		}
		if lesson != nil {
			if news := c.teach(r.Model, lesson); news != "" {
				return news, nil
			}
		}
		if p.number == nil || again {
			continue
		}
		if number := p.number(&r); *number != nil {
			if nearest := x.nearestNumber(**number, 0, p.most); nearest != nil {
				*number = nearest
				return fmt.Sprintf("with %s %g, for this request only", p.name, *nearest), &r
			}
		}
	}
	return "", nil
}

var (
	listsValues = lazyRegexp(`(?i)(?:(?:supported|valid) values(?: are)?|one of|input should be)(.{1,200})`)
	quotedWord  = lazyRegexp("['\"`]([a-z]+)['\"`]")
	namesTools  = lazyRegexp(`(?i)\btools\b`)
)

// effort is what a refusal teaches of reasoning_effort: that tools go without it, or the values that it lists beside
// the one that was sent.
func (x rejection) effort() func(*Learned) {
	if len(x.sent.Tools) > 0 && x.sent.Effort != "none" && namesTools().MatchString(x.Message) {
		return func(l *Learned) { l.NoToolEffort = true }
	}
	var values []string
	if list := listsValues().FindStringSubmatch(x.Message); list != nil && x.sent.Effort != "" {
		for _, m := range quotedWord().FindAllStringSubmatch(list[1], -1) {
			if slices.Contains(efforts, m[1]) && m[1] != x.sent.Effort {
				values = append(values, m[1])
			}
		}
	}
	if values == nil || x.knows.Efforts != nil { // A second list contradicts the first.
		return nil
	}
	return func(l *Learned) { l.Efforts = values }
}

// leastReplyLimit is the smallest number in a refusal that is taken for a limit of the reply, in tokens.
const leastReplyLimit = 64

// limit is what a refusal teaches of the limit for the reply: that its key is another one, or the largest number below
// what was asked for.
func (x rejection) limit() func(*Learned) {
	key, other := maxTokens, maxCompletionTokens
	if x.sent.CompletionTokens {
		key, other = other, key
	}
	most := float64(x.sent.MaxTokens)
	limit := x.nearestNumber(most, leastReplyLimit, most)
	switch {
	case x.sent.MaxTokens == 0:
	case x.said == unsupported && strings.Contains(x.Message, key) && x.knows.LimitKey == "":
		return func(l *Learned) { l.LimitKey = other }
	case x.said == wrongValue && limit != nil && x.knows.ReplyLimit == 0:
		return func(l *Learned) {
			if l.ReplyLimit = int(*limit); strings.Contains(x.Message, "exclusive") {
				l.ReplyLimit--
			}
		}
	}
	return nil
}

var numbers = lazyRegexp(`-?(?:\d{1,3}(?:[,_]\d{3})+\b|\d+(?:\.\d+)?)`)

// nearestNumber is the number in a refusal that is nearest to another one and is not that: from least to most, nil for
// none.
func (x rejection) nearestNumber(to, least, most float64) (nearest *float64) {
	for _, digits := range numbers().FindAllString(x.Message, -1) {
		n, err := strconv.ParseFloat(strings.NewReplacer(",", "", "_", "").Replace(digits), 64)
		if err != nil || n == to || n < least || n > most {
			continue
		}
		if nearest == nil || math.Abs(n-to) < math.Abs(*nearest-to) {
			nearest = &n
		}
	}
	return nearest
}

// complaint is what a refusal says of one parameter of the request.
type complaint int

const (
	noComplaint complaint = iota // nothing, or it names the parameter for another reason
	wrongValue                   // its value is refused: another one may pass
	unsupported                  // it is refused with any value
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

const (
	// refusing begins a sentence that says of a model what it cannot take: one about how large an image
	// may be says that it takes images.
	refusing = `(not|n't|cannot|no endpoints found that) (currently )?(support|accept|take|process)s?( for)? `

	rolesAlternate = `roles must alternate|requests alternate between|must alternate between`
)

// formats are the formats of the history that refusals ask for. A refusal says something only of a request that holds
// what is refused. Where a refusal fits several, the first that changes the profile is learned.
var formats = []struct {
	text  func() *regexp.Regexp
	holds func(Request) bool
	set   func(*history.Profile)
}{
	{
		says(refusing + "(image|vision|multi-?modal)|images? (inputs? )?(is|are) not supported|" +
			"unknown variant `image_url`|invalid type: sequence, expected a string"),
		Request.hasImages, func(p *history.Profile) { p.NoImages = true },
	},
	{
		says(rolesAlternate), Request.hasMessages,
		func(p *history.Profile) { p.MergeSameRole, p.NoToolToUser = true, true },
	},
	{
		// A template that knows no tools counts calls and results as turns.
		says(rolesAlternate + "|" + refusing + "(tool|function call)|" +
			"tool (use|calling|calls?) (is|are) not supported"),
		Request.hasTools, func(p *history.Profile) { p.NoTools, p.ToolsAsText = true, true },
	},
	{
		says(`must define tools|toolconfig field must be defined`),
		Request.holdsToolCalls, func(p *history.Profile) { p.ToolsAsText = true },
	},
	{
		says(`unexpected role 'user' after role 'tool'`),
		Request.hasTools, func(p *history.Profile) { p.NoToolToUser = true },
	},
	{
		says(`tool call ids? .{0,120}length (of )?9`),
		Request.hasTools, func(p *history.Profile) { p.ToolIDLength = 9 },
	},
	{
		says(`(?s)reasoning_content.*(passed back|missing)|missing.*reasoning_content`),
		Request.hasMessages, func(p *history.Profile) { p.EchoReasoning = true },
	},
}

// learnFormat learns the format that a refusal asks for, and says whether it is news. The same request cannot go out
// again: what it holds was counted and shown.
func (c *Client) learnFormat(e *Error, r Request) bool {
	known := c.Profile(r.Model)
	for _, f := range formats {
		now := known
		if f.set(&now); now != known && f.text().MatchString(e.Body) && f.holds(r) {
			c.teach(r.Model, func(l *Learned) { f.set(&l.Profile) })
			return true
		}
	}
	if known.NoReplay || !c.refusesReplay(e, r) {
		return false
	}
	c.teach(r.Model, func(l *Learned) { l.Profile.NoReplay = true })
	return true
}

// refusesReplay says that a refusal is about what a request only holds because an answer held it.
func (c *Client) refusesReplay(e *Error, r Request) bool {
	for _, m := range r.Messages {
		replays := []string{m.Replay}
		for _, call := range m.ToolCalls {
			replays = append(replays, call.Replay)
		}
		for _, replay := range replays {
			var keys map[string]json.RawMessage
			_ = json.Unmarshal([]byte(replay), &keys) // "" has none
			for key := range keys {
				own := m.Origin == c.Origin(r.Model)
				if own && (refusesKept().MatchString(e.Body) || complaintOf(e, r, key) == unsupported) {
					return true
				}
			}
		}
	}
	return false
}

func (r Request) hasMessages() bool { return len(r.Messages) > 0 }

// hasImages says that a request shows images.
func (r Request) hasImages() bool {
	return slices.ContainsFunc(r.Messages, func(m history.Message) bool {
		return slices.ContainsFunc(m.Parts, func(p history.Part) bool { return p.Kind == history.ImagePart })
	})
}

// hasTools says that a request holds calls or their results, or offers tools.
func (r Request) hasTools() bool { return len(r.Tools) > 0 || r.holdsToolCalls() }

// holdsToolCalls says that a request holds tool calls or their results.
func (r Request) holdsToolCalls() bool {
	return slices.ContainsFunc(r.Messages, func(m history.Message) bool {
		return m.Role == history.Tool || len(m.ToolCalls) > 0
	})
}

// namesResponses are refusals of a model, or of a model with tools, that the Responses API takes. One of the
// older texts names the wrong way out.
var namesResponses = says(`v1/responses\b|\bresponses api\b|this is not a chat model`)

// refusesKept are refusals of the reasoning that an earlier answer of the same model held. It may have been
// written for another key, or the server lost track of it.
var refusesKept = says(`invalid_encrypted_content|encrypted content [^\n]{0,200}(?:verified|decrypted)|` +
	`item with id '[^']*' not found|of type 'reasoning'|'reasoning' item|` +
	`\binput\[\d+\]\.(?:encrypted_content|summary|phase|id)\b`)

// learnWire changes the format in which a model is asked if a refusal asks for the Responses API or the server does
// not have the format, and says so. Each is learned once, so that two refusals cannot send a request back and forth.
func (c *Client) learnWire(e *Error, r Request) (how string) {
	if c.endpoint.configuredWire(r.Model) != AutoWire || c.Learned(r.Model).Wire == ChatWire {
		return ""
	}
	names := namesResponses().MatchString(e.Message)
	missing := e.Status == 405 || e.Status == 404 && !modelUnknown().MatchString(e.Message)
	other, learned := ChatWire, false
	switch c.Wire(r.Model) {
	case ChatWire:
		other, learned = ResponsesWire, names && (e.Status == 400 || e.Status == 404)
	case OllamaWire:
		learned = missing
	case ResponsesWire:
		learned = missing && !refusesKept().MatchString(e.Message) || e.Status == 400 && names
	}
	if !learned {
		return ""
	}
	return c.teach(r.Model, func(l *Learned) { l.Wire = other })
}
