package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"winnow/ui/uitest/terminal"
)

// scenes lists what is measured.
var scenes = []struct {
	name string
	run  func(*run)
}{
	{"start", (*run).start},
	{"rest", (*run).rest},
	{"stream", (*run).stream},
	{"fast", (*run).fast},
	{"10k", (*run).long},
	{"100k", (*run).longest},
}

// Keys as a terminal sends them.
const (
	enter   = "\r"
	ctrlC   = "\x03"
	ctrlD   = "\x04"
	wheelUp = "\x1b[<64;20;12M"
	pageUp  = "\x1b[5~"
)

// helpLine is on the screen once a program accepts keys; echo is typed and occurs nowhere else.
const (
	helpLine = "enter send"
	echo     = "λ"
)

// winnows returns the names of the programs that are winnow.
func (r *run) winnows() []string {
	if *other == "" {
		return []string{"winnow"}
	}
	return []string{"other", "winnow"}
}

// person returns the environment of a user with a new home folder and a server. Their history is a copy of the given
// file, "" for none.
func (r *run) person(base, history string) []string {
	dir := r.folder()
	if history != "" {
		text, err := os.ReadFile(history)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "history.db"), text, 0o600)
		}
		if err != nil {
			r.Fatalf("copy a history: %v", err)
		}
	}
	return []string{
		"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor",
		"DBUS_SESSION_BUS_ADDRESS=disabled:", "WINNOW_DB=" + filepath.Join(dir, "history.db"),
		"WINNOW_MODEL=openai/small", "OPENAI_API_KEY=sk-not-a-real-key-0000", "OPENAI_BASE_URL=" + base,
	}
}

// open starts a program in a terminal of 120×40 cells. No other process may run from its file, so that its proportional
// set size is not shared.
func (r *run) open(program string, env []string, args ...string) *terminal.Terminal {
	return terminal.Start(r, terminal.Options{
		Path: r.programs[program], Args: args, Env: env, Dir: r.scratch, Width: 120, Height: 40,
	})
}

// leave clears the draft and ends a program.
func (r *run) leave(term *terminal.Terminal) {
	term.Send(ctrlC)
	term.Send(ctrlD)
	if code := term.End(); code != 0 {
		r.Fatalf("the program ended with %d:\n%s", code, term.Text())
	}
}

// start measures the time from the start of a program until it echoes a letter.
func (r *run) start() {
	_, base := r.serve("Yes.", 0)
	for _, program := range append(r.winnows(), "empty") {
		env := r.person(base, "")
		for i := range 5 {
			begin := time.Now()
			term := r.open(program, env)
			term.Want(helpLine)
			term.Send(echo)
			term.Want(echo)
			took, cost := time.Since(begin), r.processor(term.Cmd.Process.Pid)
			if i > 0 { // the first start creates the database
				r.note("start until a letter is echoed, ms", program, ms(took))
				r.note("processor until then, ms", program, ms(cost))
			}
			r.leave(term)
		}
	}
}

// rest measures idle programs.
func (r *run) rest() {
	_, base := r.serve("Yes.", 0)
	for _, program := range append(r.winnows(), "empty") {
		term := r.open(program, r.person(base, ""))
		pid := term.Cmd.Process.Pid
		term.Want(helpLine)
		time.Sleep(8 * time.Second)
		cost, bytes := r.processor(pid), len(term.Written())
		time.Sleep(10 * time.Second)
		r.note("memory at rest, MB", program, r.megabytes(pid))
		r.note("processor in 10 s at rest, ms", program, ms(r.processor(pid)-cost))
		r.note("bytes written in 10 s at rest", program, float64(len(term.Written())-bytes))
		r.leave(term)
	}
}

// stream measures an answer of 25 s at 400 tokens per second, during which 400 letters of the next message are typed.
func (r *run) stream() {
	const seconds, rate, keys = 25, 400, 400
	_, base := r.serve(markdown(seconds*rate*tokenBytes), rate)
	for _, program := range r.winnows() {
		term := r.open(program, r.person(base, ""))
		cost, bytes := -r.ask(term), -len(term.Written())
		times := r.typeOn(term, keys, seconds*time.Second/keys)
		r.answered(term, 1)
		cost, bytes = cost+r.processor(term.Cmd.Process.Pid), bytes+len(term.Written())
		r.note("processor of an answer of 25 s with 400 keys, s", program, cost.Seconds())
		r.note("bytes of that, KB", program, float64(bytes)/1000)
		r.note("a key meanwhile, 95th percentile ms", program, part(times, 0.95))
		r.leave(term)
	}
}

// ask sends the first question and returns the processor time used before.
func (r *run) ask(term *terminal.Terminal) time.Duration {
	term.Want(helpLine)
	term.Send("How does a parser recover?")
	term.Want("a parser recover?")
	cost := r.processor(term.Cmd.Process.Pid)
	term.Send(enter)
	return cost
}

// answered waits until an answer is complete and its receipt is on the screen.
func (r *run) answered(term *terminal.Terminal, receipts int) {
	term.WaitFor("the receipt", func(screen string) bool {
		shown := strings.Count(screen, "saw ") + strings.Count(screen, " tokens · ")
		return shown >= receipts && !strings.Contains(screen, "esc stop")
	})
}

// fast measures answers that are sent as fast as they are read.
func (r *run) fast() {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"20 KB", 20_000}, {"200 KB", 200_000}} {
		_, base := r.serve(markdown(size.bytes), 0)
		for _, program := range r.winnows() {
			term := r.open(program, r.person(base, ""))
			cost, begin := r.ask(term), time.Now()
			r.answered(term, 1)
			r.note(size.name+" at full speed: enter to the end, ms", program, ms(time.Since(begin)))
			r.note(size.name+" at full speed: processor, ms", program, ms(r.processor(term.Cmd.Process.Pid)-cost))
			r.leave(term)
		}
	}
}

// planned matches the panel once it has planned the next request.
var planned = regexp.MustCompile(`sends |everything fits|sees \d`)

// aMoment is how long a program is left alone before its memory is measured, so that memory which is released late is
// not counted.
const aMoment = 3 * time.Second

// long opens 10,000 messages, asks, turns the wheel and scrolls to the first message.
func (r *run) long() {
	s, base := r.serve("It is as it was.", 0)
	for _, program := range r.winnows() {
		term := r.open(program, r.person(base, r.stored(10_000)), "-c")
		pid := term.Cmd.Process.Pid
		term.Want(lastWords)
		term.WaitFor("the plan of 10,000 messages", planned.MatchString)
		time.Sleep(aMoment)
		r.note("10,000 messages open, MB", program, r.megabytes(pid))
		term.Send("What is λ?")
		term.Want("What is λ?")
		begin := time.Now()
		term.Send(enter)
		r.note("10,000 messages: enter to the request, ms", program, ms((<-s.asked).Sub(begin)))
		r.answered(term, 1)
		var steps []float64
		for range 150 {
			steps = append(steps, ms(r.press(term, wheelUp)))
			time.Sleep(25 * time.Millisecond)
		}
		r.note("10,000 messages: a wheel step, 95th percentile ms", program, part(steps, 0.95))
		for !strings.Contains(term.Text(), firstWords) {
			r.press(term, pageUp)
		}
		time.Sleep(aMoment)
		r.note("10,000 messages scrolled through, MB", program, r.megabytes(pid))
		r.leave(term)
	}
}

// press sends a key and waits until the screen changes.
func (r *run) press(term *terminal.Terminal, key string) time.Duration {
	from, begin := term.Text(), time.Now()
	term.Send(key)
	term.WaitFor("another screen", func(screen string) bool { return screen != from })
	return time.Since(begin)
}

// longest opens 100,000 messages and types while they are loaded.
func (r *run) longest() {
	_, base := r.serve("It is as it was.", 0)
	for _, program := range r.winnows() {
		env := r.person(base, r.stored(100_000))
		begin := time.Now()
		term := r.open(program, env, "-c")
		term.Want(lastWords)
		r.note("100,000 messages drawn, ms", program, ms(time.Since(begin)))
		times := r.typeOn(term, 60, 33*time.Millisecond)
		r.note("a key while they are read, 95th percentile ms", program, part(times, 0.95))
		term.WaitFor("the plan of 100,000 messages", planned.MatchString)
		r.note("100,000 messages planned, ms", program, ms(time.Since(begin)))
		time.Sleep(aMoment)
		r.note("100,000 messages open, MB", program, r.megabytes(term.Cmd.Process.Pid))
		r.leave(term)
	}
}

// typeOn types n letters into an empty draft, one per pause or as soon as the previous one is on the screen. It returns
// how long each took to appear, in ms. The draft is cleared after each word.
func (r *run) typeOn(term *terminal.Terminal, n int, pause time.Duration) (times []float64) {
	const word, clear = "letters", "\x15"
	begin := time.Now()
	for i := range n {
		time.Sleep(time.Until(begin.Add(time.Duration(i) * pause)))
		typed := word[:i%len(word)+1]
		if len(typed) == 1 {
			term.Send(clear)
		}
		sent := time.Now()
		term.Send(typed[len(typed)-1:])
		term.WaitFor("the draft "+typed, func(screen string) bool { return strings.Contains(screen, "› "+typed+"\n") })
		times = append(times, ms(time.Since(sent)))
	}
	return times
}
