package guide

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	openai "github.com/sashabaranov/go-openai"
)

// Signature begins every answer.
const Signature = "*I am winnow's guide, not a language model.*"

// answer says what fits the newest message of the request.
func (q *question) answer() *http.Response {
	lib, err := q.guide.pages()
	if err != nil {
		return refuse(coded(&openai.APIError{Message: err.Error(), Type: "server_error"}, http.StatusInternalServerError, "no_documentation"))
	}
	if q.req.last().Role == openai.ChatMessageRoleTool {
		return q.reply(toolAnswer(q.req.Messages))
	}
	question := q.req.question()
	if line := command(question); line != "" {
		return q.obey(strings.TrimSpace(strings.TrimPrefix(line, "/guide")))
	}
	switch intentOf(question) {
	case greeting:
		return q.reply(welcome(lib))
	case thanks:
		return q.reply(Signature + "\n\nYou are welcome. Type *help* for questions that I can answer.")
	case more:
		return q.reply(lib.more(q.req.Messages))
	}
	return q.reply(lib.reply(question))
}

// command is the last line of a message where it is one to the guide, else "". Earlier lines may
// belong to messages that a client has joined.
func command(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if last == "/guide" || strings.HasPrefix(last, "/guide ") {
		return last
	}
	return ""
}

// intent is what kind of thing a message says.
type intent int

const (
	asking intent = iota
	greeting
	thanks
	more
)

func intentOf(text string) intent {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	switch strings.Join(words, " ") {
	case "hello", "hi", "hey", "hello there", "hi there", "good morning", "good evening", "good afternoon", "help", "help me",
		"what can you do", "what can i ask", "what can i ask you", "what do you know", "who are you", "what are you", "what is this", "test", "",
		"are you a language model", "are you an ai", "are you a model", "are you human", "examples", "how does this work", "hello what can you do":
		return greeting
	case "thanks", "thank you", "thx", "ok", "okay", "good", "great", "bye", "thanks a lot", "ok thanks":
		return thanks
	case "more", "next", "continue", "go on", "tell me more", "more please", "next section", "show more", "and then", "next please", "the next section":
		return more
	}
	return asking
}

// examples are questions that the pages answer; a test asks them.
var examples = [...]string{
	"How do I use my OpenAI key?",
	"How do I use Ollama?",
	"What is the panel?",
	"Why was my message cut?",
	"How do I resume?",
	"What happens when the connection breaks?",
}

func welcome(lib *library) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s I answer questions about winnow from its documentation, without a network. Ask me, for example:\n\n", Signature)
	for _, q := range examples {
		fmt.Fprintf(&b, "- %s\n", q)
	}
	b.WriteString("\nType *more* after an answer to read on. `/guide` lists faults of real servers that I can act out, to show how winnow handles them.\n\n")
	fmt.Fprintf(&b, "My pages: %s.", strings.Join(lib.pages(), ", "))
	return b.String()
}

// pages are the names of the pages, in order.
func (l *library) pages() []string {
	var names []string
	for _, p := range l.parts {
		if !slices.Contains(names, p.page) {
			names = append(names, p.page)
		}
	}
	return names
}

// nearScore is how near the second find must be to the best one to be quoted as well.
const nearScore = 0.8

// reply answers a question with what the pages say about it.
func (l *library) reply(question string) string {
	hits := l.index.search(question)
	if len(hits) == 0 {
		return l.nothing()
	}
	quoted := []int{hits[0].part}
	if len(hits) > 1 && hits[1].score >= nearScore*hits[0].score &&
		length(l.parts[hits[0].part].text)+length(l.parts[hits[1].part].text) <= longestQuote {
		quoted = append(quoted, hits[1].part)
	}
	return l.quote(quoted, hits)
}

// quote writes an answer of the given parts. The first line says who speaks and where the text is
// from: it survives when the answer is cut later, and more reads it.
func (l *library) quote(quoted []int, hits []hit) string {
	var out strings.Builder
	out.WriteString(Signature + " ")
	for i, n := range quoted {
		p := l.parts[n]
		if i > 0 {
			out.WriteString("\n\n")
		}
		fmt.Fprintf(&out, "From %s:\n\n### %s\n\n%s", p.cite(), p.head, p.text)
	}
	if also := l.related(quoted, hits); also != "" {
		fmt.Fprintf(&out, "\n\nSee also %s.", also)
	}
	if next := quoted[len(quoted)-1] + 1; next < len(l.parts) && l.parts[next].page == l.parts[next-1].page {
		if p := l.parts[next]; p.number > 1 {
			fmt.Fprintf(&out, "\n\nType *more* for part %d of %d.", p.number, p.of)
		} else {
			fmt.Fprintf(&out, "\n\nType *more* for the next section, “%s”.", p.head)
		}
	}
	return out.String()
}

// cite is the part's page with a link to the section.
func (p part) cite() string {
	cite := fmt.Sprintf("[%s](%s)", p.page, p.link())
	if p.of > 1 {
		cite += fmt.Sprintf(", part %d of %d", p.number, p.of)
	}
	return cite
}

// relatedScore is how near another find must be to the best one to be named.
const relatedScore = 0.5

// related links up to three more sections that the search found.
func (l *library) related(quoted []int, hits []hit) string {
	seen := map[string]bool{}
	for _, n := range quoted {
		seen[l.parts[n].link()] = true
	}
	var links []string
	for _, h := range hits {
		p := l.parts[h.part]
		if seen[p.link()] || len(links) == 3 || h.score < relatedScore*hits[0].score {
			continue
		}
		seen[p.link()] = true
		links = append(links, fmt.Sprintf("[%s](%s)", p.head, p.link()))
	}
	return strings.Join(links, " · ")
}

func (l *library) nothing() string {
	return Signature + " I found nothing about that in winnow's documentation, and I know nothing else.\n\n" +
		"For other questions, give winnow a real model: set a key such as `OPENAI_API_KEY` in the environment, store one with `winnow keys set openai`, or start a local server such as Ollama, and start winnow again.\n\n" +
		"My pages: " + strings.Join(l.pages(), ", ") + ". Type *help* for questions that I can answer."
}

// cited finds the citations in an answer of the guide.
var cited = regexp.MustCompile(`From \[([^\]]+)\]\(docs/[^)#]+#([^)]*)\)(?:, part (\d+) of)?`)

// more quotes what follows the last section that the guide has cited in this conversation.
func (l *library) more(messages []openai.ChatCompletionMessage) string {
	for i := len(messages) - 1; i >= 0; i-- {
		found := cited.FindAllStringSubmatch(textOf(messages[i]), -1)
		if messages[i].Role != "assistant" || found == nil {
			continue
		}
		last := found[len(found)-1]
		number := 1
		if n, err := strconv.Atoi(last[3]); err == nil {
			number = n
		}
		at := l.at(last[1], last[2], number)
		if at < 0 {
			continue
		}
		if at+1 == len(l.parts) || l.parts[at+1].page != l.parts[at].page {
			return fmt.Sprintf("%s That was the last section of %s.\n\nMy pages: %s. Ask me about one of them.",
				Signature, l.parts[at].page, strings.Join(l.pages(), ", "))
		}
		return l.quote([]int{at + 1}, nil)
	}
	return Signature + " There is nothing to continue yet: I see no page that I quoted in this conversation.\n\nAsk me something first, or type *help* for examples."
}
