package composer

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/mcp"
	"winnow/session"
	"winnow/session/settings"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// desk is a composer whose commands run at once, with a session that is nowhere on disk.
type desk struct {
	*Model
	t       *testing.T
	line    string   // of the script
	did     []string // what the screen was asked for
	said    string   // the last sentence
	open    *list.Model
	take    func(string) tea.Cmd // chooses from the open list
	fetched int                  // pages
}

func newDesk(t *testing.T, o Options) *desk {
	t.Helper()
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.New(session.Deps{
		Models: new(llm.Catalog).With(llm.Endpoint{Name: "here", BaseURL: "http://127.0.0.1:1/v1", DefaultModel: "m"}),
		Global: settings.Global{Policy: policy},
	}, session.StartOptions{Model: "here/m"})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t}
	say := func(text string) tea.Cmd {
		if text != "" {
			d.said = text
		}
		return nil
	}
	did := func(what string) tea.Cmd {
		d.did = append(d.did, what)
		return nil
	}
	o.ReadPage = func(_ context.Context, address string) (string, bool, error) {
		if d.fetched++; strings.HasSuffix(address, "missing") {
			return "", false, errors.New("it answered 404 Not Found")
		}
		return "# A page\n", true, nil
	}
	ctx := &app.Context{Session: s, Shared: &app.Shared{
		ProgramContext: t.Context, Keys: keymap.Default(), Say: say, Fail: say,
		Themes: &theme.Selection{Styles: theme.New(theme.None, theme.Palette{}, 0)},
		Replan: func() tea.Cmd { return nil }, Do: func(a keymap.Action) tea.Cmd { return did(string(a)) },
	}}
	d.Model = New(ctx, Hooks{
		Focus:      func() {},
		Focused:    func() bool { return true },
		Send:       func(bool) tea.Cmd { return did("send") },
		RunCommand: did,
		OpenList:   func(l *list.Model, take func(string) tea.Cmd) { d.open, d.take = l, take },
		ShowText:   func(title, _ string) { did(title) },
		SetNotice:  func(string) {},
	}, o)
	d.Editor.Resize(60, 6)
	return d
}

// takes gives the composer a message, and runs what that asks for.
func (d *desk) takes(msg tea.Msg) {
	d.does(d.Update(msg))
	d.does(d.AfterUpdate())
}

// does runs a command, and those that it is made of.
func (d *desk) does(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			d.does(c)
		}
	case app.Then:
		d.does(msg())
		d.does(d.AfterUpdate())
	}
}

func (d *desk) press(names string) {
	for name := range strings.FieldsSeq(names) {
		d.takes(uitest.Key(name))
	}
}

func (d *desk) types(text string) {
	for _, r := range text {
		d.press(strings.ReplaceAll(string(r), " ", "space"))
	}
}

// want fails where something is not as it should be.
func (d *desk) want(got, want string) {
	d.t.Helper()
	if got != want {
		d.t.Errorf("%s\ngot  %.300q\nwant %.300q", d.line, got, want)
	}
}

// sent is the text that would be sent, and the names of the files with it.
func (d *desk) sent() string {
	text := d.Text()
	for _, p := range d.CurrentDraft().Files {
		text += " | " + p.Name
	}
	return text
}

// message replaces the draft by an earlier message: its text and the names of its files.
func (d *desk) message(text string) {
	text, names, _ := strings.Cut(text, " | ")
	var files []history.Part
	for name := range strings.SplitSeq(names, " | ") {
		files = append(files, history.Part{Kind: history.TextPart, Name: name, Text: "package a"})
	}
	d.restore(store.Draft{Text: text, Parts: files})
}

// offered are the completions, with " | " between.
func (d *desk) offered() string {
	var labels []string
	for _, item := range d.completions.Items()[:d.CompletionCount()] {
		labels = append(labels, item.Label)
	}
	return strings.Join(labels, " | ")
}

// reopen brings back what of the draft is on disk.
func (d *desk) reopen() {
	unsent := d.stored()
	d.SetDraft("")
	d.does(d.restore(unsent))
}

// quotedPart is a part of an argument with blanks at its ends, or with line ends, which may be repeated: "x\n" x 30.
var quotedPart = regexp.MustCompile(`("(?:[^"\\]|\\.)*")(?: x (\d+))?`)

// unquoted is an argument as it is meant.
func unquoted(arg string) string {
	return quotedPart.ReplaceAllStringFunc(arg, func(part string) string {
		found := quotedPart.FindStringSubmatch(part)
		text, _ := strconv.Unquote(found[1])
		n, _ := strconv.Atoi(cmp.Or(found[2], "1"))
		return strings.Repeat(text, n)
	})
}

// TestScripts plays the scripts of testdata/scripts.txtar, each at a desk of its own.
func TestScripts(t *testing.T) {
	servers := offered(t)
	archive, err := txtar.ParseFile("testdata/scripts.txtar")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"main.go", "docs/manual page.md", "img/Logo Ä.png", "ui/composer/completion.go"} {
		err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte("the text of "+name), 0o600))
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, script := range archive.Files {
		t.Run(script.Name, func(t *testing.T) {
			d := newDesk(t, Options{Servers: servers})
			for line := range strings.Lines(string(script.Data)) {
				d.line = strings.TrimSpace(line)
				name, arg, _ := strings.Cut(d.line, " ")
				if command := commands[name]; command != nil {
					command(d, unquoted(arg))
				} else if d.line != "" && name != "#" {
					t.Fatalf("there is no command %s", d.line)
				}
			}
		})
	}
}

// commands are what a script may say.
var commands = map[string]func(d *desk, arg string){
	"type":     (*desk).types,
	"press":    (*desk).press,
	"paste":    func(d *desk, arg string) { d.takes(tea.PasteMsg{Content: arg}) },
	"write":    func(d *desk, arg string) { d.InsertText(arg) },
	"clear":    func(d *desk, _ string) { d.SetDraft("") },
	"edited":   func(d *desk, arg string) { d.edited(arg, nil) },
	"remember": func(d *desk, arg string) { d.RememberPrompt(store.Draft{Text: arg}) },
	"message":  (*desk).message,
	"readonly": func(d *desk, _ string) { d.ReadOnly = true },
	"attach":   func(d *desk, arg string) { d.does(d.Attach(arg)) },
	"choose":   func(d *desk, arg string) { d.does(d.take(arg)) },
	"reopen":   func(d *desk, _ string) { d.reopen() },
	"run": func(d *desk, arg string) { // the prompt of a server
		name, args, _ := strings.Cut(arg, " ")
		d.said = "no command"
		cmd, _ := d.RunServerPrompt(name, args)
		d.does(cmd)
	},

	"draft":   func(d *desk, arg string) { d.want(d.sent(), arg) }, // TEXT, then " | " and the name of each file
	"shows":   func(d *desk, arg string) { d.want(d.DisplayText(), arg) },
	"offers":  func(d *desk, arg string) { d.want(d.offered(), arg) },
	"says":    func(d *desk, arg string) { d.want(d.said, arg) },
	"did":     func(d *desk, arg string) { d.want(strings.Join(d.did, " "), arg) },
	"listed":  func(d *desk, arg string) { d.want(strconv.Itoa(d.open.Len()), arg) },
	"fetched": func(d *desk, arg string) { d.want(strconv.Itoa(d.fetched), arg) },
}

func TestScreens(t *testing.T) {
	var screens uitest.Screens
	d := newDesk(t, Options{Servers: offered(t)})
	screens.Add("nothing written", d.View())
	d.message("What is wrong with it? | parser.go")
	screens.Add("a file and a question", d.View())
	d.Editor.Resize(24, 6)
	screens.Add("the same, narrow", d.View())
	d.SetDraft("see")
	d.Editor.Resize(60, 6)
	d.Paste(strings.Repeat("x\n", 40))
	screens.Add("a paste", d.View())
	d.SetDraft("")
	d.types("/n")
	screens.Add("completions, of a server as well", d.CompletionView(60, 10))
	screens.Add("completions without a cell", d.CompletionView(0, 10))
	screens.Golden(t)
}

func TestABlankEditorIsTheDefaultOne(t *testing.T) {
	t.Setenv("VISUAL", " ")
	t.Setenv("EDITOR", "")
	if msg := OpenEditor("a draft", func(string, error) tea.Msg { return nil })(); msg == nil {
		t.Error("no editor runs")
	}
}

func TestAnImageOfTheClipboardBecomesAChip(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\n" +
		"printf 'GIF89a \\000\\020\\000\\200\\000\\000\\000\\000\\000\\377\\377\\377'"
	if err := os.WriteFile(filepath.Join(dir, "wl-paste"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	d := newDesk(t, Options{})
	d.press("ctrl+v")
	d.takes(tea.PasteMsg{}) // what some terminals send for an image
	d.types("look")
	d.want(d.sent(), "look | pasted-1.png | pasted-2.png")
	sent := d.CurrentDraft()
	if kind := sent.Files[0].Kind; kind != history.ImagePart {
		t.Errorf("the image is a %s", kind)
	}
	unsent := d.stored()
	if d.reopen(); !reflect.DeepEqual(d.CurrentDraft(), sent) || d.stored().Hash() != unsent.Hash() {
		t.Errorf("the draft comes back as %+v, want %+v", d.CurrentDraft(), sent)
	}
	t.Setenv("PATH", "")
	if d.press("ctrl+v"); !strings.HasPrefix(d.said, "The clipboard has no text and no image") {
		t.Errorf("without a program for the clipboard it says %q", d.said)
	}
}

// offered are the servers of a real MCP server on loopback, with prompts and resources.
func offered(t *testing.T) *mcp.Servers {
	t.Helper()
	s := sdk.NewServer(&sdk.Implementation{Name: "notes", Version: "1"}, nil)
	s.AddPrompt(&sdk.Prompt{
		Name: "code review", Description: "Reviews\x1b[2J code.", Arguments: []*sdk.PromptArgument{
			{Name: "language", Required: true}, {Name: "focus"},
		},
	}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		text := "Review " + r.Params.Arguments["language"] + " for " + r.Params.Arguments["focus"]
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
			{Role: "user", Content: &sdk.TextContent{Text: text}},
			{Role: "assistant", Content: &sdk.TextContent{Text: "Show me."}},
		}}, nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "empty"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{}, nil
	})
	read := func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{
			Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "text of " + r.Params.URI}},
		}, nil
	}
	s.AddResource(&sdk.Resource{URI: "memo:one", Name: "First memo", Size: 2048}, read)
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "day:{date}", Name: "A day"}, read)
	server := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(server.Close)
	all := mcp.NewServers("test", mcp.ServerConfig{Name: "notes", URL: server.URL})
	t.Cleanup(all.Close)
	if err := all.Prepare(t.Context(), func(sentence string) { t.Log(sentence) }); err != nil {
		t.Fatal(err)
	}
	for {
		changed := all.Changed()
		if list := all.Statuses(); list[0].Listed {
			return all
		} else if list[0].Err != nil {
			t.Fatal(list[0].Err)
		}
		<-changed
	}
}
