package sqlite

import "runtime"

// InBackground runs f on a thread of its own that gets the processor and the disk only where nobody else wants
// them, as far as the system has such threads, and returns what f returned. It is for work that takes seconds and
// that nobody waits for.
//
// Only what f itself does is slow, not what other goroutines do for it. The SQLite driver reads rows and copies pages
// where it is called. A statement without rows it runs in a goroutine of its own, and that has another thread.
func InBackground(f func() error) error {
	done := make(chan error, 1)
	go func() {
		// The thread never gets its priority back, so the goroutine keeps it: it ends with the goroutine.
		runtime.LockOSThread()
		lowerPriority()
		done <- f()
	}()
	return <-done
}
