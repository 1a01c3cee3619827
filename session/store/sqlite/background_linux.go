package sqlite

import "syscall"

// lowerPriority makes this thread the last to get the processor and the disk. Where the system refuses that, the
// thread goes on as it is.
func lowerPriority() {
	const (
		lowest    = 19 // as nice has it
		oneThread = 1  // IOPRIO_WHO_PROCESS; 0 is the calling thread
		idle      = 3 << 13
	)
	syscall.Setpriority(syscall.PRIO_PROCESS, syscall.Gettid(), lowest)
	syscall.Syscall(syscall.SYS_IOPRIO_SET, oneThread, 0, idle)
}
