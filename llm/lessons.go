package llm

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"winnow/history"
	"winnow/llm/wire"
)

// parameter is something in a request that servers refuse for itself.
type parameter struct {
	names   string                           // what refusals call it, as alternatives of a regular expression
	without string                           // how a model that does not take it is asked, for people
	fact    func(l *Learned) *bool           // says that a model does not take it
	sent    func(r wire.Request) bool        // says that a request holds it
	learn   func(x rejection) func(*Learned) // what else a refusal teaches, nil for nothing; nil has nothing
	adapt   func(r *Request, x rejection)    // changes the value for one request; nil cannot
}

// parameters are in the order in which they are looked for in a refusal.
var parameters = []parameter{
	{
		names: "prompt_cache_key", without: "without prompt_cache_key",
		sent: func(r wire.Request) bool { return r.CacheKey != "" },
		fact: func(l *Learned) *bool { return &l.NoCacheKey },
	},
	{
		names: "cache_control", without: "without cache_control",
		sent: func(r wire.Request) bool { return len(r.CacheMarks) > 0 },
		fact: func(l *Learned) *bool { return &l.NoCacheMarks },
	},
	{
		names:   "prompt_cache_options|comparison_response_id|diagnostics|previous_message_id",
		without: "without asking about the prompt cache",
		sent:    func(r wire.Request) bool { return r.Diagnose },
		fact:    func(l *Learned) *bool { return &l.NoCacheDiagnosis },
	},
	{
		names: "include|encrypted[ _]content", without: "without asking for encrypted reasoning",
		sent: func(r wire.Request) bool { return !r.NoEncryptedReasoning },
		fact: func(l *Learned) *bool { return &l.NoEncryptedReasoning },
	},
	{
		names: "stream_options", without: "without stream_options",
		sent: func(r wire.Request) bool { return !r.NoStreamOptions },
		fact: func(l *Learned) *bool { return &l.NoStreamOptions },
	},
	{
		names: `top_?p`, without: "without top_p",
		sent: func(r wire.Request) bool { return r.TopP != nil },
		fact: func(l *Learned) *bool { return &l.NoTopP },
		adapt: func(r *Request, x rejection) {
			r.TopP = x.nearestNumber(*x.sent.TopP, 0, 1)
		},
	},
	{
		names: `temperature`, without: "without temperature",
		sent: func(r wire.Request) bool { return r.Temperature != nil },
		fact: func(l *Learned) *bool { return &l.NoTemperature },
		adapt: func(r *Request, x rejection) {
			r.Temperature = x.nearestNumber(*x.sent.Temperature, 0, 2)
		},
	},
	{
		names: `reasoning[_. ]effort|thinking level|effort|thinking`, without: "without reasoning_effort",
		sent:  func(r wire.Request) bool { return r.Effort != "" || len(r.Tools) > 0 },
		fact:  func(l *Learned) *bool { return &l.NoEffort },
		learn: rejection.effort,
		adapt: func(r *Request, _ rejection) {
			r.Effort = ""
		},
	},
	{
		names: `max_?(?:completion_?|output_?)?tokens`, without: "without a limit for the reply",
		sent:  func(r wire.Request) bool { return r.MaxTokens > 0 },
		fact:  func(l *Learned) *bool { return &l.NoReplyLimit },
		learn: rejection.limit,
		adapt: func(r *Request, _ rejection) {
			r.MaxTokens = 0
		},
	},
}

// rejection is what is known of a refusal of one parameter.
type rejection struct {
	*Error
	said  complaint
	sent  wire.Request
	wire  Wire
	knows Learned // what was known of the model before
	again bool    // a value was replaced before: the parameter goes
}

// amend makes a request that a server refused one that it may take: without a parameter that the model does not
// support, which is learned, or with another value. How says how it goes out again, "" for not at all. Next is the
// request where only a value was refused, which teaches nothing; the parameter is left out where the refusal names no
// value or a value was replaced already. It is nil where the same request goes out in another form.
func (c *Client) amend(e *Error, r Request, again bool) (how string, next *Request) {
	if e.Status != 400 && e.Status != 422 || e.Kind == Overflow {
		return "", nil
	}
	format := c.Wire(r.Model)
	x := rejection{Error: e, sent: c.asked(r, format), wire: format, knows: c.Known(r.Model), again: again}
	for _, p := range parameters {
		if x.said = complaintOf(e, r, p.names); x.said == noComplaint || !p.sent(x.sent) {
			continue
		}
		var lesson func(*Learned)
		if p.learn != nil {
			lesson = p.learn(x)
		}
		if lesson == nil && x.said == unsupported {
			lesson = func(l *Learned) { *p.fact(l) = true }
		}
		if lesson != nil {
			if news, learned := c.teach(r.Model, lesson); learned {
				return cmp.Or(changed(c.asked(r, format), x.sent), news), nil
			}
		}
		if p.adapt != nil {
			p.adapt(&r, x)
		}
		if how = changed(c.asked(r, format), x.sent); how != "" {
			return how + ", for this request only", &r
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
	var values []string
	if list := listsValues().FindStringSubmatch(x.Message); list != nil {
		for _, m := range quotedWord().FindAllStringSubmatch(list[1], -1) {
			if slices.Contains(efforts, m[1]) && m[1] != x.sent.Effort {
				values = append(values, m[1])
			}
		}
	}
	switch {
	case len(x.sent.Tools) > 0 && x.sent.Effort != "none" && namesTools().MatchString(x.Message):
		return func(l *Learned) { l.NoToolEffort = true }
	case x.sent.Effort == "":
		return func(*Learned) {} // It is not about what was sent.
	case len(values) > 0:
		return func(l *Learned) {
			if l.Efforts == nil { // A second list contradicts the first.
				l.Efforts = values
			}
		}
	}
	return nil
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
	named := strings.Contains(x.Message, key) && (key == maxCompletionTokens || strings.Contains(x.Message, other))
	if named && x.said == unsupported && x.wire == ChatWire && x.knows.LimitKey == "" {
		return func(l *Learned) { l.LimitKey = other }
	}
	x.again = false
	most := float64(x.sent.MaxTokens)
	limit := x.nearestNumber(most, leastReplyLimit, most)
	if x.said != wrongValue || limit == nil || x.knows.ReplyLimit > 0 {
		return nil
	}
	return func(l *Learned) {
		if l.ReplyLimit = int(*limit); strings.Contains(x.Message, "exclusive") {
			l.ReplyLimit--
		}
	}
}

// The keys of the limit for the reply in Chat Completions.
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
)

var numbers = lazyRegexp(`-?(?:\d{1,3}(?:[,_]\d{3})+\b|\d+(?:\.\d+)?)`)

// nearestNumber is the number in a refusal that is nearest to another one and is not that: from least to most, nil for
// none.
func (x rejection) nearestNumber(to, least, most float64) (nearest *float64) {
	for _, digits := range numbers().FindAllString(x.Message, -1) {
		n, err := strconv.ParseFloat(strings.NewReplacer(",", "", "_", "").Replace(digits), 64)
		if err != nil || n == to || n < least || n > most || x.again {
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
			"unknown variant `image_url`|variant of untagged enum chatcompletionrequestcontent|" +
			"invalid type: sequence, expected a string"),
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

// refusesReplay says that a refusal names a key that the request only had because an answer had it.
func (c *Client) refusesReplay(e *Error, r Request) bool {
	names := func(replay string) bool {
		if replay != "" && c.Wire(r.Model) == ResponsesWire && refusesKept().MatchString(e.Body) {
			return true
		}
		var keys map[string]json.RawMessage
		_ = json.Unmarshal([]byte(replay), &keys) // "" has none
		for key := range keys {
			if complaintOf(e, r, key) == unsupported {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(r.Messages, func(m history.Message) bool {
		return m.Origin == c.Origin(r.Model) && (names(m.Replay) ||
			slices.ContainsFunc(m.ToolCalls, func(call history.ToolCall) bool { return names(call.Replay) }))
	})
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
// not have the format. Each is learned once, so that two refusals cannot send a request back and forth.
func (c *Client) learnWire(e *Error, r Request) (how string, learned bool) {
	if c.endpoint.configuredWire(r.Model) != AutoWire || c.Learned(r.Model).Wire == ChatWire {
		return "", false
	}
	namesOther := namesResponses().MatchString(e.Message)
	missing := e.Status == 405 || e.Status == 404 && !modelUnknown().MatchString(e.Message)
	other := ChatWire
	switch c.Wire(r.Model) {
	case ChatWire:
		other, learned = ResponsesWire, namesOther && (e.Status == 400 || e.Status == 404)
	case OllamaWire:
		learned = missing
	case ResponsesWire:
		learned = missing && !refusesKept().MatchString(e.Message) || e.Status == 400 && namesOther
	}
	if !learned {
		return "", false
	}
	return c.teach(r.Model, func(l *Learned) { l.Wire = other })
}
