package html

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"winnow/history/message"
	"winnow/session/store"
)

var update = flag.Bool("update", false, "write the page of the fixture")

var begun = time.Date(2026, 3, 4, 5, 6, 0, 0, time.UTC)

// written returns the page of a conversation, without its styles.
func written(t rapid.TB, row store.Session, marks Annotations, messages ...store.Message) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, row, messages, marks); err != nil {
		t.Fatalf("write the page: %v", err)
	}
	before, behind, _ := strings.Cut(b.String(), "<style>")
	_, behind, ok := strings.Cut(behind, "</style>")
	if !ok {
		t.Fatalf("the page has no styles")
	}
	return before + "<style></style>" + behind
}

func said(id int64, role message.Role, text string) store.Message {
	return store.Message{Message: message.Message{ID: id, Role: role, Content: text, Status: message.Complete}}
}

// The fixture has everything that a page can contain.
func TestAPage(t *testing.T) {
	t.Parallel()
	question := said(1, message.User, "What holds port 8080?\n\n  And <why>?")
	question.CreatedMS = begun.UnixMilli()
	question.Parts = []message.Part{
		{Kind: message.ImagePart, Name: "shot.png", MediaType: "image/png", Data: []byte("\x89PNG")},
		{
			Kind: message.ImagePart, Name: "drawing.svg", MediaType: "image/svg+xml",
			Data: []byte("<svg onload=alert(1)>"),
		},
		{Kind: message.TextPart, Name: "log.txt", Text: "a < b\x00"},
	}
	calling := said(2, message.Assistant, "")
	calling.Model, calling.Request = "gpt-5.2", 7
	calling.ToolCalls = []message.ToolCall{{ID: "c1", Name: "shell", Arguments: `{"cmd":"ss -ltnp"}`}}
	result := said(3, message.Tool, "LISTEN 0 511 *:8080")
	result.Name = "shell"
	answer := said(4, message.Assistant, "# Stop it\n\nAsk the **kernel**:\n\n```go\nfunc main() {}\n```\n\n"+
		"| Signal | Use |\n|---|---:|\n| TERM | first |\n\n"+
		"- [x] done\n- see [the manual](https://example.com/?a=1&b=2) or https://example.org\n\n"+
		"HTML is shown, and not lost: use <kbd>x</kbd>:\n\n<div>\nblock\n</div>\n")
	answer.Model, answer.Request, answer.Reasoning = "gpt-5.2", 8, "They mean Linux."
	stopped := said(5, message.Assistant, "Half a")
	stopped.Status = message.Interrupted
	damaged := said(6, message.User, "never seen")
	damaged.Damaged = true
	row := store.Session{
		ID: "0195", Title: "Free a busy port", Endpoint: "openai", Model: "gpt-5.2", System: "Be brief.",
		Created: begun,
	}
	marks := Annotations{
		Verdicts: map[int64]Verdict{
			1: {"◐", "cut", "cut to 150 of 2,310", "It is longer than 150 characters."},
			2: {"●", "whole", "whole", ""},
		},
		Receipts: map[int64]string{7: "saw 1 of 1 message", 8: "saw 3 of 3 messages, 411 tokens in, 38 out"},
	}
	got := written(t, row, marks, question, calling, result, answer, stopped, damaged)
	if *update {
		if err := os.WriteFile("testdata/page.html", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/page.html")
	if err != nil || got != string(want) {
		t.Errorf("the page is not testdata/page.html (%v):\n%s", err, got)
	}
	wantHarmless(t, got)
}

// active are the elements that run or load something.
var active = []string{
	"script", "iframe", "object", "embed", "link", "base", "svg", "math", "form", "video", "audio", "template",
}

// leads matches the addresses that links may have.
var leads = regexp.MustCompile(`^(https://|http://|mailto:|#m)`)

// hostileTexts returns texts that would do harm if they were taken for HTML. The file has one quoted Go string per
// line.
func hostileTexts(t *testing.T) (list []string) {
	t.Helper()
	file, err := os.ReadFile("testdata/hostile.txt")
	for line := range strings.Lines(string(file)) {
		text, wrong := strconv.Unquote(strings.TrimSpace(line))
		list, err = append(list, text), errors.Join(err, wrong)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// wantHarmless parses a page as a browser does and checks that nothing in it runs, loads, links elsewhere than allowed,
// or changes the direction of the text.
func wantHarmless(t rapid.TB, page string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatalf("read the page: %v", err)
	}
	turns := func(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }
	if strings.ContainsFunc(page, turns) {
		t.Fatalf("a text turns the direction of what follows it:\n%s", page)
	}
	styles := 0
	for n := range doc.Descendants() {
		if n.Type == html.CommentNode {
			t.Fatalf("the page holds a comment: %q", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		if slices.Contains(active, n.Data) {
			t.Fatalf("the page has the element %s:\n%s", n.Data, page)
		}
		if n.Data == "style" {
			styles++
		}
		for _, a := range n.Attr {
			value := strings.ToLower(a.Val)
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style" && n.Data != "td" && n.Data != "th",
				a.Key == "srcset", a.Key == "http-equiv" && value == "refresh":
				t.Fatalf("the page has %s=%q at %s", a.Key, a.Val, n.Data)
			case a.Key == "href" && !leads.MatchString(value):
				t.Fatalf("a link leads to %q", a.Val)
			case a.Key == "src" && !strings.HasPrefix(value, "data:image/png;base64,"):
				t.Fatalf("the page loads %q", a.Val)
			}
		}
	}
	if styles != 1 {
		t.Fatalf("the page has %d styles, want one", styles)
	}
}

// Whatever anybody wrote is only text.
func TestNothingOfAConversationRuns(t *testing.T) {
	t.Parallel()
	harmless := []string{"text", "\n\n", "\n", " ", "- ", "> ", "| a | b |\n|---|---|\n| ", "`", "*"}
	fragments := append(harmless, hostileTexts(t)...)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 1, 6).Draw(t, name), "")
		}
		roles := []message.Role{message.User, message.Assistant, message.Tool, message.System, "<b>"}
		m := said(1, rapid.SampledFrom(roles).Draw(t, "role"), draw("text"))
		m.Name, m.Model, m.Reasoning, m.Request = draw("name"), draw("model"), draw("reasoning"), 1
		m.Parts = []message.Part{
			{Kind: message.TextPart, Name: draw("file"), Text: draw("content")},
			{
				Kind: message.ImagePart, Name: draw("image"), Data: []byte(draw("data")),
				MediaType: rapid.SampledFrom([]string{"image/png", "text/html", "\"><script>"}).Draw(t, "type"),
			},
		}
		m.ToolCalls = []message.ToolCall{{ID: draw("id"), Name: draw("tool"), Arguments: draw("arguments")}}
		marks := Annotations{
			Verdicts: map[int64]Verdict{1: {draw("glyph"), "cut", draw("verdict"), draw("reason")}},
			Receipts: map[int64]string{1: draw("receipt")},
		}
		row := store.Session{Title: draw("title"), System: draw("system"), Model: draw("of")}
		wantHarmless(t, written(t, row, marks, m))
	})
}
