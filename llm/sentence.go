package llm

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"winnow/llm/keys"
)

// sentenceMax is how much of a server's own words goes into a sentence, in code points. All of
// them stay in Error.Message.
const sentenceMax = 300

// sentences say what failed. Words in braces are filled in: see Error.fill.
var sentences = map[ErrorKind]string{
	Auth:       "{who} rejected the API key from {key}{status}",
	Payment:    "{who} requires payment{status}",
	NotFound:   "{where} does not provide this API{status}",
	RateLimit:  "{who} reports a rate limit{status}{wait}",
	Overflow:   "the request is too long for {model}: {prompt} tokens, and the window holds {limit}",
	BadRequest: "{who} refused the request{status}",
	Server:     "{who} failed{status}{wait}",
	Refused:    "nothing answers at {where} (connection refused); is the server running?",
	Network:    "{where} cannot be reached",
	TimedOut:   "{where} did not answer in time",
	BadStream:  "{who} sent a response that is not a chat completion{status}",
	Broken:     "the connection to {who} was lost before the answer was complete",
	Endless:    "the answer of {who} exceeded {largest} MiB and was cut off",
	Stopped:    "stopped",
	"":         "{who} did not answer{status}",
}

const (
	checkURL = "check the base URL"
	storeKey = "run winnow keys set {endpoint} to "
)

// sentence says what failed and what to do, "" for nothing in particular: by what is known beside the kind, else by
// the kind alone.
func (e *Error) sentence() (failed, advice string) {
	switch {
	case e.page:
		return "{where} answered with a web page{title} instead of an API{status}", checkURL
	case e.redirect:
		return "{where} redirects to {target}{status}, and winnow does not follow redirects", checkURL
	case e.Tools == TheTools:
		return "{who} does not accept the tool calls in this conversation{status}", ""
	}
	switch e.Kind {
	case Auth:
		return e.keySentence()
	case NotFound:
		switch {
		case e.Model != "" && strings.Contains(strings.ToLower(e.Message), "model"):
			return "{who} does not have the model {model}{status}", ""
		case e.wire == ResponsesWire:
			return "{where} has no Responses API{status}", ""
		}
		return sentences[NotFound], checkURL
	case BadRequest:
		if parserTexts().MatchString(e.Message) {
			return "{who} could not parse the request{status}",
				"what winnow sent is valid JSON: look for a proxy that changes it, or try another model"
		}
	case Overflow:
		switch {
		case e.Limit == 0:
			return "the request is too long for {model}{status}", ""
		case e.Prompt == 0:
			return "the request is too long for {model}: its window holds {limit} tokens", ""
		case e.Output > 0 && e.Prompt <= e.Limit:
			return "the request and its reply are too long for {model}: " +
				"{prompt} tokens and {output} for the reply, and the window holds {limit}", ""
		}
	case TimedOut:
		switch {
		case e.Silence > 0:
			return "{who} sent nothing for {silence}", ""
		case e.Status != 0:
			return "{who} timed out{status}", ""
		}
	}
	return sentences[e.Kind], ""
}

// keySentence says what is wrong with the key, and what to do where winnow keys set stores one for the endpoint.
func (e *Error) keySentence() (failed, advice string) {
	switch {
	case e.unread:
		return "{who} was not asked, because its API key cannot be read", ""
	case e.Status == 407:
		return "{who} is behind a proxy that requires a password{status}", ""
	case e.Status == 403:
		return "{who} denied access{status}", ""
	case e.noKey && e.KeyFrom.Kind == keys.Variable:
		failed, advice = "{who} requires an API key, and {variable} is not set{status}", storeKey+"store one"
	case e.noKey:
		failed, advice = "{who} requires an API key and none is set{status}", storeKey+"store one"
	case e.KeyFrom == keys.Origin{}:
		return "{who} rejected the API key{status}", ""
	default:
		failed, advice = sentences[Auth], storeKey+"replace it"
	}
	if !e.taker {
		advice = ""
	}
	return failed, advice
}

// said is sentence, filled in.
func (e *Error) said() (failed, advice string) {
	failed, advice = e.sentence()
	fill := e.fill()
	return fill.Replace(failed), fill.Replace(advice)
}

// fill puts what is known of an error in the place of words in braces.
func (e *Error) fill() *strings.Replacer {
	where := cmp.Or(e.Address, e.Endpoint, "the server")
	title, status, wait, model := "", "", "", "the model"
	if t := oneLine(e.Message, 60); t != "" {
		title = ` ("` + t + `")`
	}
	if e.Status != 0 {
		status = " (" + strconv.Itoa(e.Status) + ")"
	}
	if e.Wait > 0 {
		wait = " and asks to wait " + durationText(e.Wait)
	}
	if e.Model != "" {
		model = oneLine(e.Model, 80)
	}
	return strings.NewReplacer(
		"{who}", cmp.Or(e.Endpoint, where), "{where}", where, "{endpoint}", e.Endpoint, "{model}", model,
		"{status}", status, "{wait}", wait, "{silence}", durationText(e.Silence), "{title}", title,
		"{target}", cmp.Or(oneLine(e.Message, sentenceMax), "another address"),
		"{variable}", e.KeyFrom.Name, "{key}", e.KeyFrom.String(),
		"{prompt}", comma(e.Prompt), "{output}", comma(e.Output), "{limit}", comma(e.Limit),
		"{largest}", strconv.Itoa(LargestAnswer>>20),
	)
}

// Error says to the user what failed, then what the server wrote, then what to do.
func (e *Error) Error() string {
	failed, advice := e.said()
	words := e.Words()
	switch {
	case words == "":
		return e.WithoutWords()
	case advice == "":
		return failed + ": " + words
	}
	return failed + ": " + strings.TrimSuffix(words, ".") + ". " + strings.ToUpper(advice[:1]) + advice[1:]
}

// WithoutWords is the text of the error without the server's own words.
func (e *Error) WithoutWords() string {
	failed, advice := e.said()
	if advice == "" {
		return failed
	}
	return failed + "; " + advice
}

// Words are the server's own words that the error's text quotes: "" for none, and where winnow says the same.
func (e *Error) Words() string {
	if e.page || e.redirect || e.Kind == Refused || e.Kind == Stopped || e.Kind == Overflow && e.Limit > 0 {
		return ""
	}
	return oneLine(e.Message, sentenceMax)
}

// oneLine makes foreign text fit for a sentence: white space becomes single spaces, control and
// format characters, with which a server could move the cursor, go, and a long text is cut.
func oneLine(text string, limit int) string {
	text = strings.ToValidUTF8(text[:min(len(text), limit*8)], "\uFFFD")
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.C, r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:limit])) + " …"
}

// durationText is a duration for a sentence: 250 ms, 12 s, 2 min 5 s, 3 h.
func durationText(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	d = (d + time.Second - 1).Truncate(time.Second)
	if d >= time.Hour {
		d = d.Truncate(time.Minute)
	}
	var parts []string
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if n := d / unit.size; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
		}
		d %= unit.size
	}
	return strings.Join(parts, " ")
}

func comma(n int) string { return humanize.Comma(int64(n)) }
