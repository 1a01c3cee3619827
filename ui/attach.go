package ui

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/composer"
	"winnow/ui/inspector"
	"winnow/ui/theme"
)

// readMsg is the file that a chip was waiting for. A paste may turn out to be several, or none.
type readMsg struct {
	chip  int
	files []composer.ReadFile
}

// readAttached reads a file as it hangs on a message.
func readAttached(s *session.Session, path string) composer.ReadFile {
	f := composer.ReadFile{Path: composer.Resolved(path)}
	f.Part, f.Err = s.Attach(f.Path)
	sum := sha256.New()
	sum.Write(f.Part.Data)
	sum.Write([]byte(f.Part.Text))
	f.Sum = hex.EncodeToString(sum.Sum(nil))
	return f
}

// attach hangs the files that a command names on the draft.
func (m *Model) attach(args string) tea.Cmd { return m.attachAll(composer.Words(args)) }

// attachesMore says whether a draft is files and, behind them, the command that hangs more of them on it.
func (m *Model) attachesMore() bool {
	d := m.composer.Drafted()
	text := strings.TrimSpace(d.Text)
	return m.editing.message == 0 && len(d.Files) > 0 && strings.HasPrefix(text, composer.AttachPrefix) && !strings.Contains(text, "\n")
}

// attachMore takes the command out of the draft and hangs its files beside those that are there.
func (m *Model) attachMore() tea.Cmd {
	args := strings.TrimPrefix(strings.TrimSpace(m.composer.Text()), composer.AttachPrefix)
	m.composer.LeaveChips()
	return tea.Batch(m.attach(args), m.draftChanged())
}

// attachAll hangs files on the draft, at the cursor.
func (m *Model) attachAll(paths []string) tea.Cmd {
	var chips []int
	for _, path := range paths {
		chips = append(chips, m.composer.Put(composer.Chip{Label: composer.ReadingLabel(path), Path: path}))
		m.composer.Area.Insert(" ")
	}
	if len(chips) == 0 {
		return nil
	}
	m.setFocus(draftPane)
	m.arrange()
	return m.readFiles(chips)
}

// readFiles reads the files of chips.
func (m *Model) readFiles(chips []int) tea.Cmd {
	s := m.session
	var cmds []tea.Cmd
	for _, n := range chips {
		path := m.composer.Chips[n].Path
		cmds = append(cmds, func() tea.Msg { return readMsg{n, []composer.ReadFile{readAttached(s, path)}} })
	}
	return tea.Batch(cmds...)
}

// drop takes a paste that looks like dragged files, and says whether it does. Until they are found, and
// where there are none, the draft shows the pasted text.
func (m *Model) drop(paste string) (tea.Cmd, bool) {
	ways := composer.Dropped(paste)
	if len(ways) == 0 {
		return nil, false
	}
	n := m.composer.Put(composer.Chip{Label: theme.OneLine(paste), Text: paste, Path: paste})
	s := m.session
	return func() tea.Msg {
		msg := readMsg{chip: n}
		for _, way := range ways {
			if !composer.Each(way, composer.IsThere) {
				continue
			}
			for _, path := range way {
				msg.files = append(msg.files, readAttached(s, path))
			}
			break
		}
		return msg
	}, true
}

// wasRead puts the files that were read in the place of the chip that waited for them. It says what
// cannot be attached; a pasted path is then the text that it is.
func (m *Model) wasRead(msg readMsg) tea.Cmd {
	in := m.awaiting(msg.chip)
	if in == nil {
		return nil // It was deleted meanwhile.
	}
	waiting := in.Chips[msg.chip]
	var said tea.Cmd
	var chips []composer.Chip
	for _, f := range msg.files {
		if f.Err != nil {
			said = m.complain(theme.Sentence(f.Err))
			chips = nil
			break
		}
		if waiting.Sum != "" && waiting.Sum != f.Sum {
			said = m.say(theme.OneLine(f.Part.Name) + " has changed since it was attached; it is attached as it is now.")
		} else if bad := composer.NotText(f.Part); bad > 0 {
			said = m.say(theme.OneLine(f.Part.Name) + " holds " + theme.Plural(bad, "byte") + " that are not UTF-8; each is sent as a replacement character.")
		}
		text := ""
		if waiting.Text != "" {
			text = composer.Escaped(f.Path)
		}
		chips = append(chips, composer.Chip{Label: theme.FileLabel(f.Part, m.composer.Tokens(f.Part.Tokens)), Text: text, Path: f.Path, Sum: f.Sum, Part: &f.Part})
	}
	m.composer.Instead(in, msg.chip, chips)
	m.arrange()
	return tea.Batch(said, m.draftChanged())
}

// awaiting is the draft in which a chip waits for its file: the one on the screen, or one that waits
// behind an edit or a prompt. It is nil for none.
func (m *Model) awaiting(number int) *composer.Writing {
	for _, w := range []*composer.Writing{&m.composer.Writing, &m.composer.Own, &m.editing.kept} {
		if w.Chips[number].Reading() {
			return w
		}
	}
	return nil
}

// openFile shows a file of the draft.
func (m *Model) openFile(p history.Part) tea.Cmd {
	title := strings.Trim(theme.FileLabel(p, m.composer.Tokens(p.Tokens)), "[]")
	if p.Kind == history.ImagePart {
		return m.say(fmt.Sprintf("It is a picture (%s), which a terminal does not show: %s.", p.MediaType, title))
	}
	m.openReader(title, inspector.Page{{Kind: inspector.Said, Text: p.Text}})
	return nil
}

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
