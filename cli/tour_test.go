package cli

import (
	"fmt"
	"html"
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/rogpeppe/go-internal/txtar"

	"winnow/ui/uitest/terminal"
)

// pageColours are the terminals that tours run in.
var pageColours = map[string]terminal.Page{
	"dark":  {Background: color.RGBA{0x15, 0x17, 0x1b, 0xff}, Text: color.RGBA{0xd5, 0xd8, 0xde, 0xff}},
	"light": {Background: color.RGBA{0xfc, 0xfc, 0xfa, 0xff}, Text: color.RGBA{0x2b, 0x2e, 0x34, 0xff}},
}

// TestTours goes through the program as a person does: it starts winnow in a real terminal, presses keys and reads the
// screen. What a tour shows is what the README and the pages of the documentation show as a picture in docs/screens;
// -update draws it anew. A tour is a file in testdata/tour. Its parts are size, the arguments of
// winnow, config, conversations to import ("import AGE" was last used so long ago), the
// answers of the server, one block for each request, and the script, whose lines are
//
//	type TEXT           type a text
//	press KEY...        press keys
//	want TEXT           wait until the text is on the screen
//	gone TEXT           wait until it no longer is
//	answered            wait until the answer is whole and the next request is planned
//	picture NAME TITLE  compare it with the pictures of this name
func TestTours(t *testing.T) {
	t.Parallel()
	for name, part := range tourParts(t) {
		for page := range pageColours {
			t.Run(name+" "+page, func(t *testing.T) { takeTour(t, part, page) })
		}
	}
}

// tourParts are the parts of all tours, by the names of their files.
func tourParts(t *testing.T) map[string]map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/tour/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no tours: %v", err)
	}
	tours := map[string]map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		part := map[string]string{}
		for _, f := range txtar.Parse(text).Files {
			part[f.Name] = string(f.Data)
		}
		tours[strings.TrimSuffix(filepath.Base(file), ".txtar")] = part
	}
	return tours
}

// tourTime is when winnow starts in every tour.
var tourTime = time.Date(2026, 11, 21, 13, 20, 0, 0, time.UTC)

// tour is a terminal that a script leads.
type tour struct {
	*terminal.Terminal
	t       *testing.T
	colours string // of the terminal: dark or light
	answers int    // so far
}

func takeTour(t *testing.T, part map[string]string, colours string) {
	t.Parallel()
	dir := t.TempDir()
	project := filepath.Join(dir, "parser") // winnow is started there, and shows it
	env := []string{
		"OPENAI_API_KEY=sk-not-a-real-key-0000", "WINNOW_TEST_NOW=" + tourTime.Format(time.RFC3339), "TZ=UTC",
	}
	for _, variable := range home(t) { // but for the folders, which are below HOME as they are for most people
		if !strings.HasPrefix(variable, "XDG_") && !strings.HasPrefix(variable, "HOME=") {
			env = append(env, variable)
		}
	}
	env = append(env, "HOME="+dir)
	hostOf(t, dir)
	env = append(env, "WINNOW_TEST_SERVER="+listen(t, env, newScriptedServer(withStatus(part["answers"]))).URL)
	config := filepath.Join(dir, ".config", "winnow", "config.toml")
	for _, folder := range []string{filepath.Dir(config), project} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(config, []byte(part["config"]), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, age := range []string{"220h", "50h", "26h", "2m"} {
		if lines, ok := part["import "+age]; ok {
			importAged(t, age, project, env, lines)
		}
	}
	var width, height int
	if _, err := fmt.Sscanf(part["size"], "%d %d", &width, &height); err != nil {
		t.Fatalf("read the size: %v", err)
	}
	g := &tour{t: t, colours: colours}
	g.Terminal = terminal.Start(t, terminal.Options{
		Path: winnowPath(t), Args: strings.Fields(part["arguments"]), Env: env, Dir: project,
		Width: width, Height: height, Background: pageColours[colours].Background,
	})
	for n, line := range strings.Split(strings.TrimSpace(part["script"]), "\n") {
		verb, rest, _ := strings.Cut(line, " ")
		if !g.do(verb, rest) {
			t.Fatalf("line %d of the script is %q", n+1, line)
		}
	}
}

// importAged imports a conversation that was last used some time before the tour.
func importAged(t *testing.T, age, dir string, env []string, lines string) {
	t.Helper()
	ago, err := time.ParseDuration(age)
	if err != nil {
		t.Fatal(err)
	}
	importOf(t, tourTime.Add(-ago), dir, append(env, "WINNOW_TEST_AGO="+age), lines)
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
	output(t, env, "sessions", "import", file)
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

// keyCodes are the keys of a script as a terminal sends them.
var keyCodes = map[string]string{
	"enter": enterKey, "esc": escKey, "tab": "\t", "space": " ", "up": "\x1b[A", "down": "\x1b[B",
	"right": "\x1b[C", "left": "\x1b[D", "shift+tab": "\x1b[Z", "ctrl+x": ctrlX, "ctrl+d": ctrlD, "ctrl+u": "\x15",
	"ctrl+p": "\x10", "ctrl+s": "\x13",
}

// do does what one line of a script says, or returns false where it does not know it.
func (g *tour) do(verb, rest string) bool {
	g.t.Helper()
	switch verb {
	case "type":
		g.Send(rest)
		words := strings.Fields(rest)
		g.Want(words[len(words)-1]) // a longer text may be broken into lines
	case "press":
		for key := range strings.FieldsSeq(rest) {
			code, ok := keyCodes[key]
			if !ok {
				code = key
			}
			g.Send(code)
		}
	case "want":
		g.Want(rest)
	case "gone":
		g.WaitFor("nothing of "+rest, func(screen string) bool { return !strings.Contains(screen, rest) })
	case "answered":
		g.answers++
		planned := regexp.MustCompile(fmt.Sprintf(`Next request +(everything fits|sends \d+ of %d\b)`, 2*g.answers))
		g.WaitFor("a whole answer and the plan behind it", func(screen string) bool {
			return answered(screen) && planned.MatchString(screen)
		})
	case "picture":
		name, title, _ := strings.Cut(rest, " ")
		g.wantPicture(name, title)
	default:
		return false
	}
	return true
}

// varying is what is another at every run, and what stands in its place: how long an answer took, a
// session's id, and when a request was sent.
var varying = []struct {
	found *regexp.Regexp
	by    string
}{
	{regexp.MustCompile(`\b\d+(\.\d+)? m?s\b`), "1.9 s"},
	{regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{1,4}(-[0-9a-f-]*)?`), "01999f0e-1c2d"},
	{regexp.MustCompile(`2026-11-21 13:2\d:\d\d`), "2026-11-21 13:20:00"},
}

// steadyCells are cells without what varies. Blanks fill the place of a text that was longer.
func steadyCells(lines [][]uv.Cell) [][]uv.Cell {
	for _, line := range lines {
		text := make([]rune, len(line))
		for x, c := range line {
			text[x] = ' '
			for _, r := range c.Content {
				text[x] = r
				break
			}
		}
		for _, v := range varying {
			for _, at := range v.found.FindAllStringIndex(string(text), -1) {
				from, to := len([]rune(string(text)[:at[0]])), len([]rune(string(text)[:at[1]]))
				by := []rune(v.by)
				for x := from; x < max(to, from+len(by)) && x < len(line); x++ {
					line[x].Content = " "
					if x-from < len(by) {
						line[x] = uv.Cell{Content: string(by[x-from]), Width: 1, Style: line[from].Style}
					}
				}
			}
		}
	}
	return lines
}

// pictureFolder holds the pictures of screens that the README and the pages show.
const pictureFolder = "../docs/screens"

// wantPicture waits until the screen is that of a picture, or draws it anew.
func (g *tour) wantPicture(name, title string) {
	g.t.Helper()
	file := filepath.Join(pictureFolder, name+"-"+g.colours+".svg")
	drawn := func() string { return terminal.SVG(steadyCells(g.Cells()), pageColours[g.colours], title) }
	if *update {
		g.Settled()
		if err := os.WriteFile(file, []byte(drawn()), 0o644); err != nil {
			g.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		g.t.Fatal(err)
	}
	g.WaitFor("the picture "+file+"; go test ./cli -run TestTours -update draws it anew", func(string) bool {
		return drawn() == string(want)
	})
}

// TestPicturesStandInThePages keeps the pictures in the pages as they are made: each where a page has a part for it,
// with its title as the text for those who do not see it.
func TestPicturesStandInThePages(t *testing.T) {
	t.Parallel()
	titles := map[string]string{}
	for _, part := range tourParts(t) {
		for _, found := range regexp.MustCompile(`(?m)^picture (\S+) (.+)$`).FindAllStringSubmatch(part["script"], -1) {
			titles[found[1]] = found[2]
		}
	}
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, page := range append(pages, "../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		folder := "screens/"
		if page == "../README.md" {
			folder = "docs/screens/"
		}
		for _, found := range regexp.MustCompile(`(?m)^<!-- screen picture (\S+): `).FindAllStringSubmatch(string(text),
			-1) {
			shown[found[1]] = true
			checkPart(t, page, "screen picture "+found[1], fmt.Sprintf("\n<picture>\n"+
				"<source media=\"(prefers-color-scheme: dark)\" srcset=\"%[1]s-dark.svg\">\n"+
				"<img src=\"%[1]s-light.svg\" alt=\"%[2]s\">\n</picture>\n\n",
				folder+found[1], html.EscapeString(titles[found[1]])))
		}
	}
	for name := range titles {
		if !shown[name] {
			t.Errorf("no page shows the picture %s", name)
		}
	}
}
