package cli

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms lists the packages that each room may import. A room is a folder with its subfolders, except those that are
// rooms themselves.
var rooms = map[string][]string{
	"main.go": {"cli"},
	"cli": {
		"ui", "session", "session/record", "session/store", "session/transfer", "session/sync", "session/watch",
		"llm", "history", "docs",
	},
	"ui": {
		"session", "session/record", "session/store", "session/transfer", "session/watch", "llm", "history", "docs",
	},
	"session":          {"session/record", "session/store", "session/transfer", "llm", "history"},
	"session/record":   {"session", "session/store", "llm", "history"}, // of session, the branch alone
	"session/transfer": {"session", "session/store", "history"},        // of session, the titles alone
	"session/sync":     {"session/store", "history"},
	"session/watch":    {"session", "session/store", "session/transfer", "llm", "history"}, // of session, the titles alone
	"session/store":    {"history"},
	"llm":              {"history", "docs"}, // the built-in guide answers from the pages
	"history":          {},
	"docs":             {},
}

// owners maps libraries to the folders that may import them. Tests may import all but go-openai.
var owners = map[string][]string{
	"net/http":                          {"llm"},
	"database/sql":                      {"session/store", "session/transfer", "session/watch"},
	"charm.land/bubbletea":              {"ui"},
	"charm.land/bubbles":                {"ui"},
	"github.com/mattn/go-sqlite3":       {"session/store"},
	"github.com/sashabaranov/go-openai": {"llm"},
}

// roomOf returns the room of a file or an imported folder: the longest room name that it begins with.
func roomOf(name string) string {
	for ; name != "."; name = path.Dir(name) {
		if _, ok := rooms[name]; ok {
			return name
		}
	}
	return "no room"
}

func TestRoomsImportInward(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err == nil && d.Name() == "testdata":
			return fs.SkipDir
		case err != nil || filepath.Ext(name) != ".go":
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		file := strings.TrimPrefix(filepath.ToSlash(name), "../")
		for _, spec := range parsed.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			inside, ours := strings.CutPrefix(imported, "winnow/")
			if from, to := roomOf(file), roomOf(inside); ours && from != to && !slices.Contains(rooms[from], to) {
				t.Errorf("%s imports %s: %s may not import %s", file, imported, from, to)
			}
			for library, folders := range owners {
				inFolder := func(folder string) bool { return strings.HasPrefix(file, folder+"/") }
				tested := strings.HasSuffix(file, "_test.go") && library != "github.com/sashabaranov/go-openai"
				if strings.HasPrefix(imported+"/", library+"/") && !tested && !slices.ContainsFunc(folders, inFolder) {
					t.Errorf("%s imports %s, which is for %q alone", file, imported, folders)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
