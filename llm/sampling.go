package llm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The quirks of one model about what is asked of it beside the messages. Those that end in = are followed
// by a value.
const (
	noTemperature = "no-temperature" // refuses temperature, or the value that is set
	noTopP        = "no-top-p"       // refuses top_p, or has it only without temperature
	noEffort      = "no-effort"      // refuses reasoning_effort
	effortValues  = "effort-values=" // takes only these, separated by commas
	noToolEffort  = "no-tool-effort" // takes tools only with reasoning_effort none

	samplingUnreasoned   = "sampling-unreasoned"  // takes temperature and top_p only where it does not reason
	oneOfTemperatureTopP = "temperature-or-top-p" // does not take both
	maxOutputTokens      = "max-output-tokens="   // the longest reply that may be asked for; 0 takes no limit at all
)

// sampled is what of a request's sampling is sent to its model.
type sampled struct {
	maxTokens         int
	temperature, topP *float64
	effort            string
}

// sampling is what of a request's sampling is sent, after all that the model refused.
func (c *Client) sampling(r Request) sampled {
	s := sampled{r.MaxTokens, r.Temperature, r.TopP, r.Effort}
	if c.has(of(r.Model, noTemperature)) {
		s.temperature = nil
	}
	if c.has(of(r.Model, noTopP)) {
		s.topP = nil
	}
	if values, known := c.value(r.Model, effortValues); known && s.effort != "" {
		s.effort = nearestEffort(s.effort, strings.Split(values, ","))
	}
	if c.has(of(r.Model, noEffort)) {
		s.effort = ""
	}
	if len(r.Tools) > 0 && c.has(of(r.Model, noToolEffort)) && c.Wire(r.Model) == ChatWire {
		s.effort = "none"
	}
	if c.has(of(r.Model, samplingUnreasoned)) && s.effort != "" && s.effort != "none" {
		s.temperature, s.topP = nil, nil
	}
	if c.has(of(r.Model, oneOfTemperatureTopP)) && s.temperature != nil {
		s.topP = nil
	}
	s.maxTokens = c.MaxReply(r.Model, s.maxTokens)
	return s
}

// MaxReply is how many tokens of a reply a model takes a limit for, at most wanted; 0 asks for no limit.
func (c *Client) MaxReply(model string, wanted int) int {
	value, known := c.value(model, maxOutputTokens)
	if !known {
		return wanted
	}
	limit, _ := strconv.Atoi(value)
	return min(wanted, limit)
}

// value is the value of a model's quirk.
func (c *Client) value(model, quirk string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, q := range c.quirks {
		if value, ok := strings.CutPrefix(q, quirk); ok {
			if value, ok = strings.CutSuffix(value, " "+model); ok {
				return value, true
			}
		}
	}
	return "", false
}

// replace learns a quirk with a value in the place of the one with another value.
func (c *Client) replace(model, quirk, value string) {
	c.mu.Lock()
	c.quirks = slices.DeleteFunc(c.quirks, func(q string) bool {
		return strings.HasPrefix(q, quirk) && strings.HasSuffix(q, " "+model)
	})
	c.mu.Unlock()
	c.Learn(of(model, quirk+value))
}

var (
	listsValues = lazyRegexp(`(?i)(?:(?:supported|valid) values(?: are)?|one of|input should be)(.{1,200})`)
	quotedWord  = lazyRegexp("['\"`]([a-z]+)['\"`]")
	tokenCount  = lazyRegexp(`\d[\d,_]*`)
	namesTools  = lazyRegexp(`(?i)\bfunction tools\b|\btools\b`)
)

// learnSampling is learn for what of a request's sampling a refusal is about. A value that is refused teaches nothing
// but the values or the limit that the refusal names in its place: see adapt.
func (c *Client) learnSampling(e *Error, r Request) (how string, learned bool) {
	sent := c.sampling(r)
	effort := complaintOf(e, r, effortNames)
	switch {
	case sent.topP != nil && complaintOf(e, r, topPNames) == unsupported:
		return "without top_p", c.news(of(r.Model, noTopP))
	case sent.temperature != nil && complaintOf(e, r, temperatureNames) == unsupported:
		return "without temperature", c.news(of(r.Model, noTemperature))
	case len(r.Tools) > 0 && sent.effort != "none" && effort != noComplaint && namesTools().MatchString(e.Message):
		return "with reasoning_effort none, which it requires if tools are offered", c.news(of(r.Model, noToolEffort))
	case sent.effort != "" && effort != noComplaint:
		return c.learnEffort(e.Message, r, effort, sent.effort)
	case sent.maxTokens > 0:
		return c.learnMaxOutput(e, r, sent.maxTokens)
	}
	return "", false
}

// learnEffort takes the values that a refusal lists, or leaves reasoning_effort out where it is not supported at all.
func (c *Client) learnEffort(text string, r Request, said complaint, sent string) (how string, learned bool) {
	values := listedEfforts(text, sent)
	_, again := c.value(r.Model, effortValues)
	switch {
	case len(values) > 0 && (!again || c.isAssumed(r.Model, effortValues)):
		c.replace(r.Model, effortValues, strings.Join(values, ","))
		return "with reasoning_effort " + nearestEffort(sent, values), true
	case len(values) == 0 && said == unsupported:
		return "without reasoning_effort", c.news(of(r.Model, noEffort))
	}
	return "", false
}

// listedEfforts are the values of reasoning_effort that a refusal lists, without the one that was sent.
func listedEfforts(text, sent string) []string {
	list := listsValues().FindStringSubmatch(text)
	if list == nil {
		return nil
	}
	var values []string
	for _, m := range quotedWord().FindAllStringSubmatch(list[1], -1) {
		if slices.Contains(efforts, m[1]) && m[1] != sent {
			values = append(values, m[1])
		}
	}
	return values
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

// learnMaxOutput takes the largest number below what was asked for, or asks for no limit where none is supported.
func (c *Client) learnMaxOutput(e *Error, r Request, sent int) (how string, learned bool) {
	said := complaintOf(e, r, maxTokensNames)
	if said == noComplaint {
		return "", false
	}
	limit := 0
	for _, digits := range tokenCount().FindAllString(e.Message, -1) {
		n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(digits))
		if err == nil && n < sent {
			limit = max(limit, n)
		}
	}
	if strings.Contains(e.Message, "exclusive") && limit > 0 {
		limit--
	}
	_, again := c.value(r.Model, maxOutputTokens)
	switch {
	case said == unsupported:
		c.replace(r.Model, maxOutputTokens, "0")
		return "without a limit for the reply", true
	case limit >= leastOutput && !again:
		c.replace(r.Model, maxOutputTokens, strconv.Itoa(limit))
		return fmt.Sprintf("for a reply of at most %s tokens", comma(limit)), true
	}
	return "", false
}

// leastOutput is the smallest number in a refusal that is taken for a limit of the reply.
const leastOutput = 64

// adapt changes a request whose value of one parameter was refused, and says how it goes out again. It is for this
// request alone: nothing is learned. The value becomes the nearest one that the refusal names; where there is none, or
// the request was adapted before, the parameter is left out.
func (c *Client) adapt(e *Error, r Request, adapted bool) (next Request, how string, ok bool) {
	if e.Status != 400 && e.Status != 422 || e.Kind == Overflow {
		return r, "", false
	}
	sent := c.sampling(r)
	switch {
	case sent.topP != nil && complaintOf(e, r, topPNames) != noComplaint:
		r.TopP, how = nearestValue(e.Message, *sent.topP, 1, adapted), "top_p"
	case sent.temperature != nil && complaintOf(e, r, temperatureNames) != noComplaint:
		r.Temperature, how = nearestValue(e.Message, *sent.temperature, 2, adapted), "temperature"
	case sent.effort != "" && complaintOf(e, r, effortNames) != noComplaint:
		r.Effort, how = "", "reasoning_effort"
	case sent.maxTokens > 0 && complaintOf(e, r, maxTokensNames) != noComplaint:
		r.MaxTokens, how = 0, "a limit for the reply"
	}
	now := c.sampling(r)
	switch {
	case now == sent:
		return r, "", false // It names nothing that can be changed.
	case now.topP != nil && now.topP != sent.topP:
		how = fmt.Sprintf("with top_p %g", *now.topP)
	case now.temperature != nil && now.temperature != sent.temperature:
		how = fmt.Sprintf("with temperature %g", *now.temperature)
	default:
		how = "without " + how
	}
	return r, how + ", for this request only", true
}

var decimal = lazyRegexp(`-?\d+(?:\.\d+)?`)

// nearestValue is the number in a refusal that is nearest to the one that was sent, from 0 to most; nil for none, or
// where the parameter is to be left out.
func nearestValue(text string, sent, most float64, leaveOut bool) *float64 {
	if leaveOut {
		return nil
	}
	var nearest *float64
	for _, digits := range decimal().FindAllString(text, -1) {
		n, err := strconv.ParseFloat(digits, 64)
		if err != nil || n == sent || n < 0 || n > most {
			continue
		}
		if nearest == nil || math.Abs(n-sent) < math.Abs(*nearest-sent) {
			nearest = &n
		}
	}
	return nearest
}
