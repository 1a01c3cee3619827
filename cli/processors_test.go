package cli

import (
	"runtime"
	"testing"
)

// However often the screen is opened in a process, it has one processor more than there are, or as many as the user says.
func TestOneGoroutineMoreRuns(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	t.Cleanup(runtime.SetDefaultGOMAXPROCS)
	runtime.SetDefaultGOMAXPROCS()
	want := runtime.GOMAXPROCS(0) + 1
	for range 2 {
		addProcessor()
		if got := runtime.GOMAXPROCS(0); got != want {
			t.Fatalf("%d goroutines run at once, want %d", got, want)
		}
	}
	runtime.GOMAXPROCS(1)
	t.Setenv("GOMAXPROCS", "1")
	addProcessor()
	if got := runtime.GOMAXPROCS(0); got != 1 {
		t.Errorf("the user wants one goroutine at once, and %d run", got)
	}
}
