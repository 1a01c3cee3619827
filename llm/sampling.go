package llm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// sampled is what of a request's sampling is sent to its model.
type sampled struct {
	maxTokens         int
	temperature, topP *float64
	effort            string
}

// sampling is what of a request's sampling is sent, after all that is known of its model.
func (c *Client) sampling(r Request) sampled {
	return c.Known(r.Model).sampling(r, c.Wire(r.Model))
}

func (l Learned) sampling(r Request, wire Wire) sampled {
	s := sampled{l.maxReply(r.MaxTokens), r.Temperature, r.TopP, r.Effort}
	switch {
	case len(r.Tools) > 0 && l.NoToolEffort && wire == ChatWire:
		s.effort = "none"
	case l.NoEffort:
		s.effort = ""
	case len(l.Efforts) > 0 && s.effort != "":
		s.effort = nearestEffort(s.effort, l.Efforts)
	}
	reasons := l.UnreasonedSampling && s.effort != "" && s.effort != "none"
	if l.NoTemperature || reasons {
		s.temperature = nil
	}
	if l.NoTopP || reasons || l.OneOfSampling && s.temperature != nil {
		s.topP = nil
	}
	return s
}

// MaxReply is how many tokens of a reply a model takes a limit for, at most wanted; 0 asks for no limit.
func (c *Client) MaxReply(model string, wanted int) int { return c.Known(model).maxReply(wanted) }

func (l Learned) maxReply(wanted int) int {
	switch {
	case l.NoReplyLimit:
		return 0
	case l.ReplyLimit > 0:
		return min(wanted, l.ReplyLimit)
	}
	return wanted
}

// efforts are the values of reasoning_effort, in rising order.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// nearestEffort is the one of values that asks for most like the wanted one; of two, the lower.
func nearestEffort(wanted string, values []string) string {
	if slices.Contains(values, wanted) {
		return wanted
	}
	at := slices.Index(efforts, wanted)
	if at < 0 {
		at = slices.Index(efforts, "medium")
	}
	best, distance := "", len(efforts)+1
	for i, e := range efforts {
		if d := max(i-at, at-i); slices.Contains(values, e) && d < distance {
			best, distance = e, d
		}
	}
	return best
}

// changed says what of the sampling is sent otherwise than before, "" for nothing.
func (s sampled) changed(before sampled) string {
	number := func(name string, now, before *float64) string {
		switch {
		case now == before || now != nil && before != nil && *now == *before:
			return ""
		case now == nil:
			return "without " + name
		}
		return fmt.Sprintf("with %s %g", name, *now)
	}
	list := []string{number("temperature", s.temperature, before.temperature), number("top_p", s.topP, before.topP)}
	switch {
	case s.effort == before.effort:
	case s.effort == "":
		list = append(list, "without reasoning_effort")
	default:
		list = append(list, "with reasoning_effort "+s.effort)
	}
	switch {
	case s.maxTokens == before.maxTokens:
	case s.maxTokens == 0:
		list = append(list, "without a limit for the reply")
	default:
		list = append(list, fmt.Sprintf("for a reply of at most %s tokens", comma(s.maxTokens)))
	}
	return strings.Join(slices.DeleteFunc(list, func(text string) bool { return text == "" }), " and ")
}

// Unsent says what of a request's sampling is not sent as it is set, in words that follow "is asked", because the
// model's maker documents that it is not supported; "" for nothing. What the server refused was announced when it did.
func (c *Client) Unsent(r Request) string {
	return c.sampling(r).changed(c.Learned(r.Model).sampling(r, c.Wire(r.Model)))
}

// adapt changes a request whose value of one parameter was refused, and says how it goes out again. It is for this
// request alone: nothing is learned. The value becomes the nearest one that the refusal names; where there is none, or
// the request was adapted before, the parameter is left out.
func (c *Client) adapt(e *Error, r Request, adapted bool) (next Request, how string, ok bool) {
	if !e.refusesParameter() {
		return r, "", false
	}
	sent := c.sampling(r)
	refused := func(is bool, names string) bool { return is && complaintOf(e, r, names) != noComplaint }
	value := func(sent *float64, most float64) *float64 {
		if adapted {
			return nil
		}
		return nearestNumber(e.Message, *sent, 0, most)
	}
	switch {
	case refused(sent.topP != nil, topPNames):
		r.TopP = value(sent.topP, 1)
	case refused(sent.temperature != nil, temperatureNames):
		r.Temperature = value(sent.temperature, 2)
	case refused(sent.effort != "", effortNames):
		r.Effort = ""
	case refused(sent.maxTokens > 0, maxTokensNames):
		r.MaxTokens = 0
	}
	how = c.sampling(r).changed(sent)
	return r, how + ", for this request only", how != ""
}

var numbers = lazyRegexp(`-?(?:\d{1,3}(?:[,_]\d{3})+\b|\d+(?:\.\d+)?)`)

// nearestNumber is the number in a text that is nearest to another one and is not that: from least to most, nil for
// none.
func nearestNumber(text string, to, least, most float64) (nearest *float64) {
	for _, digits := range numbers().FindAllString(text, -1) {
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

// think is how much a model of Ollama is asked to think, nil where that is left to the server. A model that cannot
// think refuses to be asked, and most of those that can know only on and off.
func (l Learned) think(effort string) any {
	switch {
	case effort == "" || !l.Thinks:
		return nil
	case effort == "none":
		return false
	case l.ThinkLevels:
		return nearestEffort(effort, []string{"low", "medium", "high"})
	}
	return true
}
