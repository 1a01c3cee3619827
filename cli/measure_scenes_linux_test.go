package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// scene is something that a person does, or leaves, and what is measured meanwhile.
type scene struct {
	name    string
	history int // how many messages its long history has, 0 for none
	rows    []measuredRow
	run     func(*measuring)
}

// measuredRow is a row of the table. Its name is that under which the scene notes it.
type measuredRow struct {
	name, goal string
	digits     int
}

// The sizes of the terminals, in cells, and of the long histories, in messages.
const (
	measuredWidth, measuredHeight = 120, 40
	wideWidth, wideHeight         = 300, 100
	longHistory                   = 10_000
	longestHistory                = 100_000
)

var scenes = []scene{
	{"start", 0, []measuredRow{
		{"start until a letter is echoed, ms", "1.15 × empty", 1},
		{"processor until then, ms", "30", 1},
	}, (*measuring).start},
	{"rest", 0, []measuredRow{
		{"memory at rest, MB", "32", 1},
		{"processor in 10 s at rest, ms", "10", 1},
		{"switches of threads in 10 s at rest", "20", 0},
		{"bytes written in 10 s at rest", "0", 0},
	}, (*measuring).rest},
	{"stream", 0, []measuredRow{
		{"processor of an answer of 25 s with 400 keys, s", "2.0", 2},
		{"bytes of that, KB", " ", 0},
		{"a key meanwhile, 95th percentile ms", " ", 1},
		{"bytes of that at 300×100 with the panel, KB", "800", 0},
		{"bytes of that at 300×100 without it, KB", "800", 0},
	}, (*measuring).stream},
	{"fast", 0, []measuredRow{
		{"processor of an answer of 200 KB at full speed, ms", " ", 0},
	}, (*measuring).fast},
	{"10k", longHistory, []measuredRow{
		{"memory, 10,000 messages open, MB", "60", 0},
		{"memory, 10,000 messages scrolled through, MB", "60", 0},
		{"a wheel step in 10,000 messages, median ms", "4", 1},
		{"a wheel step in 10,000 messages, 95th percentile ms", " ", 1},
	}, (*measuring).scroll},
	{"100k", longestHistory, []measuredRow{
		{"100,000 messages drawn, ms", " ", 0},
		{"100,000 messages planned, ms", " ", 0},
		{"a key while 100,000 messages are read, 95th percentile ms", "17", 1},
		{"a key while 100,000 messages are read, slowest ms", "50", 1},
		{"memory, 100,000 messages open, MB", "120", 0},
		{"memory after two prompts, MB", "140", 0},
		{"memory after a look at a past request, MB", "160", 0},
		{"memory 20 s later, MB", "130", 0},
		{"the most memory of all that, MB", " ", 0},
	}, (*measuring).longest},
	{"plan", 0, []measuredRow{
		{"a plan of 100,000 messages, 95th percentile ms", "15", 1},
	}, (*measuring).plan},
	{"burst", 0, []measuredRow{
		{"processor of 20,000 letters at once, s", "1", 2},
	}, (*measuring).burst},
	{"backup", longestHistory, []measuredRow{
		{"the daily backup, s", " ", 1},
		{"processor of that, s", " ", 2},
		{"a key meanwhile, slowest ms", "20", 1},
	}, (*measuring).backup},
}

// helpLine is on the screen once a program takes keys; echo is typed and is nowhere else on it.
const (
	helpLine = "enter send"
	echo     = "λ"
)

// startsPerRound is how often each program is started in a round: one start takes no time.
const startsPerRound = 4

// start measures how long a program takes until it draws its screen and echoes a letter.
func (m *measuring) start() {
	base := servedAlways(m, "Yes.", 0)
	env := map[string][]string{}
	for program, args := range m.beside(empty, empty120) {
		env[program] = m.person(base, "", false)
		m.startOnce(program, env[program], args, false) // makes the database, and the file is in memory then
	}
	for range startsPerRound {
		for program, args := range m.beside(empty, empty120) {
			m.startOnce(program, env[program], args, true)
		}
	}
}

// beside are the winnows and the programs beside them, with their arguments, in the order in which they take turns.
func (m *measuring) beside(programs ...string) func(yield func(program string, args []string) bool) {
	return func(yield func(string, []string) bool) {
		for _, program := range append(m.winnows(), programs...) {
			var args []string
			if program == empty120 {
				args = []string{"120"}
			}
			if !yield(program, args) {
				return
			}
		}
	}
}

func (m *measuring) startOnce(program string, env, args []string, note bool) {
	begin := time.Now()
	term := startProgram(m, env, measuredWidth, measuredHeight, m.files[program], args...)
	if screen := term.want(helpLine); strings.Contains(screen, echo) {
		m.Fatalf("%s shows the letter before it is typed:\n%s", program, screen)
	}
	term.send(echo)
	term.want(echo)
	took, cost := time.Since(begin), processor(m, term.cmd.Process.Pid)
	if note {
		m.note("start until a letter is echoed, ms", program, ms(took))
		m.note("processor until then, ms", program, ms(cost))
	}
	term.send(ctrlC) // winnow leaves by ctrl+d only where the draft is empty
	m.leave(term)
}

// leave ends a program whose draft is empty.
func (m *measuring) leave(term *terminal) {
	m.Helper()
	term.send(ctrlD)
	if code := term.end(); code != 0 {
		m.Fatalf("the program ended with %d:\n%s", code, term.text())
	}
}

// settling is how long after its start a program is at rest, and restTime how long that is looked at.
const (
	settling = 8 * time.Second
	restTime = 10 * time.Second
)

// rest measures what programs take that nobody uses. They rest at the same time.
func (m *measuring) rest() {
	base := servedAlways(m, "Yes.", 0)
	type resting struct {
		program         string
		term            *terminal
		pid             int
		cost            time.Duration
		switches, bytes int
	}
	var all []*resting
	for program, args := range m.beside(empty, empty120) {
		term := startProgram(m, m.person(base, "", false), measuredWidth, measuredHeight, m.copied(program), args...)
		term.want(helpLine)
		all = append(all, &resting{program: program, term: term, pid: term.cmd.Process.Pid})
	}
	time.Sleep(settling)
	for _, r := range all {
		r.cost, r.switches, r.bytes = processor(m, r.pid), contextSwitches(m, r.pid), r.term.written()
	}
	time.Sleep(restTime)
	for _, r := range all {
		m.note("processor in 10 s at rest, ms", r.program, ms(processor(m, r.pid)-r.cost))
		m.note("switches of threads in 10 s at rest", r.program, float64(contextSwitches(m, r.pid)-r.switches))
		m.note("bytes written in 10 s at rest", r.program, float64(r.term.written()-r.bytes))
		m.note("memory at rest, MB", r.program, megabytes(m, r.pid))
		m.leave(r.term)
	}
}

// An answer of 25 s at 400 tokens a second, and the keys that are typed meanwhile.
const (
	answerTime = 25 * time.Second
	answerRate = 400
	answerKeys = 400
)

// stream measures an answer of 25 s during which the next message is typed, and the program that only prints it. The
// bytes are counted on a large screen too, with the panel and without.
func (m *measuring) stream() {
	base := servedAlways(m, markdownAnswer(int(answerTime.Seconds())*answerRate*tokenBytes), answerRate)
	for _, program := range m.winnows() {
		printed := startProgram(m, home(m), measuredWidth, measuredHeight, m.files[printing], base)
		cost, bytes, keys := m.streamOnce(program, base, measuredWidth, measuredHeight, false)
		m.note("processor of an answer of 25 s with 400 keys, s", program, cost.Seconds())
		m.note("bytes of that, KB", program, float64(bytes)/1000)
		m.note("a key meanwhile, 95th percentile ms", program, keys.at(0.95))
		if code := printed.end(); code != 0 {
			m.Fatalf("the printing program ended with %d:\n%s", code, printed.text())
		}
		state := printed.cmd.ProcessState
		m.note("processor of an answer of 25 s with 400 keys, s", printing, (state.UserTime() + state.SystemTime()).Seconds())
		m.note("bytes of that, KB", printing, float64(printed.written())/1000)

		without := make(chan int, 1)
		go func() {
			defer close(without) // a failure ends this goroutine
			_, bytes, _ := m.streamOnce(program, base, wideWidth, wideHeight, true)
			without <- bytes
		}()
		_, bytes, _ = m.streamOnce(program, base, wideWidth, wideHeight, false)
		m.note("bytes of that at 300×100 with the panel, KB", program, float64(bytes)/1000)
		m.note("bytes of that at 300×100 without it, KB", program, float64(<-without)/1000)
	}
}

// streamOnce asks one question, types while the answer arrives, and returns what that took from enter to the receipt.
func (m *measuring) streamOnce(program, base string, width, height int, closed bool) (cost time.Duration, bytes int, keys numbers) {
	m.Helper()
	term := startProgram(m, m.person(base, "", false), width, height, m.files[program])
	term.want(helpLine)
	term.send("How does a parser recover?")
	term.want("a parser recover?")
	cost, bytes = -processor(m, term.cmd.Process.Pid), -term.written()
	term.send(enterKey)
	term.want("Panic-mode recovery", "│")
	if closed {
		term.send(ctrlX)
		term.waitFor("no panel", func(screen string) bool { return !strings.Contains(screen, "│") })
	}
	y := newTypist(term)
	y.typeOn(answerKeys, answerTime/answerKeys, never)
	term.waitFor("the whole answer", func(screen string) bool { return answered(screen) && !strings.Contains(screen, "esc stop") })
	cost, bytes = cost+processor(m, term.cmd.Process.Pid), bytes+term.written()
	keys = y.times(m)
	term.send(ctrlC)
	m.leave(term)
	return cost, bytes, keys
}

// fast measures an answer that comes as fast as it is taken.
func (m *measuring) fast() {
	base := servedAlways(m, markdownAnswer(200_000), 0)
	for _, program := range m.winnows() {
		term := startProgram(m, m.person(base, "", false), measuredWidth, measuredHeight, m.files[program])
		term.want(helpLine)
		cost := processor(m, term.cmd.Process.Pid)
		term.send("How does a parser recover?" + enterKey)
		term.waitFor("the whole answer", func(screen string) bool { return answered(screen) && !strings.Contains(screen, "esc stop") })
		m.note("processor of an answer of 200 KB at full speed, ms", program, ms(processor(m, term.cmd.Process.Pid)-cost))
		m.leave(term)
	}
}

// planned is how the panel says how many of the messages are sent.
var planned = regexp.MustCompile(`sends |everything fits|sees \d`)

// ready says that the screen shows the end of a session, and in the panel the plan for what follows it.
func ready(screen string) bool {
	return strings.Contains(screen, lastWords) && planned.MatchString(screen)
}

// The keys of the scenes.
const (
	wheelUp  = "\x1b[<64;20;12M"
	pageUp   = "\x1b[5~"
	tabKey   = "\t"
	openPast = "c" // what the model saw for the answer
)

// aMoment is how long a program is left alone before its memory is measured: what it gives back late counts.
const aMoment = 3 * time.Second

// wheelSteps are measured one by one.
const wheelSteps = 150

// scroll opens 10,000 messages, turns the wheel and goes page by page to the first of them.
func (m *measuring) scroll() {
	base, history := servedAlways(m, "Yes.", 0), storedSession(m.T, m.cache, longHistory)
	for _, program := range m.winnows() {
		term := startProgram(m, m.person(base, history, true), measuredWidth, measuredHeight, m.copied(program), "-c")
		screen := term.waitFor("the plan of 10,000 messages", ready)
		time.Sleep(aMoment)
		m.note("memory, 10,000 messages open, MB", program, megabytes(m, term.cmd.Process.Pid))
		var steps numbers
		for range wheelSteps {
			term.send(wheelUp)
			if _, took, ok := term.changed(screen); ok {
				steps = append(steps, ms(took))
			}
			time.Sleep(25 * time.Millisecond)
			screen = term.text()
		}
		if len(steps) < wheelSteps*9/10 {
			m.Fatalf("only %d of %d turns of the wheel moved the page:\n%s", len(steps), wheelSteps, screen)
		}
		m.note("a wheel step in 10,000 messages, median ms", program, steps.median())
		m.note("a wheel step in 10,000 messages, 95th percentile ms", program, steps.at(0.95))
		for !strings.Contains(screen, firstWords) {
			term.send(pageUp)
			var ok bool
			if screen, _, ok = term.changed(screen); !ok {
				m.Fatalf("page up does not move the page:\n%s", screen)
			}
		}
		time.Sleep(aMoment)
		m.note("memory, 10,000 messages scrolled through, MB", program, megabytes(m, term.cmd.Process.Pid))
		m.leave(term)
	}
}

// Letters that are typed while a long history is read, and for some seconds more: one in each pause.
const (
	lettersTyped = 300
	keyPause     = 33 * time.Millisecond
)

// longest opens 100,000 messages once to wait for the plan, and again to type while they are read, ask twice and look at a
// past request. Nothing is planned between letters that follow each other so fast.
func (m *measuring) longest() {
	base, history := servedAlways(m, "It is as it was.", 0), storedSession(m.T, m.cache, longestHistory)
	for _, program := range m.winnows() {
		env := m.person(base, history, true)
		path := m.copied(program)
		begin := time.Now()
		first := startProgram(m, env, measuredWidth, measuredHeight, path, "-c")
		first.want(lastWords)
		m.note("100,000 messages drawn, ms", program, ms(time.Since(begin)))
		first.waitFor("the plan of 100,000 messages", planned.MatchString)
		m.note("100,000 messages planned, ms", program, ms(time.Since(begin)))
		m.leave(first)

		term := startProgram(m, env, measuredWidth, measuredHeight, path, "-c")
		memory := func() float64 { return megabytes(m, term.cmd.Process.Pid) }
		term.want(lastWords)
		y := newTypist(term)
		y.typeOn(lettersTyped, keyPause, never)
		term.waitFor("the plan of 100,000 messages", planned.MatchString)
		keys := y.times(m)
		m.note("a key while 100,000 messages are read, 95th percentile ms", program, keys.at(0.95))
		m.note("a key while 100,000 messages are read, slowest ms", program, keys.at(1))
		term.send(ctrlC)
		time.Sleep(aMoment)
		m.note("memory, 100,000 messages open, MB", program, memory())
		for i := range 2 {
			term.send(fmt.Sprintf("What is %dλ?", i))
			term.want(fmt.Sprintf("What is %dλ?", i))
			term.send(enterKey)
			term.wantTimes(i+1, "It is as it was.")
			term.waitFor("the receipt", func(screen string) bool { return answered(screen) && !strings.Contains(screen, "esc stop") })
		}
		time.Sleep(aMoment)
		m.note("memory after two prompts, MB", program, memory())
		term.send(tabKey)
		term.send(openPast)
		term.want("as seen in turn")
		time.Sleep(aMoment)
		m.note("memory after a look at a past request, MB", program, memory())
		time.Sleep(20 * time.Second)
		m.note("memory 20 s later, MB", program, memory())
		m.note("the most memory of all that, MB", program, peakMegabytes(m, term.cmd.Process.Pid))
		term.send(escKey)
		time.Sleep(100 * time.Millisecond) // an escape that is followed at once begins a sequence
		term.send(escKey)
		time.Sleep(100 * time.Millisecond)
		term.send(ctrlC)
		term.send(ctrlD)
		term.end()
	}
}

var planTime = regexp.MustCompile(`([0-9.]+) p95-ms`)

// plan runs the benchmark of a plan in the package that makes it.
func (m *measuring) plan() {
	run := exec.Command("go", "test", "winnow/history", "-run", "^$", "-bench", "^BenchmarkBuild$/^100000$", "-benchtime", "200x")
	out, err := run.CombinedOutput()
	found := planTime.FindSubmatch(out)
	if err != nil || found == nil {
		m.Fatalf("measure a plan: %v\n%s", err, out)
	}
	p95, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		m.Fatal(err)
	}
	m.note("a plan of 100,000 messages, 95th percentile ms", ours, p95)
}

// burst sends 20,000 letters one by one and as fast as they are taken, as a terminal without bracketed paste may do with
// a text that is pasted.
func (m *measuring) burst() {
	base := servedAlways(m, "Yes.", 0)
	for _, program := range m.winnows() {
		term := startProgram(m, m.person(base, "", false), measuredWidth, measuredHeight, m.files[program])
		term.want(helpLine)
		cost := processor(m, term.cmd.Process.Pid)
		for _, key := range strings.Repeat("letters ", 2500) {
			term.send(string(key))
		}
		term.send(echo)
		term.waitFor("all the letters", func(screen string) bool { return strings.Contains(screen, "20.0 kB") || strings.Contains(screen, echo) })
		m.note("processor of 20,000 letters at once, s", program, (processor(m, term.cmd.Process.Pid) - cost).Seconds())
		term.send(ctrlC)
		m.leave(term)
	}
}

// backup types while the history of 100,000 messages is examined and copied.
func (m *measuring) backup() {
	base, history := servedAlways(m, "Yes.", 0), storedSession(m.T, m.cache, longestHistory)
	for _, program := range m.winnows() {
		env := m.person(base, history, false)
		folder := filepath.Join(filepath.Dir(strings.TrimPrefix(env[len(env)-1], "WINNOW_DB=")), "backups")
		term := startProgram(m, env, measuredWidth, measuredHeight, m.files[program])
		term.want(helpLine)
		time.Sleep(time.Second) // It begins some time after the start.
		begin, cost := time.Now(), processor(m, term.cmd.Process.Pid)
		y := newTypist(term)
		made := func() bool {
			found, _ := filepath.Glob(filepath.Join(folder, "*.db"))
			return len(found) > 0
		}
		y.typeOn(1000, keyPause, made)
		for limit := time.Now().Add(patience); !made(); time.Sleep(keyPause) {
			if time.Now().After(limit) {
				files, _ := os.ReadDir(folder)
				m.Fatalf("no backup is made in %s: %v", folder, files)
			}
		}
		m.note("the daily backup, s", program, (time.Since(begin) - time.Second).Seconds())
		m.note("processor of that, s", program, (processor(m, term.cmd.Process.Pid) - cost).Seconds())
		m.note("a key meanwhile, slowest ms", program, y.times(m).at(1))
		term.send(ctrlC)
		m.leave(term)
	}
}
