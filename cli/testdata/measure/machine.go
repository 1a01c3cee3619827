package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// processor returns the processor time used by all threads of a process, including those that have ended.
func (r *run) processor(pid int) time.Duration {
	var at unix.Timespec
	// The clock id of another process, as clock_getcpuclockid(3) makes it: the inverted process id, and the kind of
	// clock in the lowest three bits, here that of the scheduler.
	if err := unix.ClockGettime(int32(^pid<<3|2), &at); err != nil {
		r.Fatalf("read the processor time of a program: %v", err)
	}
	return time.Duration(at.Nano())
}

var proportional = regexp.MustCompile(`(?m)^Pss:\s*(\d+) kB$`)

// megabytes returns the proportional set size of a process.
func (r *run) megabytes(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	found := proportional.FindSubmatch(text)
	if err != nil || found == nil {
		r.Fatalf("read the memory of a program: %v\n%s", err, text)
	}
	kilobytes, _ := strconv.Atoi(string(found[1])) // only digits
	return float64(kilobytes) * 1024 / 1e6
}

// loadAverage returns the load average of the last minute.
func loadAverage() string {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// machineName returns the name of the processor.
func machineName() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
			return fmt.Sprintf("%d processors of an %s", runtime.NumCPU(), strings.TrimSpace(value))
		}
	}
	return fmt.Sprintf("%d processors", runtime.NumCPU())
}
