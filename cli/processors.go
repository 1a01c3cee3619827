package cli

import (
	"os"
	"runtime"
)

// addProcessor lets one goroutine more run at once than there are processors, unless the user has set how many. The
// operating system shares the processors out among the threads then, and a thread that has waited for a key comes first.
//
// Without it a key waits while a long session is read: the goroutine that reads the terminal waits in a system call and
// keeps its place among those that run (its P). What it has woken cannot run there until the runtime's monitor notices,
// which takes up to 20 ms as long as another goroutine fills the other place.
func addProcessor() {
	if os.Getenv("GOMAXPROCS") != "" {
		return
	}
	runtime.SetDefaultGOMAXPROCS() // it may have been called before
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
}
