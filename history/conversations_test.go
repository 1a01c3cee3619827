package history

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tiktoken-go/tokenizer/codec"
)

// recorded is a long conversation with questions about it. The files of testdata/conversations hold one each:
//
//	lang: de
//	kind: chat                       chat: user and assistant; talk: two people; tools: an agent with tool calls
//	use: german.bank                 banks and fillers that several conversations share
//	-- bank travel --                sentences, one a line, of which long answers are made; # in front is a heading
//	-- filler garden --              messages that a session may borrow; {one|two|three} differs from conversation to conversation
//	-- session 2024-03-01 --         a day's messages; "filler garden" behind the date borrows them
//	user: text
//	@m12 user: text                  a label in front marks a message that a question needs
//	assistant: {long travel 700}     about 700 tokens of Markdown made of the bank
//	assistant: text | c1=read_file({"path":"a.txt"})
//	tool c1: {lines logs 300}        about 300 tokens of the bank's lines, a # of theirs is a digit
//	-- questions --
//	? text : m12                     one fact of one message
//	?several text : m12 m40          another sort: several, changed, standing, said, order, summary, word
//
// A line that begins in none of these ways continues the message before it. Call ids count within
// their session.
//
// Those of testdata/conversations/heldout were written after the rules had been chosen, and no rule is chosen by them.
type recorded struct {
	name, kind string
	heldOut    bool
	past       []Message
	labels     map[string]int // indexes into past
	questions  []question
}

// question is a message to be asked after the whole conversation, with the labels of what it needs.
type question struct {
	text  string
	needs []string
}

var (
	sectionLine = regexp.MustCompile(`^-- (bank|filler|session|questions)(?: ([^ ]+))?(?: filler ([^ ]+))? --$`)
	messageLine = regexp.MustCompile(`^(?:@([\pL\pN_-]+) )?(user|assistant|tool ([\w-]+)):(?: (.*))?$`)
	callLine    = regexp.MustCompile(` \| (\w[\w-]*)=(\w[\w.-]*)\((\{)`)
)

// conversationReader reads the lines of one conversation and of the file that it uses.
type conversationReader struct {
	conversation recorded
	banks        map[string]*bank
	fillers      map[string][]string // lines
	count        TokenCounter

	section []string // the section's header, as sectionLine finds it
	day     int64    // the session's day, Unix milliseconds
	days    int      // sessions so far
	names   []string // of the user and the assistant, where the messages carry them
	longs   uint64   // texts made of banks so far
}

func readConversation(file string, count TokenCounter) (recorded, error) {
	r := conversationReader{banks: map[string]*bank{}, fillers: map[string][]string{}, count: count}
	r.conversation.name = strings.TrimSuffix(filepath.Base(file), ".chat")
	r.conversation.heldOut = filepath.Base(filepath.Dir(file)) == "heldout"
	r.conversation.labels = map[string]int{}
	if err := r.read(file); err != nil {
		return recorded{}, err
	}
	for i := range r.conversation.past {
		text, err := r.expand(strings.TrimSpace(r.conversation.past[i].Content))
		if err != nil {
			return recorded{}, fmt.Errorf("%s: message %d: %w", file, i+1, err)
		}
		r.conversation.past[i].Content = text
	}
	return r.conversation, nil
}

func (r *conversationReader) read(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if err := r.line(filepath.Dir(file), lines.Text()); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return lines.Err()
}

func (r *conversationReader) line(dir, line string) error {
	if section := sectionLine.FindStringSubmatch(line); section != nil {
		r.section = section
		if section[1] == "session" {
			return r.session(section[2], section[3])
		}
		return nil
	}
	if r.section == nil {
		return r.header(dir, line)
	}
	switch name := r.section[2]; r.section[1] {
	case "bank":
		if r.banks[name] == nil {
			r.banks[name] = &bank{}
		}
		r.banks[name].add(line)
	case "filler":
		r.fillers[name] = append(r.fillers[name], line)
	case "session":
		return r.message(line)
	case "questions":
		return r.question(line)
	}
	return nil
}

func (r *conversationReader) header(dir, line string) error {
	key, value, _ := strings.Cut(line, ": ")
	switch key {
	case "lang": // is for people who read the file
	case "kind":
		r.conversation.kind = value
	case "names":
		r.names = strings.Fields(value)
	case "use":
		err := r.read(filepath.Join(dir, value))
		r.section = nil
		return err
	default:
		if strings.TrimSpace(line) != "" {
			return fmt.Errorf("%q: there is no such key in front of the first section", line)
		}
	}
	return nil
}

// session begins a day. Its first message is said at nine, each other one a minute later.
func (r *conversationReader) session(date, filler string) error {
	day, err := time.Parse("2006-01-02 15", date+" 09")
	if err != nil {
		return err
	}
	r.day = day.UnixMilli()
	r.days++
	if filler == "" {
		return nil
	}
	if r.fillers[filler] == nil {
		return fmt.Errorf("there is no filler %q", filler)
	}
	pick := seed(r.conversation.name, filler)
	for _, line := range r.fillers[filler] {
		if err := r.message(alternative(line, pick)); err != nil {
			return err
		}
	}
	return nil
}

// message begins a message or continues the one before it.
func (r *conversationReader) message(line string) error {
	head := messageLine.FindStringSubmatch(line)
	if head == nil {
		if len(r.conversation.past) == 0 {
			if strings.TrimSpace(line) == "" {
				return nil
			}
			return fmt.Errorf("%q: a message begins with user:, assistant: or tool ID:", line)
		}
		r.conversation.past[len(r.conversation.past)-1].Content += "\n" + line
		return nil
	}
	if label := head[1]; label != "" {
		if _, taken := r.conversation.labels[label]; taken {
			return fmt.Errorf("the label %s is taken", label)
		}
		r.conversation.labels[label] = len(r.conversation.past)
	}
	role, _, _ := strings.Cut(head[2], " ")
	id := int64(len(r.conversation.past) + 1)
	m := Message{ID: id, Role: Role(role), Content: head[4], Status: Complete, CreatedMS: r.day}
	if len(r.names) == 2 {
		m.Name = r.names[0]
		if m.Role == Assistant {
			m.Name = r.names[1]
		}
	}
	if head[3] != "" {
		m.ToolCallID = r.callID(head[3])
	}
	m.Content, m.ToolCalls = r.calls(" " + m.Content)
	r.conversation.past = append(r.conversation.past, m)
	r.day += 60_000
	return nil
}

// calls parts a message's text from the calls behind it; each goes up to the next one.
func (r *conversationReader) calls(text string) (string, []ToolCall) {
	var calls []ToolCall
	found := callLine.FindAllStringSubmatchIndex(text, -1)
	end := len(text)
	for _, at := range slices.Backward(found) {
		arguments, closed := strings.CutSuffix(text[at[6]:end], ")")
		if !closed {
			break
		}
		calls = append(calls, ToolCall{ID: r.callID(text[at[2]:at[3]]), Name: text[at[4]:at[5]], Arguments: arguments})
		end = at[0]
	}
	slices.Reverse(calls)
	return text[:end], calls
}

func (r *conversationReader) callID(id string) string { return fmt.Sprintf("%s_%d", id, r.days) }

func (r *conversationReader) question(line string) error {
	if strings.TrimSpace(line) == "" {
		return nil
	}
	mark, rest, ok := strings.Cut(line, " ")
	at := strings.LastIndex(rest, " : ")
	if !ok || at < 0 || !strings.HasPrefix(mark, "?") {
		return fmt.Errorf("%q: a question is ? text : labels", line)
	}
	q := question{text: rest[:at], needs: strings.Fields(rest[at+3:])}
	r.conversation.questions = append(r.conversation.questions, q)
	return nil
}

// o200k counts with the vocabulary that winnow counts with, each text once.
var o200k = sync.OnceValue(func() TokenCounter {
	c, known, mu := codec.NewO200kBase(), map[string]int{}, sync.Mutex{}
	return func(text string) int {
		mu.Lock()
		defer mu.Unlock()
		n, ok := known[text]
		if !ok {
			n, _ = c.Count(text)
			known[text] = n
		}
		return n
	}
})

// conversations are all of them, read once.
var conversations = sync.OnceValues(func() ([]recorded, error) {
	files, err := filepath.Glob("testdata/conversations/*.chat")
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no conversations: %w", err)
	}
	heldOut, err := filepath.Glob("testdata/conversations/heldout/*.chat")
	if err != nil || len(heldOut) == 0 {
		return nil, fmt.Errorf("no conversations held out: %w", err)
	}
	files = append(files, heldOut...)
	var list []recorded
	for _, file := range files {
		t, err := readConversation(file, o200k())
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
})

func allConversations(tb testing.TB) []recorded {
	tb.Helper()
	list, err := conversations()
	if err != nil {
		tb.Fatal(err)
	}
	return list
}
