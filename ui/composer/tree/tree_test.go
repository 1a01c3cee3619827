package tree

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// files writes files into a new folder. A name that ends in a slash is a folder.
func files(t testing.TB, list map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range list {
		whole := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(whole), 0o700); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(whole, 0o700); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(whole, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestATreeLeavesOutWhatGitIgnores(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		".git/":             "",
		".git/info/exclude": "secret.txt\n",
		".gitignore":        "# a comment\n*.o\n/build/\n!keep.o\n",
		"main.go":           "", "main.o": "", "keep.o": "", "secret.txt": "", "build/out": "", "src/build/in.go": "",
		"src/.gitignore": "gen/\n", "src/a.go": "", "src/gen/x.go": "", "src/b.o": "", "docs/gen/y.md": "",
		".github/ci.yml": "", "node_modules/m/index.js": "",
	})
	if err := os.Symlink("/", filepath.Join(root, "everything")); err != nil {
		t.Fatal(err)
	}
	want := []string{
		".gitignore", "keep.o", "main.go", "src/.gitignore", "src/a.go", "docs/gen/y.md", "src/build/in.go",
		".github/ci.yml", "node_modules/m/index.js",
	}
	got := Read(t.Context(), root).Files
	if !slices.Equal(got, want) {
		t.Errorf("the files are\n%q, want\n%q", got, want)
	}
	below := Read(t.Context(), filepath.Join(root, "src")).Files
	if want := []string{".gitignore", "a.go", "build/in.go"}; !slices.Equal(below, want) {
		t.Errorf("below src are %q, want %q", below, want)
	}
}

// A list of the whole machine ends: it stays on one file system, and within its bounds.
func TestATreeStaysOnItsFileSystem(t *testing.T) {
	t.Parallel()
	device := func(name string) uint64 {
		info, err := os.Stat(name)
		if err != nil {
			t.Skip(err)
		}
		return deviceOf(info)
	}
	if device("/") == device("/proc") {
		t.Skip("/proc is no file system of its own here")
	}
	r := reader{root: "/", device: device("/")}
	r.read(folder{})
	for _, f := range slices.Concat(r.next, r.late) {
		if f.path == "proc" {
			t.Error("/proc would be read")
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if got := Read(ctx, "/").Files; len(got) > 0 {
		t.Errorf("after the end of its context it lists %d files", len(got))
	}
	if got := Read(t.Context(), "/nowhere").Files; got != nil {
		t.Errorf("a folder that is not there holds %q", got)
	}
}

func TestFilesAreFoundByTheirLetters(t *testing.T) {
	t.Parallel()
	tree := Tree{
		Files: []string{
			"README.md", "cmd/main.go", "internal/mail/agent.go", "ui/composer/completion.go",
			"ui/composer/completion_test.go", "img/Logo Ä.png",
		},
	}
	for query, want := range map[string][]string{
		"":           {"README.md", "cmd/main.go"},
		"main":       {"cmd/main.go", "internal/mail/agent.go"},
		"compl":      {"ui/composer/completion.go", "ui/composer/completion_test.go"},
		"uicomptest": {"ui/composer/completion_test.go"},
		"logopng":    {"img/Logo Ä.png"},
		"Ä":          {"img/Logo Ä.png"},
		"LOGO Ä":     {"img/Logo Ä.png"},
		"xyz":        nil,
	} {
		if got := tree.Find(query, 2); !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}
