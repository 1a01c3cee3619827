package cli

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// processor is the processor time that all threads of a program have taken, those that have ended included.
func processor(t testing.TB, pid int) time.Duration {
	t.Helper()
	var at unix.Timespec
	// The clock of another process, as clock_getcpuclockid(3) makes it: the inverted id and, in the lowest three
	// bits, which of its clocks, here that of the scheduler.
	if err := unix.ClockGettime(int32(^pid<<3|2), &at); err != nil {
		t.Fatalf("read the processor time of the program: %v", err)
	}
	return time.Duration(at.Nano())
}

// statusNumber reads a number, mostly in kB, from a file of /proc such as status.
func statusNumber(t testing.TB, path, key string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("read what Linux tells about the program: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			n, err := strconv.Atoi(strings.Fields(value)[0])
			if err != nil {
				t.Fatalf("read %s in %s: %v", key, path, err)
			}
			return n
		}
	}
	t.Fatalf("%s does not say %s", path, key)
	return 0
}

// megabytes is the memory of a program: all of its own, and its part of what others use too. It is its own where the
// program runs from a file of its own and nobody else has the libraries.
func megabytes(t testing.TB, pid int) float64 {
	t.Helper()
	return float64(statusNumber(t, fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss")) * 1024 / 1e6
}

// peakMegabytes is the most memory that a program ever had.
func peakMegabytes(t testing.TB, pid int) float64 {
	t.Helper()
	return float64(statusNumber(t, fmt.Sprintf("/proc/%d/status", pid), "VmHWM")) * 1024 / 1e6
}

var anySwitch = regexp.MustCompile(`(?m)^(?:non)?voluntary_ctxt_switches:\s*(\d+)$`)

// contextSwitches counts how often a thread of a program was given a processor and lost it again, of its own will or not.
func contextSwitches(t testing.TB, pid int) int { return switched(t, pid, anySwitch) }

// load is how busy the machine was up to a moment.
type load struct {
	busy, all float64 // seconds of all processors
	own       float64 // seconds of this process and of those that it has waited for
}

func readLoad(t testing.TB) (u load) {
	t.Helper()
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatalf("read how busy the machine is: %v", err)
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	for i, field := range strings.Fields(string(line))[1:9] { // those behind are counted in the first ones already
		ticks, err := strconv.ParseFloat(field, 64)
		if err != nil {
			t.Fatalf("read how busy the machine is: %v", err)
		}
		const idle, waiting, perSecond = 3, 4, 100
		u.all += ticks / perSecond
		if i != idle && i != waiting {
			u.busy += ticks / perSecond
		}
	}
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var r unix.Rusage
		if err := unix.Getrusage(who, &r); err != nil {
			t.Fatalf("read the processor time of this test: %v", err)
		}
		u.own += time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
	}
	return u
}

// others is the share of all processors that other programs took between two moments, in percent.
func others(from, to load) float64 {
	return max(0, 100*((to.busy-from.busy)-(to.own-from.own))/max(0.01, to.all-from.all))
}

// mostOthers is the share of the processors, in percent, that other programs may take when a measurement begins.
const mostOthers = 10

// quietMachine ends the test on a machine that is busy with other things, unless that is wanted. The share of other
// programs is that of two seconds.
func quietMachine(t testing.TB, busy bool) {
	t.Helper()
	from := readLoad(t)
	time.Sleep(2 * time.Second)
	if share := others(from, readLoad(t)); share > mostOthers && !busy {
		t.Fatalf("The machine is busy: other programs take %.0f %% of its %d processors, and at most %d %% still give useful numbers.\n"+
			"Wait until it is quiet, or measure all the same with -busy.", share, runtime.NumCPU(), mostOthers)
	}
}

// reference is the time of a loop that does the same every time: how much it varies is the noise of the machine.
func reference() time.Duration {
	begin := time.Now()
	x := uint64(88172645463325252)
	for range 100_000_000 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	runtime.KeepAlive(x)
	return time.Since(begin)
}

// machineName is the processor of the machine as it names itself.
func machineName() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return fmt.Sprintf("%d processors of an %s", runtime.NumCPU(), strings.TrimSpace(value))
		}
	}
	return fmt.Sprintf("%d processors", runtime.NumCPU())
}
