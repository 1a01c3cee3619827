package languages

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

var update = flag.Bool("update", false, "write the archive of lexers from chroma's")

// nearest are the languages whose lexers are partly programs and cannot be written down, and those that take their
// place; "" for none.
var nearest = map[string]string{
	"Common Lisp": "Scheme", "EmacsLisp": "Scheme", "ERB": "HTML", "Go HTML Template": "Go Text Template", "PHTML": "HTML",
	"Svelte": "HTML", "YAML+Jinja": "YAML", "Raku": "Perl", "Haxe": "Java", "HTTP": "", "reStructuredText": "",
}

// state is a state of a lexer's rules in XML, which chroma writes in any order.
var state = regexp.MustCompile(`(?m)^    <state [^\n]*/>$|(?ms)^    <state .*?^    </state>$`)

// written is a lexer as XML, nil for one that is partly a program.
func written(t *testing.T, lexer chroma.Lexer) []byte {
	t.Helper()
	// A lexer may be within another that knows more than rules say, of Markdown for example.
	if v := reflect.Indirect(reflect.ValueOf(lexer)); v.Kind() == reflect.Struct {
		if inner := v.FieldByName("Lexer"); inner.IsValid() && inner.CanInterface() {
			lexer, _ = inner.Interface().(chroma.Lexer)
		}
	}
	rules, ok := lexer.(*chroma.RegexLexer)
	if !ok {
		return nil
	}
	if lexer.Config().Name == "Go" {
		// Within a raw string, chroma looks for templates by a program. It is a string here.
		all, err := rules.Rules()
		if err != nil {
			t.Fatal(err)
		}
		all = all.Clone()
		for i, rule := range all["root"] {
			if strings.HasPrefix(rule.Pattern, "(`)") {
				all["root"][i].Type = chroma.LiteralString
			}
		}
		rules = chroma.MustNewLexer(rules.Config(), func() chroma.Rules { return all })
	}
	text, err := chroma.Marshal(rules)
	if err != nil {
		return nil
	}
	states := state.FindAll(text, -1)
	if n := bytes.Count(text, []byte("\n    <state ")); n != len(states) {
		t.Fatalf("%s has %d states, and %d were found", lexer.Config().Name, n, len(states))
	}
	states = slices.SortedFunc(slices.Values(states), bytes.Compare)
	i := 0
	return state.ReplaceAllFunc(text, func([]byte) []byte {
		i++
		return states[i-1]
	})
}

// archive writes the lexers of chroma as the program holds them, and says for which languages there are none.
func archive(t *testing.T) (file []byte, missing []string) {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	add := func(name string, text []byte) {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err == nil {
			_, err = f.Write(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	files := map[string]string{} // by the name of the lexer
	all := slices.Clone(lexers.GlobalLexerRegistry.Lexers)
	slices.SortFunc(all, func(a, b chroma.Lexer) int { return strings.Compare(a.Config().Name, b.Config().Name) })
	for i, lexer := range all {
		name := lexer.Config().Name
		text := written(t, lexer)
		if text == nil {
			missing = append(missing, name)
			continue
		}
		files[name] = fmt.Sprintf("%d.xml", i)
		add(files[name], text)
	}
	var names []string
	for _, lexer := range all {
		config := lexer.Config()
		names = append(append(names, config.Name), config.Aliases...)
		for _, pattern := range config.Filenames {
			if pattern = strings.TrimPrefix(pattern, "*."); !strings.ContainsAny(pattern, "*?[") {
				names = append(names, pattern)
			}
		}
	}
	var index strings.Builder
	slices.Sort(names)
	done := map[string]bool{}
	for _, name := range names {
		lexer := lexers.Get(name)
		if lexer == nil || done[strings.ToLower(name)] {
			continue
		}
		file := files[lexer.Config().Name]
		if file == "" {
			file = files[nearest[lexer.Config().Name]]
		}
		if file != "" {
			fmt.Fprintf(&index, "%s\t%s\n", strings.ToLower(name), file)
			done[strings.ToLower(name)] = true
		}
	}
	add(indexFile, []byte(index.String()))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), missing
}

func TestArchiveHasTheLexersOfChroma(t *testing.T) {
	t.Parallel()
	file, missing := archive(t)
	if *update {
		if err := os.WriteFile("lexers.zip", file, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(file) != lexerFiles {
		t.Error("lexers.zip is not made from the lexers of chroma as they are now; write it with -update")
	}
	for _, name := range missing {
		if _, known := nearest[name]; !known {
			t.Errorf("the lexer of %s cannot be written down; name the nearest one", name)
		}
	}
}

// TestCodeIsReadAsChromaReadsIt compares tokens with those of chroma's own lexers, for languages with others inside too.
func TestCodeIsReadAsChromaReadsIt(t *testing.T) {
	t.Parallel()
	for language, code := range map[string]string{
		"go":         "package main\n\n// It greets.\nfunc main() { fmt.Printf(\"hello %d\\n\", 0x1F) }\n",
		"Python":     "@cached\ndef f(x: int = 3) -> str:\n    \"\"\"It helps.\"\"\"\n    return f\"{x!r}\"\n",
		"py":         "import os\n",
		"html":       "<style>p { color: red }</style><script>let x = `a${1}`;</script><p class=\"a\">&amp;</p>\n",
		"md":         "# A title\n\n- [x] *done*\n\n```go\nfunc f() {}\n```\n",
		"sh":         "for f in *.go; do echo \"$f\" | grep -v test; done\n",
		"postgresql": "CREATE FUNCTION f() RETURNS int AS $$ BEGIN RETURN 1; END $$ LANGUAGE plpgsql;\n",
		"vue":        "<template><p>{{ a }}</p></template>\n<script>export default {}</script>\n",
		"Makefile":   "all: a.o\n\tcc -o $@ $<\n",
		"RS":         "fn main() -> Result<(), Box<dyn Error>> { Ok(()) }\n",
	} {
		want := tokens(t, chroma.Coalesce(lexers.Get(language)), code)
		if got := tokens(t, Lexer(language), code); !slices.Equal(got, want) {
			t.Errorf("%s is read as\n%v, want\n%v", language, got, want)
		}
	}
	for _, language := range []string{"", "nothing", "a\tb", filepath.Join("..", "index")} {
		if Lexer(language) != nil {
			t.Errorf("%q has a lexer", language)
		}
	}
}

func tokens(t *testing.T, lexer chroma.Lexer, code string) []chroma.Token {
	t.Helper()
	if lexer == nil {
		t.Fatalf("there is no lexer for %q", code)
	}
	all, err := lexer.Tokenise(nil, code)
	if err != nil {
		t.Fatal(err)
	}
	return all.Tokens()
}
