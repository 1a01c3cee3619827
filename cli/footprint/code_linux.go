package footprint

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// dropCode takes the program's code and constants out of its memory. They are in its file, and what is used is mapped
// again when it is. Most of it was used by the start alone, and Linux maps what lies beside it as well.
func dropCode() {
	program, err := os.Executable()
	if err != nil {
		return
	}
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer file.Close()
	var from, to uintptr // the mapping that the lines are about, none where it is not the program's
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if fields := strings.Fields(line); len(fields) > 5 && strings.Contains(fields[0], "-") {
			from, to = 0, 0
			if strings.HasPrefix(fields[1], "r-") && strings.HasSuffix(line, " "+program) {
				from, to = bounds(fields[0])
			}
			continue
		}
		// A page that was written to is not in the file, whatever may be done with it now.
		if value, ok := strings.CutPrefix(line, "Anonymous:"); ok && to > from && strings.TrimSpace(value) == "0 kB" {
			unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED)
		}
	}
}

// bounds are the addresses of a mapping as Linux writes them, such as 00400000-0040b000.
func bounds(text string) (from, to uintptr) {
	low, high, _ := strings.Cut(text, "-")
	a, err := strconv.ParseUint(low, 16, 64)
	b, err2 := strconv.ParseUint(high, 16, 64)
	if err != nil || err2 != nil {
		return 0, 0
	}
	return uintptr(a), uintptr(b)
}
