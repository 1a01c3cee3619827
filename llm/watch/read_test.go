package watch

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write what comes out into the fixtures; read the difference")

// eachFixture compares what is read from each body of a file with the part that follows it, or updates that.
func eachFixture(t *testing.T, file string, read func(w Wire, body []byte) string) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil || len(a.Files)%2 != 0 {
		t.Fatalf("%s has %d parts, %v; want pairs", file, len(a.Files), err)
	}
	want := txtar.Format(a)
	for i := 0; i < len(a.Files); i += 2 {
		wire, _, _ := strings.Cut(a.Files[i].Name, ":")
		a.Files[i+1].Data = []byte(read(Wire(wire), a.Files[i].Data))
	}
	switch got := txtar.Format(a); {
	case string(got) == string(want):
	case !*update:
		t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
	default:
		ok(t, os.WriteFile(file, got, 0o644))
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	eachFixture(t, "testdata/requests.txtar", func(w Wire, body []byte) string {
		r, err := Read(w, body)
		ok(t, err)
		var b strings.Builder
		fmt.Fprintf(&b, "model %q thread %q after %q retain %s\n", r.Model, r.Thread, r.After, r.Retain)
		params, _ := json.Marshal(r.Params) // sorted
		fmt.Fprintf(&b, "%s\n", params)
		for _, bl := range r.Blocks {
			fmt.Fprintf(&b, "%s %s", bl.Kind, bl.Place)
			for _, s := range []string{bl.Name, bl.ID, bl.TTL} {
				if s != "" {
					fmt.Fprintf(&b, " %s", s)
				}
			}
			if bl.Unkeyed {
				b.WriteString(" unkeyed")
			}
			fmt.Fprintf(&b, " %q\n", bl.Text)
		}
		return b.String()
	})
}

func TestOnlyRequestsForAnswersAreRead(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]Wire{
		"POST /chat/completions":                Chat,
		"POST /v1/chat/completions/":            Chat,
		"POST /responses":                       Responses,
		"POST /v1/messages":                     Messages,
		"GET /v1/responses":                     NotRead,
		"POST /v1/messages/count_tokens":        NotRead,
		"POST /v1/responses/resp_1/cancel":      NotRead,
		"POST /v1beta/models/g:generateContent": NotRead,
	} {
		method, path, _ := strings.Cut(request, " ")
		if got := WireOf(method, path); got != want {
			t.Errorf("%s: %q, want %q", request, got, want)
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	eachFixture(t, "testdata/answers.txtar", func(w Wire, body []byte) string {
		a := ReadAnswer(w, "", body)
		return fmt.Sprintf("id %q model %q stop %q\nfailed %q\nword %q\ntext %q\n%+v\n",
			a.ID, a.Model, a.Stop, a.Failed, a.Word, a.Text, a.Usage)
	})
}

// An answer that broke off anywhere has the beginning of the text.
func TestAnswersThatBrokeOff(t *testing.T) {
	t.Parallel()
	a, err := txtar.ParseFile("testdata/answers.txtar")
	ok(t, err)
	for _, f := range a.Files {
		wire, name, _ := strings.Cut(f.Name, ": ")
		if name != "streamed" {
			continue
		}
		whole := ReadAnswer(Wire(wire), "text/event-stream", f.Data)
		if whole.Text != "Hello" || whole.Stop == "" {
			t.Errorf("%s: %+v", f.Name, whole)
		}
		for n := range f.Data {
			got := ReadAnswer(Wire(wire), "text/event-stream", f.Data[:n])
			if !strings.HasPrefix(whole.Text, got.Text) || got.Stop != "" && got.Stop != whole.Stop {
				t.Errorf("%s after %d bytes: %+v", f.Name, n, got)
			}
		}
	}
}

func TestOnlyJSONObjectsAreRead(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "null", "[]", `[{"model":"m"}]`, `{"model":"m"`, `{"a":1}{}`, "{\"a\":\"\n\"}"} {
		if r, err := Read(Chat, []byte(body)); err == nil {
			t.Errorf("%q: %+v", body, r)
		}
	}
}

// drawBody draws a request in which «b1.…», «b2.…» are the texts of its blocks, and «r0.» is in the rest of message 0.
// ¶ stands where blanks make no difference, and § where a cache_control does not.
func drawBody(t *rapid.T) (template string, blocks, messages int) {
	pick := func(forms ...string) string {
		blocks++
		letters := rapid.StringMatching(`[a-zé<&/ ]{0,5}`).Draw(t, "text")
		return fmt.Sprintf(rapid.SampledFrom(forms).Draw(t, "form"), fmt.Sprintf("«b%d.%s»", blocks, letters))
	}
	join := func(least int, draw func() string) string {
		var all []string
		for range rapid.IntRange(least, 4).Draw(t, "number") {
			all = append(all, draw())
		}
		return "[¶" + strings.Join(all, ",¶") + "]"
	}
	part := func() string {
		return pick(
			`{"type":¶"text","text":"%s"§}`,
			`{"type":"image","source":{"data":"%s"}§}`,
			`{"type":"tool_use","id":"c","name":"f","input":{"a":[¶1,"%s"]}§}`,
			`{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"%s"§},2]}`,
			`{"type":"thinking","thinking":"%s"}`,
			`{"type":"unknown","x":{"y":"%s"}§}`,
		)
	}
	call := func() string { return pick(`{"id":"c","function":{"name":"f","arguments":"%s"}}`) }
	tool := func() string {
		return pick(`{"name":"%s"§,"input_schema":{}}`, `{"type":"function","function":{¶"name":"%s"}}`)
	}
	message := func() string {
		messages++
		rest := fmt.Sprintf(`{"role":"%s","name":"«r%d.»",`,
			rapid.SampledFrom([]string{"user", "assistant", "system", "developer"}).Draw(t, "role"), messages-1)
		switch rapid.IntRange(0, 3).Draw(t, "message") {
		case 0:
			return rest + pick(`"content":"%s"}`)
		case 1:
			return rest + pick(`"content":"%s",`) + `"tool_calls":¶` + join(1, call) + `}`
		case 2:
			return rest + `¶"content":` + join(1, part) + `}`
		}
		return pick(
			fmt.Sprintf(`{"id":"«r%d.»","type":"function_call_output","output":"%%s"}`, messages-1),
			fmt.Sprintf(`{"id":"«r%d.»","role":"tool","content":[{"type":"text","text":"%%s"§}]}`, messages-1),
		)
	}
	template = `¶{"model":"m",¶"input":` + join(1, message) +
		`,"system":` + join(0, part) + `,"tools":` + join(0, tool) + `}¶`
	return template, blocks, messages
}

// render fills a template in.
func render(template, blanks, mark string, escape bool) []byte {
	if escape {
		template = regexp.MustCompile(`«.`).ReplaceAllStringFunc(template, func(s string) string {
			return fmt.Sprintf(`«\u%04x`, s[len("«")])
		})
	}
	return []byte(strings.NewReplacer("¶", blanks, "§", mark, "«", "", "»", "").Replace(template))
}

// differing returns the indexes of the blocks of a that have another key in b.
func differing(t *rapid.T, a Request, b []byte) (at []int) {
	other, err := Read(Messages, b)
	if err != nil || len(other.Blocks) != len(a.Blocks) {
		t.Fatalf("%s: %v, %d blocks, want %d", b, err, len(other.Blocks), len(a.Blocks))
	}
	for i := range a.Blocks {
		if a.Blocks[i].Key != other.Blocks[i].Key {
			at = append(at, i)
		}
	}
	return at
}

// A key tells what a server's cache tells apart, and nothing else.
func TestKeys(t *testing.T) {
	t.Parallel()
	const mark = `,"cache_control":{"type":"ephemeral"}`
	rapid.Check(t, func(t *rapid.T) {
		template, blocks, messages := drawBody(t)
		plain := render(template, "", "", false)
		r, err := Read(Messages, plain)
		if err != nil || len(r.Blocks) != blocks {
			t.Fatalf("%s: %v, %d blocks, want %d", plain, err, len(r.Blocks), blocks)
		}
		if d := differing(t, r, render(template, " \n", mark, true)); d != nil {
			t.Fatalf("%s: blanks, escapes or marks change %v", template, d)
		}
		n := rapid.IntRange(1, blocks).Draw(t, "changed block")
		text := fmt.Sprintf("b%d.", n)
		d := differing(t, r, render(strings.Replace(template, "«"+text, "«x", 1), "", "", false))
		if len(d) != 1 || !bytes.Contains(plain[r.Blocks[d[0]].From:r.Blocks[d[0]].To], []byte(text)) {
			t.Fatalf("%s: %s changes %v", template, text, d)
		}
		m := rapid.IntRange(0, messages-1).Draw(t, "changed message")
		d = differing(t, r, render(strings.Replace(template, fmt.Sprintf("«r%d.", m), "«x", 1), "", "", false))
		for i, b := range r.Blocks {
			if slices.Contains(d, i) != (b.Message == m) {
				t.Fatalf("%s: the rest of message %d changes %v", template, m, d)
			}
		}
	})
}

// Clients write a text as a part as soon as they mark it for the cache.
func TestATextIsTheSameAsAPart(t *testing.T) {
	t.Parallel()
	a, _ := Read(Messages, []byte(`{"messages":[{"role":"user","content":"Hi"}]}`))
	b, _ := Read(Messages, []byte(
		`{"messages":[{"content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}],"role":"user"}]}`,
	))
	if a.Blocks[0].Key != b.Blocks[0].Key || b.Blocks[0].TTL != "5m" {
		t.Errorf("%+v\n%+v", a, b)
	}
}

// addSeeds adds the bodies of a file of fixtures.
func addSeeds(f *testing.F, file string) {
	a, err := txtar.ParseFile(file)
	ok(f, err)
	for _, part := range a.Files {
		f.Add(part.Data)
	}
}

func FuzzRead(f *testing.F) {
	addSeeds(f, "testdata/requests.txtar")
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := Read(Messages, body)
		if err != nil {
			return
		}
		for _, b := range r.Blocks {
			if b.From < 0 || b.To > len(body) || !json.Valid(body[b.From:b.To]) {
				t.Errorf("%s is no JSON: [%d, %d)", b.Place, b.From, b.To)
			}
		}
		cuts := Cuts(r, len(body))
		if !slices.IsSorted(cuts) || cuts[len(cuts)-1] != len(body) {
			t.Errorf("%v for %d bytes", cuts, len(body))
		}
	})
}

func FuzzReadAnswer(f *testing.F) {
	addSeeds(f, "testdata/answers.txtar")
	f.Fuzz(func(t *testing.T, body []byte) {
		once := ReadAnswer(Responses, "", body)
		if again := ReadAnswer(Responses, "", body); again != once {
			t.Errorf("%+v, then %+v", once, again)
		}
	})
}
