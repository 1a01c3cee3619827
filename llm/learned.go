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
	"time"

	"winnow/history"
	"winnow/llm/wire"
)

// Learned is how a model of an endpoint has to be asked, as far as that is not the usual way: its server refused that,
// or said so. The zero value is the usual way.
type Learned struct {
	Since time.Time `json:"since,omitzero"` // when the first of it was learned

	Wire Wire `json:"wire,omitempty"` // the format of requests; "" is Chat Completions

	CompletionTokens bool     `json:"completion_tokens,omitempty"` // the limit for the reply is max_completion_tokens
	ReplyLimit       int      `json:"reply_limit,omitempty"`       // tokens of a reply that may be asked for; 0 is any
	Efforts          []string `json:"efforts,omitempty"`           // the values of reasoning_effort; nil is any
	NoToolEffort     bool     `json:"no_tool_effort,omitempty"`
	Without          []string `json:"without,omitempty"` // the names of parameters that are not sent

	Profile history.EndpointProfile `json:"profile,omitzero"` // the format of the history

	CachedApart bool `json:"cached_apart,omitempty"` // usage has the cached tokens beside the prompt's
	AnyName     bool `json:"any_name,omitempty"`     // the server's list lacks the model, and it answers

	// What Ollama says of the model. It is not forgotten with what was refused.
	Native      bool `json:"native,omitempty"`       // Ollama has it: its own format is used unless Wire is set
	Thinks      bool `json:"thinks,omitempty"`       // it can think
	ThinkLevels bool `json:"think_levels,omitempty"` // and takes levels of that
}

// Ways are the differences from the usual way in words that follow "is asked", such as "without temperature".
func (l Learned) Ways() []string {
	p := l.Profile
	var ways []string
	for _, name := range l.Without {
		ways = append(ways, "without "+name)
	}
	for _, way := range []struct {
		holds bool
		words string
	}{
		{l.Wire == ResponsesWire, "over the Responses API"},
		{l.Wire == ChatWire, "over Chat Completions"},
		{l.CompletionTokens, "with max_completion_tokens in the place of max_tokens"},
		{l.ReplyLimit > 0, "for a reply of at most " + comma(l.ReplyLimit) + " tokens"},
		{len(l.Efforts) > 0, "with reasoning_effort " + strings.Join(l.Efforts, ", ") + " alone"},
		{l.NoToolEffort, "with reasoning_effort none if tools are offered"},
		{l.CachedApart, "with cached tokens counted beside the prompt"},
		{p.MergeSameRole, "with adjacent messages of a role joined"},
		{p.NoToolToUser, "with an answer between a tool result and your message"},
		{p.ToolIDLength > 0, fmt.Sprintf("with tool call ids of %d characters", p.ToolIDLength)},
		{p.EchoReasoning, "with its reasoning returned to it"},
		{p.NoReplay, "without data of its own answers"},
		{p.NoTools, "without tools"},
		{p.ToolsAsText, "with tool calls as text"},
		{p.NoImages, "without images"},
	} {
		if way.holds {
			ways = append(ways, way.words)
		}
	}
	return ways
}

// over is l, and base where l says nothing.
func (l Learned) over(base Learned) Learned {
	without := slices.Sorted(slices.Values(slices.Concat(base.Without, l.Without)))
	if l.Efforts != nil {
		base.Efforts = nil // Unmarshal would write into the list of somebody else.
	}
	base.Without = nil
	raw, _ := json.Marshal(l) // It holds nothing that cannot be encoded.
	_ = json.Unmarshal(raw, &base)
	base.Without = slices.Compact(without)
	return base
}

// facts are what is known of one model.
type facts struct {
	learned Learned // by what its server refused and said
	shown   wire.OllamaModel
}

// Known is how a model is asked: by what its server taught, else by what is known of the endpoint. While it is the
// same, the same request has the same bytes. Its Since is zero.
func (c *Client) Known(model string) Learned {
	l := c.Learned(model).over(c.endpoint.Known)
	l.Since = time.Time{}
	return l
}

// Learned is what the server of a model taught, which is worth keeping for its base URL and the model.
func (c *Client) Learned(model string) Learned {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.facts[model].learned
}

// Learn adds what was learned of a model.
func (c *Client) Learn(model string, more Learned) {
	c.change(model, func(f *facts) { f.learned = more.over(f.learned) })
}

// Forget forgets what the server of a model refused: it may be sent again.
func (c *Client) Forget(model string) {
	c.change(model, func(f *facts) {
		f.learned = Learned{Native: f.learned.Native, Thinks: f.learned.Thinks, ThinkLevels: f.learned.ThinkLevels}
	})
}

// change changes what is known of a model.
func (c *Client) change(model string, change func(*facts)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.facts[model]
	change(&f)
	c.facts[model] = f
}

// teach changes what was learned of a model, and says how it is asked from now on, as Ways does; "" is as before.
func (c *Client) teach(model string, change func(*Learned)) (news string) {
	before := c.Known(model).Ways()
	c.change(model, func(f *facts) { change(&f.learned) })
	ways := slices.DeleteFunc(c.Known(model).Ways(), func(way string) bool { return slices.Contains(before, way) })
	return strings.Join(ways, " and ")
}

// Origin gives the name under which the answers of a model are kept: what they carried goes back to it alone.
func (c *Client) Origin(model string) history.Origin {
	return history.Origin{Endpoint: c.endpoint.Name, Model: model}
}

// parameter is something in a request that servers refuse for itself.
type parameter struct {
	name   string                         // for people, and among what is Learned
	names  string                         // what refusals call it, as alternatives of a regular expression
	drop   func(*wire.Request)            // leaves it out
	learn  func(rejection) func(*Learned) // what else a refusal teaches; nil, or a nil result, for nothing
	number func(*Request) **float64       // its value, from 0 to most; nil is no number
	most   float64
}

const replyLimit = "a limit for the reply"

// parameters are in the order in which they are looked for in a refusal.
var parameters = []parameter{
	{name: "cache_control", names: "cache_control", drop: func(r *wire.Request) { r.CacheMarks = nil }},
	{name: "stream_options", names: "stream_options", drop: func(r *wire.Request) { r.NoStreamOptions = true }},
	{
		name: "encrypted reasoning", names: "include|encrypted[ _]content",
		drop: func(r *wire.Request) { r.NoEncryptedReasoning = true },
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

// limit is what a refusal teaches of the limit for the reply: that it has another key, or the largest number below what
// was asked for.
func (x rejection) limit() func(*Learned) {
	most := float64(x.sent.MaxTokens)
	limit := x.nearestNumber(most, leastReplyLimit, most)
	switch {
	case x.said == unsupported && !x.sent.CompletionTokens && strings.Contains(x.Message, "max_completion_tokens"):
		return func(l *Learned) { l.CompletionTokens = true }
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

// nearestNumber is the number from least to most in a refusal that is nearest to another number but not equal to it;
// nil for none.
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
	if matches(`"param"\s*:\s*"[\w.]*`+names+`"`, e.Body) {
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
	switch {
	case near(valueWords):
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

// refusing begins a sentence that says of a model what it cannot take: one about how large an image
// may be says that it takes images.
const refusing = `(not|n't|cannot|no endpoints found that) (currently )?(support|accept|take|process)s?( for)? `

// formats are the formats of the history that refusals ask for. A refusal says something only of a request that holds
// what is refused. Where a refusal fits several, the first that changes the profile is learned.
var formats = []struct {
	text    func() *regexp.Regexp
	holds   func(Request) bool
	profile history.EndpointProfile
}{
	{
		says(refusing + "(image|vision|multi-?modal)|images? (inputs? )?(is|are) not supported|" +
			"unknown variant `image_url`|invalid type: sequence, expected a string"),
		Request.hasImages,
		history.EndpointProfile{NoImages: true},
	},
	{alternate, Request.hasMessages, history.EndpointProfile{MergeSameRole: true, NoToolToUser: true}},
	{
		says(refusing + `(tool|function call)|tool (use|calling|calls?) (is|are) not supported`),
		Request.hasTools,
		history.EndpointProfile{NoTools: true, ToolsAsText: true},
	},
	// A template that knows no tools counts calls and results as turns.
	{alternate, Request.hasTools, history.EndpointProfile{NoTools: true, ToolsAsText: true}},
	{
		says(`must define tools|toolconfig field must`), Request.holdsToolCalls,
		history.EndpointProfile{ToolsAsText: true},
	},
	{says(`unexpected role 'user' after role 'tool'`), Request.hasTools, history.EndpointProfile{NoToolToUser: true}},
	{says(`tool call ids? .{0,120}length (of )?9`), Request.hasTools, history.EndpointProfile{ToolIDLength: 9}},
	{
		says(`(?s)reasoning_content.*(passed back|missing)|missing.*reasoning_content`),
		Request.hasMessages,
		history.EndpointProfile{EchoReasoning: true},
	},
}

var alternate = says(`roles must alternate|requests alternate between|must alternate between`)

// learnFormat learns the format that a refusal asks for, and says whether it is news. The same request cannot go out
// again: what it holds was counted and shown.
func (c *Client) learnFormat(e *Error, r Request) bool {
	known := c.Profile(r.Model)
	learns := func(p history.EndpointProfile) bool {
		lesson := Learned{Profile: p}
		if lesson.over(Learned{Profile: known}).Profile == known {
			return false
		}
		c.Learn(r.Model, lesson)
		return true
	}
	for _, f := range formats {
		if f.text().MatchString(e.Body) && f.holds(r) && learns(f.profile) {
			return true
		}
	}
	return c.refusesReplay(e, r) && learns(history.EndpointProfile{NoReplay: true})
}

// refusesReplay says that a refusal is about what a request only holds because an answer held it.
func (c *Client) refusesReplay(e *Error, r Request) bool {
	replayed := make(map[string]json.RawMessage)
	for _, m := range r.Messages {
		if m.Origin != c.Origin(r.Model) {
			continue
		}
		_ = json.Unmarshal([]byte(m.Replay), &replayed) // "" has no keys.
		for _, call := range m.ToolCalls {
			_ = json.Unmarshal([]byte(call.Replay), &replayed)
		}
	}
	for key := range replayed {
		if refusesKept().MatchString(e.Body) || complaintOf(e, r, regexp.QuoteMeta(key)) == unsupported {
			return true
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
