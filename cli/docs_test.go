package cli

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"winnow/ui"
	"winnow/ui/keymap"
)

var update = flag.Bool("update", false, "write the generated parts of the documentation")

// generated lists the generated parts of the pages. A part is between the lines "<!-- NAME: made by … -->" and "<!--
// end of NAME -->".
func generated() map[string]map[string]func() string {
	return map[string]map[string]func() string{
		"../docs/chat.md":     {"keys": keyTable},
		"../docs/commands.md": {"slash": slashTable, "commandline": commandTable},
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

func TestNewestVersionIsInTheChangelog(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, newest, _ := strings.Cut(string(text), "\n## ")
	if newest, _, _ = strings.Cut(newest, "\n"); "v"+newest != version {
		t.Errorf("the newest version in CHANGELOG.md is %s, the program's is %s", newest, version)
	}
}

// writing is held while a page is updated, because parallel tests update parts of the same page.
var writing sync.Mutex

// checkPart compares a generated part of a page with want, or writes it with -update.
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

// cutPart splits a page at one of its generated parts.
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

// idPattern matches a session id.
var idPattern = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[57][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// table returns a Markdown table.
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

// code returns a text in backticks. The text may contain backticks.
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

// commands lists the commands without those that cobra and fang add.
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

// commandTable returns the table of all commands and their flags.
func commandTable() string {
	var rows [][]string
	for _, c := range commands(new(program).root()) {
		var flags []string
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) { flags = append(flags, code("--"+f.Name)) })
		rows = append(rows, []string{code(usage(c)), c.Short, strings.Join(flags, " ")})
	}
	return table([]string{"command", "what it does", "flags"}, rows)
}
