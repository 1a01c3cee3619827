package guide

import (
	"fmt"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// Signature begins every answer.
const Signature = "*I am winnow's guide, not a language model.*"

// questions are what the guide offers to be asked.
var questions = [...]string{
	"What happens when a chat gets too long?",
	"How do I add my API key?",
	"What does a broken tool call look like?",
}

// plain is a message in lower case, without the punctuation around it.
func plain(text string) string { return strings.ToLower(strings.Trim(text, " \t\n.,!?")) }

// greetings are messages that want no section of the pages.
var greetings = []string{
	"", "hello", "hello there", "hi", "hi there", "hey", "good morning", "good evening", "help", "help me", "test",
	"thanks", "thank you", "ok", "bye", "who are you", "what are you", "what is this", "what can you do",
	"what do you know", "what can i ask", "are you a language model", "are you an ai",
}

// continuations are messages that want the section behind the one that was quoted last.
var continuations = []string{"more", "next", "continue", "go on", "tell me more", "more please"}

// answer is what the guide says to a question at the end of a conversation.
func (l *library) answer(question string, messages []openai.ChatCompletionMessage) string {
	asked := plain(question)
	switch {
	case strings.HasPrefix(asked, "/guide"):
		return Signature + " I can act out these:\n\n" + list()
	case slices.Contains(greetings, asked):
		return welcome()
	case slices.Contains(continuations, asked):
		return l.more(messages)
	}
	hits := l.search(question)
	if len(hits) == 0 {
		return nothing()
	}
	return l.quote(hits[0], hits[1:])
}

func welcome() string {
	return Signature + " I answer questions about winnow from its own pages, without a network: how it chooses what " +
		"to send, keys and models, tools, import and export, sync, settings. Try one of these:\n\n" +
		offered() + "\nI also act out what goes wrong with real servers:\n\n" + list()
}

func nothing() string {
	return Signature + " I found nothing about that in winnow's pages, and they are all I know. Try one of these:\n\n" +
		offered() + "\nFor other questions, press `ctrl+l` and choose a real model."
}

func offered() string { return "- " + strings.Join(questions[:], "\n- ") + "\n" }

// quote answers with part n of the pages. The first line says where the text is from: it stays where the answer is
// cut later, and more reads it.
func (l *library) quote(n int, related []int) string {
	p := l.parts[n]
	var b strings.Builder
	fmt.Fprintf(&b, "%s From %s:\n\n### %s\n\n%s", Signature, p.cite(), p.head, p.text)
	heads := []string{p.head}
	for _, other := range related {
		if head := l.parts[other].head; !slices.Contains(heads, head) && len(heads) < 4 {
			heads = append(heads, head)
		}
	}
	if len(heads) > 1 {
		fmt.Fprintf(&b, "\n\nSee also: %s.", strings.Join(heads[1:], " · "))
	}
	if next, ok := l.after(n); ok {
		fmt.Fprintf(&b, "\n\nType *more* for the next section, “%s”.", next.head)
	}
	return b.String()
}

// after is the part of the same page behind part n.
func (l *library) after(n int) (part, bool) {
	if n+1 == len(l.parts) || l.parts[n+1].page != l.parts[n].page {
		return part{}, false
	}
	return l.parts[n+1], true
}

// more quotes what stands behind the part that the guide has quoted last.
func (l *library) more(messages []openai.ChatCompletionMessage) string {
	for _, m := range slices.Backward(messages) {
		n := slices.IndexFunc(l.parts, func(p part) bool {
			return m.Role == openai.ChatMessageRoleAssistant && strings.Contains(textOf(m), "From "+p.cite()+":")
		})
		if n < 0 {
			continue
		}
		if _, ok := l.after(n); ok {
			return l.quote(n+1, nil)
		}
		return Signature + " That was the last section of " + l.parts[n].page + ". Try one of these:\n\n" + offered()
	}
	return Signature + " I have quoted nothing yet that I could continue. Try one of these:\n\n" + offered()
}
