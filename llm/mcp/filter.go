package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// list is one of the lists that a server may say have changed.
type list int

const (
	toolList list = iota
	promptList
	resourceList
	lists // how many there are
)

// changes are the notifications about a changed list.
var changes = [lists]string{"notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed"}

// filter lets those messages of a server through to the SDK that it can handle in bounded memory: the SDK ends
// the connection at the first line that is none of its messages, and queues notifications without limit.
type filter struct {
	log *slog.Logger

	mu       sync.Mutex
	begun    bool        // the server is ready: what it sends may hold text of a conversation
	changed  [lists]bool // the notification is on its way to the SDK's handler
	requests int         // of the server, without an answer
}

// judge returns the message that the SDK may see: as text and decoded, nil for none.
func (f *filter) judge(text []byte) ([]byte, jsonrpc.Message) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil, nil
	}
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	if text[0] != '{' {
		f.dropped("a line that is no message", text)
		return nil, nil
	}
	msg, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		f.dropped("a message that cannot be read", text)
		scan := idScanner{}
		scan.scan(text)
		return failure(scan.id(), "the server's answer cannot be read: "+err.Error())
	}
	request, ok := msg.(*jsonrpc.Request)
	switch {
	case !ok:
		return text, msg
	case !request.IsCall():
		return f.notification(request, text)
	case !f.admit():
		f.dropped("a request, because too many wait for an answer", text)
		return nil, nil
	}
	return text, msg
}

// tooLong is what the SDK sees in place of a message that is too long.
func (f *filter) tooLong(l line) ([]byte, jsonrpc.Message) {
	f.log.Debug("mcp: dropped a message that is too long", "bytes", l.size)
	return failure(l.id, fmt.Sprintf("the answer has %.1f MB; winnow reads at most %d MB", float64(l.size)/(1<<20), mostMessage>>20))
}

// failure is a response that says that a request failed, none without the request's id.
func failure(id json.RawMessage, text string) ([]byte, jsonrpc.Message) {
	if id == nil {
		return nil, nil
	}
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": jsonrpc.CodeInternalError, "message": text}})
	if err != nil {
		return nil, nil
	}
	response, err := jsonrpc.DecodeMessage(message)
	if err != nil {
		return nil, nil
	}
	return message, response
}

// notification lets a notification through that says that a list changed, unless one is on its way already.
func (f *filter) notification(n *jsonrpc.Request, text []byte) ([]byte, jsonrpc.Message) {
	for i, method := range changes {
		if n.Method != method {
			continue
		}
		f.mu.Lock()
		waiting := f.changed[i]
		f.changed[i] = true
		f.mu.Unlock()
		if waiting {
			return nil, nil
		}
		n.Params = nil // It has none that matter, and the SDK would refuse wrong ones.
		clean, err := jsonrpc.EncodeMessage(n)
		if err != nil {
			return nil, nil
		}
		return clean, n
	}
	switch n.Method {
	case "notifications/subscriptions/acknowledged":
		return text, n
	case "notifications/message":
		var message struct{ Level, Logger string }
		json.Unmarshal(n.Params, &message)
		f.log.Debug("mcp: the server logged something", "level", clean(message.Level, 40), "logger", clean(message.Logger, 80), "bytes", len(text))
	}
	return nil, nil
}

// heard notes that the SDK's handler of a changed list ran.
func (f *filter) heard(l list) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changed[l] = false
}

// admit takes a request of the server on, unless too many of them wait for an answer.
func (f *filter) admit() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.requests >= mostRequests {
		return false
	}
	f.requests++
	return true
}

// answered notes that a request of the server got its answer.
func (f *filter) answered() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = max(0, f.requests-1)
}

// ready notes that the server is ready.
func (f *filter) ready() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begun = true
}

// dropped logs that something was left out. Its text is logged only as long as the server was shown nothing of
// a conversation.
func (f *filter) dropped(what string, text []byte) {
	f.mu.Lock()
	begun := f.begun
	f.mu.Unlock()
	shown := ""
	if !begun {
		shown = clean(string(text[:min(len(text), 400)]), 200)
	}
	f.log.Debug("mcp: dropped "+what, "bytes", len(text), "text", shown)
}
