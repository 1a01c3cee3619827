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

// Learned is how requests to a model differ from the usual ones, because its server refused those or declared it. The
// zero value means no difference.
type Learned struct {
	Since time.Time `json:"since,omitzero"` // when the first difference was learned

	Wire Wire `json:"wire,omitempty"` // "" is Chat Completions

	CompletionTokens bool     `json:"completion_tokens,omitempty"` // max_completion_tokens instead of max_tokens
	ReplyLimit       int      `json:"reply_limit,omitempty"`       // maximum reply limit in tokens; 0 for any
	Efforts          []string `json:"efforts,omitempty"`           // values of reasoning_effort; nil for any
	NoToolEffort     bool     `json:"no_tool_effort,omitempty"`
	Without          []string `json:"without,omitempty"` // names of parameters that are not sent

	Profile         history.Profile `json:"profile,omitzero"`       // requirements on the history
	CachedApart     bool            `json:"cached_apart,omitempty"` // the prompt tokens of usage exclude cached tokens
	AnswersUnlisted bool            `json:"any_name,omitempty"`     // the server does not list the model, but answers

	// What Ollama reports about the model. ForgetLearned keeps it.
	Native      bool `json:"native,omitempty"`       // Ollama's native API is used unless Wire is set
	Thinks      bool `json:"thinks,omitempty"`       // the model supports thinking
	ThinkLevels bool `json:"think_levels,omitempty"` // with levels, not only on and off
}

// Describe lists the differences in words that follow "is asked", such as "without temperature".
func (l Learned) Describe() []string {
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
		{l.CompletionTokens, "with max_completion_tokens instead of max_tokens"},
		{l.ReplyLimit > 0, "for a reply of at most " + comma(l.ReplyLimit) + " tokens"},
		{len(l.Efforts) > 0, "with reasoning_effort limited to " + strings.Join(l.Efforts, ", ")},
		{l.NoToolEffort, "with reasoning_effort none if tools are offered"},
		{l.CachedApart, "with cached tokens counted separately"},
		{p.MergeSameRole, "with adjacent messages of a role joined"},
		{p.NoToolToUser, "with an answer between a tool result and your message"},
		{p.ToolIDLength > 0, fmt.Sprintf("with tool call ids of %d characters", p.ToolIDLength)},
		{p.EchoReasoning, "with its reasoning sent back"},
		{p.NoReplay, "without provider data of its answers"},
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

// mergedOver returns l, with the fields that l does not set taken from base.
func (l Learned) mergedOver(base Learned) Learned {
	without := slices.Sorted(slices.Values(slices.Concat(base.Without, l.Without)))
	if l.Efforts != nil {
		base.Efforts = nil // Unmarshal would write into a shared slice.
	}
	base.Without = nil
	raw, _ := json.Marshal(l) // Learned can always be encoded.
	_ = json.Unmarshal(raw, &base)
	base.Without = slices.Compact(without)
	return base
}

// facts is what a client knows about one model.
type facts struct {
	learned Learned // from refusals and from what the server reports
	shown   wire.OllamaModel
}

// AllLearned returns how requests to a model differ: what was learned about the model, then what is known about the
// endpoint. Equal requests have equal bytes as long as it stays the same. Since is zero.
func (c *Client) AllLearned(model string) Learned {
	l := c.Learned(model).mergedOver(c.endpoint.Learned)
	l.Since = time.Time{}
	return l
}

// Learned returns what the server taught about a model. It is worth storing for the base URL and the model.
func (c *Client) Learned(model string) Learned {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.facts[model].learned
}

// Learn adds to what is known about a model.
func (c *Client) Learn(model string, more Learned) {
	c.changeFacts(model, func(f *facts) { f.learned = more.mergedOver(f.learned) })
}

// ForgetLearned discards what refusals taught about a model, so that the usual requests are tried again.
func (c *Client) ForgetLearned(model string) {
	c.changeFacts(model, func(f *facts) {
		f.learned = Learned{
			Native: f.learned.Native, Thinks: f.learned.Thinks, ThinkLevels: f.learned.ThinkLevels,
		}
	})
}

// changeFacts calls change with what is known about a model, under the lock.
func (c *Client) changeFacts(model string, change func(*facts)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.facts[model]
	change(&f)
	c.facts[model] = f
}

// learnDifference changes what was learned about a model and returns what became different, as Describe does; "" for
// nothing.
func (c *Client) learnDifference(model string, change func(*Learned)) (news string) {
	before := c.AllLearned(model).Describe()
	c.changeFacts(model, func(f *facts) { change(&f.learned) })
	after := c.AllLearned(model).Describe()
	added := slices.DeleteFunc(after, func(way string) bool { return slices.Contains(before, way) })
	return strings.Join(added, " and ")
}

// Origin identifies the answers of a model. Provider data in an answer is sent back to its origin only.
func (c *Client) Origin(model string) history.Origin {
	return history.Origin{Endpoint: c.endpoint.Name, Model: model}
}

// parameter is a field of a request that servers may refuse on its own.
type parameter struct {
	name   string                         // in Learned.Without and in sentences
	names  string                         // its names in refusals, as alternatives of a regular expression
	drop   func(*wire.Request)            // removes it
	learn  func(rejection) func(*Learned) // what a refusal teaches besides; may be nil and return nil
	number func(*Request) **float64       // its value, from 0 to most; nil if it is not a number
	most   float64
}

const replyLimit = "a limit for the reply"

// parameters are looked for in a refusal in this order.
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

// rejection is a refusal of one parameter.
type rejection struct {
	*Error
	complaint complaint
	sent      wire.Request
	learned   Learned // what was known about the model before
}

// adaptRequest adapts a refused request: it learns to omit a parameter that the model does not support, or changes a
// number that was refused. how describes the change, "" if there is none. next is the changed request if only a number
// was refused, which teaches nothing about the model; otherwise it is nil. With again, a number was already changed
// before, and no other is.
func (c *Client) adaptRequest(e *Error, r Request, again bool) (how string, next *Request) {
	if e.Status != 400 && e.Status != 422 || e.Kind == ErrTooLong {
		return "", nil
	}
	x := rejection{Error: e, sent: c.wireRequest(r), learned: c.AllLearned(r.Model)}
	for _, p := range parameters {
		if x.complaint = complaintAbout(e, r, p.names); x.complaint == noComplaint {
			continue
		}
		var lesson func(*Learned)
		if p.learn != nil {
			lesson = p.learn(x)
		}
		without := x.sent
		p.drop(&without)
		if lesson == nil && x.complaint == unsupported && !reflect.DeepEqual(without, x.sent) {
			lesson = func(l *Learned) { l.Without = append(slices.Clone(l.Without), p.name) }
		}
		if lesson != nil {
			if news := c.learnDifference(r.Model, lesson); news != "" {
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

// effort returns what a refusal teaches about reasoning_effort: that it cannot be combined with tools, or which values
// are accepted.
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
	if values == nil || x.learned.Efforts != nil { // A second list would contradict the first.
		return nil
	}
	return func(l *Learned) { l.Efforts = values }
}

// leastReplyLimit is the smallest number in a refusal that is taken for a reply limit, in tokens.
const leastReplyLimit = 64

// limit returns what a refusal teaches about the reply limit: that it has another key, or the largest number below the
// one that was sent.
func (x rejection) limit() func(*Learned) {
	most := float64(x.sent.MaxTokens)
	limit := x.nearestNumber(most, leastReplyLimit, most)
	switch {
	case x.complaint == unsupported && !x.sent.CompletionTokens && strings.Contains(x.Message, "max_completion_tokens"):
		return func(l *Learned) { l.CompletionTokens = true }
	case x.complaint == wrongValue && limit != nil && x.learned.ReplyLimit == 0:
		return func(l *Learned) {
			if l.ReplyLimit = int(*limit); strings.Contains(x.Message, "exclusive") {
				l.ReplyLimit--
			}
		}
	}
	return nil
}

var numbers = lazyRegexp(`-?(?:\d{1,3}(?:[,_]\d{3})+\b|\d+(?:\.\d+)?)`)

// nearestNumber returns the number in a refusal, between least and most, that is nearest to another number but not
// equal to it; nil if there is none.
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

// complaint is what a refusal says about one parameter of the request.
type complaint int

const (
	noComplaint complaint = iota // nothing, or the parameter is mentioned for another reason
	wrongValue                   // the value is refused; another one may be accepted
	unsupported                  // any value is refused
)

// The words of refusals of a value, and of a parameter.
const (
	valueWords = `\bbetween\b|\brange\b|\b(?:less|greater|higher|lower|larger|smaller|more) than\b|[<>]|` +
		`\bat (?:most|least)\b|\b(?:maximum|minimum)\b|\btoo (?:large|high|low|small)\b|\bexceeds?\b|\bone of\b|` +
		`\b(?:must|should) be (?:in|a number)\b|\bnon-negative\b|\binput should be\b`
	parameterWords = `\bunsupported\b|\bunrecogni[sz]ed\b|\bunknown\b|\bunexpected\b|\bdeprecated\b|` +
		`\bextra_forbidden\b|\b(?:not|doesn't) support(?:ed)?\b|\bnot (?:be )?(?:permitted|allowed|accepted)\b|` +
		`\bcannot (?:both )?be\b`
)

// complaintAbout reads what a refusal says about a parameter. The words must be in the same sentence as one of its
// names, unless the refusal identifies the parameter in a field of its own.
func complaintAbout(e *Error, r Request, names string) complaint {
	if strings.Contains(strings.ToLower(e.Message), "schema for function") {
		return noComplaint // It is about a parameter of a tool.
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

// quotation matches at least three words between quotation marks. A quoted name is shorter.
var quotation = lazyRegexp(`(?:^|[\s(:])(?:"[^"]*\s[^"]*\s[^"]*"|'[^']*\s[^']*\s[^']*')`)

// withoutQuotes returns the text of a refusal in lower case, without quotations and without text of the messages.
func withoutQuotes(text string, messages []history.Message) string {
	text = strings.ToLower(strings.Join(strings.Fields(quotation().ReplaceAllString(text, " ")), " "))
	for _, m := range messages {
		if words := strings.Fields(strings.ToLower(m.Content)); len(words) >= 3 && len(m.Content) < bodyMax {
			text = strings.ReplaceAll(text, strings.Join(words, " "), " ")
		}
	}
	return text
}

// matches reports whether an expression matches a text, ignoring case. It compiles the expression each time, because it
// is used for few refusals only.
func matches(expression, text string) bool {
	return regexp.MustCompile(`(?i)` + expression).MatchString(text)
}

// refusing begins a sentence about what a model does not support. A sentence about the maximum size of an image, for
// example, implies that the model does take images.
const refusing = `(not|n't|cannot|no endpoints found that) (currently )?(support|accept|take|process)s?( for)? `

// formats lists the changes to the history that refusals ask for. A refusal is relevant only if the request contains
// what is refused. If several match, the first one that changes the profile is learned.
var formats = []struct {
	text    func() *regexp.Regexp
	holds   func(Request) bool
	profile history.Profile
}{
	{
		fold(refusing + "(image|vision|multi-?modal)|images? (inputs? )?(is|are) not supported|" +
			"unknown variant `image_url`|invalid type: sequence, expected a string"),
		Request.hasImages,
		history.Profile{NoImages: true},
	},
	{alternate, Request.hasMessages, history.Profile{MergeSameRole: true, NoToolToUser: true}},
	{
		fold(refusing + `(tool|function call)|tool (use|calling|calls?) (is|are) not supported`),
		Request.hasTools,
		history.Profile{NoTools: true, ToolsAsText: true},
	},
	// A template without tools counts calls and results as turns.
	{alternate, Request.hasTools, history.Profile{NoTools: true, ToolsAsText: true}},
	{fold(`must define tools|toolconfig field must`), Request.holdsToolCalls, history.Profile{ToolsAsText: true}},
	{fold(`unexpected role 'user' after role 'tool'`), Request.hasTools, history.Profile{NoToolToUser: true}},
	{fold(`tool call ids? .{0,120}length (of )?9`), Request.hasTools, history.Profile{ToolIDLength: 9}},
	{
		fold(`(?s)reasoning_content.*(passed back|missing)|missing.*reasoning_content`),
		Request.hasMessages,
		history.Profile{EchoReasoning: true},
	},
}

var alternate = fold(`roles must alternate|requests alternate between|must alternate between`)

// learnFormat learns the history format that a refusal asks for, and reports whether it is new. The same request cannot
// be sent again, because its content was already counted and shown.
func (c *Client) learnFormat(e *Error, r Request) bool {
	known := c.Profile(r.Model)
	learns := func(p history.Profile) bool {
		lesson := Learned{Profile: p}
		if lesson.mergedOver(Learned{Profile: known}).Profile == known {
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
	return c.refusesReplay(e, r) && learns(history.Profile{NoReplay: true})
}

// refusesReplay reports whether a refusal is about provider data that an earlier answer contained.
func (c *Client) refusesReplay(e *Error, r Request) bool {
	replayed := make(map[string]json.RawMessage)
	for _, m := range r.Messages {
		if m.Origin != c.Origin(r.Model) {
			continue
		}
		_ = json.Unmarshal([]byte(m.Replay), &replayed) // "" is not JSON and adds no keys.
		for _, call := range m.ToolCalls {
			_ = json.Unmarshal([]byte(call.Replay), &replayed)
		}
	}
	for key := range replayed {
		if refusesKept().MatchString(e.Body) || complaintAbout(e, r, regexp.QuoteMeta(key)) == unsupported {
			return true
		}
	}
	return false
}

func (r Request) hasMessages() bool { return len(r.Messages) > 0 }

// hasImages reports whether a request contains images.
func (r Request) hasImages() bool {
	return slices.ContainsFunc(r.Messages, func(m history.Message) bool {
		return slices.ContainsFunc(m.Parts, func(p history.Part) bool { return p.Kind == history.ImagePart })
	})
}

// hasTools reports whether a request offers tools or contains tool calls or results.
func (r Request) hasTools() bool { return len(r.Tools) > 0 || r.holdsToolCalls() }

// holdsToolCalls reports whether a request contains tool calls or results.
func (r Request) holdsToolCalls() bool {
	return slices.ContainsFunc(r.Messages, func(m history.Message) bool {
		return m.Role == history.Tool || len(m.ToolCalls) > 0
	})
}

// namesResponses matches refusals of a model, or of a model with tools, that is available over the Responses API. An
// older text of OpenAI suggests the wrong API.
var namesResponses = fold(`v1/responses\b|\bresponses api\b|this is not a chat model`)

// refusesKept matches refusals of the reasoning that an earlier answer of the same model contained. The reasoning may
// belong to another key, or the server may have lost it.
var refusesKept = fold(`invalid_encrypted_content|encrypted content [^\n]{0,200}(?:verified|decrypted)|` +
	`item with id '[^']*' not found|of type 'reasoning'|'reasoning' item|` +
	`\binput\[\d+\]\.(?:encrypted_content|summary|phase|id)\b`)

// learnWire changes the wire format of a model if a refusal asks for the Responses API or the server lacks the current
// format, and describes the change. Each change is learned once, so that two refusals cannot send a request back and
// forth.
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
	return c.learnDifference(r.Model, func(l *Learned) { l.Wire = other })
}
