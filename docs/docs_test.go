package docs_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/mod/modfile"

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

// direct returns the modules that go.mod requires directly, and those of its tools.
func direct(t *testing.T, gomod []byte) []string {
	t.Helper()
	file, err := modfile.Parse("go.mod", gomod, nil)
	if err != nil {
		t.Fatal(err)
	}
	var modules []string
	for _, r := range file.Require {
		of := func(tool *modfile.Tool) bool {
			return strings.HasPrefix(tool.Path, r.Mod.Path+"/") || tool.Path == r.Mod.Path
		}
		if !r.Indirect || slices.ContainsFunc(file.Tool, of) {
			modules = append(modules, r.Mod.Path)
		}
	}
	return modules
}

func TestEveryRequiredModuleIsExplained(t *testing.T) {
	gomod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var explained []string
	entry := regexp.MustCompile("(?m)^- `([^`]+)`: \\S.{10,}$")
	for _, m := range entry.FindAllStringSubmatch(page(t, "architecture.md"), -1) {
		explained = append(explained, m[1])
	}
	required := direct(t, gomod)
	if len(required) < 15 {
		t.Fatalf("go.mod requires %q, want at least 15 modules", required)
	}
	for _, module := range required {
		if !slices.Contains(explained, module) {
			t.Errorf("architecture.md has no line for %s, which go.mod requires", module)
		}
	}
	for _, module := range explained {
		if !slices.Contains(required, module) {
			t.Errorf("architecture.md has a line for %s, which go.mod does not require", module)
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

// anchors returns the anchors of the headings of a page, without those in code blocks.
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

// TestLibrariesAreFreeToGiveAway verifies that every linked module has a permissive license.
func TestLibrariesAreFreeToGiveAway(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Dir}}{{end}}", "..")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("list the modules: %v", err)
	}
	modules := strings.Fields(string(out))
	if len(modules) < 40 {
		t.Fatalf("winnow is linked with %q, want more", modules)
	}
	permissive := regexp.MustCompile(`MIT License|Permission is hereby granted, free of charge|` +
		`Redistribution and use in source and binary forms|Apache License\s+Version 2\.0`)
	for i := 0; i+1 < len(modules); i += 2 {
		files, err := filepath.Glob(filepath.Join(modules[i+1], "[LC][IO][CP][EY]*"))
		if err != nil {
			t.Fatal(err)
		}
		known := false
		for _, file := range files {
			text, err := os.ReadFile(file)
			known = known || err == nil && permissive.Match(text)
		}
		if !known {
			t.Errorf("%s has no license of the MIT, BSD or Apache kind: %q", modules[i], files)
		}
	}
}

// TestArchitectureNamesWhatIsThere verifies that the files, folders and identifiers in architecture.md exist.
func TestArchitectureNamesWhatIsThere(t *testing.T) {
	text := page(t, "architecture.md")
	rooms := regexp.MustCompile("`((?:cli|ui|session|llm|history)(?:/[a-z_0-9.]+)*(?:\\.go)?)`")
	found := rooms.FindAllStringSubmatch(text, -1)
	if len(found) < 50 {
		t.Errorf("architecture.md names %d files and folders, want more", len(found))
	}
	for _, m := range found {
		if _, err := os.Stat(path.Join("..", m[1])); err != nil {
			t.Errorf("architecture.md names %s: %v", m[1], err)
		}
	}
	declared := regexp.MustCompile("`(history|store|llm|session|ui|conversation)\\.([A-Z][A-Za-z]+)`")
	folders := map[string]string{"store": "session/store", "conversation": "session/transfer/conversation"}
	for _, m := range declared.FindAllStringSubmatch(text, -1) {
		folder := m[1]
		if at, ok := folders[folder]; ok {
			folder = at
		}
		if !declares(t, path.Join("..", folder), m[2]) {
			t.Errorf("architecture.md names %s.%s, which %s does not declare", m[1], m[2], folder)
		}
	}
}

// declares reports whether a package declares a type, constant or alias.
func declares(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	declaration := regexp.MustCompile(
		`(?m)^\s*(?:type |const |var )?` + name + `\b[^(\n]*(?:=|struct|interface|string|int|any)`,
	)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(path.Join(folder, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if declaration.Match(text) {
			return true
		}
	}
	return false
}

// The commands of benchmarks.md run tests and benchmarks that exist. go test succeeds and runs nothing if a name is
// wrong.
func TestEveryBenchmarkOfThePageExists(t *testing.T) {
	var declared []string
	err := filepath.WalkDir("..", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		code, err := os.ReadFile(file)
		for _, m := range regexp.MustCompile(`(?m)^func ((?:Benchmark|Test)\w+)\(`).FindAllSubmatch(code, -1) {
			declared = append(declared, string(m[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	patterns := regexp.MustCompile(`-(?:bench|run) '?([^ '\n]*\w[^ '\n]*)`).FindAllStringSubmatch(page(t, "benchmarks.md"), -1)
	if len(patterns) < 8 {
		t.Fatalf("the page names %q, want at least 8 patterns", patterns)
	}
	for _, m := range patterns {
		for _, one := range alternatives(m[1]) {
			if !slices.ContainsFunc(declared, regexp.MustCompile(one).MatchString) {
				t.Errorf("benchmarks.md runs %s, and no test or benchmark matches %s", m[1], one)
			}
		}
	}
}

// alternatives expands a pattern with a group such as ^Benchmark(Build|Replay)$.
func alternatives(pattern string) []string {
	before, rest, grouped := strings.Cut(pattern, "(")
	if !grouped {
		return []string{pattern}
	}
	group, after, _ := strings.Cut(rest, ")")
	var all []string
	for word := range strings.SplitSeq(group, "|") {
		all = append(all, before+word+after)
	}
	return all
}
