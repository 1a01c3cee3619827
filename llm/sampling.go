package llm

import (
	"fmt"
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
	namesTemperature = lazyRegexp(`(?i)\btemperature\b`)
	namesTopP        = lazyRegexp(`(?i)\btop_?p\b`)
	namesEffort      = lazyRegexp(`(?i)\breasoning[_. ]effort\b|\bthinking level\b|\beffort\b|does not support thinking`)
	namesMaxTokens   = lazyRegexp(`(?i)\bmax_?(?:completion_?|output_?)?tokens\b`)
	namesTools       = lazyRegexp(`(?i)\bfunction tools\b|\btools\b`)

	listsValues = lazyRegexp(`(?i)(?:supported values are|must be one of|should be one of|expected one of|one of|input should be|valid values(?: are)?)(.{1,200})`)
	quotedWord  = lazyRegexp("['\"`]([a-z]+)['\"`]")
	tokenCount  = lazyRegexp(`\d[\d,_]*`)
)

// learnSampling is learn for what of a request's sampling a refusal is about.
func (c *Client) learnSampling(text string, r Request) (how string, learned bool) {
	sent := c.sampling(r)
	switch {
	case sent.topP != nil && namesTopP().MatchString(text):
		return "without top_p", c.news(of(r.Model, noTopP))
	case sent.temperature != nil && namesTemperature().MatchString(text):
		return "without temperature", c.news(of(r.Model, noTemperature))
	case len(r.Tools) > 0 && sent.effort != "none" && namesEffort().MatchString(text) && namesTools().MatchString(text):
		return "with reasoning_effort none, which it requires if tools are offered", c.news(of(r.Model, noToolEffort))
	case sent.effort != "" && namesEffort().MatchString(text):
		return c.learnEffort(text, r, sent.effort)
	case sent.maxTokens > 0 && namesMaxTokens().MatchString(text):
		return c.learnMaxOutput(text, r, sent.maxTokens)
	}
	return "", false
}

// learnEffort takes the values that a refusal lists, or leaves reasoning_effort out.
func (c *Client) learnEffort(text string, r Request, sent string) (how string, learned bool) {
	var values []string
	if list := listsValues().FindStringSubmatch(text); list != nil {
		for _, m := range quotedWord().FindAllStringSubmatch(list[1], -1) {
			if slices.Contains(efforts, m[1]) && m[1] != sent {
				values = append(values, m[1])
			}
		}
	}
	if _, again := c.value(r.Model, effortValues); len(values) == 0 || again && !c.isAssumed(r.Model, effortValues) {
		return "without reasoning_effort", c.news(of(r.Model, noEffort))
	}
	c.replace(r.Model, effortValues, strings.Join(values, ","))
	return "with reasoning_effort " + nearestEffort(sent, values), true
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

// learnMaxOutput takes the largest number below what was asked for, or asks for no limit where a refusal
// names none or the number it named was refused too.
func (c *Client) learnMaxOutput(text string, r Request, sent int) (how string, learned bool) {
	limit := 0
	for _, digits := range tokenCount().FindAllString(text, -1) {
		n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(digits))
		if err == nil && n < sent {
			limit = max(limit, n)
		}
	}
	if strings.Contains(text, "exclusive") && limit > 0 {
		limit--
	}
	if _, again := c.value(r.Model, maxOutputTokens); again || limit < leastOutput {
		limit = 0
	}
	c.replace(r.Model, maxOutputTokens, strconv.Itoa(limit))
	if limit == 0 {
		return "without a limit for the reply", true
	}
	return fmt.Sprintf("for a reply of at most %s tokens", comma(limit)), true
}

// leastOutput is the smallest number in a refusal that is taken for a limit of the reply.
const leastOutput = 64
