package composer

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/ui/app"
	"winnow/ui/composer/tree"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Command is what a draft that begins with a slash may become.
type Command struct {
	Name string // without the slash
	Args string // what may follow, "" for nothing; in brackets where it may be left out
	Help string
}

// Usage is the command as it is typed.
func (c Command) Usage() string { return strings.TrimSuffix("/"+c.Name+" "+c.Args, " ") }

// Needs reports whether something must follow the command.
func (c Command) Needs() bool { return c.Args != "" && c.Args[0] != '[' }

// completion is what the draft, or the word with @ that is being typed, may become.
type completion struct {
	label, help string
	text        string   // takes its place
	attach      []string // is attached instead, nil for nothing
	runs        bool     // enter runs the text as a command
}

// completions are what the draft may become. The list is made anew when the draft changes.
type completions struct {
	list   []completion
	at     int  // the one under the cursor
	closed bool // the user closed the list; a change of the draft opens it again

	known bool     // the files that may complete a path are read, or on their way:
	place string   // they are here, see Model.placeOf,
	paths []string // and these are their paths; that of a folder ends with a slash
}

// The most that is offered at once, and of that on the screen.
const (
	mostOffered     = 200
	mostCompletions = 8
)

// IsCommand reports whether a draft is a command and not a message. What begins with /guide is a message where the
// guide answers; a space in front of a slash makes any text a message, and so does an edit. Several lines are a command
// only where there is one of that name: a pasted text may begin with a path.
func (c *Model) IsCommand(draft string) bool {
	if !strings.HasPrefix(draft, "/") || c.edit != nil {
		return false
	}
	name, _ := theme.CutCommand(draft)
	if model, _, _ := strings.Cut(c.Ref, "/"); name == "guide" && model == name {
		return false
	}
	return !strings.Contains(strings.TrimSpace(draft), "\n") ||
		slices.ContainsFunc(c.commands(), func(o Command) bool { return o.Name == name })
}

// commands are those of the program, and the prompts of the MCP servers.
func (c *Model) commands() []Command {
	return append(slices.Clip(c.Commands), c.servers().commands()...)
}

// Completions is how many there are on the screen or behind it: 0 where no list is open.
func (c *Model) Completions() int {
	if c.completions.closed || c.ReadOnly || !c.Screen.Focused() {
		return 0
	}
	return len(c.completions.list)
}

// CloseCompletions closes the list until the draft changes, and reports whether there was one.
func (c *Model) CloseCompletions() bool {
	open := c.Completions() > 0
	c.completions.closed = true
	return open
}

// begun is the draft where it may be the beginning of a command, "" where it is not.
func (c *Model) begun() string {
	if c.edit != nil || !c.Area.Begins("/") {
		return ""
	}
	return c.Shown()
}

// typedPath is the path that is being typed behind @ or behind /attach, and the paths in front of it there.
func (c *Model) typedPath() (path string, before []string, ok bool) {
	if path, ok := strings.CutPrefix(c.Area.Word(), "@"); ok {
		return path, nil, true
	}
	args, ok := strings.CutPrefix(c.begun(), attachPrefix)
	before = Words(args)
	if n := len(before); n > 0 && (!strings.HasSuffix(args, " ") || strings.HasSuffix(args, `\ `)) {
		before, path = before[:n-1], before[n-1]
	}
	return path, before, ok
}

// placeOf is the folder in which a path goes on: of one behind @ that does not begin at a folder, all below the one
// that winnow runs in, which is "@".
func (c *Model) placeOf(path string) string {
	begins := func(from string) bool { return strings.HasPrefix(path, from) }
	if strings.HasPrefix(c.Area.Word(), "@") && !slices.ContainsFunc([]string{"/", "~/", "./", "../"}, begins) {
		return "@"
	}
	dir, _ := filepath.Split(path)
	return dir
}

// complete makes the list anew, and reads the files that the path which is being typed may name.
func (c *Model) complete() tea.Cmd {
	path, _, typed := c.typedPath()
	have, place := &c.completions, c.placeOf(path)
	known := typed && have.known && have.place == place
	if !known {
		*have = completions{known: typed, place: place}
	}
	have.closed, have.at, have.list = false, 0, c.find()
	if known || !typed {
		return nil
	}
	return c.Run(func(ctx context.Context) tea.Msg {
		paths := pathsIn(ctx, place)
		return app.Then(func() tea.Cmd {
			if have.known && have.place == place {
				have.paths = paths
				have.list = c.find()
			}
			return nil
		})
	})
}

// pathsIn are the files of a place, none where it cannot be read.
func pathsIn(ctx context.Context, place string) (paths []string) {
	if place == "@" {
		return tree.Read(ctx, ".")
	}
	entries, _ := os.ReadDir(resolved(place)) // What is typed may be no folder yet.
	for _, e := range entries {
		path := place + e.Name()
		if e.IsDir() {
			path += "/"
		}
		paths = append(paths, path)
	}
	return paths
}

// find is what the draft may become: what the word that is being typed may attach, a path behind /attach, or a command
// of which it has the beginning.
func (c *Model) find() (list []completion) {
	path, before, typed := c.typedPath()
	mention := strings.HasPrefix(c.Area.Word(), "@")
	if typed {
		for _, p := range c.fitting(path) {
			o := completion{label: theme.OneLine(filepath.Base(p)), attach: append(slices.Clone(before), p)}
			if mention {
				o.label, o.text = "@"+theme.OneLine(p), "@"+p
			} else {
				o.text = attachPrefix + Escaped(append(slices.Clone(before), p)...)
			}
			if strings.HasSuffix(p, "/") {
				o.attach = nil
			}
			list = append(list, o)
		}
		if mention {
			list = append(list, c.servers().mentions(c.Area.Word())...)
		}
		return list[:min(len(list), mostOffered)]
	}
	name, ok := strings.CutPrefix(c.begun(), "/")
	if !ok || strings.ContainsAny(name, " \n/") {
		return nil
	}
	for _, command := range c.commands() {
		if strings.HasPrefix(command.Name, name) {
			o := completion{label: command.Usage(), help: command.Help, text: "/" + command.Name, runs: !command.Needs()}
			if command.Args != "" {
				o.text += " "
			}
			list = append(list, o)
		}
	}
	return list
}

// fitting are the files that a path which is being typed may become. In a folder those that begin with a dot wait until
// one is typed.
func (c *Model) fitting(path string) []string {
	dir := c.placeOf(path)
	if dir == "@" {
		return tree.Find(c.completions.paths, path, mostOffered/4)
	}
	return slices.DeleteFunc(slices.Clone(c.completions.paths), func(p string) bool {
		hidden := strings.HasPrefix(p[len(dir):], ".") && !strings.HasPrefix(path[len(dir):], ".")
		return hidden || !strings.HasPrefix(strings.ToLower(p), strings.ToLower(path))
	})
}

// completionKey is a key while there are completions. It reports whether it was for them.
func (c *Model) completionKey(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	k, n := &c.Keys, c.Completions()
	if n == 0 {
		return nil, false
	}
	at := &c.completions.at
	chosen := c.completions.list[*at]
	mention := strings.HasPrefix(c.Area.Word(), "@")
	switch send := k.Pressed(msg, keymap.Send); {
	case k.Pressed(msg, keymap.Older):
		*at = max(0, *at-1)
		return nil, true
	case k.Pressed(msg, keymap.Newer):
		*at = min(n-1, *at+1)
		return nil, true
	case !send && !k.Pressed(msg, keymap.Focus):
		return nil, false
	case send && !mention && !c.IsCommand(c.Shown()):
		return c.Screen.Send(false), true
	case send && chosen.runs:
		return c.Screen.Run(strings.TrimSpace(chosen.text)), true // the draft may be another name of the command
	}
	if mention {
		c.Area.TakeWord()
	} else {
		c.Set("")
	}
	if chosen.attach != nil {
		return c.attach(chosen.attach), true
	}
	c.Area.Insert(chosen.text)
	return nil, true
}

// Hints are the keys of the list of completions, nil where there is none.
func (c *Model) Hints() []key.Binding {
	if c.Completions() == 0 {
		return nil
	}
	k, chosen := &c.Keys, c.completions.list[c.completions.at]
	hints := []key.Binding{k.Hint("choose", keymap.Older, keymap.Newer)}
	switch {
	case chosen.attach != nil:
		hints = append(hints, k.Hint("attach", keymap.Focus))
	case chosen.runs:
		hints = append(hints, k.Hint("complete", keymap.Focus), k.Hint("run", keymap.Send))
	case strings.HasSuffix(chosen.text, "/"):
		hints = append(hints, k.Hint("open the folder", keymap.Focus))
	default:
		hints = append(hints, k.Hint("complete", keymap.Focus))
	}
	return append(hints, k.Hint("close", keymap.Back))
}

// CompletionView draws the completions in lines of w cells, at most so many.
func (c *Model) CompletionView(w, most int) (lines []string) {
	n := c.Completions()
	if n == 0 || most < 2 {
		return nil
	}
	wide := 0
	for _, o := range c.completions.list {
		wide = max(wide, theme.Width(o.label))
	}
	wide = min(wide, max(8, 2*w/3))
	first, end := theme.Around(c.completions.at, n, min(n, mostCompletions, most))
	for i := first; i < end; i++ {
		o := c.completions.list[i]
		label := theme.Fit(o.label, wide) + "   "
		if i == c.completions.at {
			lines = append(lines, c.Themes.Styles.CursorRow("  "+label+o.help, w))
			continue
		}
		lines = append(lines, theme.Fit("   "+label+c.Themes.Styles.Muted.Render(o.help), w))
	}
	return lines
}
