package cli

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// The screen ends at the same signal, and may be gone before it is noted.
func TestATerminationIsNoted(t *testing.T) {
	screen := make(chan os.Signal, 1)
	signal.Notify(screen, syscall.SIGTERM)
	defer signal.Stop(screen)
	for range 200 {
		terminated, stop := untilTerminated(t.Context())
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		<-screen
		stop()
		if code := stoppedBy(terminated); terminated.Err() == nil || code != Terminated {
			t.Fatalf("the program would end with %d, %v", code, terminated.Err())
		}
	}
}
