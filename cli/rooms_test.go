package cli

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms lists, for every room, the rooms that it may use. A room may use the folders in it only where they
// are listed too; a folder that is not listed belongs to the room that it is in.
var rooms = map[string][]string{
	"":                       {"cli"},
	"cli":                    {"cli/config", "cli/footprint", "cli/report", "cli/shells", "cli/manual", "ui", "ui/sessions", "ui/current", "ui/settings", "ui/turn", "ui/upkeep", "ui/remembered", "ui/theme", "ui/keymap", "ui/markdown", "session", "session/approval", "session/limits", "session/recall", "session/settings", "session/branch", "session/record", "session/sessiontest", "session/store", "session/store/storetest", "session/store/backup", "session/store/sqlite", "session/sync", "session/transfer", "session/transfer/archive", "session/transfer/html", "llm", "llm/tool", "llm/mcp", "llm/fetch", "llm/redact", "llm/tokenizer", "llm/guide", "llm/keys", "llm/pricing", "llm/strict", "llm/llmtest", "history", "docs", "ui/plain"},
	"cli/config":             {"ui/theme", "ui/keymap", "session/approval", "llm", "llm/tool", "llm/mcp", "llm/keys", "llm/pricing", "history"},
	"cli/shells":             {},
	"cli/manual":             {},
	"cli/footprint":          {},
	"cli/report":             {"ui/theme", "ui/markdown", "session", "session/approval", "session/settings", "session/branch", "session/record", "session/store", "session/transfer", "llm", "llm/redact", "llm/pricing", "history"},
	"session":                {"session/approval", "session/limits", "session/recall", "session/branch", "session/record", "session/store", "session/store/storetest", "session/calibration", "session/settings", "session/target", "session/title", "session/transfer", "session/transfer/archive", "llm", "llm/llmtest", "llm/tool", "llm/attach", "llm/tokenizer", "llm/pricing", "history"},
	"session/limits":         {"llm/pricing"},
	"session/approval":       {"llm/tool"},
	"session/calibration":    {"history"},
	"session/recall":         {"llm/tool", "history", "history/relevance"},
	"session/settings":       {"history"},
	"session/target":         {"session/calibration", "session/store", "llm", "llm/tool", "llm/pricing", "history"},
	"session/title":          {},
	"session/branch":         {"session/store", "history"},
	"session/record":         {"session/branch", "session/store", "llm", "llm/tool", "llm/pricing", "history"},
	"session/sync":           {"session/store", "session/store/storetest", "history"},
	"session/store":          {"session/store/storetest", "session/store/sqlite", "session/store/search", "session/store/recovery", "session/store/backup", "session/store/owner", "session/store/verdicts", "history"},
	"session/store/sqlite":   {},
	"session/store/backup":   {"session/store/sqlite"},
	"session/store/owner":    {"session/store/sqlite"},
	"session/store/recovery": {"session/store/sqlite", "history/message"},
	"session/store/verdicts": {"session/store/sqlite", "history"},
	"session/store/search":   {"session/store/sqlite", "history/message"},
	"llm":                    {"llm/tool", "llm/keys", "llm/responses", "llm/ollama", "llm/exact", "llm/pricing", "llm/redact", "llm/sse", "llm/strict", "llm/llmtest", "history"},
	"llm/mcp":                {"llm/tool"},
	"llm/tool":               {},
	"llm/exact":              {"history"},
	"llm/responses":          {"history"},
	"llm/fetch":              {"llm/tool"},
	"llm/keys":               {"llm/llmtest"},
	"llm/ollama":             {},
	"llm/pricing":            {},
	"llm/sse":                {},
	"llm/attach":             {"history"},
	"llm/redact":             {"llm/keys"},
	"llm/tokenizer":          {},
	"llm/strict":             {},
	"llm/llmtest":            {"llm/strict"}, // for tests alone
	"llm/guide":              {"llm", "llm/tool", "llm/tokenizer", "llm/strict", "history", "history/relevance", "docs"},
	"docs":                   {},

	"session/store/storetest": {},                                                                                       // for tests alone
	"session/sessiontest":     {"session", "session/branch", "session/store", "session/store/storetest", "llm/llmtest"}, // for tests alone

	// The folders of the screen are strangers to each other, but for what all of them draw with. A test of
	// any of them may use ui/uitest.
	"ui": {
		"ui/theme", "ui/keymap", "ui/event", "ui/markdown", "ui/picker", "ui/inspector", "ui/panel", "ui/sessions", "ui/current", "ui/current/background", "ui/notice", "ui/notice/bell", "ui/confirm", "ui/settings", "ui/question", "ui/limit", "ui/composer", "ui/composer/editor", "ui/composer/queue", "ui/transcript", "ui/input", "ui/terminal", "ui/cells", "ui/uitest",
		"ui/turn", "ui/upkeep", "ui/layout", "ui/frame", "ui/servers", "ui/remembered",
		"session", "session/approval", "session/limits", "session/branch", "session/record", "session/sessiontest", "session/settings", "session/store", "session/store/backup", "session/store/storetest", "session/transfer", "llm", "llm/tool", "llm/mcp", "llm/llmtest", "llm/pricing", "history", "docs",
	},
	"ui/theme":              {"ui/markdown", "ui/uitest", "llm/attach", "history"},
	"ui/keymap":             {"ui/uitest"},
	"ui/event":              {"ui/uitest"},
	"ui/markdown":           {"session/languages"},
	"ui/transcript":         {"ui/theme", "ui/keymap", "ui/event", "ui/markdown", "ui/uitest", "session", "session/branch", "session/record", "session/store", "llm/pricing", "history"},
	"ui/picker":             {"ui/theme", "ui/keymap", "ui/event", "ui/markdown", "ui/uitest"},
	"ui/notice":             {"ui/notice/bell", "ui/theme", "ui/event", "ui/markdown", "ui/uitest"},
	"ui/notice/bell":        {"ui/markdown"},
	"ui/upkeep":             {"ui/theme", "ui/event", "session/store", "history"},
	"ui/layout":             {"ui/theme"},
	"ui/frame":              {"ui/theme", "ui/keymap", "ui/markdown"},
	"ui/turn":               {"ui/theme", "ui/event", "ui/markdown", "session", "llm"},
	"ui/confirm":            {},
	"ui/limit":              {"ui/theme", "ui/keymap", "ui/uitest", "session", "session/limits", "session/store", "llm/pricing"},
	"ui/question":           {"ui/theme", "ui/keymap", "ui/event", "ui/markdown", "ui/uitest", "session", "session/approval", "history"},
	"ui/plain":              {"ui/theme", "session", "session/approval", "session/limits", "session/branch", "session/record", "session/sessiontest", "session/settings", "session/store", "llm", "llm/tool", "llm/llmtest", "history"},
	"ui/remembered":         {"ui/theme", "llm"},
	"ui/settings":           {"ui/remembered", "ui/theme", "ui/keymap", "ui/event", "ui/markdown", "session", "session/settings", "session/store", "session/approval", "llm", "llm/pricing", "llm/tool", "llm/mcp", "history"},
	"ui/panel":              {"ui/theme", "ui/keymap", "ui/event", "ui/markdown", "ui/uitest", "session", "session/branch", "session/record", "session/store", "llm", "llm/pricing", "history", "history/cause"},
	"ui/inspector":          {"ui/theme", "ui/keymap", "ui/event", "ui/markdown", "ui/uitest", "session", "session/branch", "session/record", "session/store", "llm", "history"},
	"ui/current":            {"ui/current/background", "ui/theme", "ui/keymap", "ui/event", "ui/markdown", "session", "session/branch", "session/record", "session/store", "llm", "history"},
	"ui/current/background": {"ui/turn", "ui/composer/queue", "ui/event", "ui/uitest", "session", "session/branch", "session/record", "session/store", "session/store/storetest", "session/approval", "llm", "history"}, // a session with its turn and its queue
	"ui/sessions":           {"ui/theme", "ui/keymap", "ui/event", "ui/markdown", "ui/uitest", "session/store", "session/store/backup", "history"},
	"ui/composer":           {"ui/composer/editor", "ui/composer/queue", "ui/terminal", "ui/theme", "ui/keymap", "ui/event", "ui/markdown", "ui/uitest", "session/store", "history", "ui/composer/clipboard", "ui/composer/tree"},
	"ui/composer/editor":    {},
	"ui/composer/tree":      {},
	"ui/composer/clipboard": {},
	"ui/composer/queue":     {"ui/theme", "ui/keymap", "ui/event", "ui/markdown", "ui/uitest", "session", "session/store", "session/store/storetest", "llm", "history"},
	"ui/cells":              {},
	"ui/input":              {"ui/cells"},
	"ui/terminal":           {},
	"ui/servers":            {"ui/theme", "ui/markdown", "llm/mcp"},
	"ui/uitest":             {},

	"history":            {"history/cause", "history/message", "history/jsonrepair", "history/repair", "history/relevance"},
	"history/cause":      {},
	"history/message":    {"history/cause"},
	"history/jsonrepair": {},
	"history/repair":     {"history/cause", "history/message", "history/jsonrepair"},
	"history/relevance":  {},

	// The formats are strangers to each other, and to the package that knows them all.
	"session/transfer": {
		"session/store", "session/title", "history", "session/transfer/conversation", "session/transfer/rawjson",
		"session/transfer/archive", "session/transfer/chatgpt", "session/transfer/llmdb", "session/transfer/markdown",
		"session/transfer/openai", "session/transfer/prompt", "session/transfer/html",
	},
	"session/transfer/archive":      {"session/store", "session/title", "session/transfer/conversation", "session/transfer/rawjson"},
	"session/transfer/chatgpt":      {"session/store", "history/message", "session/transfer/conversation", "session/transfer/rawjson"},
	"session/transfer/llmdb":        {"session/store", "session/store/sqlite", "history/message", "session/transfer/conversation"},
	"session/transfer/markdown":     {"session/store", "session/title", "history/message", "session/transfer/conversation"},
	"session/transfer/html":         {"session/languages", "session/store", "session/title", "history/message", "session/transfer/conversation"},
	"session/transfer/openai":       {"session/store", "history/message", "session/transfer/conversation", "session/transfer/rawjson"},
	"session/transfer/prompt":       {"session/store", "history", "session/transfer/conversation"},
	"session/transfer/conversation": {"session/store", "session/title", "history/message"},
	"session/transfer/rawjson":      {},
	"session/languages":             {},
}

// owned lists the imports that only some rooms may have. A test may serve HTTP wherever it stands:
// a scripted server is how winnow is tested. It may look into the file with SQL too, and damage it
// as nobody else does, and drive the screen with Bubble Tea's messages.
var owned = []struct {
	prefix string
	rooms  []string
	tests  bool
}{
	{"charm.land/bubbletea", []string{"ui"}, true},
	{"charm.land/bubbles", []string{"ui"}, false},
	{"github.com/charmbracelet/bubbletea", []string{"ui"}, false},
	{"github.com/charmbracelet/bubbles", []string{"ui"}, false},
	{"database/sql", []string{"session/store", "session/transfer/llmdb"}, true},
	{"github.com/mattn/go-sqlite3", []string{"session/store"}, false},
	{"github.com/sashabaranov/go-openai", []string{"llm"}, false},
	{"net/http", []string{"llm"}, true},
	{"github.com/alecthomas/chroma/v2/styles", nil, true}, // reads all of its styles at every start
	{"github.com/alecthomas/chroma/v2/lexers", nil, true}, // and this one all of its lexers
	{"text/template", nil, true},                          // can call any method by its name, so that the linker keeps every method
	{"html/template", nil, true},                          // of every type; DataDog's copies of the two cannot
}

// refusedNames are package names that say nothing about what is inside.
var refusedNames = []string{"util", "utils", "common", "types", "helper", "helpers", "internal", "pkg"}

// topLevel is everything that may stand in the root of the repository; build is what .ci/release makes there.
var topLevel = []string{
	"go.mod", "go.sum", "main.go", "cli", "ui", "session", "history", "llm", "docs",
	"config.toml.example", "README.md", "LICENSE", "CHANGELOG.md", ".ci", ".goreleaser.yaml", "build", "staticcheck.conf", ".gitignore",
}

// goFile is what the rule looks at in one Go file.
type goFile struct {
	path    string // from the root, with slashes
	pkg     string
	imports []string
}

// roomOf is the room that a folder belongs to, the longest name that fits; ok is false where none does.
func roomOf(dir string) (room string, ok bool) {
	for d := dir; d != "."; d = path.Dir(d) {
		if _, known := rooms[d]; known {
			return d, true
		}
	}
	return "", dir == "."
}

// breaches lists every breach of the import rule, one sentence each.
func breaches(files []goFile) []string {
	var out []string
	for _, f := range files {
		dir := path.Dir(f.path)
		room, ok := roomOf(dir)
		if !ok {
			out = append(out, fmt.Sprintf("%s is in no room", f.path))
			continue
		}
		for _, name := range append(strings.Split(dir, "/"), f.pkg) {
			if slices.Contains(refusedNames, strings.TrimSuffix(name, "_test")) {
				out = append(out, fmt.Sprintf("%s: a package called %s says nothing about what is inside", f.path, name))
			}
		}
		for _, imported := range f.imports {
			if why := importBreach(f, room, imported); why != "" {
				out = append(out, why)
			}
		}
	}
	return out
}

func importBreach(f goFile, room, imported string) string {
	if inside, ok := strings.CutPrefix(imported, "winnow/"); ok {
		target, known := roomOf(inside)
		if !known {
			return fmt.Sprintf("%s imports %s, which is in no room", f.path, imported)
		}
		if target == "history/message" && slices.Contains(rooms[room], "history") {
			return "" // the words of a conversation are for whoever may ask history about it
		}
		if target != room && !slices.Contains(rooms[room], target) {
			return fmt.Sprintf("%s: room %q may not use room %q", f.path, room, target)
		}
		return ""
	}
	for _, o := range owned {
		if imported != o.prefix && !strings.HasPrefix(imported, o.prefix+"/") {
			continue
		}
		owner := slices.ContainsFunc(o.rooms, func(r string) bool { return room == r || strings.HasPrefix(room, r+"/") })
		if !owner && !(o.tests && strings.HasSuffix(f.path, "_test.go")) {
			return fmt.Sprintf("%s imports %s, which is for %q alone", f.path, imported, o.rooms)
		}
	}
	return ""
}

// moduleFiles reads the imports of every Go file of the module.
func moduleFiles(t *testing.T, root string) []goFile {
	t.Helper()
	var files []goFile
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(name) != ".go" {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f := goFile{path: filepath.ToSlash(rel), pkg: parsed.Name.Name}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			f.imports = append(f.imports, imported)
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		t.Fatalf("reading the module's imports: %v", err)
	}
	return files
}

func TestRoomsKeepTheImportRule(t *testing.T) {
	t.Parallel()
	files := moduleFiles(t, "..")
	if len(files) < 20 {
		t.Fatalf("found %d Go files under the root, want the whole module", len(files))
	}
	for _, breach := range breaches(files) {
		t.Error(breach)
	}
}

func TestTopLevelHoldsNothingElse(t *testing.T) {
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		// What .gitignore names is not part of the repository, and neither is git's own folder.
		built := e.Name() == "winnow" || e.Name() == ".git" || filepath.Ext(e.Name()) == ".test" || filepath.Ext(e.Name()) == ".prof"
		if !built && !slices.Contains(topLevel, e.Name()) {
			t.Errorf("the root holds %s, which the layout of winnow does not have", e.Name())
		}
	}
}

func TestImportRuleFindsABreach(t *testing.T) {
	cases := []struct {
		name   string
		file   goFile
		breach bool
	}{
		{"history uses a room", goFile{"history/x.go", "history", []string{"winnow/llm"}}, true},
		{"history uses what stands below it", goFile{"history/x.go", "history", []string{"winnow/history/jsonrepair"}}, false},
		{"a folder of history uses history", goFile{"history/jsonrepair/x.go", "jsonrepair", []string{"winnow/history"}}, true},
		{"a room uses a folder of history that is its own", goFile{"session/x.go", "session", []string{"winnow/history/jsonrepair"}}, true},
		{"history uses none", goFile{"history/x.go", "history", []string{"strings"}}, false},
		{"store uses llm", goFile{"session/store/x.go", "store", []string{"winnow/llm"}}, true},
		{"llm uses store", goFile{"llm/x.go", "llm", []string{"winnow/session/store"}}, true},
		{"session uses ui", goFile{"session/x.go", "session", []string{"winnow/ui"}}, true},
		{"session uses store", goFile{"session/x.go", "session", []string{"winnow/session/store"}}, false},
		{"guide uses llm", goFile{"llm/guide/x.go", "guide", []string{"winnow/llm"}}, false},
		{"a folder of ui uses what all of them draw with", goFile{"ui/transcript/x.go", "transcript", []string{"winnow/ui/theme"}}, false},
		{"a folder of ui uses another", goFile{"ui/transcript/x.go", "transcript", []string{"winnow/ui/composer/editor"}}, true},
		{"what all of ui draws with uses ui", goFile{"ui/theme/x.go", "theme", []string{"winnow/ui"}}, true},
		{"ui uses cli", goFile{"ui/x.go", "ui", []string{"winnow/cli"}}, true},
		{"a folder of ui uses Bubble Tea", goFile{"ui/theme/x.go", "theme", []string{"charm.land/bubbletea/v2"}}, false},
		{"cli uses Bubble Tea", goFile{"cli/x.go", "cli", []string{"charm.land/bubbletea/v2"}}, true},
		{"cli's test uses Bubble Tea", goFile{"cli/x_test.go", "cli", []string{"charm.land/bubbletea/v2"}}, false},
		{"the reader of llm's database uses database/sql", goFile{"session/transfer/llmdb/x.go", "llmdb", []string{"database/sql"}}, false},
		{"a format uses another", goFile{"session/transfer/chatgpt/x.go", "chatgpt", []string{"winnow/session/transfer/openai"}}, true},
		{"a format uses the package of all formats", goFile{"session/transfer/openai/x.go", "openai", []string{"winnow/session/transfer"}}, true},
		{"session uses database/sql", goFile{"session/x.go", "session", []string{"database/sql"}}, true},
		{"cli uses net/http", goFile{"cli/x.go", "cli", []string{"net/http"}}, true},
		{"cli's test uses database/sql", goFile{"cli/x_test.go", "cli", []string{"database/sql"}}, false},
		{"cli's test uses net/http", goFile{"cli/x_test.go", "cli", []string{"net/http"}}, false},
		{"cli uses net/url", goFile{"cli/x.go", "cli", []string{"net/url"}}, false},
		{"an export uses chroma's styles", goFile{"session/transfer/html/x.go", "html", []string{"github.com/alecthomas/chroma/v2/styles"}}, true},
		{"history uses a template that calls methods", goFile{"history/x.go", "history", []string{"text/template"}}, true},
		{"history uses a template that does not", goFile{"history/x.go", "history", []string{"github.com/DataDog/datadog-agent/pkg/template/text"}}, false},
		{"ui uses go-openai", goFile{"ui/x_test.go", "ui", []string{"github.com/sashabaranov/go-openai"}}, true},
		{"a package called util", goFile{"ui/util/x.go", "util", nil}, true},
		{"a folder called internal", goFile{"llm/internal/wire/x.go", "wire", nil}, true},
		{"a new top folder", goFile{"server/x.go", "server", nil}, true},
		{"main uses cli", goFile{"main.go", "main", []string{"winnow/cli"}}, false},
		{"main uses store", goFile{"main.go", "main", []string{"winnow/session/store"}}, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := breaches([]goFile{c.file})
			if (len(got) > 0) != c.breach {
				t.Errorf("breaches(%+v) = %q, want a breach: %v", c.file, got, c.breach)
			}
		})
	}
}

// mostFiles is how many production files a folder of the screen may have: more are several packages in one.
const mostFiles = 40

func TestFoldersOfTheScreenStaySmall(t *testing.T) {
	t.Parallel()
	files := map[string]int{}
	for _, f := range moduleFiles(t, "..") {
		if dir := path.Dir(f.path); (dir == "ui" || strings.HasPrefix(dir, "ui/")) && !strings.HasSuffix(f.path, "_test.go") {
			files[dir]++
		}
	}
	for dir, n := range files {
		if n > mostFiles {
			t.Errorf("%s has %d files, want at most %d", dir, n, mostFiles)
		}
	}
}
