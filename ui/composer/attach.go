package composer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// attachPrefix begins a draft in which paths are completed.
const attachPrefix = "/attach "

// file is a file that was read for a chip.
type file struct {
	path string
	part history.Part
	sum  string
	err  error
}

// fileAt reads a file as it hangs on a message.
func fileAt(path string, read func(string) (history.Part, error)) file {
	return fileOf(resolved(path), read)
}

// fileOf reads what a path or a word with @ names.
func fileOf(path string, read func(string) (history.Part, error)) file {
	f := file{path: path}
	f.part, f.err = read(path)
	sum := sha256.New()
	sum.Write(f.part.Data)
	sum.Write([]byte(f.part.Text))
	f.sum = hex.EncodeToString(sum.Sum(nil))
	return f
}

// readMsg is the file that a chip was waiting for. A paste may turn out to be several, or none.
type readMsg struct {
	chip  int
	files []file
	cut   bool // only the beginning of it was read
}

func (readMsg) composerMsg() {}

// Attach hangs the files that a command names on the draft.
func (c *Model) Attach(args string) tea.Cmd { return c.attach(Words(args)) }

// AttachMore takes the command out of a draft that is files and, behind them, the command that hangs more of them on
// it. It says whether the draft is that.
func (c *Model) AttachMore() (tea.Cmd, bool) {
	text := strings.TrimSpace(c.Text())
	args, ok := strings.CutPrefix(text, attachPrefix)
	if !ok || c.edit.message != 0 || len(c.files()) == 0 || strings.Contains(text, "\n") {
		return nil, false
	}
	c.leaveChips()
	return c.Attach(args), true
}

// attach hangs files on the draft, at the cursor.
func (c *Model) attach(paths []string) tea.Cmd {
	var chips []int
	for _, path := range paths {
		if isAddress(path) {
			c.askForPage(path)
			continue
		}
		chips = append(chips, c.put(Chip{Label: readingLabel(path), Path: path}))
		c.Area.Insert(" ")
	}
	if len(chips) > 0 {
		c.Emit(Focused{})
	}
	return c.readFiles(chips)
}

// readFiles reads the files of chips.
func (c *Model) readFiles(chips []int) tea.Cmd {
	read, mentioned, attach := c.ReadFile, c.ReadMention, c.AttachText
	var cmds []tea.Cmd
	for _, n := range chips {
		path := c.Chips[n].Path
		if isAddress(path) { // of a draft that was left unsent: nobody agreed to another request
			const again = "%s was attached to the draft, but is not fetched again automatically; /attach %s fetches it"
			err := fmt.Errorf(again, path, path)
			cmds = append(cmds, func() tea.Msg { return readMsg{chip: n, files: []file{{path: path, err: err}}} })
			continue
		}
		if !isMention(path) || mentioned == nil {
			cmds = append(cmds, func() tea.Msg { return readMsg{chip: n, files: []file{fileAt(path, read)}} })
			continue
		}
		cmds = append(cmds, c.Run(func(ctx context.Context) tea.Msg {
			return readMsg{chip: n, files: []file{fileOf(path, func(word string) (history.Part, error) {
				text, err := mentioned(ctx, word)
				if err != nil {
					return history.Part{}, err
				}
				return attach(word, text)
			})}}
		}))
	}
	return tea.Batch(cmds...)
}

// drop puts a pasted text at the cursor. One that looks like dragged files becomes them; until they are found, and
// where there are none, the draft shows the text.
func (c *Model) drop(text string) tea.Cmd {
	ways := dropped(text)
	if len(ways) == 0 {
		c.Paste(text)
		return nil
	}
	n := c.put(Chip{Label: theme.OneLine(text), Text: text, Path: text})
	read := c.ReadFile
	return func() tea.Msg {
		msg := readMsg{chip: n}
		for _, way := range ways {
			if !each(way, isThere) {
				continue
			}
			for _, path := range way {
				msg.files = append(msg.files, fileAt(path, read))
			}
			break
		}
		return msg
	}
}

// isThere says that a path is one of a file, and not of a folder.
func isThere(path string) bool {
	info, err := os.Stat(resolved(path))
	return err == nil && info.Mode().IsRegular()
}

// wasRead puts the files that were read in the place of the chip that waited for them. It says what
// cannot be attached; a pasted path is then the text that it is.
func (c *Model) wasRead(msg readMsg) tea.Cmd {
	in := c.awaiting(msg.chip)
	if in == nil {
		return nil // It was deleted meanwhile.
	}
	waiting := in.Chips[msg.chip]
	var chips []Chip
	for _, f := range msg.files {
		if f.err != nil {
			c.SayError(theme.Sentence(f.err))
			chips = nil
			break
		}
		if waiting.Sum != "" && waiting.Sum != f.sum {
			c.Say(theme.OneLine(f.part.Name) + " has changed since it was attached; the new version is attached.")
		} else if msg.cut {
			c.Say("Only the beginning of " + theme.OneLine(f.path) + " was read: " + theme.Size(len(f.part.Text)) + ".")
		} else if bad := notText(f.part); bad > 0 {
			c.Say(theme.OneLine(f.part.Name) + " holds " + theme.Plural(bad, "byte") +
				" that are not UTF-8; each is sent as a replacement character.")
		}
		text := ""
		if waiting.Text != "" {
			text = Escaped(f.path)
		}
		label := theme.FileLabel(f.part, c.Tokens(f.part.Tokens))
		chips = append(chips, Chip{Label: label, Text: text, Path: f.path, Sum: f.sum, Part: &f.part})
	}
	c.replace(in, msg.chip, chips)
	return c.Emit(Changed{})
}

// awaiting is the draft in which a chip waits for its file: the one on the screen, or one that waits
// behind an edit or a prompt. It is nil for none.
func (c *Model) awaiting(number int) *Writing {
	for _, w := range []*Writing{&c.Writing, &c.own, &c.edit.kept} {
		if w.Chips[number].Reading() {
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

// replace puts chips in the place of one. With none, its text is left.
func (c *Model) replace(in *Writing, of int, chips []Chip) {
	was := in.Chips[of]
	delete(in.Chips, of)
	in.Area.ReplaceInset(of, func() {
		if len(chips) == 0 {
			in.Area.Insert(markdown.Visible(was.Text))
		}
		for i, p := range chips {
			if i > 0 {
				in.Area.Insert(" ")
			}
			c.made++
			in.Chips[c.made] = p
			in.Area.InsertInset(c.made, p.Label)
		}
	})
}
