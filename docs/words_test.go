package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// retired are phrases that no page and no text of the program is to hold, unidiomatic are those that no text of the
// program is to hold: there is a plain word for each.
var (
	retired = anyOf(
		`\bhangs? (a|from)\b`, `\bmended\b`, `wants to be paid`, `limits how much it takes`, `is the base URL right`, `it speaks http`,
		`which no model knows`, `that no model takes`, `says something else than`, `take one of them`, `one of them is enough`,
		`others on this machine`, `left alone\b`, `keeps the chat history busy`, `winnow may not write`, `brought to a new format`,
		`what stands (behind|beside)`, `\bfell? out\b`, `needs the room\b`, `the room is taken`, `your message is about it`, `said next to`,
		`had the (call|message) (sent|left)`, `nothing of it is damaged`, `everything is sound`, `as you asked\.`, `laid out for reading`,
		`something else sent`, `decided by hand`, `under the rules`, `is in the way\b`, `leave winnow`, `nowhere in the conversation`,
	)
	unidiomatic = anyOf(
		`is as it was\b`, `are as they were\b`, `stays? as (it is|it came|they are)\b`, `what was said (last|here)`, `\bnobody said`,
		`\bit takes (a|the|an|0|US|seconds|bytes|%s)\b`, `did not come\b`, `stands where`, `does not speak`, `takes it out\b`,
		`goes before it\b`, `the same again\b`, `what looks like a secret`, `so many tokens`,
	)
)

func anyOf(phrases ...string) *regexp.Regexp {
	return regexp.MustCompile("(?i)" + strings.Join(phrases, "|"))
}

func TestRetiredWordsDoNotComeBack(t *testing.T) {
	for _, name := range append(names(t), "../README.md", "../config.toml.example") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if found := retired.FindString(line); found != "" && name != "schema.md" { // The schema shows released migrations.
				t.Errorf("%s:%d says %q", name, i+1, found)
			}
		}
	}
	for _, room := range []string{"cli", "ui", "session", "history", "llm"} {
		err := filepath.WalkDir(filepath.Join("..", room), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || d.Name() == "llmtest" || d.Name() == "strict"):
				return fs.SkipDir
			case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
				checkStrings(t, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// checkStrings reports the retired words in the string literals of a file.
func checkStrings(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
			value, err := strconv.Unquote(s.Value)
			if found := retired.FindString(value) + unidiomatic.FindString(value); err != nil || found != "" {
				t.Errorf("%s says %q", files.Position(s.Pos()), found)
			}
		}
		return true
	})
}
