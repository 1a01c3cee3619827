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

// Error says to the user what failed, then what the server wrote, then what to do.
func (e *Error) Error() string {
	words, advice := e.Words(), e.advice()
	switch {
	case words == "":
		return e.WithoutWords()
	case advice == "":
		return e.sentence() + ": " + words
	}
	return e.sentence() + ": " + strings.TrimSuffix(words, ".") + ". " + strings.ToUpper(advice[:1]) + advice[1:]
}

// WithoutWords is the text of the error without the server's own words.
func (e *Error) WithoutWords() string {
	if advice := e.advice(); advice != "" {
		return e.sentence() + "; " + advice
	}
	return e.sentence()
}

// Words are the server's own words that the error's text quotes, "" for none.
func (e *Error) Words() string {
	if !e.quotes() {
		return ""
	}
	return oneLine(e.Message, sentenceMax)
}

// quotes says that the server's own words follow the sentence. Where winnow knows the same
// better, they would only repeat it.
func (e *Error) quotes() bool {
	switch e.Kind {
	case Overflow:
		return e.Limit == 0
	case Refused, Stopped:
		return false
	}
	return !e.page && !e.redirect
}

func (e *Error) sentence() string {
	if e.page {
		return fmt.Sprintf("%s answered with a web page%s instead of an API%s", e.where(), quoted(e.Message), e.status())
	}
	if e.redirect {
		return e.where() + " redirects to " + cmp.Or(oneLine(e.Message, sentenceMax), "another address") + e.status() + ", and winnow does not follow redirects"
	}
	if e.Tools == TheTools {
		return e.who() + " does not accept the tool calls in this conversation" + e.status()
	}
	switch e.Kind {
	case Auth:
		return e.who() + e.authSentence()
	case Payment:
		return e.who() + " requires payment" + e.status()
	case NotFound:
		return e.notFoundSentence()
	case RateLimit:
		return e.who() + " reports a rate limit" + e.status() + e.waitClause()
	case Overflow:
		return e.overflowSentence()
	case BadRequest:
		return e.who() + " refused the request" + e.status()
	case Server:
		return e.who() + " failed" + e.status() + e.waitClause()
	case Refused:
		return "nothing answers at " + e.where() + " (connection refused); is the server running?"
	case Network:
		return e.where() + " cannot be reached"
	case TimedOut:
		return e.timedOutSentence()
	case BadStream:
		return e.who() + " sent a response that is not a chat completion" + e.status()
	case Empty:
		return "the model answered nothing" + e.status()
	case Broken:
		return "the connection to " + e.who() + " was lost before the answer was complete"
	case Endless:
		return fmt.Sprintf("the answer of %s exceeded %d MiB and was cut off", e.who(), LargestAnswer>>20)
	case Stopped:
		return "stopped"
	}
	return e.who() + " did not answer" + e.status()
}

// advice says what the user can do, "" for nothing in particular.
func (e *Error) advice() string {
	switch {
	case e.page, e.redirect:
		return "check the base URL"
	case e.Tools == TheTools:
		return ""
	case e.Kind == NotFound && !e.unknownModel() && e.wire != ResponsesWire:
		return "check the base URL"
	case e.Kind != Auth || !e.taker || e.unread || e.Status == 407 || e.Status == 403:
		return ""
	case e.noKey:
		return "run winnow keys set " + e.Endpoint + " to store one"
	case e.KeyFrom == keys.Origin{}:
		return ""
	}
	return "run winnow keys set " + e.Endpoint + " to replace it"
}

// authSentence says what is wrong with the key.
func (e *Error) authSentence() string {
	switch {
	case e.unread:
		return " was not asked, because its API key cannot be read"
	case e.Status == 407:
		return " is behind a proxy that requires a password" + e.status()
	case e.Status == 403:
		return " denied access" + e.status()
	case e.noKey:
		none := " and none is set"
		if e.KeyFrom.Kind == keys.Variable {
			none = ", and " + e.KeyFrom.Name + " is not set"
		}
		return " requires an API key" + none + e.status()
	case e.KeyFrom == keys.Origin{}:
		return " rejected the API key" + e.status()
	}
	return " rejected the API key from " + e.KeyFrom.String() + e.status()
}

// unknownModel says that the server does not have the model, rather than the API.
func (e *Error) unknownModel() bool {
	return e.Model != "" && strings.Contains(strings.ToLower(e.Message), "model")
}

func (e *Error) notFoundSentence() string {
	if e.unknownModel() {
		return e.who() + " does not have the model " + oneLine(e.Model, 80) + e.status()
	}
	if e.wire == ResponsesWire {
		return e.where() + " has no Responses API" + e.status()
	}
	return e.where() + " does not provide this API" + e.status()
}

func (e *Error) overflowSentence() string {
	model := "the model"
	if e.Model != "" {
		model = oneLine(e.Model, 80)
	}
	switch {
	case e.Prompt > 0 && e.Limit > 0 && e.Output > 0 && e.Prompt <= e.Limit:
		return fmt.Sprintf("the request and its reply are too long for %s: %s tokens and %s for the reply, and the window holds %s",
			model, comma(e.Prompt), comma(e.Output), comma(e.Limit))
	case e.Prompt > 0 && e.Limit > 0:
		return fmt.Sprintf("the request is too long for %s: %s tokens, and the window holds %s", model, comma(e.Prompt), comma(e.Limit))
	case e.Limit > 0:
		return fmt.Sprintf("the request is too long for %s: its window holds %s tokens", model, comma(e.Limit))
	}
	return "the request is too long for " + model + e.status()
}

func (e *Error) timedOutSentence() string {
	if e.Silence > 0 {
		return fmt.Sprintf("%s sent nothing for %s", e.who(), durationText(e.Silence))
	}
	if e.Status != 0 {
		return e.who() + " timed out" + e.status()
	}
	return e.where() + " did not answer in time"
}

// waitClause tells how long the server wants to be left alone.
func (e *Error) waitClause() string {
	if e.Wait <= 0 {
		return ""
	}
	return " and asks to wait " + durationText(e.Wait)
}

func (e *Error) status() string {
	if e.Status == 0 {
		return ""
	}
	return " (" + strconv.Itoa(e.Status) + ")"
}

// who is the endpoint's name, or where it is.
func (e *Error) who() string {
	if e.Endpoint != "" {
		return e.Endpoint
	}
	return e.where()
}

func (e *Error) where() string {
	if e.Address != "" {
		return e.Address
	}
	if e.Endpoint != "" {
		return e.Endpoint
	}
	return "the server"
}

func quoted(title string) string {
	if title = oneLine(title, 60); title != "" {
		return ` ("` + title + `")`
	}
	return ""
}

// oneLine makes foreign text fit for a sentence: white space becomes single spaces, control and
// format characters, with which a server could move the cursor, go, and a long text is cut.
func oneLine(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > limit*8 {
		text = text[:limit*8]
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.Is(unicode.C, r) {
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
	seconds := int((d + time.Second - 1) / time.Second)
	switch hours, minutes := seconds/3600, seconds/60%60; {
	case hours > 0 && minutes > 0:
		return fmt.Sprintf("%d h %d min", hours, minutes)
	case hours > 0:
		return fmt.Sprintf("%d h", hours)
	case minutes > 0 && seconds%60 > 0:
		return fmt.Sprintf("%d min %d s", minutes, seconds%60)
	case minutes > 0:
		return fmt.Sprintf("%d min", minutes)
	}
	return fmt.Sprintf("%d s", seconds)
}

func comma(n int) string { return humanize.Comma(int64(n)) }
