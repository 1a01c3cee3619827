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
		".git/info/exclude": "secret.txt\n", "secret.txt": "",
		".gitignore": "# a comment\n*.o\n/build/\n!keep.o\n",
		"main.go":    "", "main.o": "", "keep.o": "", "build/out": "", "src/build/in.go": "",
		"src/.gitignore": "gen/\n", "src/a.go": "", "src/gen/x.go": "", "docs/gen/y.md": "", ".github/ci.yml": "",
	})
	want := []string{
		".gitignore", "keep.o", "main.go", "src/.gitignore", "src/a.go", "docs/gen/y.md",
		"src/build/in.go",
	}
	if got := Read(t.Context(), root); !slices.Equal(got, want) {
		t.Errorf("the files are\n%q, want\n%q", got, want)
	}
	below := Read(t.Context(), filepath.Join(root, "src"))
	if want := []string{".gitignore", "a.go", "build/in.go"}; !slices.Equal(below, want) {
		t.Errorf("below src are %q, want %q", below, want)
	}
}

func TestATreeWithoutARepository(t *testing.T) {
	t.Parallel()
	root := files(t, map[string]string{
		"a/b/c.txt": "", "a/b.txt": "", "z.txt": "", ".hidden/x": "", "node_modules/m/index.js": "",
	})
	if err := os.Symlink("/", filepath.Join(root, "everything")); err != nil {
		t.Fatal(err)
	}
	if got, want := Read(t.Context(), root), []string{"z.txt", "a/b.txt", "a/b/c.txt"}; !slices.Equal(got, want) {
		t.Errorf("the files are %q, want %q", got, want)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if got := Read(ctx, "/"); len(got) > 0 {
		t.Errorf("after the end of its context it lists %d files", len(got))
	}
}

func TestFilesAreFoundByTheirLetters(t *testing.T) {
	t.Parallel()
	tree := []string{
		"README.md", "cmd/main.go", "internal/mail/agent.go", "ui/composer/completion.go",
		"ui/composer/completion_test.go", "img/Logo Ä.png",
	}
	for query, want := range map[string][]string{
		"":           {"README.md", "cmd/main.go"},
		"uicomptest": {"ui/composer/completion_test.go"},
		"logopng":    {"img/Logo Ä.png"},
		"LOGO Ä":     {"img/Logo Ä.png"},
		"xyz":        nil,
	} {
		if got := Find(tree, query, 2); !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
}
