package llmtest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// RealServer is the base URL of a real server, which an environment variable holds. Without it the test is skipped.
// Such a server answers one request after the other and loads one model at a time, so the test has it for itself
// until it ends: those of other packages wait. README.md says how to have one.
func RealServerURL(t testing.TB, variable string) string {
	t.Helper()
	base := os.Getenv(variable)
	if base == "" {
		t.Skipf("set %s to the base URL of a real server; llm/llmtest/README.md says how to have one", variable)
	}
	lock, err := os.OpenFile(filepath.Join(os.TempDir(), variable+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Close() })
	return base
}
