package guide

import (
	"strings"
	"testing"

	"winnow/docs"
)

func readDocs(t *testing.T) *library {
	t.Helper()
	l, err := readLibrary(docs.Pages)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestQuestionsOfNewcomers has each question answered by the beginning of the right section.
func TestQuestionsOfNewcomers(t *testing.T) {
	l := readDocs(t)
	for _, c := range []struct{ question, section string }{
		{"how do I use my OpenAI key?", "start.md#Use an API key (OpenAI, OpenRouter, Anthropic and others)"},
		{"how do I store a key in the keyring", "start.md#Store a key: winnow keys"},
		{"where do I put my API key", "start.md#Use an API key (OpenAI, OpenRouter, Anthropic and others)"},
		{"can I use Claude?", "start.md#Use an API key (OpenAI, OpenRouter, Anthropic and others)"},
		{"how do I use Ollama?", "start.md#Use Ollama or another local server"},
		{"does it work with LM Studio", "start.md#Use Ollama or another local server"},
		{"how can I change the model?", "start.md#Choose or change the model"},
		{"switch to another model", "start.md#Choose or change the model"},
		{"where is the config file?", "start.md#The config file"},
		{"how do I quit", "start.md#Quit or exit"},
		{"How do I exit this program??", "start.md#Quit or exit"},
		{"which model is chosen at the first run?", "start.md#First run"},
		{"what is the panel?", "context.md#The context panel"},
		{"What does the sidebar on the right show?", "context.md#The context panel"},
		{"how does winnow choose what to send?", "context.md#How winnow chooses what to send"},
		{"how does it decide which messages are sent", "context.md#How winnow chooses what to send"},
		{"why was my message cut?", "context.md#Why was my message cut or shortened"},
		{"why is my answer truncated", "context.md#Why was my message cut or shortened"},
		{"why did it forget my earlier message?", "context.md#Why was a message dropped or forgotten"},
		{"what do the glyphs mean?", "context.md#Glyphs and verdicts"},
		{"what is the half circle symbol", "context.md#Glyphs and verdicts"},
		{"what does ⊘ mean?", "context.md#Glyphs and verdicts"},
		{"hello, how do I use Ollama?", "start.md#Use Ollama or another local server"},
		{"how do I change a key binding?", "chat.md#Change a key binding"},
		{"does winnow send telemetry?", "storage.md#Where conversations are kept"},
		{"NO_COLOR", "chat.md#Colours, themes and small terminals"},
		{"what is the guide?", "start.md#The guide"},
		{"how do I pin a message", "context.md#Pin or exclude a message"},
		{"How do I raise the budget?", "context.md#The budget"},
		{"which presets are there?", "context.md#Presets"},
		{"what does the classic preset do", "context.md#Presets"},
		{"what is C5?", "context.md#The kinds of repair, C1 to C15"},
		{"what are repairs?", "context.md#Repairs of a damaged history"},
		{"what is a receipt?", "context.md#Receipts: what the model saw for an answer"},
		{"what does ~ in token counts mean? are they estimates?", "context.md#Token counts and estimates"},
		{"how do I resume?", "chat.md#Resume: continue a session"},
		{"continue the last session", "chat.md#Resume: continue a session"},
		{"how do I stop an answer?", "chat.md#Stop an answer"},
		{"can I abort the response while it is streaming?", "chat.md#Stop an answer"},
		{"how do I regenerate the answer", "chat.md#Regenerate: ask again"},
		{"how do I copy code?", "chat.md#Copy a message or code"},
		{"find an old conversation", "chat.md#Sessions: find an old conversation"},
		{"how do I enter a new line?", "chat.md#Write and send a message"},
		{"can I pipe something into it and use it in a script?", "chat.md#One answer without the screen"},
		{"What happens when the connection breaks?", "config.md#Connection lost in the middle of an answer"},
		{"I get 429 too many requests", "config.md#Rate limits: too many requests (429)"},
		{"error 401", "config.md#Wrong or refused key (401, 403)"},
		{"my key is refused", "config.md#Wrong or refused key (401, 403)"},
		{"context window exceeded", "config.md#The request is too long: context overflow"},
		{"what is winnow?", "start.md#Start: what winnow is"},
		{"is my data private?", "storage.md#Where conversations are kept"},
		{"where are my conversations stored?", "storage.md#Where conversations are kept"},
		{"what happens if the power goes out?", "storage.md#After a crash or a power failure"},
		{"how do I delete a session", "storage.md#Delete and restore sessions"},
		{"can I use winnow on two computers?", "storage.md#Sync: one history on several machines"},
		{"how do I back up to S3?", "storage.md#Continuous backup with Litestream"},
		{"which faults can you act out?", "start.md#What the guide acts out"},
		{"How do I attach an image?", "chat.md#Attach files and images"},
		{"How do I change the model?", "start.md#Choose or change the model"},
		{"How do I see what was sent?", "context.md#What exactly does the model get of a message"},
		{"How do I delete a chat?", "storage.md#Delete and restore sessions"},
		{"How do I use Ollama?", "start.md#Use Ollama or another local server"},
		{"How do I set my API key?", "start.md#Use an API key (OpenAI, OpenRouter, Anthropic and others)"},
		{"How do I set a system prompt?", "chat.md#System prompts and personas"},
		{"How do I export a chat?", "storage.md#Export a session"},
		{"How do I find an old chat?", "chat.md#Sessions: find an old conversation"},
		{"How do I continue yesterday's chat?", "chat.md#Resume: continue a session"},
		{"How do I stop the answer?", "chat.md#Stop an answer"},
		{"How do I edit my last message?", "chat.md#Edit an earlier message"},
		{"How do I copy the answer?", "chat.md#Copy a message or code"},
		{"How do I write more than one line?", "chat.md#Write and send a message"},
		{"How do I change the colors?", "chat.md#Colours, themes and small terminals"},
		{"How much does it cost?", "chat.md#What an answer costs"},
		{"Where are my chats saved?", "storage.md#Where conversations are kept"},
		{"Why did it forget what I said?", "context.md#Why was a message dropped or forgotten"},
		{"How do I add an MCP server?", "tools.md#Add an MCP server"},
		{"Which keys are there?", "chat.md#Keys"},
		{"how do I add a key", "start.md#Use an API key (OpenAI, OpenRouter, Anthropic and others)"},
		{"How do I import my chats from ChatGPT?", "storage.md#Import from ChatGPT"},
		{"where is my data", "storage.md#Where conversations are kept"},
		{"what does the ◐ mean?", "context.md#Glyphs and verdicts"},
		{"how do I search old chats", "chat.md#Sessions: find an old conversation"},
		{"how do I use MCP tools", "tools.md#Add an MCP server"},
		{"what does ctrl+x do?", "context.md#The context panel"},
		{"What happens when a chat gets too long?", "context.md#How winnow chooses what to send"},
	} {
		p, found := l.search(c.question)
		if !found {
			t.Errorf("%s: nothing is found, want %s", c.question, c.section)
			continue
		}
		if got := p.page + "#" + p.head; got != c.section {
			t.Errorf("%s: got %s, want %s", c.question, got, c.section)
		}
	}
}

func TestWhatThePagesDoNotSayIsNotAnswered(t *testing.T) {
	for _, question := range []string{
		"what is the capital of France?", "write me a poem about cats", "how tall is the Eiffel tower",
		"refactor this function to use generics", "solve this equation for me", "who won the world cup?",
		"translate good morning into Japanese", "how do I do it?", "怎么使用", "?!", "asdf qwer",
	} {
		got, _ := ask(t, question)
		if question == "?!" {
			continue // that is a greeting
		}
		if !strings.Contains(got.Text, "I found nothing about that") || strings.Contains(got.Text, "###") {
			t.Errorf("%s: claims to know %.300s", question, got.Text)
		}
	}
}

// TestHello wants a greeting answered as by a host, with questions that have an answer.
func TestHello(t *testing.T) {
	for _, hello := range []string{"hello", "Hi!", "help", "What can you do?", "are you a language model?"} {
		got, _ := ask(t, hello)
		if !strings.HasPrefix(got.Text, Signature+" I answer questions about winnow") {
			t.Errorf("%s: got %s", hello, got.Text)
		}
		for _, q := range questions {
			if !strings.Contains(got.Text, "- "+q+"\n") {
				t.Errorf("%s: the answer does not offer %q", hello, q)
			}
		}
	}
	for _, q := range questions {
		if got, _ := ask(t, q); strings.Contains(got.Text, "I found nothing") {
			t.Errorf("the guide offers %q and has no answer", q)
		}
	}
}
