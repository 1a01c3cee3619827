package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestTours goes through the program as a person does: it starts winnow in a real terminal, presses
// keys and reads the screen. What a tour shows is what its page of the documentation shows.
func TestTours(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/tour/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no tours: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { takeTour(t, file) })
	}
}

// takeTour plays one file. Its parts are the size of the terminal, the page of the documentation, a
// conversation to import before, where there is one, the script, and the answers of the server, one
// block for each request.
func takeTour(t *testing.T, file string) {
	t.Parallel()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	part := map[string]string{}
	for _, f := range txtar.Parse(text).Files {
		part[f.Name] = string(f.Data)
	}
	var width, height int
	if _, err := fmt.Sscanf(part["size"], "%d %d", &width, &height); err != nil {
		t.Fatalf("%s: read the size: %v", file, err)
	}
	_, env := serve(t, home(t), newScriptedServer(withStatus(part["answers"])))
	args := []string{"-m", "openai/small"}
	if imported, ok := part["import"]; ok {
		importConversation(t, t.TempDir(), env, imported)
		args = append(args, "-c")
	}
	g := &tour{
		terminal: startIn(t, env, width, height, args...),
		page:     filepath.Join("..", "docs", strings.TrimSpace(part["page"])),
	}
	for n, line := range strings.Split(strings.TrimSpace(part["script"]), "\n") {
		verb, rest, _ := strings.Cut(line, " ")
		if !g.do(verb, rest) {
			t.Fatalf("%s: line %d of the script is %q", file, n+1, line)
		}
	}
}

// importConversation stores a conversation that is given as lines of JSON. It belongs to the folder dir, where its
// file is written.
func importConversation(t *testing.T, dir string, env []string, lines string) {
	t.Helper()
	importOf(t, time.Now(), dir, env, lines)
}

// importOf imports a conversation from a file of a time, which is that of messages that have none.
func importOf(t *testing.T, at time.Time, dir string, env []string, lines string) {
	t.Helper()
	file := filepath.Join(dir, "chat.jsonl")
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), winnowPath(t), "sessions", "import", file)
	run.Env = env
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("import the conversation: %v\n%s", err, out)
	}
}

// withStatus puts the status in front of every answer.
func withStatus(answers string) string {
	blocks := strings.Split(strings.TrimSpace(answers), "\n----\n")
	for i, block := range blocks {
		if head, _, _ := strings.Cut(block, "\n"); len(head) != len("400") {
			blocks[i] = "200\n" + block
		}
	}
	return strings.Join(blocks, "\n----\n")
}

// tour is a terminal that a script leads.
type tour struct {
	*terminal
	page    string // of the documentation
	answers int    // so far
}

// keyCodes are the keys of a script as a terminal sends them.
var keyCodes = map[string]string{
	"enter": enterKey, "esc": escKey, "tab": "\t", "space": " ", "up": "\x1b[A", "down": "\x1b[B",
	"right": "\x1b[C", "left": "\x1b[D", "shift+tab": "\x1b[Z", "ctrl+x": ctrlX, "ctrl+d": ctrlD, "ctrl+u": "\x15",
	"ctrl+p": "\x10", "ctrl+s": "\x13",
}

func (g *tour) do(verb, rest string) bool {
	g.t.Helper()
	switch verb {
	case "type":
		g.send(rest)
		words := strings.Fields(rest)
		g.want(words[len(words)-1]) // a longer text may be broken into lines
	case "press":
		for key := range strings.FieldsSeq(rest) {
			code, ok := keyCodes[key]
			if !ok {
				code = key
			}
			g.send(code)
		}
	case "want":
		g.want(rest)
	case "gone":
		g.waitFor("nothing of "+rest, func(screen string) bool { return !strings.Contains(screen, rest) })
	case "answered":
		g.answers++
		planned := regexp.MustCompile(fmt.Sprintf(`Next request +(everything fits|sends \d+ of %d\b)`, 2*g.answers))
		g.waitFor("a whole answer and the plan behind it", func(screen string) bool {
			return answered(screen) && planned.MatchString(screen)
		})
	case "screen":
		g.wantDocumented(g.page, "screen "+rest)
	default:
		return false
	}
	return true
}

// timing is how long something took, with the blanks that fill the place, and dated when it was.
var (
	timing = regexp.MustCompile(`\d+(\.\d+)? m?s\b *`)
	dated  = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)
)

// timeless is a screen without what is another at every run.
func timeless(screen string) string {
	return dated.ReplaceAllString(timing.ReplaceAllString(screen, "T "), "D")
}

// wantDocumented waits until the screen is that of a part of the documentation, or writes it there. Times are
// left out of it.
func (s *terminal) wantDocumented(page, part string) {
	s.t.Helper()
	_, want, _ := cutPart(s.t, page, part)
	if *update {
		if shown := fenced("text", s.settled()); timeless(shown) != timeless(want) {
			checkPart(s.t, page, part, shown)
		}
		return
	}
	s.waitFor("the "+part+" of "+page+"; go test ./cli -update writes it. It is\n"+want, func(screen string) bool {
		return timeless(fenced("text", screen)) == timeless(want)
	})
}

// settled is the screen after nothing has changed on it for a while.
func (s *terminal) settled() string {
	for {
		select {
		case <-s.news:
		case <-time.After(500 * time.Millisecond):
			return s.text()
		}
	}
}
