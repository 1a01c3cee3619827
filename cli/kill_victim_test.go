package cli

import (
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// victim is a running winnow that will be killed, and what was visible of its answer until then.
type victim struct {
	kill func()
	over chan struct{} // closed when the process has ended

	mu     sync.Mutex
	seen   []sighting
	ended  bool      // it ended by itself, successfully
	killed time.Time // time of the kill
	once   sync.Once

	unsaved time.Duration // what was visible for longer must be stored
}

// sighting is how much of an answer was visible at a time.
type sighting struct {
	at    time.Time
	words int
}

func (v *victim) saw(words int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n := len(v.seen); n == 0 || words > v.seen[n-1].words {
		v.seen = append(v.seen, sighting{time.Now(), words})
	}
}

// die kills the process once. It takes the time before the kill, so that later sightings do not count.
func (v *victim) die() {
	v.once.Do(func() {
		v.mu.Lock()
		v.killed = time.Now()
		v.mu.Unlock()
		v.kill()
	})
}

// seenInTime returns how many words had been visible for long enough when it was killed.
func (v *victim) seenInTime() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	words := 0
	for _, s := range v.seen {
		if v.killed.Sub(s.at) > v.unsaved {
			words = s.words
		}
	}
	return words
}

var numberedWord = regexp.MustCompile(`w([0-9]{5})`)

// wordsSeen returns the highest word number in a text.
func wordsSeen(text string) int {
	most := 0
	for _, found := range numberedWord.FindAllStringSubmatch(text, -1) {
		n := 0
		fmt.Sscanf(found[1], "%d", &n)
		most = max(most, n+1)
	}
	return most
}

// runVictim starts winnow run and reads its answer from a pipe.
func runVictim(t *testing.T, env []string, dir string, args ...string) *victim {
	t.Helper()
	cmd := exec.Command(winnowPath(t), append([]string{"run"}, args...)...)
	cmd.Env, cmd.Dir = env, dir
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatalf("start winnow run: %v", err)
	}
	v := &victim{over: make(chan struct{}), kill: func() { cmd.Process.Kill() }}
	go func() {
		defer close(v.over)
		var text strings.Builder
		buf := make([]byte, 4096)
		for {
			n, err := out.Read(buf)
			text.Write(buf[:n])
			if n > 0 {
				v.saw(wordsSeen(text.String()))
			}
			if err != nil {
				break
			}
		}
		io.Copy(io.Discard, out)
		v.ended = cmd.Wait() == nil
	}()
	return v
}

// chatVictim starts the chat in a terminal and sends a question.
func chatVictim(t *testing.T, env []string, dir, question string) *victim {
	t.Helper()
	chat := startInDir(t, env, dir, 120, 30, "-m", "openai/small")
	v := &victim{over: make(chan struct{}), kill: func() { chat.Cmd.Process.Kill() }}
	go func() {
		defer close(v.over)
		// Each of these steps may meet the kill.
		if !chat.Comes("enter send") {
			return
		}
		io.WriteString(chat.TTY, question)
		if chat.Comes(question[len(question)-20:]) {
			io.WriteString(chat.TTY, enterKey)
		}
		for {
			v.saw(wordsSeen(chat.Text()))
			select {
			case <-chat.Changed():
			case <-chat.Ended():
				return
			}
		}
	}()
	return v
}

// lateness measures the scheduling delay of this machine, which winnow suffers as well as the test.
type lateness struct {
	stop chan struct{}
	most chan time.Duration
}

func watchLateness() lateness {
	l := lateness{make(chan struct{}), make(chan time.Duration, 1)}
	go func() {
		const every = 5 * time.Millisecond
		most, last := time.Duration(0), time.Now()
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-l.stop:
				l.most <- most
				return
			}
			now := time.Now()
			most = max(most, now.Sub(last)-every)
			last = now
		}
	}()
	return l
}

// end returns the maximum delay.
func (l lateness) end() time.Duration {
	close(l.stop)
	return <-l.most
}
