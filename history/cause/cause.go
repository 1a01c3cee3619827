// Package cause defines the reasons that winnow gives: why a message is in a request the way it is, why a text was
// added, and what was repaired. A reason is stored and compared as a code with numbers; its sentence is made when it is
// shown.
package cause

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// Cause is one reason: a code with the numbers and the text that it needs.
type Cause struct {
	Code   Code
	Front  bool // of a recalled message: its own place holds less than the block of recalled texts
	NoCall bool // of a repair with another remedy: the message belongs to no tool group
	// Of a gap, Want is the number of messages.
	Want  int    // the amount needed, 0 if unknown: of a cut message in characters, of a dropped one in tokens
	Have  int    // how much of Want there is: characters sent, tokens left
	Limit int    // the limit that the code names: characters, tokens or messages
	Text  string // shared words, the model of a summary, the name of a call; without a code, a whole sentence
}

// Sentence returns the cause in words for the user, with its numbers.
func (c Cause) Sentence() string {
	if c.Code == None {
		return c.Text
	}
	if c.Want == 0 && (c.Code == OverBudget || c.Code == OverChars) { // in the record of a past request
		return "dropped: " + c.Short()
	}
	number := func(n int) string { return humanize.Comma(int64(n)) }
	cut := "cut to " + number(c.Have) + " of " + number(c.Want) + " characters"
	return strings.TrimSpace(strings.NewReplacer(
		"{cut}", cut, "{have}", number(c.Have), "{want}", number(c.Want), "{limit}", number(c.Limit), "{text}", c.Text,
		"{recalled}",
		"recalled"+phrase(c.Want > 0, ", %s", cut)+phrase(c.Front, "%s", " to the front, cut in its place"),
		"{messages}", english.PluralWord(c.Want, "message that is", "messages that are"),
		"{condensed}", phrase(c.Text != "", ", summarised by %s", c.Text),
		"{invalid}", phrase(c.Want > 0,
			"The arguments of this call were not valid JSON at character %s; they are sent repaired.", number(c.Want)),
		"{short}", phrase(c.Have > 0,
			" The arguments of this call were cut off after %s characters; the complete part is sent.", number(c.Have)),
	).Replace(words[c.Code].sentence))
}

// phrase formats a part of a sentence if holds is true; otherwise it returns "".
func phrase(holds bool, format string, value any) string {
	if !holds {
		return ""
	}
	return fmt.Sprintf(format, value)
}

// Short returns the cause in a few words that follow the disposition, such as "over budget" after "dropped". It is ""
// if the disposition says enough.
func (c Cause) Short() string { return strings.ReplaceAll(words[c.Code].short, "{text}", c.Text) }

// MarshalText encodes a cause as stored in records: the code, then the numbers and flags that are set, then the text.
func (c Cause) MarshalText() ([]byte, error) {
	return []byte(string(c.Code) +
		phrase(c.Have != 0, " have=%d", c.Have) +
		phrase(c.Want != 0, " want=%d", c.Want) +
		phrase(c.Limit != 0, " limit=%d", c.Limit) +
		phrase(c.Front, " %s", "front") +
		phrase(c.NoCall, " %s", "alone") +
		phrase(c.Text != "", " text=%s", c.Text)), nil
}

// UnmarshalText decodes the output of MarshalText.
func (c *Cause) UnmarshalText(written []byte) error {
	code, rest, _ := strings.Cut(string(written), " ")
	fields, text, _ := strings.Cut(" "+rest, " text=")
	*c = Cause{Code: Code(code), Text: text}
	numbers := map[string]*int{"have": &c.Have, "want": &c.Want, "limit": &c.Limit}
	for field := range strings.FieldsSeq(fields) {
		name, value, _ := strings.Cut(field, "=")
		c.Front, c.NoCall = c.Front || field == "front", c.NoCall || field == "alone"
		if number := numbers[name]; number != nil {
			n, err := strconv.Atoi(value)
			if err != nil {
				return fmt.Errorf("read the cause %q: %w", written, err)
			}
			*number = n
		}
	}
	return nil
}
