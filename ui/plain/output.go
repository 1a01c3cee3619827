package plain

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"winnow/history"
	"winnow/session"
	"winnow/ui/theme"
)

// say writes a line of winnow's own.
func (c *chat) say(format string, args ...any) {
	c.endLine()
	fmt.Fprintf(c.Out, format+"\n", args...)
}

// done says what was done, unless it failed.
func (c *chat) done(err error, sentence string) error {
	if err == nil {
		c.say("%s", sentence)
	}
	return err
}

// write writes a piece of an answer.
func (c *chat) write(text string) {
	if text == "" {
		return
	}
	io.WriteString(c.Out, text)
	c.openLine = !strings.HasSuffix(text, "\n")
}

// endLine ends a line that a piece of an answer left open.
func (c *chat) endLine() {
	if c.openLine {
		io.WriteString(c.Out, "\n")
		c.openLine = false
	}
}

// report says why something did not work, where it did not, and what can be done about it here.
func (c *chat) report(err error) {
	over, other := (*session.OversizeError)(nil), (*session.OtherAddressError)(nil)
	more := ""
	switch {
	case err == nil:
		return
	case errors.As(err, &over):
		err, more = errors.New(over.Sentence(remedies)), " Nothing was sent or saved."
	case errors.As(err, &other):
		more = " Nothing was sent; /model " + c.s.Model().Ref() + " agrees to that."
	}
	c.say("%s", theme.UpperFirst(theme.Sentence(err))+more)
}

// remedies are what helps against a message that is too long.
var remedies = session.Remedies{
	Parts:  map[history.PartOf]string{history.PartSystem: "/system", history.PartDraft: "shorten it"},
	Budget: "/budget",
	Window: "/window",
	Model:  "/model",
}
