package ui

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/theme"
)

// attachPrefix begins a draft in which paths are completed.
const attachPrefix = "/attach "

// mostEntries is how many files of a folder are offered at once.
const mostEntries = 200

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

// folderMsg is what a folder holds.
type folderMsg struct{ folder }

// typedPath is the path that is being typed behind /attach: what stands in front of it, its folder, and
// the beginning of its name.
func (m *Model) typedPath() (before, dir, name string, ok bool) {
	args, ok := strings.CutPrefix(m.composer.shown(), attachPrefix)
	if !ok || strings.Contains(args, "\n") {
		return "", "", "", false
	}
	list, path := words(args), ""
	if n := len(list); n > 0 && (!strings.HasSuffix(args, " ") || strings.HasSuffix(args, `\ `)) {
		list, path = list[:n-1], list[n-1]
	}
	for _, p := range list {
		before += escaped(p) + " "
	}
	dir, name = filepath.Split(path)
	return before, dir, name, true
}

// readFolder reads the folder of the path that is being typed, once.
func (m *Model) readFolder() tea.Cmd {
	if !m.composer.area.Begins("/") {
		m.folder = folder{}
		return nil
	}
	_, dir, _, ok := m.typedPath()
	if !ok || m.folder.known && m.folder.of == dir {
		return nil
	}
	m.folder = folder{of: dir, known: true}
	return func() tea.Msg { return folderMsg{folder{dir, true, inFolder(resolved(cmp.Or(dir, ".")))}} }
}

// inFolder are the files and folders in a folder, none where it cannot be read.
func inFolder(dir string) []dirEntry {
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

func (m *Model) folderRead(msg folderMsg) tea.Cmd {
	if m.folder.known && m.folder.of == msg.of {
		m.folder, m.popup = msg.folder, 0
	}
	return nil
}

// paths are the files and folders that the path behind /attach may become, as commands that attach them.
// Those that begin with a dot wait until one is typed.
func (m *Model) paths() []Command {
	before, dir, name, ok := m.typedPath()
	if !ok || m.folder.of != dir {
		return nil
	}
	var out []Command
	for _, e := range m.folder.entries {
		hidden := strings.HasPrefix(e.name, ".") && !strings.HasPrefix(name, ".")
		if hidden || !strings.HasPrefix(strings.ToLower(e.name), strings.ToLower(name)) {
			continue
		}
		c := Command{Name: attachPrefix[1:] + before + escaped(dir+e.name), Help: theme.Size(int(e.size))}
		if e.folder {
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
	path, ok := strings.CutPrefix(c.Name, attachPrefix[1:])
	if !ok {
		return c.usage()
	}
	list := words(path)
	name := theme.OneLine(filepath.Base(list[len(list)-1]))
	if c.goesOn() {
		name += "/"
	}
	return name
}
