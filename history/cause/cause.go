// Package cause has the reasons that winnow gives: why a message is in a request the way it is, why a text was added,
// and what was repaired. A reason is a code with its numbers. It is stored and compared as that; its sentence is made
// where it is shown. The package decides nothing.
package cause

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// Cause is one reason: a code with the numbers and the text that it needs.
type Cause struct {
	Code  Code
	Front bool   // of a recalled message: its place holds less of it than the block in front of the current message
	Alone bool   // of a repair that the user has another remedy for: it holds for the message, which is in no tool group
	Want  int    // what it takes: characters of a message that is cut, tokens of one that did not fit, messages of a gap
	Have  int    // how much of Want is there: characters that are sent, tokens that were left
	Limit int    // the limit that the code names: characters, tokens or messages
	Text  string // words that the current message shares with it, the model that made a summary, the name of a call, codes of faults, or a sentence where there is no code
}

// Sentence is the cause in words for the user, with its numbers.
func (c Cause) Sentence() string {
	if c.Code == None || c.Code >= codes {
		return c.Text
	}
	sentence := words[c.Code].sentence
	if !strings.Contains(sentence, "{") {
		return sentence
	}
	number := func(n int) string { return humanize.Comma(int64(n)) }
	return strings.TrimSpace(strings.NewReplacer(
		"{have}", number(c.Have), "{want}", number(c.Want), "{limit}", number(c.Limit), "{text}", c.Text,
		"{recalled}", c.recalled(), "{messages}", c.messages(), "{condensed}", phrase(c.Text != "", ", summarised by %s", c.Text),
		"{invalid}", phrase(c.Want > 0, " The arguments of this call were not valid JSON at character %d; they are sent repaired.", c.Want),
		"{short}", phrase(c.Have > 0, " The arguments of this call were cut off after %d characters; the complete part is sent.", c.Have),
	).Replace(sentence))
}

// phrase is a part of a sentence where it holds, else nothing.
func phrase(holds bool, format string, value any) string {
	if !holds {
		return ""
	}
	return fmt.Sprintf(format, value)
}

// recalled says how much of a recalled message is where.
func (c Cause) recalled() string {
	how := "recalled"
	if c.Want > 0 {
		how = fmt.Sprintf("recalled, cut to %s of %s characters", humanize.Comma(int64(c.Have)), humanize.Comma(int64(c.Want)))
	}
	return how + phrase(c.Front, "%s", " to the front, cut in its place")
}

func (c Cause) messages() string {
	if c.Want == 1 {
		return "1 message that is"
	}
	return humanize.Comma(int64(c.Want)) + " messages that are"
}

// MarshalText writes a cause as records keep it: the name of its code, then the numbers that it has, and the text
// last. A cause without a code is its text.
func (c Cause) MarshalText() ([]byte, error) {
	if c.Code == None {
		return []byte(c.Text), nil
	}
	text := []byte(c.Code.String())
	for _, n := range []struct {
		key   string
		value int
	}{{" have=", c.Have}, {" want=", c.Want}, {" limit=", c.Limit}} {
		if n.value != 0 {
			text = strconv.AppendInt(append(text, n.key...), int64(n.value), 10)
		}
	}
	if c.Front {
		text = append(text, " front"...)
	}
	if c.Alone {
		text = append(text, " alone"...)
	}
	if c.Text != "" {
		text = append(append(text, " text="...), c.Text...)
	}
	return text, nil
}

// UnmarshalText reads what MarshalText wrote.
func (c *Cause) UnmarshalText(text []byte) error {
	written := string(text)
	if read, ok := readCause(written); ok {
		*c = read
		return nil
	}
	*c = Cause{Text: written}
	return nil
}

// codeOf is the code with a name.
func codeOf(name string) (Code, bool) {
	code := slices.IndexFunc(words[:], func(w struct{ name, sentence string }) bool { return w.name == name })
	return Code(max(0, code)), code > 0
}

// readCause reads what MarshalText wrote for a cause with a code.
func readCause(written string) (Cause, bool) {
	name, rest, _ := strings.Cut(written, " ")
	code, ok := codeOf(name)
	if !ok {
		return Cause{}, false
	}
	c := Cause{Code: code}
	for rest != "" {
		if text, ok := strings.CutPrefix(rest, "text="); ok {
			c.Text = text
			return c, true
		}
		var field string
		field, rest, _ = strings.Cut(rest, " ")
		key, value, _ := strings.Cut(field, "=")
		n, err := strconv.Atoi(value)
		switch {
		case field == "front":
			c.Front = true
		case field == "alone":
			c.Alone = true
		case err != nil:
			return Cause{}, false
		case key == "have":
			c.Have = n
		case key == "want":
			c.Want = n
		case key == "limit":
			c.Limit = n
		default:
			return Cause{}, false
		}
	}
	return c, true
}
