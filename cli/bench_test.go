package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/llm/tokenizer"
	"winnow/session/store"
)

// The benchmarks measure the real program in a real terminal, as a person meets it, beside a
// program that does next to nothing and is measured the same way: what the machine costs is in
// both. docs/benchmarks.md says how to run them and what they found.

// The size of the terminal, in cells.
const (
	benchWidth  = 120
	benchHeight = 40
)

// helpLine is on the screen once a program takes keys; letter is typed and is nowhere else on it.
const (
	helpLine = "enter send"
	letter   = "λ"
)

// build compiles a program as a user has it: the test binary under winnow's name would carry the
// tests' own libraries.
func build(b *testing.B, pkg string) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), filepath.Base(pkg))
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", path, pkg).CombinedOutput(); err != nil {
		b.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	return path
}

// olderWinnow is one that is measured in turn with this one, "" for none: what the machine does meanwhile is in
// both. It has a home of its own, because it cannot read a newer database.
func olderWinnow() string { return os.Getenv("WINNOW_OLDER") }

// against reports how many times as long winnow takes as the older one, by their medians.
func against(b *testing.B, winnow, older series) {
	b.Helper()
	if len(older) > 0 {
		b.ReportMetric(float64(winnow.median())/float64(older.median()), "to-older")
		b.Logf("the older winnow:  %v", older)
	}
}

// guided is the environment of a person who talks to the guide: no server is looked for.
func guided(b *testing.B) []string { return append(home(b), "WINNOW_MODEL=guide") }

// series are the measurements of one thing.
type series []time.Duration

// at is the measurement that the given part of all does not exceed.
func (s series) at(part float64) time.Duration {
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}

func (s series) median() time.Duration { return s.at(0.5) }

func (s series) String() string {
	return fmt.Sprintf("min %.1f, p50 %.1f, p95 %.1f, max %.1f ms of %d", ms(s.at(0)), ms(s.median()), ms(s.at(0.95)), ms(s.at(1)), len(s))
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// compare reports the medians of winnow and of what it is measured against.
func compare(b *testing.B, winnow, other series, name string) {
	b.Helper()
	b.ReportMetric(ms(winnow.median()), "winnow-ms")
	b.ReportMetric(ms(other.median()), name+"-ms")
	b.ReportMetric(ms(winnow.median()-other.median()), "apart-ms")
	b.ReportMetric(float64(winnow.median())/float64(other.median()), "ratio")
	b.ReportMetric(0, "ns/op") // the time of a whole round says nothing
}

// usable starts a program and returns how long it took until it drew its screen, and until it
// echoed a letter that was typed then.
func usable(b *testing.B, env []string, path string, args ...string) (painted, echoed time.Duration) {
	b.Helper()
	begin := time.Now()
	term := startProgram(b, env, benchWidth, benchHeight, path, args...)
	if screen := term.want(helpLine); strings.Contains(screen, letter) {
		b.Fatalf("%s shows the letter before it is typed:\n%s", path, screen)
	}
	painted = time.Since(begin)
	term.send(letter)
	term.want(letter)
	echoed = time.Since(begin)
	term.send(ctrlC) // winnow leaves by ctrl+d only where the draft is empty
	term.send(ctrlD)
	if code := term.end(); code != 0 {
		b.Fatalf("%s ended with %d:\n%s", path, code, term.text())
	}
	return painted, echoed
}

// BenchmarkStart is the time from the start of the program to a usable composer. The empty program
// draws 60 frames a second, as Bubble Tea does by itself, and 120 as winnow does: a frame is waited
// for twice, for the first screen and for the letter.
func BenchmarkStart(b *testing.B) {
	winnow, empty, env := build(b, "winnow"), build(b, "winnow/cli/testdata/empty"), guided(b)
	usable(b, env, winnow) // makes the database
	usable(b, env, empty)
	older := guided(b)
	if olderWinnow() != "" {
		usable(b, older, olderWinnow())
	}
	var ours, first, other, same, before series
	for b.Loop() {
		if olderWinnow() != "" {
			_, echoed := usable(b, older, olderWinnow())
			before = append(before, echoed)
		}
		painted, echoed := usable(b, env, winnow)
		ours, first = append(ours, echoed), append(first, painted)
		_, echoed = usable(b, env, empty)
		other = append(other, echoed)
		_, echoed = usable(b, env, empty, "120")
		same = append(same, echoed)
	}
	compare(b, ours, other, "empty")
	b.ReportMetric(ms(ours.median()-same.median()), "apart-at-120fps-ms")
	b.Logf("winnow usable:     %v", ours)
	b.Logf("winnow drawn:      %v", first)
	b.Logf("empty at 60 FPS:   %v", other)
	b.Logf("empty at 120 FPS:  %v", same)
	against(b, ours, before)
}

// lastWords end a long session: they are on the screen once it is drawn.
const lastWords = "These are the last words of all."

// longMessage is message i of n.
func longMessage(i, n int) (role history.Role, content string) {
	role, content = history.User, "What of this?"
	if i%2 == 0 {
		role, content = history.Assistant, strings.Repeat("An *average* reply has about `so many` words. ", 12)
	}
	content += fmt.Sprintf(" (%d)", i)
	if i == n {
		content += "\n\n" + lastWords
	}
	return role, content
}

// longSession stores a session of n messages, questions and answers in turn, and returns its id.
func longSession(b *testing.B, env []string, winnow string, n int) {
	b.Helper()
	where := exec.Command(winnow, "db", "path")
	where.Env = env
	path, err := where.Output()
	if err != nil {
		b.Fatalf("ask for the database's path: %v", err)
	}
	ctx := context.Background()
	s, err := store.Open(ctx, strings.TrimSpace(string(path)), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	tokens := tokenizer.New()
	message := func(i int) store.Message {
		m := store.Message{Tokenizer: tokens.Name()}
		m.Role, m.Content = longMessage(i, n)
		if m.Role == history.Assistant {
			m.Endpoint, m.Model = "guide", "guide"
		}
		m.Tokens = tokens.Count(m.Content)
		return m
	}
	session, last, err := s.Begin(ctx, store.Session{Title: "long", Endpoint: "guide", Model: "guide"}, message(1))
	for i := 2; i <= n && err == nil; i++ {
		m := message(i)
		m.Session, m.Parent = session.ID, last.ID
		last, err = s.Append(ctx, m)
	}
	if err != nil {
		b.Fatalf("fill the session: %v", err)
	}
}

// planned is how the panel says how many of the messages are sent, in older versions too.
var planned = regexp.MustCompile(`sends |everything fits|sees \d`)

// ready says that the screen shows the end of a session, and in the panel the plan for what follows it.
func ready(screen string) bool {
	return strings.Contains(screen, lastWords) && planned.MatchString(screen)
}

// BenchmarkOpen is the time from the start of the program to the end of a session of 100,000
// messages on the screen, and to the panel with the verdict on every one of them. A session of 10
// messages stands beside it.
func BenchmarkOpen(b *testing.B) {
	winnow := build(b, "winnow")
	long, short := guided(b), guided(b)
	longSession(b, long, winnow, 100_000)
	longSession(b, short, winnow, 10)
	open := func(env []string) (painted, planned time.Duration) {
		begin := time.Now()
		term := startProgram(b, env, benchWidth, benchHeight, winnow, "-c")
		term.want(lastWords)
		painted = time.Since(begin)
		term.waitFor("the plan", ready)
		planned = time.Since(begin)
		term.send(ctrlD)
		term.end()
		return painted, planned
	}
	open(long)
	open(short)
	var ours, other, plan series
	for b.Loop() {
		painted, planned := open(long)
		ours, plan = append(ours, painted), append(plan, planned)
		painted, _ = open(short)
		other = append(other, painted)
	}
	compare(b, ours, other, "short")
	b.ReportMetric(ms(plan.median()), "planned-ms")
	b.Logf("100,000 messages drawn:   %v", ours)
	b.Logf("100,000 messages planned: %v", plan)
	b.Logf("10 messages drawn:        %v", other)
}

// importedSession gives an older winnow the session of n messages.
func importedSession(b *testing.B, env []string, winnow string, n int) {
	b.Helper()
	var lines []byte
	for i := range n {
		role, content := longMessage(i+1, n)
		line, err := json.Marshal(map[string]string{"role": string(role), "content": content})
		if err != nil {
			b.Fatal(err)
		}
		lines = append(append(lines, line...), '\n')
	}
	file := filepath.Join(b.TempDir(), "session.jsonl")
	if err := os.WriteFile(file, lines, 0o600); err != nil {
		b.Fatal(err)
	}
	run := exec.Command(winnow, "sessions", "import", file)
	run.Env = env
	if out, err := run.CombinedOutput(); err != nil {
		b.Fatalf("give the older winnow a session: %v\n%s", err, out)
	}
}

// typist types into one program and measures how long each letter takes to the screen.
type typist struct {
	name  string
	term  *terminal
	typed int
	took  series
}

// typeOn types n letters, with a blank now and then as words have them.
func (y *typist) typeOn(n int, pause func()) {
	for range n {
		if y.typed%8 == 7 {
			y.term.send(" ")
			pause()
		}
		y.typed++
		begin := time.Now()
		y.term.send(letter)
		y.term.waitFor(fmt.Sprintf("letter %d", y.typed), func(screen string) bool {
			return strings.Count(screen, letter) == y.typed
		})
		y.took = append(y.took, time.Since(begin))
		pause()
	}
}

// BenchmarkKey is the time from a key to its letter on the screen, in a session of 10,000 messages
// with the context panel open. Beside it stand a session of 10 messages and the empty program. A
// program draws by a frame clock, so that a letter waits for up to one frame whatever it costs; the
// empty program at winnow's rate shows how long. They type in turn, 20 letters at a time.
func BenchmarkKey(b *testing.B) {
	winnow, empty := build(b, "winnow"), build(b, "winnow/cli/testdata/empty")
	long, short := guided(b), guided(b)
	longSession(b, long, winnow, 10_000)
	longSession(b, short, winnow, 10)
	older := guided(b)
	if olderWinnow() != "" {
		importedSession(b, older, olderWinnow(), 10)
	}
	// The pauses differ by up to one frame: a key that comes in step with the frame clock would
	// always wait as long.
	dice := rand.New(rand.NewPCG(1, 2))
	pause := func() { time.Sleep(40*time.Millisecond + time.Duration(dice.Int64N(int64(time.Second/30)))) }
	all := map[string]series{}
	for b.Loop() {
		typists := []*typist{
			{name: "10k", term: startProgram(b, long, benchWidth, benchHeight, winnow, "-c")},
			{name: "empty60", term: startProgram(b, short, benchWidth, benchHeight, empty)},
			{name: "10", term: startProgram(b, short, benchWidth, benchHeight, winnow, "-c")},
			{name: "empty120", term: startProgram(b, short, benchWidth, benchHeight, empty, "120")},
		}
		if olderWinnow() != "" {
			typists = append(typists, &typist{name: "older", term: startProgram(b, older, benchWidth, benchHeight, olderWinnow(), "-c")})
			typists[4].term.waitFor("the plan of the older winnow", ready)
		}
		typists[0].term.waitFor("the plan of 10,000 messages", ready)
		typists[2].term.waitFor("the plan of 10 messages", ready)
		for range 10 {
			for _, y := range typists {
				y.typeOn(20, pause)
			}
		}
		for _, y := range typists {
			all[y.name] = append(all[y.name], y.took...)
			y.term.send(ctrlC)
			y.term.send(ctrlD)
			y.term.end()
		}
	}
	for _, name := range []string{"10k", "10", "empty120", "empty60"} {
		b.ReportMetric(ms(all[name].median()), name+"-p50-ms")
		b.ReportMetric(ms(all[name].at(0.95)), name+"-p95-ms")
		b.Logf("%-8s %v", name, all[name])
	}
	b.ReportMetric(ms(all["10k"].at(0.95)-all["empty120"].at(0.95)), "own-p95-ms")
	against(b, all["10"], all["older"])
	b.ReportMetric(0, "ns/op")
}
