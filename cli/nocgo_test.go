package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestBuildWithoutCgoSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "winnow")
	build := exec.Command("go", "build", "-o", binary, "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build without cgo: %v\n%s", err, out)
	}
	out, err := exec.Command(binary).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "C compiler") || strings.Count(string(out), "\n") != 1 {
		t.Errorf("winnow without cgo ends with %v and says %q, want one sentence that names the C compiler", err, out)
	}
}
