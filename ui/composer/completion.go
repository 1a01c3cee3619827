package composer

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Command is what a draft that begins with a slash may become. A path behind /attach is completed as a command that
// attaches it, and a word that begins with @ as one that attaches what it names.
type Command struct {
	Name string // without the slash; of what is attached, with the @
	Args string // what may follow, "" for nothing; in brackets where it may be left out
	Help string
	Path string // the file or folder that is attached, "" for none
}

// Usage is the command as it is typed.
func (c Command) Usage() string {
	if c.attaches() {
		return theme.OneLine(c.Name)
	}
	if c.Args == "" {
		return "/" + c.Name
	}
	return "/" + c.Name + " " + c.Args
}

// Needs says that something must follow the command.
func (c Command) Needs() bool { return c.Args != "" && c.Args[0] != '[' }

// attaches says that it stands for something to attach.
func (c Command) attaches() bool { return c.Path != "" || isMention(c.Name) }

// isFolder says that a completion is a folder, in which the path goes on.
func (c Command) isFolder() bool { return strings.HasSuffix(c.Name, "/") }

// label is what a list of completions shows of it: of a path, its last name.
func (c Command) label() string {
	path, ok := strings.CutPrefix(c.Name, attachPrefix[1:])
	if !ok {
		return c.Usage()
	}
	list := Words(path)
	name := theme.OneLine(filepath.Base(list[len(list)-1]))
	if c.isFolder() {
		name += "/"
	}
	return name
}

// completion is the list of what the draft may become.
type completion struct {
	at     int  // the one under the cursor
	closed bool // the user closed the list; a change of the draft opens it again
	folder folder
	files  files
}

// folder is what is known of the folder whose files complete a path.
type folder struct {
	of      string // as it was typed, "" for the one that winnow runs in
	known   bool
	entries []dirEntry
}

// dirEntry is a file or a folder.
type dirEntry struct {
	name   string
	folder bool
	size   int64
}

// IsCommand says whether a draft is a command and not a message. What begins with /guide is a message where the guide
// answers; a space in front of a slash makes any text a message, and so does an edit. Several lines are a command only
// where there is one of that name: a pasted text may begin with a path.
func (c *Model) IsCommand(draft string) bool {
	if !strings.HasPrefix(draft, "/") || c.edit.message != 0 {
		return false
	}
	name, _ := theme.CutCommand(draft)
	if c.Guide && name == "guide" {
		return false
	}
	return !strings.Contains(strings.TrimSpace(draft), "\n") || c.isCommandName(name)
}

// isCommandName says whether there is a command of a name.
func (c *Model) isCommandName(name string) bool {
	is := func(list []Command) bool {
		return slices.ContainsFunc(list, func(o Command) bool {
			return o.Name == name
		})
	}
	return is(c.Commands) || c.Templates != nil && is(c.Templates())
}

// CloseCompletions closes the list of completions until the draft changes, and says whether there was one.
func (c *Model) CloseCompletions() bool {
	if len(c.Completions()) == 0 {
		return false
	}
	c.completion.closed = true
	return true
}

// isMention says that a name is one of something to attach that is no file.
func isMention(name string) bool { return strings.HasPrefix(name, "@") && strings.Contains(name, ":") }

// Completions are what the draft may become: a command of which it has the beginning, a path behind /attach, or what
// the word that is being typed may attach.
func (c *Model) Completions() []Command {
	if !c.Completes || c.completion.closed {
		return nil
	}
	if word := c.Area.Word(); strings.HasPrefix(word, "@") {
		return c.mentioned(word)
	}
	if c.edit.message != 0 || !c.Area.Begins("/") {
		return nil
	}
	draft := c.Shown()
	if strings.HasPrefix(draft, attachPrefix) {
		return c.paths()
	}
	name := draft[1:]
	if strings.ContainsAny(name, " \n/") {
		return nil
	}
	commands := c.Commands
	if c.Templates != nil {
		commands = append(slices.Clip(commands), c.Templates()...)
	}
	var out []Command
	for _, command := range commands {
		if strings.HasPrefix(command.Name, name) {
			out = append(out, command)
		}
	}
	return out
}

// completionKey is a key while there are completions. It says whether it was for them.
func (c *Model) completionKey(msg tea.KeyPressMsg, list []Command) (tea.Cmd, bool) {
	k, at := &c.Keys, &c.completion.at
	chosen := list[min(*at, len(list)-1)]
	switch {
	case k.Pressed(msg, keymap.Older):
		*at = max(0, *at-1)
	case k.Pressed(msg, keymap.Newer):
		*at = min(len(list)-1, *at+1)
	case chosen.attaches() && k.Pressed(msg, keymap.Focus, keymap.Send):
		c.Area.TakeWord()
		switch {
		case chosen.Path != "" && chosen.isFolder():
			c.Area.Insert(chosen.Name)
			return nil, true
		case chosen.Path != "":
			return c.attach([]string{chosen.Path}), true
		}
		if chosen.Needs() {
			c.Area.Insert(chosen.Name) // The user replaces what stands in braces.
			return nil, true
		}
		return c.attach([]string{chosen.Name}), true
	case k.Pressed(msg, keymap.Focus):
		c.complete(chosen)
	case !k.Pressed(msg, keymap.Send):
		return nil, false
	case !c.IsCommand(c.Shown()):
		return c.Emit(Entered{}), true
	case chosen.Needs() || chosen.isFolder():
		c.complete(chosen)
	default:
		return c.Emit(Ran{"/" + chosen.Name}), true // the draft may be another name of the command
	}
	return nil, true
}

// Hints are the keys of the list of completions, nil where there is none.
func (c *Model) Hints() []key.Binding {
	list := c.Completions()
	if len(list) == 0 {
		return nil
	}
	k, chosen := &c.Keys, list[min(c.completion.at, len(list)-1)]
	hints := []key.Binding{k.Hint("choose", keymap.Older, keymap.Newer)}
	switch {
	case chosen.attaches() && (chosen.Path == "" || !chosen.isFolder()):
		hints = append(hints, k.Hint("attach", keymap.Focus))
	case chosen.isFolder():
		hints = append(hints, k.Hint("open the folder", keymap.Focus))
	case chosen.Needs():
		hints = append(hints, k.Hint("complete", keymap.Focus))
	default:
		run := "run"
		if strings.HasPrefix(chosen.Name, attachPrefix[1:]) {
			run = "attach"
		}
		hints = append(hints, k.Hint("complete", keymap.Focus), k.Hint(run, keymap.Send))
	}
	return append(hints, k.Hint("close", keymap.Back))
}

// complete puts a command into the draft.
func (c *Model) complete(chosen Command) {
	text := "/" + chosen.Name
	if chosen.Args != "" {
		text += " "
	}
	c.Set(text)
}

// CompletionView draws the completions in lines of w cells, at most so many.
func (c *Model) CompletionView(w, most int) []string {
	list, st := c.Completions(), c.styles
	if len(list) == 0 || most < 2 {
		return nil
	}
	at := min(c.completion.at, len(list)-1)
	first, end := theme.Around(at, len(list), min(len(list), mostCompletions, most))
	wide := min(26, max(8, w/3))
	for _, c := range list[first:end] {
		switch most := max(8, 2*w/3); {
		case c.attaches():
			wide = most // The end of a long address tells more than its description.
		case isMention("@" + c.Name): // The arguments of a server's prompt are shown whole.
			wide = min(max(wide, ansi.StringWidth(c.Usage())), most)
		}
	}
	var lines []string
	for i := first; i < end; i++ {
		usage := theme.Fit(list[i].label(), wide) + " "
		if i == at {
			lines = append(lines, st.CursorRow("  "+usage+list[i].Help, w))
			continue
		}
		lines = append(lines, theme.Fit("   "+usage+st.Muted.Render(list[i].Help), w))
	}
	return lines
}

// mostCompletions is how many completions are on the screen at once.
const mostCompletions = 8

// mostEntries is how many files of a folder are offered at once.
const mostEntries = 200

// folderMsg is what a folder holds.
type folderMsg struct{ folder }

func (folderMsg) composerMsg() {}

// typedPath is the path that is being typed behind /attach or @: what stands in front of it, its folder, and
// the beginning of its name.
func (c *Model) typedPath() (before, dir, name string, ok bool) {
	if path, ok := c.mentionedPath(); ok {
		dir, name = filepath.Split(path)
		return "", dir, name, true
	}
	args, ok := strings.CutPrefix(c.Shown(), attachPrefix)
	if !ok || strings.Contains(args, "\n") {
		return "", "", "", false
	}
	list, path := Words(args), ""
	if n := len(list); n > 0 && (!strings.HasSuffix(args, " ") || strings.HasSuffix(args, `\ `)) {
		list, path = list[:n-1], list[n-1]
	}
	for _, p := range list {
		before += Escaped(p) + " "
	}
	dir, name = filepath.Split(path)
	return before, dir, name, true
}

// readFolder reads the folder of the path that is being typed, once.
func (c *Model) readFolder() tea.Cmd {
	f := &c.completion.folder
	if _, mentioned := c.mentionedPath(); !mentioned && !c.Area.Begins("/") {
		*f = folder{}
		return nil
	}
	_, dir, _, ok := c.typedPath()
	if !ok || f.known && f.of == dir {
		return nil
	}
	*f = folder{of: dir, known: true}
	return func() tea.Msg {
		return folderMsg{folder{of: dir, known: true, entries: entriesOf(resolved(cmp.Or(dir, ".")))}}
	}
}

func (c *Model) folderRead(msg folderMsg) {
	if f := c.completion.folder; f.known && f.of == msg.of {
		c.completion.at, c.completion.folder = 0, msg.folder
	}
}

// entriesOf are the files and folders in a folder, none where it cannot be read.
func entriesOf(dir string) []dirEntry {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil // What is typed is no folder yet.
	}
	var out []dirEntry
	for _, e := range list {
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		if err == nil && (info.IsDir() || info.Mode().IsRegular()) {
			out = append(out, dirEntry{e.Name(), info.IsDir(), info.Size()})
		}
	}
	return out
}

// paths are the files and folders that the path behind /attach may become. Those that begin with a dot wait until one
// is typed.
func (c *Model) paths() []Command {
	before, dir, name, ok := c.typedPath()
	if !ok || c.completion.folder.of != dir {
		return nil
	}
	_, mentioned := c.mentionedPath()
	var out []Command
	for _, e := range c.completion.folder.entries {
		hidden := strings.HasPrefix(e.name, ".") && !strings.HasPrefix(name, ".")
		if hidden || !strings.HasPrefix(strings.ToLower(e.name), strings.ToLower(name)) {
			continue
		}
		path := Command{Name: attachPrefix[1:] + before + Escaped(dir+e.name), Help: theme.Size(int(e.size))}
		if mentioned {
			path.Name, path.Path = "@"+dir+e.name, dir+e.name
		}
		if e.folder {
			path.Name, path.Help = path.Name+"/", "folder"
		}
		out = append(out, path)
	}
	return out[:min(len(out), mostEntries)]
}
