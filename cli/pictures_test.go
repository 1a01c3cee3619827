package cli

import (
	"fmt"
	"html"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// pictureFolder holds the pictures of screens that the README and the pages of the documentation show.
const pictureFolder = "../docs/screens"

// TestPictures plays the scripts of testdata/picture in the real program, in a dark and in a light terminal, and
// compares the screens with the pictures in docs/screens. -update draws them anew.
func TestPictures(t *testing.T) {
	t.Parallel()
	for name, scene := range pictureScripts(t) {
		for _, page := range []pageColours{darkPage, lightPage} {
			t.Run(name+" "+page.name, func(t *testing.T) { takePictures(t, scene, page) })
		}
	}
}

// pictureScript is one script of testdata/picture. It is like one of testdata/tour (see takeTour), but that the line
// "picture NAME TITLE" makes a picture of the screen. Its parts are size, arguments of winnow, where there
// are any, config, script, answers, and conversations to import: "import AGE" is last used so long ago.
type pictureScript struct {
	width, height int
	part          map[string]string
	imports       []agedImport // in their order
}

// agedImport is a conversation as lines of JSON that was last used some time ago.
type agedImport struct{ age, lines string }

// pictureScripts reads all scripts, by their names.
func pictureScripts(t *testing.T) map[string]pictureScript {
	t.Helper()
	files, err := filepath.Glob("testdata/picture/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no scripts for pictures: %v", err)
	}
	scripts := map[string]pictureScript{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := pictureScript{part: map[string]string{}}
		for _, f := range txtar.Parse(text).Files {
			if age, ok := strings.CutPrefix(f.Name, "import "); ok {
				s.imports = append(s.imports, agedImport{age, string(f.Data)})
			}
			s.part[f.Name] = string(f.Data)
		}
		if _, err := fmt.Sscanf(s.part["size"], "%d %d", &s.width, &s.height); err != nil {
			t.Fatalf("%s: read the size: %v", file, err)
		}
		scripts[strings.TrimSuffix(filepath.Base(file), ".txtar")] = s
	}
	return scripts
}

// pictureTime is when winnow starts in every picture.
var pictureTime = time.Date(2026, 11, 21, 13, 20, 0, 0, time.UTC)

// takePictures plays one script.
func takePictures(t *testing.T, scene pictureScript, page pageColours) {
	t.Parallel()
	dir := t.TempDir()
	project := filepath.Join(dir, "parser") // winnow is started there, and shows it
	env := []string{"OPENAI_API_KEY=sk-not-a-real-key-0000", "WINNOW_TEST_NOW=" + pictureTime.Format(time.RFC3339), "TZ=UTC"}
	for _, variable := range home(t) { // but for the folders, which are below HOME as they are for most people
		if !strings.HasPrefix(variable, "XDG_") && !strings.HasPrefix(variable, "HOME=") {
			env = append(env, variable)
		}
	}
	env = append(env, "HOME="+dir)
	env = append(env, "WINNOW_TEST_SERVER="+listen(t, env, newScriptedServer(withStatus(scene.part["answers"]))).URL)
	config := filepath.Join(dir, ".config", "winnow", "config.toml")
	for _, folder := range []string{filepath.Dir(config), project} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(config, []byte(scene.part["config"]), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, i := range scene.imports {
		ago, err := time.ParseDuration(i.age)
		if err != nil {
			t.Fatal(err)
		}
		importOf(t, pictureTime.Add(-ago), project, append(env, "WINNOW_TEST_AGO="+i.age), i.lines)
	}
	s := &tour{terminal: startOnPage(t, env, project, page, scene.width, scene.height, strings.Fields(scene.part["arguments"])...)}
	for n, line := range strings.Split(strings.TrimSpace(scene.part["script"]), "\n") {
		verb, rest, _ := strings.Cut(line, " ")
		if verb == "picture" {
			name, title, _ := strings.Cut(rest, " ")
			s.wantPicture(name, title, page)
		} else if !s.do(verb, rest) {
			t.Fatalf("line %d of the script is %q", n+1, line)
		}
	}
}

// wantPicture waits until the screen is that of a picture, or draws it anew.
func (s *terminal) wantPicture(name, title string, page pageColours) {
	s.t.Helper()
	file := filepath.Join(pictureFolder, name+"-"+page.name+".svg")
	if *update {
		s.settled()
		if err := os.MkdirAll(pictureFolder, 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(s.picture(page, title)), 0o644); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	limit := time.NewTimer(picturePatience)
	defer limit.Stop()
	for {
		got := s.picture(page, title)
		if got == string(want) {
			return
		}
		select {
		case <-s.news:
		case <-s.over:
			s.t.Fatalf("winnow ended before the screen was that of %s; it is\n%s", file, s.text())
		case <-limit.C:
			s.t.Fatalf("the screen is not that of %s; go test ./cli -run TestPictures -update draws it anew.\n%s\nThe screen is\n%s",
				file, firstDifference(got, string(want)), s.text())
		}
	}
}

// TestPicturesStandInThePages keeps the pictures in the pages as they are made: each where a page has a part for it,
// with its title as the text for those who do not see it.
func TestPicturesStandInThePages(t *testing.T) {
	t.Parallel()
	titles, shown := map[string]string{}, map[string]bool{}
	for _, s := range pictureScripts(t) {
		for _, found := range regexp.MustCompile(`(?m)^picture (\S+) (.+)$`).FindAllStringSubmatch(s.part["script"], -1) {
			titles[found[1]] = found[2]
		}
	}
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?m)^<!-- screen picture (\S+): `).FindAllStringSubmatch(string(text), -1) {
			title, ok := titles[found[1]]
			if !ok {
				t.Errorf("%s wants the picture %s, which no script makes", page, found[1])
				continue
			}
			shown[found[1]] = true
			checkPart(t, page, "screen picture "+found[1], pictureElement(t, page, found[1], title))
		}
	}
	for name := range titles {
		if !shown[name] {
			t.Errorf("no page shows the picture %s", name)
		}
		for _, page := range []pageColours{darkPage, lightPage} {
			if _, err := os.Stat(filepath.Join(pictureFolder, name+"-"+page.name+".svg")); err != nil && !*update {
				t.Errorf("the picture %s is not drawn: %v", name, err)
			}
		}
	}
}

// pictureElement shows a picture on a page: the dark one to readers with a dark screen.
func pictureElement(t *testing.T, page, name, title string) string {
	t.Helper()
	folder, err := filepath.Rel(filepath.Dir(page), pictureFolder)
	if err != nil {
		t.Fatal(err)
	}
	file := path.Join(filepath.ToSlash(folder), name)
	return fmt.Sprintf("\n<picture>\n<source media=\"(prefers-color-scheme: dark)\" srcset=\"%[1]s-dark.svg\">\n<img src=\"%[1]s-light.svg\" alt=\"%[2]s\">\n</picture>\n\n",
		file, html.EscapeString(title))
}

// picturePatience is how long a screen may take to become that of its picture. A script waits for its texts before,
// so little is left to happen.
const picturePatience = time.Minute

func (s *terminal) picture(page pageColours, title string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return picture(s.seen, page, title)
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("Line %d would be\n%s\nand is\n%s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("It would have %d lines and has %d.", len(g), len(w))
}
