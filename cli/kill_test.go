package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"winnow/ui/uitest/terminal"
)

// soak reports whether there is time for many cases, as in a nightly run.
func soak() bool { return os.Getenv("WINNOW_SOAK") != "" }

// unsaved is how much of a streaming answer a kill may lose.
const unsaved = 250 * time.Millisecond

// killCase is a turn and the point at which winnow is killed.
type killCase struct {
	number int
	screen bool          // in the chat on the screen instead of winnow run
	at     turnPoint     // what is "start" for the start of the program
	after  time.Duration // delay from that point to the kill
	turn   *slowTurn
}

func (c killCase) question() string {
	return fmt.Sprintf("What becomes of question number %05d?", c.number)
}

func (c killCase) String() string {
	return fmt.Sprintf("case %d: in the chat %v, %d rounds of tools, %d words every %v, killed %v after %+v",
		c.number, c.screen, c.turn.tools, c.turn.words, c.turn.pace, c.after, c.at)
}

// drawKill returns a random turn and point. Seven consecutive cases cover every kind of point.
func drawKill(number int, random *rand.Rand) killCase {
	within := func(d time.Duration) time.Duration { return time.Duration(random.Int64N(int64(d))) }
	turn := &slowTurn{words: 1 + random.IntN(80), pace: within(12 * time.Millisecond)}
	c := killCase{number: number, screen: random.IntN(3) == 0, turn: turn}
	switch number % 7 {
	case 0:
		c.at, c.after = turnPoint{what: "start"}, within(150*time.Millisecond)
	case 1:
		c.at, c.after = turnPoint{what: "asked"}, within(5*time.Millisecond)
	case 2, 3:
		turn.words, turn.pace = 60+random.IntN(100), 4*time.Millisecond+within(6*time.Millisecond)
		c.at, c.after = turnPoint{what: "word", word: 1 + random.IntN(turn.words)}, within(turn.pace)
	case 4:
		turn.tools = 1 + random.IntN(3)
		c.at, c.after = turnPoint{what: "done", round: random.IntN(turn.tools)}, within(12*time.Millisecond)
		if number/7%2 == 0 { // every second time before the next request can have begun
			c.after = 0
		}
	case 5:
		c.at, c.after = turnPoint{what: "said"}, within(2*time.Millisecond)
	case 6:
		c.at, c.after = turnPoint{what: "done"}, within(15*time.Millisecond)
	}
	if c.at.what == "word" || c.at.what == "said" || number%7 == 6 {
		c.at.round = turn.tools
	}
	return c
}

// killing is a history with which many programs are killed.
type killing struct {
	env    []string
	path   string
	server *slowServer

	mu    sync.Mutex
	hits  map[string]int // number of kills by phase of the turn
	words int            // words that had been visible for long enough
	late  time.Duration  // the maximum delay of this machine
}

// TestKillAtAnyPointOfATurnLosesNothing kills the real program at random points of its turns, in the chat and in winnow
// run, and verifies what is left.
func TestKillAtAnyPointOfATurnLosesNothing(t *testing.T) {
	kills := 28
	if soak() {
		kills = 280
	}
	env := home(t)
	configure(t, env, "[tools]\napprove = \"always\"\n")
	k := &killing{
		env: append(env, "OPENAI_API_KEY=sk-not-a-real-key-0000"), path: databasePath(env),
		server: newSlowServer(t, env, kills), hits: map[string]int{},
	}
	seed := rand.Uint64()
	t.Run("kills", func(t *testing.T) {
		for i := range kills {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				k.one(t, drawKill(i, rand.New(rand.NewPCG(seed, uint64(i)))))
			})
		}
	})
	wantSound(t, k.path)
	for _, phase := range []string{
		"before its request", "while it asked", "in its stream", "at its end",
		"between its requests",
	} {
		if k.hits[phase] == 0 {
			t.Errorf("of %d kills none hit a turn %s: %v; seed %d", kills, phase, k.hits, seed)
		}
	}
	t.Logf("%d kills; they hit a turn: %v; %d words had been seen for %v and up to %v that the machine was late; "+
		"seed %d", kills, k.hits, k.words, unsaved, k.late, seed)
}

// one kills one turn, verifies what is left of it, and continues the conversation.
func (k *killing) one(t *testing.T, c killCase) {
	dir := t.TempDir()
	var v *victim
	started := make(chan struct{})
	var last turnPoint
	var mu sync.Mutex
	c.turn.reach = func(m turnPoint) {
		<-started
		mu.Lock()
		if v.alive() {
			last = m
		}
		mu.Unlock()
		if m == (turnPoint{c.at.what, c.at.round, m.word}) && (m.what != "word" || m.word == c.at.word) {
			time.AfterFunc(c.after, v.die)
			if m.what == "asked" {
				<-v.over // otherwise the answer would begin before the kill
			}
		}
	}
	env := append(slices.Clone(k.env), "OPENAI_BASE_URL="+k.server.add(c.turn))
	if c.screen {
		v = chatVictim(t, env, dir, c.question())
	} else {
		v = runVictim(t, env, dir, "-m", "openai/small", c.question())
	}
	late := watchLateness()
	close(started)
	if c.at.what == "start" {
		time.AfterFunc(c.after, v.die)
	}
	never := time.AfterFunc(terminal.Patience, v.die)
	<-v.over
	if !never.Stop() {
		t.Errorf("the moment never came")
	}
	v.unsaved = unsaved + late.end()
	mu.Lock()
	k.note(c, v, last)
	mu.Unlock()

	id := k.check(t, c, v, dir)
	if c.number/7%2 == c.number%2 || soak() { // every kind of point has a turn after it
		k.goOn(t, c, env, dir, id)
	}
	if t.Failed() {
		t.Log(c)
	}
}

// alive reports whether it has not been killed.
func (v *victim) alive() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.killed.IsZero()
}

// note counts the phase in which the kill hit the turn.
func (k *killing) note(c killCase, v *victim, last turnPoint) {
	phase := ""
	switch {
	case v.alive():
		phase = "that was over"
	case last.what == "":
		phase = "before its request"
	case last.what == "asked" && last.round == 0:
		phase = "while it asked"
	case last.what == "word":
		phase = "in its stream"
	case last.round < c.turn.tools:
		phase = "between its requests"
	default:
		phase = "at its end"
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.hits[phase]++
	k.late = max(k.late, v.unsaved-unsaved)
	if !v.alive() {
		k.words += v.seenInTime()
	}
}
