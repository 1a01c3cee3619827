package transfer

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"winnow/history"
	"winnow/session/transfer/conversation"
)

// largeMessage is the size from which on a message is worth a word. It is imported all the same.
const largeMessage = 16 << 20

// titleSource is how much of the first text a title is looked for in.
const titleSource = 4096

func remarkOn(m conversation.Message, field, what string) Remark {
	return Remark{Index: m.Index, Line: m.Line, Field: field, What: what}
}

func (im *importing) warn(m conversation.Message, field, format string, args ...any) {
	im.out.Warnings = append(im.out.Warnings, remarkOn(m, field, fmt.Sprintf(format, args...)))
}

func (im *importing) warnFile(field, format string, args ...any) {
	im.out.Warnings = append(im.out.Warnings, Remark{Index: -1, Field: field, What: fmt.Sprintf(format, args...)})
}

// fault notes what could not be imported.
func (im *importing) fault(m conversation.Message) {
	im.out.Errors = append(im.out.Errors, remarkOn(m, m.Broken.Field, m.Broken.What))
}

// check notes what is odd about a message.
func (im *importing) check(m conversation.Message) {
	for _, r := range m.Remarks {
		im.warn(m, r.Field, "%s", r.What)
	}
	if m.Size > largeMessage {
		im.warn(m, "", "is %d MiB large; requests with it will be slow", m.Size>>20)
	}
	lacks := m.NoContent && len(m.ToolCalls) == 0 && len(m.Parts) == 0
	if m.Status == history.Quarantined {
		if lacks {
			im.warn(m, "content", "is missing")
		}
		return
	}
	switch n := utf8.RuneCountInString(m.Content); {
	case silent(m.Message.Message) && lacks:
		im.warn(m, "content", "is missing; the message is kept, but never sent")
		return
	case silent(m.Message.Message):
		im.warn(m, "content", "is empty; the message is kept, but never sent")
		return
	case n > longFor(m.Role, im.from.Policy):
		im.warn(m, "content", "is %d characters long; it may be sent shortened", n)
	}
	im.sendable++
	if m.Role == history.User && im.first == "" {
		im.first = m.Content[:min(len(m.Content), titleSource)]
	}
}

// The years in which a message can have been written, but for what the file's own time says.
const (
	firstYear = 1995
	lastYear  = 2100
)

// checkTime notes a time at which the message can hardly have been written. It is kept: the order of a
// conversation is that of its file.
func (im *importing) checkTime(m conversation.Message) {
	at := time.UnixMilli(m.CreatedMS).UTC()
	tooOld := at.Year() < firstYear
	tooNew := at.Year() >= lastYear || im.from.Time.Year() > firstYear && at.After(im.from.Time.Add(48*time.Hour))
	what := "which is too early"
	if tooNew {
		what = "which is later than the file"
	}
	if tooOld || tooNew {
		im.warn(m, "timestamp", "is %s, %s; please check", at.Format("2006-01-02 15:04:05"), what)
	}
}

// silent says that a message has nothing that could be sent. A tool's empty result has: a note says
// that it is empty.
func silent(m history.Message) bool {
	return conversation.Blank(m) && m.Role != history.Tool
}

// longFor is how many characters of a message are not worth a word. Answers are nearly always longer
// than what is kept of an old one, so for them it is what is long for a user's message too.
func longFor(r history.Role, p history.Policy) int {
	switch r {
	case history.Assistant:
		return max(p.UserMaxChars, p.AssistantMaxChars)
	case history.Tool:
		return max(p.UserMaxChars, p.ToolMaxChars)
	}
	return p.UserMaxChars
}

// checkFile notes what is odd about the whole file.
func (im *importing) checkFile(about conversation.About) {
	for _, r := range about.Remarks {
		im.warnFile(r.Field, "%s", r.What)
	}
	if len(about.Unused) > 0 {
		im.warnFile("", "other data in the file is ignored: %s", strings.Join(about.Unused, ", "))
	}
	if im.stored == 0 {
		return
	}
	switch {
	case len(im.untimed) == im.stored:
		im.warnFile("timestamp", "no message has a readable timestamp; the time of the file is used")
	default:
		im.out.Warnings = append(im.out.Warnings, im.untimed...)
	}
	if im.sendable == 0 {
		im.warnFile("messages", "no message can be sent: all are empty or have unknown roles")
	}
	im.out.Warnings = append(im.out.Warnings, im.sample.remarks()...)
}
