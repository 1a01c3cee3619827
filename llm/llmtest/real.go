package llmtest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// RealServerURL returns the base URL of a real server from an environment variable, and skips the test if it is not
// set. Such a server answers one request at a time and has one model loaded, so the test has exclusive use of it until
// it ends; tests of other packages wait. README.md describes the setup.
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
