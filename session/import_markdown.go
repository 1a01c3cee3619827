package session

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

// markdownReader reads the messages of a Markdown file that winnow wrote, by its marks. What a person
// changed between them is read as it stands.
type markdownReader struct {
	in    *bufio.Reader
	name  string // of the file's marks
	line  int    // lines read so far
	next  mark   // the mark that was read last
	at    int    // its line
	over  bool
	index int
	about llm.About
}

func newMarkdownReader(r io.Reader) *markdownReader { return &markdownReader{in: bufio.NewReader(r)} }

// writtenOf is the session that a Markdown file was written of, where it is still here and not in the trash.
func writtenOf(ctx context.Context, s *store.Store, file io.ReadSeeker) (store.Session, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return store.Session{}, fmt.Errorf("read the file from its beginning: %w", err)
	}
	reader := newMarkdownReader(io.LimitReader(file, mostOfMark))
	if reader.begin() != nil || reader.next.Session == "" {
		return store.Session{}, nil
	}
	row, err := s.Session(ctx, reader.next.Session)
	if errors.Is(err, store.ErrNotFound) || err == nil && (row.ID != reader.next.Session || !row.Deleted.IsZero()) {
		return store.Session{}, nil
	}
	return row, err
}

// mostOfMark is as many bytes as the mark of a conversation may have, its title included.
const mostOfMark = 64 << 10

// About is what the file says of the conversation. It is whole when Next has returned io.EOF.
func (r *markdownReader) About() llm.About { return r.about }

// Next returns the next message, and io.EOF behind the last one.
func (r *markdownReader) Next() (llm.Told, error) {
	if r.name == "" {
		if err := r.begin(); err != nil {
			return llm.Told{}, err
		}
	}
	for !r.over && r.next.Is != markMessage {
		was := r.next
		body, err := r.body()
		if err != nil {
			return llm.Told{}, err
		}
		if was.Is == markSystem {
			r.about.System = was.unfenced(underHeading(body))
		}
	}
	if r.over {
		return llm.Told{}, io.EOF
	}
	return r.message()
}

// begin reads the mark of the conversation.
func (r *markdownReader) begin() error {
	line, err := r.readLine()
	if err != nil && err != io.EOF {
		return err
	}
	m, name, ok := readMark(strings.TrimPrefix(line, "\ufeff"), "")
	if !ok || m.Is != markConversation {
		return llm.ErrNoTranscript
	}
	r.name, r.next, r.over = name, m, err == io.EOF
	r.about.Title, r.about.Model = m.Title, m.Model
	return nil
}

// message reads a message, whose mark was read, with all its pieces.
func (r *markdownReader) message() (llm.Told, error) {
	of := r.next
	told := llm.Told{Index: r.index, Line: r.at}
	r.index++
	m := &told.Message
	*m = history.Message{
		Role: history.Role(of.Role), Name: of.Name, ToolCallID: of.Answers, Label: of.Label, Status: history.Imported,
		Origin: history.Origin{Model: of.Model},
	}
	switch m.Role {
	case history.System, history.User, history.Assistant, history.Tool:
	default:
		m.Status = history.Quarantined
		told.Remarks = append(told.Remarks, llm.Remark{Field: "role", What: fmt.Sprintf("is %q, which no model knows; the message is kept and never sent", of.Role)})
	}
	if of.Time != "" {
		when, err := time.Parse(time.RFC3339Nano, of.Time)
		if m.CreatedMS = when.UnixMilli(); err != nil {
			m.CreatedMS, told.BadTime = 0, fmt.Sprintf("is %q", of.Time)
		}
	}
	body, err := r.body()
	if err != nil {
		return told, err
	}
	told.Size = len(body)
	if of.Damaged {
		told.Message, told.Broken = history.Message{}, &llm.Remark{What: "was damaged when the file was written"}
	}
	mark{Is: markText}.give(&told, strings.Trim(underHeading(body), "\n")) // without marks of its own it is all text
	for !r.over && r.next.Is != markMessage {
		was := r.next
		if body, err = r.body(); err != nil {
			return told, err
		}
		told.Size += len(body)
		was.give(&told, strings.Trim(body, "\n"))
	}
	return told, nil
}

// give adds a piece to a message.
func (m mark) give(told *llm.Told, body string) {
	to := &told.Message
	switch m.Is {
	case markText:
		if to.Role == history.Tool {
			to.Content = m.unfenced(body)
			return
		}
		to.Content = m.opened(body)
	case markReasoning:
		to.Reasoning = m.opened(strings.TrimSuffix(strings.TrimPrefix(body, reasoningBegins), reasoningEnds))
	case markFile:
		to.Parts = append(to.Parts, history.Part{Kind: history.TextPart, Name: m.Name, MediaType: m.Type, Text: m.unfenced(underLine(body))})
	case markCall:
		to.ToolCalls = append(to.ToolCalls, history.ToolCall{ID: m.ID, Name: m.Name, Arguments: m.unfenced(underLine(body))})
	case markImage:
		told.Remarks = append(told.Remarks, llm.Remark{Field: "content", What: strings.Join(strings.Fields("had the image "+m.Name), " ") + ", which a Markdown file does not hold"})
	}
}

// opened is a text as it was before it was made to stand among others.
func (m mark) opened(body string) string {
	if m.Exact != "" {
		return m.Exact
	}
	if at := strings.LastIndexByte(body, '\n'); m.Open && at >= 0 {
		body = body[:at]
	}
	return strings.Repeat("\n", m.Before) + body + strings.Repeat("\n", m.After)
}

// unfenced is a text as it was before it stood between fences.
func (m mark) unfenced(body string) string {
	_, inside, _ := strings.Cut(strings.Trim(body, "\n"), "\n")
	if at := strings.LastIndexByte(inside, '\n'); at >= 0 {
		inside = inside[:at]
	}
	return inside + strings.Repeat("\n", m.After)
}

// underHeading is what stands below a heading, where the text begins with one.
func underHeading(body string) string {
	body = strings.TrimLeft(body, "\n")
	if strings.HasPrefix(body, "## ") {
		return underLine(body)
	}
	return body
}

// underLine is what stands below the first line.
func underLine(body string) string {
	_, rest, _ := strings.Cut(body, "\n")
	return strings.TrimLeft(rest, "\n")
}

// body reads up to the next mark, which it notes, or to the end of the file.
func (r *markdownReader) body() (string, error) {
	var b strings.Builder
	for {
		line, err := r.readLine()
		if m, _, ok := readMark(line, r.name); ok {
			r.next, r.at = m, r.line
			r.over = err == io.EOF && line == ""
			return b.String(), nil
		}
		b.WriteString(line)
		if err == io.EOF {
			r.over = true
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
	}
}

func (r *markdownReader) readLine() (string, error) {
	line, err := r.in.ReadString('\n')
	r.line++
	if err != nil && !errors.Is(err, io.EOF) {
		return line, fmt.Errorf("read the file: %w", err)
	}
	return line, err
}
