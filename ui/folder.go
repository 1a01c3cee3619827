package ui

import (
	"cmp"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/composer"
	"winnow/ui/theme"
)

// mostEntries is how many files of a folder are offered at once.
const mostEntries = 200

// folderMsg is what a folder holds.
type folderMsg struct{ composer.Folder }

// typedPath is the path that is being typed behind /attach: what stands in front of it, its folder, and
// the beginning of its name.
func (m *Model) typedPath() (before, dir, name string, ok bool) {
	args, ok := strings.CutPrefix(m.composer.Shown(), composer.AttachPrefix)
	if !ok || strings.Contains(args, "\n") {
		return "", "", "", false
	}
	list, path := composer.Words(args), ""
	if n := len(list); n > 0 && (!strings.HasSuffix(args, " ") || strings.HasSuffix(args, `\ `)) {
		list, path = list[:n-1], list[n-1]
	}
	for _, p := range list {
		before += composer.Escaped(p) + " "
	}
	dir, name = filepath.Split(path)
	return before, dir, name, true
}

// readFolder reads the folder of the path that is being typed, once.
func (m *Model) readFolder() tea.Cmd {
	if !m.composer.Area.Begins("/") {
		m.folder = composer.Folder{}
		return nil
	}
	_, dir, _, ok := m.typedPath()
	if !ok || m.folder.Known && m.folder.Of == dir {
		return nil
	}
	m.folder = composer.Folder{Of: dir, Known: true}
	return func() tea.Msg {
		return folderMsg{composer.Folder{Of: dir, Known: true, Entries: composer.InFolder(composer.Resolved(cmp.Or(dir, ".")))}}
	}
}

func (m *Model) folderRead(msg folderMsg) tea.Cmd {
	if m.folder.Known && m.folder.Of == msg.Of {
		m.folder, m.popup = msg.Folder, 0
	}
	return nil
}

// paths are the files and folders that the path behind /attach may become, as commands that attach them.
// Those that begin with a dot wait until one is typed.
func (m *Model) paths() []Command {
	before, dir, name, ok := m.typedPath()
	if !ok || m.folder.Of != dir {
		return nil
	}
	var out []Command
	for _, e := range m.folder.Entries {
		hidden := strings.HasPrefix(e.Name, ".") && !strings.HasPrefix(name, ".")
		if hidden || !strings.HasPrefix(strings.ToLower(e.Name), strings.ToLower(name)) {
			continue
		}
		c := Command{Name: composer.AttachPrefix[1:] + before + composer.Escaped(dir+e.Name), Help: theme.Size(int(e.Size))}
		if e.Folder {
			c.Name, c.Help = c.Name+"/", "folder"
		}
		out = append(out, c)
	}
	return out[:min(len(out), mostEntries)]
}

// goesOn says that a completion is a folder, in which the path goes on.
func (c Command) goesOn() bool { return strings.HasSuffix(c.Name, "/") }

// label is what a list of completions shows of it: of a path, its last name.
func (c Command) label() string {
	path, ok := strings.CutPrefix(c.Name, composer.AttachPrefix[1:])
	if !ok {
		return c.usage()
	}
	list := composer.Words(path)
	name := theme.OneLine(filepath.Base(list[len(list)-1]))
	if c.goesOn() {
		name += "/"
	}
	return name
}
