package cli

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// agreementWidth is the width in cells of a terminal that shows the panel with all columns.
const agreementWidth = 200

// TestPanelReceiptCommandAndRequestAgree sends a message after a conversation in which messages are cut, dropped,
// pinned, excluded and repaired. For each message it compares the panel, the receipt, winnow context --json and the
// body that the server received.
func TestPanelReceiptCommandAndRequestAgree(t *testing.T) {
	t.Parallel()
	model := newScriptedServer(saysText("As you wish."))
	_, env := serve(t, home(t), model)
	configure(t, env, "[context]\nbudget = 900\n")
	winnow := func(args ...string) []byte { return output(t, env, args...) }
	stored := agreementConversation()
	id := string(idPattern.Find(winnow("sessions", "import", stored.write(t))))

	chat := startIn(t, env, agreementWidth, 60, "-m", "openai/small", "-s", id)
	chat.Want("enter send")
	chat.Send("\tgJp") // in the transcript, to the second message
	chat.Want("Pinned message 2")
	chat.Send("JJJx")
	chat.Want("Excluded message 5")
	chat.Send(escKey)
	chat.Want("enter send")
	chat.Send("And what now?")
	chat.Want("And what now?")
	chat.Send(enterKey)
	screen := chat.Want("As you wish.", "saw ")
	receipt := receiptPattern.FindStringSubmatch(screen)
	chat.Send("\t\t\x1b[D") // to the panel, and to the request that was sent last
	var panel []panelRow
	chat.WaitFor("a panel with every message", func(screen string) bool {
		panel = readPanel(screen)
		return len(panel) == len(stored)+1 && strings.Contains(screen, "✓ Proven: ")
	})
	chat.Send(escKey) // back to the next request
	chat.Want("Next request")
	chat.Send(escKey)
	chat.Want("enter send")
	chat.Send(ctrlD)
	chat.End()

	var said shownJSON
	turn := strconv.Itoa(1 + stored.turns())
	if err := json.Unmarshal(winnow("context", id, "--turn", turn, "--json"), &said); err != nil {
		t.Fatal(err)
	}
	body, _ := model.last()
	sum := fmt.Sprintf("%x", sha256.Sum256(body))
	if said.Request == nil || sum != said.Request.BodyHash || !said.Request.Proven {
		t.Errorf("context shows the request %+v, and the server got one with the hash %s", said.Request, sum)
	}
	sent := 0
	met := map[string]bool{}
	if len(panel) != len(said.Entries) {
		t.Fatalf("the panel has %d messages, context has %d", len(panel), len(said.Entries))
	}
	for i, e := range said.Entries {
		row := panel[i]
		met[row.glyph] = true
		if !glyphFits(row.glyph, e) || !strings.Contains("○⊘", row.glyph) && row.tokens != e.TokensAfter {
			t.Errorf("message %d: the panel says %q, context %+v", i+1, row.line, e)
		}
		if e.Disposition == "kept" || e.Disposition == "cut" || e.Disposition == "recalled" {
			sent++
		}
		if i < len(stored) {
			stored.compare(t, i, e, body)
		}
	}
	for _, glyph := range []string{"●", "◐", "○", "◆", "⊘", "▲"} {
		if !met[glyph] {
			t.Errorf("no message has the glyph %s: %+v", glyph, panel)
		}
	}
	if receipt == nil || receipt[1] != fmt.Sprint(sent) || receipt[2] != fmt.Sprint(len(said.Entries)) {
		t.Errorf("the receipt says %q, and context sent %d of %d", receipt, sent, len(said.Entries))
	}
}

// shownJSON is the part of the output of context --json that is compared.
type shownJSON struct {
	Request *struct {
		BodyHash string `json:"body_hash"`
		Proven   bool
	}
	Entries []entryJSON
}

type entryJSON struct {
	Disposition      string
	Pinned, Recalled bool
	TokensAfter      int `json:"tokens_after"`
	Cuts             []cutJSON
	Repairs          []any
}

type cutJSON struct{ From, To int }

// receiptPattern matches the beginning of a receipt.
var receiptPattern = regexp.MustCompile(`saw (\d+) of (\d+)`)

// agreementMessages is a conversation of Chat Completions messages. Each text begins with a unique mark.
type agreementMessages []map[string]any

func agreementConversation() agreementMessages {
	var all agreementMessages
	for i := range 20 {
		role, words := "user", 10
		if i%2 == 1 {
			role, words = "assistant", 90
		}
		text := fmt.Sprintf("⟨%d⟩ %s", i, strings.Repeat(fmt.Sprintf("harbour%d ", i), words))
		all = append(all, map[string]any{"role": role, "content": text})
	}
	damaged := map[string]any{"name": "look", "arguments": `{"at": "⟨18⟩`}
	call := map[string]any{"id": "call_1", "type": "function", "function": damaged}
	all = slices.Insert(all, 19,
		map[string]any{"role": "assistant", "content": "⟨call⟩ I look.", "tool_calls": []any{call}},
		map[string]any{"role": "tool", "tool_call_id": "call_1", "content": "⟨result⟩ There is a light."})
	return all
}

// turns returns the number of turns.
func (m agreementMessages) turns() int {
	n := 0
	for _, message := range m {
		if message["role"] == "user" {
			n++
		}
	}
	return n
}

func (m agreementMessages) write(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(m)
	path := filepath.Join(t.TempDir(), "chat.json")
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// compare verifies that the body of a request contains as much of a message as its verdict says.
func (m agreementMessages) compare(t *testing.T, i int, e entryJSON, body []byte) {
	t.Helper()
	var request struct {
		Messages []struct{ Content string }
	}
	if err := json.Unmarshal(body, &request); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, message := range request.Messages {
		texts = append(texts, message.Content)
	}
	all := strings.Join(texts, "\n")
	text := []rune(strings.TrimSpace(m[i]["content"].(string)))
	mark, _, _ := strings.Cut(string(text), " ")
	if e.Disposition != "kept" && e.Disposition != "cut" && e.Disposition != "recalled" {
		if strings.Contains(all, mark) {
			t.Errorf("message %d is %s, and the server got something of it", i+1, e.Disposition)
		}
		return
	}
	at := 0
	for _, cut := range append(e.Cuts, cutJSON{len(text), len(text)}) {
		if part := string(text[at:min(cut.From, len(text))]); !strings.Contains(all, part) {
			t.Errorf("message %d: the server did not get %q", i+1, part)
		}
		at = min(cut.To, len(text))
	}
	for _, cut := range e.Cuts {
		if gone := string(text[cut.From:min(cut.To, len(text))]); strings.Contains(all, gone) {
			t.Errorf("message %d: the server got %q, which is said to be cut", i+1, gone)
		}
	}
}

// panelRow is what the panel shows for one message.
type panelRow struct {
	line, glyph string
	tokens      int
}

var (
	panelTitle  = regexp.MustCompile(`Turn \d+ `)
	panelNumber = regexp.MustCompile(`^([\d,]+)(?:–([\d,]+))?$`)
)

// readPanel reads the rows of the panel from a screen. A line for several messages becomes a row for each.
func readPanel(screen string) (rows []panelRow) {
	left, tokensEnd := -1, 0
	for line := range strings.SplitSeq(screen, "\n") {
		if at := panelTitle.FindStringIndex(line); at != nil && left < 0 {
			left = ansi.StringWidth(line[:at[0]]) - 1 // the first cell is the cursor's
		}
		if left < 0 {
			continue
		}
		line = strings.TrimRight(ansi.Cut(line, left, agreementWidth), " │┃╮╯─")
		words := strings.Fields(strings.TrimPrefix(line, "▌"))
		switch {
		case tokensEnd == 0:
			if len(words) > 0 && strings.TrimPrefix(words[0], "~") == "tokens" {
				tokensEnd = strings.Index(line, "tokens") + len("tokens")
			}
			continue
		case len(words) < 2 || !strings.Contains("●◐○◆⊘▲↺", words[0]):
			continue // an added text, or the end of the list
		}
		number := panelNumber.FindStringSubmatch(words[1])
		if number == nil || strings.ReplaceAll(number[1], ",", "") != strconv.Itoa(len(rows)+1) {
			return rows // the panel is being drawn
		}
		row := panelRow{line: line, glyph: words[0]}
		before := strings.Fields(ansi.Cut(line, 0, tokensEnd))
		row.tokens, _ = strconv.Atoi(strings.ReplaceAll(before[len(before)-1], ",", ""))
		last, _ := strconv.Atoi(number[1])
		if number[2] != "" {
			last, _ = strconv.Atoi(number[2])
		}
		for len(rows) < last {
			rows = append(rows, row)
		}
	}
	return rows
}

// glyphFits reports whether a glyph fits a verdict.
func glyphFits(glyph string, e entryJSON) bool {
	sent := e.Disposition == "kept" || e.Disposition == "cut" || e.Disposition == "recalled"
	switch glyph {
	case "●":
		return e.Disposition == "kept" && !e.Pinned && len(e.Repairs) == 0 && !e.Recalled
	case "◐":
		return e.Disposition == "cut"
	case "○":
		return !sent && e.Disposition != "excluded"
	case "⊘":
		return e.Disposition == "excluded"
	case "◆":
		return sent && e.Pinned
	case "▲":
		return sent && len(e.Repairs) > 0
	case "↺":
		return sent && (e.Recalled || e.Disposition == "recalled")
	}
	return false
}

func saysText(text string) string {
	return "200\n" + `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"` + text +
		`"},"finish_reason":"stop"}]}` + "\ndata: [DONE]"
}
