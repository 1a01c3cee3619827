package session

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"winnow/history"
	"winnow/llm"
)

// promptReader reads the messages of a conversation that winnow wrote as one text. Such a text has no
// dates, tells of tool calls in words, and may hold less than was said: what it does not hold cannot
// come back.
type promptReader struct {
	in    *bufio.Reader
	line  int
	head  []string // of the message to read next, nil before the first
	at    int      // the line of its head
	over  bool
	begun bool
	index int
	about llm.About
}

// The lines with which such a text begins, and the one with which it ends. Texts of older versions begin with
// the header.
const (
	promptIntro  = "This is a conversation between a user and an AI assistant;"
	promptHeader = "💬 CONVERSATION HISTORY"
	promptEnds   = "📊 History metadata:"
)

var promptHead = regexp.MustCompile(`^\[(\d+|\+)\] (?:👤|🤖|💬) (System|User|Assistant|Tool)(?: \(\d\d:\d\d:\d\d\))?( \[TRUNCATED\])?:$`)

func newPromptReader(r io.Reader) *promptReader { return &promptReader{in: bufio.NewReader(r)} }

// About is what the text says of the conversation. It is whole when Next has returned io.EOF.
func (r *promptReader) About() llm.About { return r.about }

// Next returns the next message, and io.EOF behind the last one.
func (r *promptReader) Next() (llm.Told, error) {
	if !r.begun {
		r.begun = true
		r.about.Remarks = append(r.about.Remarks, llm.Remark{What: "the file is a conversation as one text: tool calls and files are words of its messages and stay that"})
		if _, err := r.text(); err != nil {
			return llm.Told{}, err
		}
	}
	for !r.over {
		head, at := r.head, r.at
		text, err := r.text()
		if err != nil {
			return llm.Told{}, err
		}
		role := history.Role(strings.ToLower(head[2]))
		if head[1] != "+" {
			return r.told(role, text, head[3] != "", at), nil
		}
		if role == history.System && r.about.System == "" && r.index == 0 {
			r.about.System = text
			continue
		}
		r.about.Remarks = append(r.about.Remarks, llm.Remark{What: fmt.Sprintf("line %d: winnow had added this text; it is not imported", at)})
	}
	return llm.Told{}, io.EOF
}

func (r *promptReader) told(role history.Role, text string, short bool, at int) llm.Told {
	told := llm.Told{
		Index: r.index, Line: at, Size: len(text),
		Message: history.Message{Role: role, Content: text, Status: history.Imported},
	}
	r.index++
	if short {
		told.Remarks = append(told.Remarks, llm.Remark{Field: "content", What: "was shortened before the file was written"})
	}
	return told
}

// text reads up to the next head, which it notes, or to the end.
func (r *promptReader) text() (string, error) {
	var b strings.Builder
	for {
		line, err := r.in.ReadString('\n')
		r.line++
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read the file: %w", err)
		}
		if head := promptHead.FindStringSubmatch(strings.TrimRight(line, "\r\n")); head != nil {
			r.head, r.at = head, r.line
			return strings.TrimRight(b.String(), "\n"), nil
		}
		if err != nil || strings.HasPrefix(line, promptEnds) {
			r.over = true
			return strings.TrimRight(b.String(), "\n"), nil
		}
		b.WriteString(strings.TrimPrefix(line, "    "))
	}
}
