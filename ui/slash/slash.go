// Package slash is the table of slash commands. The screen and plain mode run them, each in its own way.
package slash

import (
	"fmt"
	"slices"
	"strings"
)

// Command is a slash command as the user types it.
type Command struct {
	Name      string // without the slash
	Args      string // placeholder of its arguments, "" for none; in brackets if optional
	Help      string // one line for the palette
	Multiline bool   // its arguments may have several lines
}

// All returns the commands of the screen in the order of the palette.
func All() []Command {
	return []Command{
		{Name: "new", Help: "start a new chat; this one stays"},
		{Name: "chats", Args: "[WORDS]", Help: "open another chat, or find a message"},
		{Name: "attach", Args: "PATH", Help: "attach files, images or a web page"},
		{Name: "copy", Args: "[code]", Help: "copy the last answer, a selection or code"},
		{Name: "context", Help: "show the whole request as it would be sent"},
		{Name: "compact", Args: "[off]", Help: "summarise the older messages; off undoes it"},
		{Name: "model", Args: "[ENDPOINT/MODEL]", Help: "choose the model, or add a provider"},
		{Name: "system", Args: "[TEXT]", Help: "set or edit the system prompt", Multiline: true},
		{Name: "tools", Help: "list the tools; choose what they may do"},
		{Name: "help", Help: "show the keys and commands"},
		{Name: "quit", Help: "quit"},
		{Name: "retry", Args: "[MODEL]", Help: "ask again, or another model; both are kept"},
		{Name: "search", Args: "TEXT", Help: "find text in this chat, sent or not"},
		{Name: "fork", Help: "continue in a copy of this chat; this one stays"},
		{Name: "rename", Args: "TITLE", Help: "give the chat a title"},
		{Name: "title", Help: "ask the model for a title"},
		{Name: "export", Args: "[FORMAT] [FILE]", Help: "write a file: md, html, jsonl, prompt, json"},
		{Name: "alone", Args: "TEXT", Help: "send a message without the chat before it", Multiline: true},
		{Name: "budget", Args: "TOKENS", Help: "limit a request’s tokens; auto fits the model"},
		{Name: "window", Args: "[TOKENS]", Help: "set the model’s window; auto detects it"},
		{Name: "preset", Args: "[NAME]", Help: "choose how requests are cut, or list the ways"},
		{Name: "persona", Args: "[NAME]", Help: "choose one of your system prompts"},
		{Name: "thinking", Help: "show or hide the model’s reasoning"},
		{Name: "repair", Help: "list the repairs, and choose what is sent"},
		{Name: "undo", Help: "undo the last pin or exclude"},
		{Name: "doctor", Help: "check the files, the terminal and the endpoints"},
	}
}

// Split splits a text into the name of the command that it begins with, without the slash, and the arguments.
func Split(text string) (name, args string) {
	text = strings.TrimPrefix(text, "/")
	end := strings.IndexAny(text+" ", " \t\n")
	return text[:end], strings.TrimSpace(text[end:])
}

// AsMessageHint says how to send a text that begins with a slash as a message.
const AsMessageHint = "To send it as a message, put a space before the slash."

// Named returns the command of All with a name. It panics if there is none.
func Named(name string) Command {
	all := All()
	return all[slices.IndexFunc(all, func(c Command) bool { return c.Name == name })]
}

// IsCommand reports whether a text is a command and not a message. A text of several lines is a command only if its
// name is known, because a pasted text may begin with a path. Ref is the model in use: for the guide, a text that
// begins with /guide is a message.
func IsCommand(text, ref string, known func(name string) bool) bool {
	name, _ := Split(text)
	if !strings.HasPrefix(text, "/") || name == "guide" && strings.HasPrefix(ref, "guide/") {
		return false
	}
	return !strings.Contains(strings.TrimSpace(text), "\n") || known(name)
}

// Usage returns the command and its arguments as they are typed.
func (c Command) Usage() string { return strings.TrimSpace("/" + c.Name + " " + c.Args) }

// NeedsArgs reports whether the command requires arguments.
func (c Command) NeedsArgs() bool { return c.Args != "" && c.Args[0] != '[' }

// Misuse says why the command in a draft cannot run with its arguments. It returns "" if it can.
func (c Command) Misuse(draft string) string {
	_, args := Split(draft)
	switch {
	case c.Args == "" && args != "":
		return fmt.Sprintf("/%s takes no arguments. %s", c.Name, AsMessageHint)
	case strings.Contains(strings.TrimSpace(draft), "\n") && !c.Multiline:
		return fmt.Sprintf("/%s takes one line. %s", c.Name, AsMessageHint)
	case args == "" && c.NeedsArgs():
		return "Usage: " + c.Usage() + "."
	}
	return ""
}
