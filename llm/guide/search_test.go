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

func TestSearchAnswersNewcomersQuestions(t *testing.T) {
	cases := []struct{ question, section string }{
		{"how do I use my OpenAI key?", "start.md#use-an-api-key-openai-openrouter-anthropic-and-others"},
		{"how do I store a key in the keyring", "start.md#store-a-key-winnow-keys"},
		{"where do I put my API key", "start.md#use-an-api-key-openai-openrouter-anthropic-and-others"},
		{"can I use Claude?", "start.md#use-an-api-key-openai-openrouter-anthropic-and-others"},
		{"how do I use Ollama?", "start.md#use-ollama-or-another-local-server"},
		{"does it work with LM Studio", "start.md#use-ollama-or-another-local-server"},
		{"how can I change the model?", "start.md#choose-or-change-the-model"},
		{"switch to another model", "start.md#choose-or-change-the-model"},
		{"where is the config file?", "start.md#the-config-file"},
		{"how do I quit", "start.md#quit-or-exit"},
		{"How do I exit this program??", "start.md#quit-or-exit"},
		{"which model is chosen at the first run?", "start.md#first-run"},
		{"what is the panel?", "context.md#the-context-panel"},
		{"What does the sidebar on the right show?", "context.md#the-context-panel"},
		{"how does winnow choose what to send?", "context.md#how-winnow-chooses-what-to-send"},
		{"how does it decide which messages are sent", "context.md#how-winnow-chooses-what-to-send"},
		{"why was my message cut?", "context.md#why-was-my-message-cut-or-shortened"},
		{"why is my answer truncated", "context.md#why-was-my-message-cut-or-shortened"},
		{"why did it forget my earlier message?", "context.md#why-was-a-message-dropped-or-forgotten"},
		{"what do the glyphs mean?", "context.md#glyphs-and-verdicts"},
		{"what is the half circle symbol", "context.md#glyphs-and-verdicts"},
		{"what does ⊘ mean?", "context.md#glyphs-and-verdicts"},
		{"hello, how do I use Ollama?", "start.md#use-ollama-or-another-local-server"},
		{"how do I change a key binding?", "chat.md#change-a-key-binding"},
		{"does winnow send telemetry?", "storage.md#where-conversations-are-kept"},
		{"NO_COLOR", "chat.md#colours-themes-and-small-terminals"},
		{"what is the guide?", "guide.md#the-guide"},
		{"how do I pin a message", "context.md#pin-or-exclude-a-message"},
		{"How do I raise the budget?", "context.md#the-budget"},
		{"which presets are there?", "context.md#presets"},
		{"what does the classic preset do", "context.md#presets"},
		{"what is C5?", "context.md#the-kinds-of-repair-c1-to-c15"},
		{"what are repairs?", "context.md#repairs-of-a-damaged-history"},
		{"what is a receipt?", "context.md#receipts-what-the-model-saw-for-an-answer"},
		{"what does ~ in token counts mean? are they estimates?", "context.md#token-counts-and-estimates"},
		{"how do I resume?", "chat.md#resume-continue-a-session"},
		{"continue the last session", "chat.md#resume-continue-a-session"},
		{"how do I stop an answer?", "chat.md#stop-an-answer"},
		{"can I abort the response while it is streaming?", "chat.md#stop-an-answer"},
		{"how do I regenerate the answer", "chat.md#regenerate-ask-again"},
		{"how do I copy code?", "chat.md#copy-a-message-or-code"},
		{"find an old conversation", "chat.md#sessions-find-an-old-conversation"},
		{"how do I enter a new line?", "chat.md#write-and-send-a-message"},
		{"can I pipe something into it and use it in a script?", "chat.md#one-answer-without-the-screen"},
		{"What happens when the connection breaks?", "servers.md#connection-lost-in-the-middle-of-an-answer"},
		{"I get 429 too many requests", "servers.md#rate-limits-too-many-requests-429"},
		{"error 401", "servers.md#wrong-or-refused-key-401-403"},
		{"my key is refused", "servers.md#wrong-or-refused-key-401-403"},
		{"context window exceeded", "servers.md#the-request-is-too-long-context-overflow"},
		{"what is winnow?", "start.md#start-what-winnow-is"},
		{"is my data private?", "storage.md#where-conversations-are-kept"},
		{"where are my conversations stored?", "storage.md#where-conversations-are-kept"},
		{"what happens if the power goes out?", "storage.md#after-a-crash-or-a-power-failure"},
		{"how do I delete a session", "storage.md#delete-and-restore-sessions"},
		{"can I use winnow on two computers?", "sync.md#how-it-works"},
		{"how do I back up to S3?", "storage.md#continuous-backup-with-litestream"},
		{"which faults can you act out?", "guide.md#faults-that-the-guide-acts-out"},
	}
	lib := readDocs(t)
	for _, c := range cases {
		got := lib.reply(c.question)
		if !strings.Contains(got, "(docs/"+c.section+")") || strings.Contains(strings.SplitAfter(got, "See also")[0], "nothing about that") {
			t.Errorf("reply(%q) does not lead to %s:\n%.400s", c.question, c.section, got)
			continue
		}
		if quoted, _, _ := strings.Cut(got, "See also"); !strings.Contains(quoted, "(docs/"+c.section+")") {
			t.Errorf("reply(%q) only mentions %s:\n%.300s", c.question, c.section, got)
		}
	}
}

func TestSearchIsHonestWhenNothingMatches(t *testing.T) {
	lib := readDocs(t)
	for _, question := range []string{
		"what is the capital of France?",
		"write me a poem about cats",
		"how tall is the Eiffel tower",
		"refactor this function to use generics",
		"solve x^2 = 9",
		"who won the world cup?",
		"translate good morning into Japanese",
		"how do I do it?",
		"怎么使用",
		"?!",
		"asdf qwer",
	} {
		got := lib.reply(question)
		if !strings.Contains(got, "I found nothing about that in winnow's documentation") || strings.Contains(got, "###") {
			t.Errorf("reply(%q) claims to know:\n%.300s", question, got)
		}
	}
}

// The twenty questions that newcomers ask first are answered by the right section, which is quoted before any other.
func TestTheFirstQuestionsOfNewcomers(t *testing.T) {
	lib := readDocs(t)
	for _, c := range []struct{ question, section string }{
		{"How do I attach an image?", "chat.md#attach-files-and-images"},
		{"How do I change the model?", "start.md#choose-or-change-the-model"},
		{"How do I see what was sent?", "seeing.md#what-exactly-does-the-model-get-of-a-message"},
		{"How do I delete a chat?", "storage.md#delete-and-restore-sessions"},
		{"How do I use Ollama?", "start.md#use-ollama-or-another-local-server"},
		{"How do I set my API key?", "start.md#use-an-api-key-openai-openrouter-anthropic-and-others"},
		{"How do I set a system prompt?", "chat.md#system-prompts-and-personas"},
		{"How do I export a chat?", "storage.md#export-a-session"},
		{"How do I find an old chat?", "chat.md#sessions-find-an-old-conversation"},
		{"How do I continue yesterday's chat?", "chat.md#resume-continue-a-session"},
		{"How do I stop the answer?", "chat.md#stop-an-answer"},
		{"How do I edit my last message?", "chat.md#edit-an-earlier-message"},
		{"How do I copy the answer?", "chat.md#copy-a-message-or-code"},
		{"How do I write more than one line?", "chat.md#write-and-send-a-message"},
		{"How do I change the colors?", "chat.md#colours-themes-and-small-terminals"},
		{"How much does it cost?", "cost.md#what-an-answer-costs"},
		{"Where are my chats saved?", "storage.md#where-conversations-are-kept"},
		{"Why did it forget what I said?", "context.md#why-was-a-message-dropped-or-forgotten"},
		{"How do I add an MCP server?", "tools.md#add-an-mcp-server"},
		{"Which keys are there?", "keys.md#keys"},
	} {
		found := cited.FindStringSubmatch(lib.reply(c.question))
		page, anchor, _ := strings.Cut(c.section, "#")
		if found == nil || found[1] != page || found[2] != anchor || found[3] != "" && found[3] != "1" {
			t.Errorf("%s is answered by %q, want %s", c.question, found, c.section)
		}
	}
}
