package tree

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// extract writes the files of an archive of testdata into a new folder, with a link beside them. Behind its first
// paragraph the archive says which of them are listed.
func extract(t *testing.T, name string) (root string, listed []string) {
	archive, err := txtar.ParseFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	root = t.TempDir()
	if err := txtar.Write(archive, root); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/", filepath.Join(root, "everything")); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(archive.Comment), "\n\n")
	return root, strings.Fields(rest)
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ignored.txtar", "plain.txtar"} {
		root, want := extract(t, name)
		if got := List(t.Context(), root); !slices.Equal(got, want) {
			t.Errorf("the files of %s are\n%q, want\n%q", name, got, want)
		}
	}
	root, _ := extract(t, "ignored.txtar")
	below := List(t.Context(), filepath.Join(root, "src"))
	if want := []string{".gitignore", "a.go", "build/in.go"}; !slices.Equal(below, want) {
		t.Errorf("below src are %q, want %q", below, want)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if got := List(ctx, "/"); len(got) > 0 {
		t.Errorf("after the end of its context it lists %d files", len(got))
	}
}
