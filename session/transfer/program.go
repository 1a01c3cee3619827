package transfer

import (
	"bytes"
	"io"
)

// programName names the program that wrote a file which is none of the layouts, "" where it is not
// recognised. It reads the beginning, and goes by the names of keys and not by that of the file.
func programName(r io.Reader) string {
	head := make([]byte, 64<<10)
	n, _ := io.ReadFull(r, head) // a short file is as good, and one that cannot be read is not recognised
	head = head[:n]
	for _, p := range programs {
		all := true
		for _, sign := range p.signs {
			all = all && bytes.Contains(head, []byte(sign))
		}
		if all {
			return p.name
		}
	}
	return ""
}

// programs are known by texts that are all at the beginning of their files, the more specific ones first.
var programs = []struct {
	name  string
	signs []string
}{
	{"a conversation that winnow exported as Markdown, for reading", []string{"· winnow session "}},
	{"a PDF document", []string{"%PDF-"}},
	{"a web page", []string{"<html"}},
	{"a web page", []string{"<!DOCTYPE html"}},
	{"an export of Claude (claude.ai)", []string{`"chat_messages"`}},
	{"a session of Claude Code", []string{`"sessionId"`, `"uuid"`, `"parentUuid"`}},
	{"a session of Claude Code", []string{`"type":"summary"`, `"leafUuid"`}},
	{"a session of Codex", []string{`"session_meta"`, `"payload"`}},
	{"a session of Gemini CLI", []string{`"sessionId"`, `"projectHash"`}},
	{"an export of Gemini (Google Takeout)", []string{`"header"`, `"Gemini Apps"`}},
	{"a prompt of Google AI Studio", []string{`"chunkedPrompt"`}},
	{"an export of Open WebUI", []string{`"chat"`, `"history"`, `"currentId"`}},
	{"an export of LibreChat", []string{`"conversationId"`, `"endpoint"`, `"options"`}},
	{"a conversation of LM Studio", []string{`"currentlySelected"`, `"versions"`}},
	{"a training set (ShareGPT)", []string{`"conversations"`, `"from"`, `"value"`}},
	{"an export of Chatbox", []string{`"chat-sessions-list"`}},
	{"an export of Slack", []string{`"client_msg_id"`, `"ts"`}},
}
