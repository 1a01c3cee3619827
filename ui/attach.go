package ui

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/inspector"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// readFile is a file that was read for a chip.
type readFile struct {
	path string
	part history.Part
	sum  string
	err  error
}

// readMsg is the file that a chip was waiting for. A paste may turn out to be several, or none.
type readMsg struct {
	chip  int
	files []readFile
}

// readAttached reads a file as it hangs on a message.
func readAttached(s *session.Session, path string) readFile {
	f := readFile{path: resolved(path)}
	f.part, f.err = s.Attach(f.path)
	sum := sha256.New()
	sum.Write(f.part.Data)
	sum.Write([]byte(f.part.Text))
	f.sum = hex.EncodeToString(sum.Sum(nil))
	return f
}

// attach hangs the files that a command names on the draft.
func (m *Model) attach(args string) tea.Cmd { return m.attachAll(words(args)) }

// attachesMore says whether a draft is files and, behind them, the command that hangs more of them on it.
func (m *Model) attachesMore() bool {
	d := m.composer.drafted()
	text := strings.TrimSpace(d.text)
	return m.editing.message == 0 && len(d.files) > 0 && strings.HasPrefix(text, attachPrefix) && !strings.Contains(text, "\n")
}

// attachMore takes the command out of the draft and hangs its files beside those that are there.
func (m *Model) attachMore() tea.Cmd {
	args := strings.TrimPrefix(strings.TrimSpace(m.composer.text()), attachPrefix)
	m.composer.leaveChips()
	return tea.Batch(m.attach(args), m.draftChanged())
}

// attachAll hangs files on the draft, at the cursor.
func (m *Model) attachAll(paths []string) tea.Cmd {
	var chips []int
	for _, path := range paths {
		chips = append(chips, m.composer.put(chip{label: readingLabel(path), path: path}))
		m.composer.area.Insert(" ")
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
		path := m.composer.chips[n].path
		cmds = append(cmds, func() tea.Msg { return readMsg{n, []readFile{readAttached(s, path)}} })
	}
	return tea.Batch(cmds...)
}

// drop takes a paste that looks like dragged files, and says whether it does. Until they are found, and
// where there are none, the draft shows the pasted text.
func (m *Model) drop(paste string) (tea.Cmd, bool) {
	ways := dropped(paste)
	if len(ways) == 0 {
		return nil, false
	}
	n := m.composer.put(chip{label: theme.OneLine(paste), text: paste, path: paste})
	s := m.session
	return func() tea.Msg {
		msg := readMsg{chip: n}
		for _, way := range ways {
			if !each(way, isThere) {
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

// isThere says that a path is one of a file, and not of a folder.
func isThere(path string) bool {
	info, err := os.Stat(resolved(path))
	return err == nil && info.Mode().IsRegular()
}

// wasRead puts the files that were read in the place of the chip that waited for them. It says what
// cannot be attached; a pasted path is then the text that it is.
func (m *Model) wasRead(msg readMsg) tea.Cmd {
	in := m.awaiting(msg.chip)
	if in == nil {
		return nil // It was deleted meanwhile.
	}
	waiting := in.chips[msg.chip]
	var said tea.Cmd
	var chips []chip
	for _, f := range msg.files {
		if f.err != nil {
			said = m.complain(theme.Sentence(f.err))
			chips = nil
			break
		}
		if waiting.sum != "" && waiting.sum != f.sum {
			said = m.say(theme.OneLine(f.part.Name) + " has changed since it was attached; it is attached as it is now.")
		} else if bad := notText(f.part); bad > 0 {
			said = m.say(theme.OneLine(f.part.Name) + " holds " + theme.Plural(bad, "byte") + " that are not UTF-8; each is sent as a replacement character.")
		}
		text := ""
		if waiting.text != "" {
			text = escaped(f.path)
		}
		chips = append(chips, chip{label: theme.FileLabel(f.part, m.composer.tokens(f.part.Tokens)), text: text, path: f.path, sum: f.sum, part: &f.part})
	}
	m.composer.instead(in, msg.chip, chips)
	m.arrange()
	return tea.Batch(said, m.draftChanged())
}

// awaiting is the draft in which a chip waits for its file: the one on the screen, or one that waits
// behind an edit or a prompt. It is nil for none.
func (m *Model) awaiting(number int) *writing {
	for _, w := range []*writing{&m.composer.writing, &m.composer.own, &m.editing.kept} {
		if w.chips[number].reading() {
			return w
		}
	}
	return nil
}

// notText counts the bytes of a text that are not UTF-8.
func notText(p history.Part) int {
	n := 0
	for i, r := range p.Text {
		if r == utf8.RuneError && !strings.HasPrefix(p.Text[i:], "\uFFFD") {
			n++
		}
	}
	return n
}

// instead puts chips in the place of one. With none, its text is left.
func (c *composer) instead(in *writing, of int, chips []chip) {
	was := in.chips[of]
	delete(in.chips, of)
	if len(chips) == 0 {
		in.area.Unfold(of, markdown.Visible(was.text))
		return
	}
	var numbers []int
	var labels []string
	for _, p := range chips {
		c.made++
		in.chips[c.made] = p
		numbers, labels = append(numbers, c.made), append(labels, p.label)
	}
	in.area.Unpack(of, numbers, labels)
}

// openFile shows a file of the draft.
func (m *Model) openFile(p history.Part) tea.Cmd {
	title := strings.Trim(theme.FileLabel(p, m.composer.tokens(p.Tokens)), "[]")
	if p.Kind == history.ImagePart {
		return m.say(fmt.Sprintf("It is a picture (%s), which a terminal does not show: %s.", p.MediaType, title))
	}
	m.openReader(title, inspector.Page{{Kind: inspector.Said, Text: p.Text}})
	return nil
}
