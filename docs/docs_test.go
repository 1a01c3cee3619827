package docs_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"winnow/docs"
)

// page reads one embedded page.
func page(t *testing.T, name string) string {
	t.Helper()
	b, err := fs.ReadFile(docs.Pages, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// names lists the embedded pages.
func names(t *testing.T) []string {
	t.Helper()
	all, err := fs.Glob(docs.Pages, "*.md")
	if err != nil || len(all) < 7 {
		t.Fatalf("pages are %q (%v), want at least 7", all, err)
	}
	return all
}

var requirement = regexp.MustCompile(`^\s*(?:require |tool )?([a-z0-9./-]+\.[a-z]+/[^ ]+)(?: v[^ ]+)?$`)

// direct lists the modules that go.mod requires directly, and those of its tools.
func direct(gomod string) []string {
	var modules []string
	var required []string
	for line := range strings.Lines(gomod) {
		m := requirement.FindStringSubmatch(strings.TrimRight(line, "\n"))
		module, _, indirect := strings.Cut(strings.TrimSpace(line), " v")
		if indirect {
			required = append(required, strings.TrimPrefix(module, "require "))
		}
		if m != nil && !strings.HasPrefix(line, "tool ") && !strings.HasPrefix(line, "module") {
			modules = append(modules, m[1])
		}
	}
	for line := range strings.Lines(gomod) {
		tool, ok := strings.CutPrefix(strings.TrimSpace(line), "tool ")
		if !ok {
			continue
		}
		for _, module := range required {
			if tool == module || strings.HasPrefix(tool, module+"/") {
				modules = append(modules, module)
			}
		}
	}
	slices.Sort(modules)
	return slices.Compact(modules)
}

func TestDirectFindsRequiredModulesAndTools(t *testing.T) {
	const gomod = "module winnow\n\ngo 1.26.0\n\ntool honnef.co/go/tools/cmd/staticcheck\n\nrequire example.org/alone v1.0.0\n\n" +
		"require (\n\texample.com/a/v2 v2.2.1\n\texample.com/b v0.1.0\n)\n\nrequire (\n\texample.com/c v0.1.0 // indirect\n\thonnef.co/go/tools v0.8.2 // indirect\n)\n"
	want := []string{"example.com/a/v2", "example.com/b", "example.org/alone", "honnef.co/go/tools"}
	if got := direct(gomod); !slices.Equal(got, want) {
		t.Errorf("direct(%q)\n got %q\nwant %q", gomod, got, want)
	}
}

func TestLibrariesPageExplainsEveryRequiredModule(t *testing.T) {
	gomod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var explained []string
	for _, m := range regexp.MustCompile("(?m)^- `([^`]+)`: \\S.{10,}$").FindAllStringSubmatch(page(t, "libraries.md"), -1) {
		explained = append(explained, m[1])
	}
	required := direct(string(gomod))
	if len(required) < 15 {
		t.Fatalf("go.mod requires %q, want at least 15 modules", required)
	}
	for _, module := range required {
		if !slices.Contains(explained, module) {
			t.Errorf("libraries.md has no line for %s, which go.mod requires", module)
		}
	}
	for _, module := range explained {
		if !slices.Contains(required, module) {
			t.Errorf("libraries.md has a line for %s, which go.mod does not require", module)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

func TestLinksLeadToPages(t *testing.T) {
	found := 0
	for _, name := range names(t) {
		for _, m := range link.FindAllStringSubmatch(page(t, name), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			found++
			if target == "" {
				target = name
			}
			// A page may point out of the folder, to a file of the repository.
			text, err := os.ReadFile(path.Clean(target))
			if err != nil {
				t.Errorf("%s links to %s, which does not exist", name, m[1])
				continue
			}
			if anchor != "" && !slices.Contains(anchors(string(text)), anchor) {
				t.Errorf("%s links to %s, which has no such section", name, m[1])
			}
		}
	}
	if found == 0 {
		t.Error("found no link between pages, want some")
	}
}

// anchors lists the headings of a page as they stand in links. A line of a code block is no heading.
func anchors(text string) []string {
	var all []string
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		head := strings.TrimLeft(line, "#")
		if fenced || head == line || !strings.HasPrefix(head, " ") {
			continue
		}
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ' || r == '-':
				return '-'
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(head)))
	}
	return all
}

func TestPagesAreWellFormed(t *testing.T) {
	for _, name := range names(t) {
		text := page(t, name)
		if !strings.HasPrefix(text, "# ") && !strings.HasPrefix(text, "<!--") {
			t.Errorf("%s begins with %.30q, want a title", name, text)
		}
		if strings.Count(text, "\n```")%2 != 0 {
			t.Errorf("%s has a code block that is not closed", name)
		}
		seen := anchors(text)
		slices.Sort(seen)
		if unique := slices.Compact(slices.Clone(seen)); len(unique) != len(seen) {
			t.Errorf("%s has two sections of one name: %q", name, seen)
		}
	}
}
