package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/inspector"
	"winnow/ui/theme"
)

// TestScripts plays the scripts of testdata/scripts with a live model. Each section of a file is a script with one
// command of scriptCommands per line. A script that begins with sizes is played at each of them.
func TestScripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/scripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of scripts: %v", len(files), err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		area := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, script := range archive.Files {
			t.Run(area+"/"+script.Name, func(t *testing.T) {
				t.Parallel()
				sizes, lines := [][2]int{{120, 40}}, strings.Split(string(script.Data), "\n")
				if named, ok := strings.CutPrefix(lines[0], "size "); ok {
					sizes, lines = scriptSizes(t, named), lines[1:]
				}
				for _, size := range sizes {
					(&scene{live: onStage(t, size[0], size[1])}).play(lines)
				}
			})
		}
	}
}

// scriptSizes reads sizes such as 140x50.
func scriptSizes(t *testing.T, text string) (sizes [][2]int) {
	for word := range strings.FieldsSeq(text) {
		var w, h int
		if _, err := fmt.Sscanf(word, "%dx%d", &w, &h); err != nil {
			t.Fatalf("the size %q: %v", word, err)
		}
		sizes = append(sizes, [2]int{w, h})
	}
	return sizes
}

// scene is a model while a script is played.
type scene struct {
	*live
	gate  *gate            // lets the script end answers
	other *session.Session // the chat in another window
	line  string           // the current one
}

// play runs the commands of a script.
func (s *scene) play(lines []string) {
	s.t.Helper()
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s.line = line
		name, arg, _ := strings.Cut(line, " ")
		command := scriptCommands[name]
		if command == nil {
			s.t.Fatalf("there is no command %s", line)
		}
		if quoted, err := strconv.Unquote(arg); err == nil {
			arg = quoted // with blanks at its ends, or with line ends
		}
		command(s, arg)
	}
}

// want fails the script if got and want differ.
func (s *scene) want(got, want string) {
	s.t.Helper()
	if got != want {
		s.t.Fatalf("%s: it is %q; the screen is\n%s", s.line, got, plain(s.Model))
	}
}

// number reads an argument that is a number.
func (s *scene) number(text string) int {
	s.t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		s.t.Fatalf("%s: %v", s.line, err)
	}
	return n
}

// idle waits until no turn runs and the draft is planned.
func (s *scene) idle() {
	s.t.Helper()
	s.until("the end of the turn", func() bool { return !s.Turn.Busy })
	s.planned()
}

// chooses moves the cursor of the list of chats to a title.
func (l *live) chooses(title string) {
	l.t.Helper()
	l.until("the list", func() bool { return l.settled() && slices.Contains(titles(l.Model), title) })
	for range l.sessions.List.ShownCount() {
		if item, _ := l.sessions.List.SelectedItem(); item.Group == "" && nameIn(item) == title {
			return
		}
		l.press("down")
	}
	l.t.Fatalf("the title %s is not in the list:\n%s", title, plain(l.Model))
}

// panes are the panes by name.
var panes = map[string]pane{
	"draft": draftPane, "transcript": transcriptPane, "panel": panelPane, "question": questionPane,
}

// scriptCommands are the commands of scripts. Waiting commands wait for a minute; comparing commands compare at once.
var scriptCommands = map[string]func(s *scene, arg string){
	// Actions of the user.
	"type":  func(s *scene, arg string) { s.types(arg) },
	"press": func(s *scene, arg string) { s.press(strings.Fields(arg)...) },
	"run":   func(s *scene, arg string) { s.enters(arg) },           // types it, and presses enter
	"say":   func(s *scene, arg string) { s.live.say(arg) },         // and waits for the answer and the plan after it
	"pick":  func(s *scene, arg string) { s.picks(arg) },            // runs a command of the palette
	"paste": func(s *scene, arg string) { s.pastes(arg) },           // a text
	"fill":  func(s *scene, arg string) { s.fills(arg) },            // N TEXT: sets the draft to a text, repeated
	"open":  func(s *scene, arg string) { s.comesBack(arg) },        // a chat of the list, by its title
	"new":   func(s *scene, _ string) { s.leaves() },                // a new chat
	"again": func(s *scene, _ string) { s.reopen() },                // opens the chat again from the store
	"click": func(s *scene, arg string) { s.clicks(arg) },           // on the first line that holds the text
	"mouse": func(s *scene, _ string) { s.frame.Mouse = true },      // is turned on
	"hush":  func(s *scene, _ string) { s.notice.ClearSentence() },  // removes the sentence
	"go":    func(s *scene, arg string) { s.goesTo(s.number(arg)) }, // to the message with the number
	"pane": func(s *scene, arg string) { // moves the focus to a pane
		for s.focus != panes[arg] {
			s.press("tab")
		}
	},

	// Preparations, and events elsewhere.
	"chats":  func(s *scene, arg string) { s.keep(strings.Fields(arg)...) },
	"talk":   func(s *scene, _ string) { s.talks() },
	"import": func(s *scene, arg string) { s.open(s.imported(arg)) },
	"refuse": func(s *scene, arg string) { s.refuses(arg) },
	"answer": func(s *scene, _ string) { s.answers() },
	"server": func(s *scene, arg string) { s.serves(arg) }, // PATH BODY: what it answers there
	"sync":   func(s *scene, arg string) { s.brings(arg) },
	"hold":   func(s *scene, _ string) { s.gate = s.gated() }, // answers begin, and end when the script says so
	"asked":  func(s *scene, arg string) { s.gate.wants(s.live, arg) },
	"end":    func(s *scene, _ string) { s.gate.open <- struct{}{} },

	"secrets": func(s *scene, _ string) { s.Secrets = theme.Secrets{Find: findKey} },
	"beside":  func(s *scene, _ string) { s.other = s.besideAnother() }, // another window has the chat
	"there": func(s *scene, arg string) { // and asks a question there
		s.turnOf(s.other.Send(s.t.Context(), session.Draft{Text: arg}))
	},
	"leaves": func(s *scene, _ string) { s.other.ReleaseLease() }, // and lets go of it
	// the number of requests that leave no record
	"unrecorded": func(s *scene, arg string) { s.Unrecorded = s.number(arg) },

	// Waiting commands.
	"shows": func(s *scene, arg string) { s.shows(arg) },
	"gone": func(s *scene, arg string) {
		s.until("the end of "+arg, func() bool { return !strings.Contains(plain(s.Model), arg) })
	},
	"idle":    func(s *scene, _ string) { s.idle() },
	"planned": func(s *scene, _ string) { s.planned() },
	"lists": func(s *scene, arg string) { // these titles, with ", " between, and nothing is pending
		s.lists(splitWords(arg)...)
	},
	"hits": func(s *scene, arg string) { s.hits(s.number(arg)) }, // messages that hold the words
	"inspects": func(s *scene, arg string) { // NAME, VIEW
		name, view, _ := strings.Cut(arg, ", ")
		s.titled(name, inspector.View(view))
	},
	"focus": func(s *scene, arg string) { s.until("the focus", func() bool { return s.focus == panes[arg] }) },
	"draft": func(s *scene, arg string) { s.until("the draft "+arg, func() bool { return s.composer.Text() == arg }) },
	"flag": func(s *scene, arg string) { // N FLAG; no flag where none is named
		n, flag, _ := strings.Cut(arg, " ")
		s.until("the flag", func() bool { return s.flagOf(s.number(n)-1) == history.Flag(flag) })
	},

	// Comparing commands.
	"lacks":    func(s *scene, arg string) { s.lacks(arg) },
	"order":    func(s *scene, arg string) { s.inOrder(strings.Split(arg, " | ")...) },
	"messages": func(s *scene, arg string) { s.wantTexts(arg) }, // their first sentences, with " | " between
	"selected": func(s *scene, arg string) { s.want(fmt.Sprint(len(s.Chat.SelectedIDs())), arg) },
	"excluded": func(s *scene, arg string) { s.want(fmt.Sprint(s.excluded()), arg) },
	"entries":  func(s *scene, arg string) { s.want(fmt.Sprint(len(s.Panel.Next.Plan.Entries)), arg) },
	"on":       func(s *scene, arg string) { s.on(arg) }, // the cursor in the list of chats
	"cursor": func(s *scene, arg string) { // the beginning of the message under the transcript's cursor
		m, _ := s.Chat.MessageAtCursor()
		s.want(fmt.Sprint(strings.HasPrefix(m.Content, arg)), "true")
	},
	"requests": func(s *scene, arg string) { // that the server got
		s.mu.Lock()
		n := len(s.bodies)
		s.mu.Unlock()
		s.want(fmt.Sprint(n), arg)
	},
	"sent":   func(s *scene, arg string) { s.want(fmt.Sprint(strings.Contains(s.body(), arg)), "true") },
	"unsent": func(s *scene, arg string) { s.want(fmt.Sprint(strings.Contains(s.body(), arg)), "false") },
	"stored": func(s *scene, arg string) { s.want(s.storedOf(arg)) }, // TITLE: its texts, with " | " between
	"quits":  func(s *scene, _ string) { s.until("the end", func() bool { return s.quit }) },
	"bare": func(s *scene, _ string) { // nothing covers the panes
		s.want(fmt.Sprint(s.covered()), "false")
	},
}

// fills sets the draft to a repeated text: "40000 word ".
func (s *scene) fills(arg string) {
	n, text, _ := strings.Cut(arg, " ")
	if quoted, err := strconv.Unquote(text); err == nil {
		text = quoted
	}
	s.composer.SetDraft(strings.Repeat(text, s.number(n)))
	s.run(s.draftChanged())
}

// splitWords splits a list of titles.
func splitWords(arg string) []string {
	if arg == "" {
		return nil
	}
	return strings.Split(arg, ", ")
}

// goesTo moves the transcript's cursor to a message.
func (s *scene) goesTo(number int) {
	s.setFocus(transcriptPane)
	s.Chat.GoTo(s.Chat.Messages.ID(number - 1))
}

// comesBack opens a chat of the list by its title.
func (l *live) comesBack(title string) {
	l.t.Helper()
	l.press("ctrl+s")
	l.chooses(title)
	id := atCursor(l.Model)
	l.press("enter")
	l.until("the chat", func() bool { return l.Info.ID == id })
}

// excluded returns how many messages the next request excludes.
func (s *scene) excluded() (n int) {
	s.planned()
	for _, e := range s.Panel.Next.Plan.Entries {
		if e.Disposition == history.Excluded {
			n++
		}
	}
	return n
}

// refuses makes the server refuse requests with a message, and answers makes it answer again.
func (s *scene) refuses(words string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken, s.refusal = true, words
}

func (s *scene) answers() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = false
}

// storedOf returns the stored texts of a chat, and the expected ones.
func (s *scene) storedOf(arg string) (got, want string) {
	title, want, _ := strings.Cut(arg, ": ")
	list, err := s.Deps.Store.Sessions(s.t.Context(), store.SessionFilter{})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, row := range list {
		if row.Title == title {
			return strings.Join(s.storedTexts(row.ID), " | "), want
		}
	}
	return "no chat of that title", want
}

// talks opens a stored conversation of long questions, all of it counted.
func (l *live) talks() {
	l.t.Helper()
	for i := range 6 {
		question := strings.Repeat("Tell me of the parser's error recovery once more. ", 30+i)
		l.turnOf(l.Session.Send(l.t.Context(), session.Draft{Text: question}))
	}
	l.reopen()
}

// serves sets what the server answers at a path: PATH BODY.
func (s *scene) serves(arg string) {
	path, body, _ := strings.Cut(arg, " ")
	s.says(map[string]http.HandlerFunc{path: func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }})
}

// brings runs a sync that applies a change of another machine: "continue QUESTION | ANSWER", "branch N QUESTION |
// ANSWER" after message N, "begin TITLE", "rename TITLE", "delete" or "purge". "window QUESTION | ANSWER" is one of
// another window.
func (s *scene) brings(arg string) {
	s.t.Helper()
	what, rest, _ := strings.Cut(arg, " ")
	id, db := s.Session.Info().ID, s.Deps.Store
	s.upkeep.Exchange = func(ctx context.Context) ([]string, error) {
		s.upkeep.Exchange = func(context.Context) ([]string, error) { return nil, nil }
		switch what {
		case "continue":
			return []string{id}, s.appends(id, 0, rest)
		case "branch":
			n, rest, _ := strings.Cut(rest, " ")
			return []string{id}, s.appends(id, s.Chat.Messages.ID(s.number(n)-1), rest)
		case "begin":
			_, _, err := db.BeginSession(ctx, store.Session{Title: rest}, store.Message{
				Message: history.Message{Role: history.User, Content: "x", Status: history.Complete},
			})
			return []string{id}, err
		case "rename":
			return []string{id}, db.UpdateSession(ctx, id, func(row *store.Session) { row.Title, row.TitleFrom = rest, "user" })
		case "window":
			return nil, s.appends(id, 0, rest)
		case "delete":
			return []string{id}, db.UpdateSession(ctx, id, func(row *store.Session) { row.Deleted = time.Now() })
		case "purge":
			if err := db.Purge(ctx, id); !errors.Is(err, store.ErrNotOverwritten) {
				return nil, err
			}
			return []string{id}, nil
		}
		return nil, fmt.Errorf("%s is nothing that a sync brings", arg)
	}
	s.until("the sync before", func() bool { return !s.upkeep.Syncing })
	s.live.run(s.upkeep.Sync())
	s.until("the sync", func() bool { return !s.upkeep.Syncing })
}

// appends stores a question and its answer after a message, 0 for the last one of the active branch.
func (s *scene) appends(id string, parent int64, turn string) error {
	db := s.Deps.Store
	row, err := db.Session(s.t.Context(), id)
	if err != nil {
		return err
	}
	parent = cmp.Or(parent, row.Leaf)
	question, answer, _ := strings.Cut(turn, " | ")
	for _, m := range []history.Message{
		{Role: history.User, Content: question}, {Role: history.Assistant, Content: answer},
	} {
		m.Status = history.Complete
		stored, err := db.AppendMessage(s.t.Context(), store.Message{Session: id, Parent: parent, Model: "small", Message: m})
		if err != nil {
			return err
		}
		parent = stored.ID
	}
	return nil
}
