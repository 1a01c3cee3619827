package composer

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/composer/tree"
)

// mostFound is how many files are offered at once.
const mostFound = 50

// files completes a word that begins with @ by the files below the folder that winnow runs in.
type files struct {
	tree    tree.Tree
	known   bool // the tree was read
	reading bool
	word    string // that was looked for last, "" for none
	found   []string
}

// treeMsg is the files below the folder that winnow runs in.
type treeMsg struct{ tree.Tree }

func (treeMsg) composerMsg() {}

func (f *files) read(msg treeMsg) {
	f.tree, f.known, f.reading = msg.Tree, true, false
	f.find(f.word)
}

func (f *files) find(word string) {
	f.word, f.found = word, nil
	if word != "" {
		f.found = f.tree.Find(word[1:], mostFound)
	}
}

// mentionedPath is the path behind @ that is being typed from a folder on: /etc/h, ~/n, ../x. Other words with @ are
// looked for among the files of the tree.
func (c *Model) mentionedPath() (path string, ok bool) {
	path, ok = strings.CutPrefix(c.Area.Word(), "@")
	if !ok {
		return "", false
	}
	for _, from := range []string{"/", "~/", "./", "../"} {
		if strings.HasPrefix(path, from) {
			return path, true
		}
	}
	return "", false
}

// findFiles looks for the files that the word which is being typed may mean. The tree is read anew for each such word,
// behind the screen; until that is done the files are those of before.
func (c *Model) findFiles() tea.Cmd {
	f := &c.completion.files
	word := c.Area.Word()
	if _, path := c.mentionedPath(); path || !strings.HasPrefix(word, "@") {
		f.word, f.found = "", nil
		return nil
	}
	began := f.word == ""
	f.find(word)
	if !began || f.reading {
		return nil
	}
	f.reading = true
	return c.Run(func(ctx context.Context) tea.Msg { return treeMsg{tree.Read(ctx, ".")} })
}

// mentioned is what a word that begins with @ may attach: files, then what servers offer.
func (c *Model) mentioned(word string) []Command {
	var out []Command
	if _, path := c.mentionedPath(); path {
		out = c.paths()
	} else if c.completion.files.word == word {
		for _, path := range c.completion.files.found {
			out = append(out, Command{Name: "@" + path, Path: path})
		}
	}
	if c.Mentions != nil {
		out = append(out, c.Mentions(word)...)
	}
	return out
}
