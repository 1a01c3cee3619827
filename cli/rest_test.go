package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"

	"winnow/ui/uitest/terminal"
)

var switches = regexp.MustCompile(`(?m)^voluntary_ctxt_switches:\s*(\d+)$`)

// wakeUps counts how often the threads of a program have gone to sleep, and so have woken up.
func wakeUps(t *testing.T, pid int) (n int) {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(threads) == 0 {
		t.Fatalf("list the threads of the program: %v, %d threads", err, len(threads))
	}
	for _, path := range threads {
		status, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended
		}
		for _, found := range switches.FindAllSubmatch(status, -1) {
			count, _ := strconv.Atoi(string(found[1]))
			n += count
		}
	}
	return n
}

// Soon after the start, nothing is written and the program sleeps: it does not wake up for frames in which nothing
// happens. A renderer of 30 frames a second would wake up a hundred times in a second.
func TestNothingHappensAtRest(t *testing.T) {
	t.Parallel()
	wantRest(t, home(t))
}

// A sync with other machines is no reason to wake up: it runs behind the start and behind a turn, and watches nothing.
func TestNothingHappensAtRestWithASync(t *testing.T) {
	t.Parallel()
	wantRest(t, syncing(t, t.TempDir()))
}

func wantRest(t *testing.T, env []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("counts what Linux tells about a program's threads")
	}
	chat := startIn(t, env, 120, 40, "-m", "guide")
	chat.Want("enter send")
	written := func() int { return len(chat.Written()) }
	const span, most = 500 * time.Millisecond, 20
	pid := chat.Cmd.Process.Pid
	for limit := time.Now().Add(terminal.Patience); ; {
		wakes, bytes := wakeUps(t, pid), written()
		time.Sleep(span) // a span in which nothing happens has no end to wait for
		wakes, bytes = wakeUps(t, pid)-wakes, written()-bytes
		if bytes == 0 && wakes <= most {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("in %v at rest %d bytes are written and the program wakes up %d times, want none and at most %d",
				span, bytes, wakes, most)
		}
	}
}
