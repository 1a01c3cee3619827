package cli

import (
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"winnow/history"
	"winnow/session/store"
)

// crowd is how many programs work on one history at once.
const crowd = 8

// A person may have several windows, scripts and commands at work on one history. Nobody hears that
// somebody else was first, and nothing gets lost.
func TestManyProgramsOnOneHistory(t *testing.T) {
	t.Parallel()
	env := home(t)
	server := newSlowServer(t, env, 0)
	turn := &slowTurn{words: 40, reach: func(turnPoint) {}}
	env = append(env, "OPENAI_API_KEY=sk-not-a-real-key-0000", "OPENAI_BASE_URL="+server.add(turn))
	file := chatFile(t, 30)
	turns := rounds(2, 25)
	var commands atomic.Int32
	// The first programs meet no file yet, and make it together.
	var wg sync.WaitGroup
	for i := range crowd {
		wg.Go(func() {
			c := &crowded{t: t, env: env, dir: t.TempDir(), commands: &commands}
			for n := range turns {
				c.turn(i, n, file)
			}
		})
	}
	wg.Wait()

	path := databasePath(t, env)
	s := openHistory(t, path)
	messages := 0
	for i := range crowd {
		title := fmt.Sprintf("program-%d-round-%d", i, turns-1)
		found, err := s.Sessions(t.Context(), store.Filter{Text: title})
		if err != nil || len(found) != 1 {
			t.Errorf("%d sessions are called %q, %v; want one", len(found), title, err)
			continue
		}
		branch, err := s.Branch(t.Context(), found[0].ID, found[0].Leaf, 0, -1)
		if err != nil || len(branch) != 2*turns {
			t.Errorf("%q has %d messages, %v; want %d", title, len(branch), err, 2*turns)
			continue
		}
		for n := range turns {
			asked, answer := branch[2*n], branch[2*n+1]
			if asked.Content != question(i, n) || answer.Content != slowAnswer(40) || answer.Status != history.Complete || answer.Damaged {
				t.Errorf("turn %d of %q is %q and %s %q", n, title, asked.Content, answer.Status, answer.Content)
			}
			messages += 2
		}
	}
	all, err := s.Sessions(t.Context(), store.Filter{})
	if err != nil || len(all) != crowd+1 {
		t.Errorf("%d sessions are stored, %v; want %d and the imported one", len(all), err, crowd)
	}
	wantSound(t, path)
	t.Logf("%d programs at once, %d commands, %d messages, and none said that it had to wait", crowd, commands.Load(), messages)
}

func question(program, round int) string {
	return fmt.Sprintf("question %d of program %d", round, program)
}

// crowded is one of many who use winnow at once.
type crowded struct {
	t        *testing.T
	env      []string
	dir      string
	id       string
	commands *atomic.Int32
}

// turn has a turn of a conversation, and uses other commands beside it.
func (c *crowded) turn(program, round int, file string) {
	ask := []string{"run", "-m", "openai/small"}
	if c.id != "" {
		ask = append(ask, "-s", c.id)
	}
	out := c.run(append(ask, "--json", question(program, round))...)
	if c.id == "" {
		c.id = between(out, `"session": "`, `"`)
	}
	if got := between(out, `"answer": "`, `"`); got != slowAnswer(40) {
		c.t.Errorf("program %d round %d: the answer is %q", program, round, got)
	}
	c.run("sessions", "rename", c.id, fmt.Sprintf("program-%d-round-%d", program, round))
	beside := [][]string{
		{"sessions", "list"},
		{"sessions", "import", file},
		{"sessions", "list", "round"},
		{"sessions", "show", c.id},
		{"context", c.id},
	}
	c.run(beside[(program+round)%len(beside)]...)
}

// run runs one command, which must end well and say nothing of a file that somebody else had.
func (c *crowded) run(args ...string) string {
	c.commands.Add(1)
	cmd := exec.Command(winnowPath(c.t), args...)
	cmd.Env, cmd.Dir = c.env, c.dir
	out, err := cmd.CombinedOutput()
	text := string(out)
	if err != nil {
		c.t.Errorf("winnow %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	for _, word := range []string{"locked", "busy", "SQLITE"} {
		if strings.Contains(text, word) {
			c.t.Errorf("winnow %s says %q:\n%s", strings.Join(args, " "), word, text)
		}
	}
	return text
}

// between is what stands in a text between two others, "" where it does not.
func between(text, before, after string) string {
	_, rest, _ := strings.Cut(text, before)
	found, _, _ := strings.Cut(rest, after)
	return found
}
