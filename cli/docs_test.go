package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"winnow/history"
	"winnow/session/store/sqlite"
	"winnow/ui"
	"winnow/ui/keymap"
)

var update = flag.Bool("update", false, "write the generated parts of the documentation")

// generated lists the pages with parts that the program makes: between a line
// "<!-- NAME: made by … -->" and a line "<!-- end of NAME -->".
func generated() map[string]map[string]func() string {
	return map[string]map[string]func() string{
		"../docs/keys.md": {"keys": keyTable},
		"../docs/commands.md": {
			"slash": slashTable, "commandline": commandReference,
			"prompttemplate": func() string { return fenced("text", history.PromptTemplate) },
		},
		"../docs/config.md": {
			"config": func() string { return fenced("toml", string(exampleConfig())) },
		},
		"../docs/schema.md": {"schema": func() string { return fenced("sql", sqlite.Schema) }},
	}
}

func TestDocsSayWhatTheProgramDoes(t *testing.T) {
	for page, parts := range generated() {
		t.Run(page, func(t *testing.T) {
			for name, makePart := range parts {
				checkPart(t, page, name, makePart())
			}
		})
	}
}

// writing is held while a page is read, changed and written: tests that run at once write parts of the same page.
var writing sync.Mutex

// checkPart compares one generated part of a page with what it must be, or writes it.
func checkPart(t testing.TB, page, name, want string) {
	t.Helper()
	writing.Lock()
	defer writing.Unlock()
	before, got, after := cutPart(t, page, name)
	if got == want {
		return
	}
	if !*update {
		t.Errorf("%s: the part %s is out of date; go test ./cli -update writes it. It is\n%s\nwant\n%s", page,
			name, got, want)
		return
	}
	if err := os.WriteFile(page, []byte(before+want+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// cutPart divides a page at one of its generated parts.
func cutPart(t testing.TB, page, name string) (before, part, after string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	start := fmt.Sprintf("<!-- %s: made by go test ./cli -update -->\n", name)
	end := fmt.Sprintf("<!-- end of %s -->\n", name)
	before, rest, ok := strings.Cut(string(text), start)
	part, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no part between %q and %q", page, start, end)
	}
	return before + start, part, end + after
}

// idPattern is a session's id, which is another one each time.
var idPattern = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[57][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// numberPattern is the id of a message or a request, which is another one each time too.
var numberPattern = regexp.MustCompile(`\b7\d{15}\b`)

// durationPattern is how long something took.
var durationPattern = regexp.MustCompile(`"(first_token_ms|took_ms)": \d+`)

// sameIDs has the same ids and times each time.
func sameIDs(shown []byte) string {
	shown = timePattern.ReplaceAll(shown, []byte("2026-03-14T09:26:53Z"))
	shown = durationPattern.ReplaceAll(shown, []byte(`"$1": 12`))
	text := idPattern.ReplaceAllString(string(shown), "01999f0e-1c2d-7aaa-8bbb-0123456789ab")
	seen := map[string]string{}
	return numberPattern.ReplaceAllStringFunc(text, func(id string) string {
		if seen[id] == "" {
			seen[id] = fmt.Sprint(7354676747320001 + 4096*len(seen))
		}
		return seen[id]
	})
}

// timePattern is a time, which is another one each time too.
var timePattern = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// TestDocsShowARealContext asks a server with a long answer and shows what the next request holds.
func TestDocsShowARealContext(t *testing.T) {
	t.Parallel()
	answer := "Panic-mode recovery skips tokens until it finds one that ends a statement. " +
		"That is simple and never loops, but it loses what stands between, so keep the set of those tokens small, " +
		"and report an error once: the reader wants to know where the mistake is, not how the parser got out of it."
	_, env := serve(t, home(t), newScriptedServer("200\n"+
		`data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"`+answer+`"},"finish_reason":"stop"}]}`+
		"\ndata: [DONE]"))
	config := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(config,
		[]byte("[context]\nelastic = false\nassistant_max_chars = 76\nlast_whole_max_tokens = 0\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	winnow := winnowIn(t, append(env, "WINNOW_CONFIG="+config))
	winnow("run", "-m", "openai/small", "How does a parser recover?")
	id := idPattern.Find(winnow("sessions", "list", "--json"))
	plan := winnow("context", string(id), "--json")
	shown := sameIDs(plan)
	shown = dayPattern.ReplaceAllString(shown, "2026-03-14$1") // the example is the same on every day
	checkPart(t, "../docs/commands.md", "contextjson", fenced("json", shown))
	winnow("run", "-m", "openai/small", "-s", string(id), "And without losing so much?")
	diff := winnow("context", string(id), "--turn", "2", "--diff", "1", "--json")
	checkPart(t, "../docs/commands.md", "contextdiff",
		fenced("json", sameIDs(diff)))
}

// cutCall is a tool call of an imported message whose arguments were cut off.
const cutCall = `{"id": "call_1", "type": "function", ` +
	`"function": {"name": "read", "arguments": "{\"path\": \"notes.txt\", \"lim"}}`

// TestDocsShowARealRepair imports a conversation whose tool call broke off.
func TestDocsShowARealRepair(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "chat.jsonl")
	said := `{"role": "user", "content": "What is in notes.txt?"}
{"role": "assistant", "content": "I look.", "tool_calls": [` + cutCall + `]}
{"role": "tool", "tool_call_id": "call_1", "content": "Buy milk."}
`
	if err := os.WriteFile(file, []byte(said), 0o600); err != nil {
		t.Fatal(err)
	}
	winnow := winnowIn(t, append(home(t), "WINNOW_MODEL=guide"))
	id := idPattern.Find(winnow("sessions", "import", file))
	shown := winnow("repair", string(id), "--json")
	checkPart(t, "../docs/commands.md", "repairjson",
		fenced("json", sameIDs(shown)))
}

// dayPattern is a day with nothing but a quote behind it, as in the source of a window.
var dayPattern = regexp.MustCompile(`20\d\d-\d\d-\d\d(")`)

func fenced(language, text string) string {
	return "\n```" + language + "\n" + strings.TrimRight(text, "\n") + "\n```\n\n"
}

// table is a Markdown table.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(c, "|", `\|`)
		}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	b.WriteString("\n")
	line(head)
	b.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, r := range rows {
		line(r)
	}
	return b.String() + "\n"
}

func keyTable() string {
	var rows [][]string
	where := ""
	for _, r := range keymap.Default().Table() {
		shown := ""
		if r.Section != where {
			where, shown = r.Section, r.Section
		}
		keys := make([]string, len(r.Keys()))
		for i, k := range r.Keys() {
			keys[i] = code(k)
		}
		rows = append(rows, []string{shown, strings.Join(keys, " "), r.Help().Desc, code(string(r.Action))})
	}
	return table([]string{"where", "key", "what it does", "name in `[keys]`"}, rows)
}

// code is a text in backticks, whatever backticks it holds itself.
func code(text string) string {
	if strings.Contains(text, "`") {
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}

func slashTable() string {
	var rows [][]string
	for _, c := range ui.Commands() {
		name := c.Title()
		if c.Name != "" {
			name = code(name)
		}
		rows = append(rows, []string{name, c.Help})
	}
	return table([]string{"command", "what it does"}, rows)
}

// commands lists the command tree without what cobra and fang add.
func commands(c *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if !sub.Hidden && sub.Name() != "help" && sub.Name() != "completion" {
			out = append(out, commands(sub)...)
		}
	}
	return out
}

func usage(c *cobra.Command) string {
	if !c.HasParent() {
		return c.Name()
	}
	return strings.TrimSuffix(strings.Replace(c.UseLine(), " [flags]", "", 1), " ")
}

// commandReference lists every command with its flags.
func commandReference() string {
	var b strings.Builder
	for _, c := range commands(new(program).root()) {
		fmt.Fprintf(&b, "\n### %s\n\n%s.\n", usage(c), strings.TrimSuffix(c.Short, "."))
		if c.HasExample() {
			b.WriteString("\n```sh\n" + unindent(c.Example) + "\n```\n")
		}
		var rows [][]string
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) { rows = append(rows, flagRow(f)) })
		if len(rows) > 0 {
			b.WriteString(strings.TrimSuffix(table([]string{"flag", "meaning"}, rows), "\n"))
		}
	}
	return b.String() + "\n"
}

func unindent(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "  ")
	}
	return strings.Join(lines, "\n")
}

func flagRow(f *pflag.Flag) []string {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	return []string{code(name), f.Usage}
}

// TestDocsShowARealAnswer continues a conversation with a damaged call, a message of an unknown role, a
// long answer and more messages than the cap, on a server that refuses a field.
func TestDocsShowARealAnswer(t *testing.T) {
	t.Parallel()
	_, env := serve(t, home(t), newScriptedServer("400\n"+
		`{"error":{"message":"Unrecognized request argument supplied: stream_options"}}`+"\n----\n200\n"+
		`data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Milk."},"finish_reason":"stop"}]}`+"\n"+
		`data: {"choices":[],"usage":{"prompt_tokens":120,"completion_tokens":2}}`+"\ndata: [DONE]"))
	folder := t.TempDir()
	config, file := filepath.Join(folder, "config.toml"), filepath.Join(folder, "chat.jsonl")
	said := `{"role": "user", "content": "Good morning."}
{"role": "assistant", "content": "Good morning to you as well, and what can I do for you today? ` +
		`I can read the files of this folder, look something up, or write a text that you describe to me in a few ` +
		`words, in any language that you like."}
{"role": "user", "content": "What is in notes.txt?"}
{"role": "narrator", "content": "Meanwhile."}
{"role": "assistant", "content": "I look into the file, which takes a moment, and then I say what it holds.", ` +
		`"tool_calls": [` + cutCall + `]}
{"role": "tool", "tool_call_id": "call_1", "content": "Buy milk."}
`
	policy := "[context]\nelastic = false\nassistant_max_chars = 40\nlast_whole_max_tokens = 0\nmax_messages = 4\n"
	for path, text := range map[string]string{config: policy, file: said} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	winnow := winnowIn(t, append(env, "WINNOW_CONFIG="+config))
	id := idPattern.Find(winnow("sessions", "import", file))
	shown := winnow("run", "-m", "openai/small", "-s", string(id), "--json", "What was it?")
	checkPart(t, "../docs/commands.md", "answerjson", fenced("json", sameIDs(shown)))
}
