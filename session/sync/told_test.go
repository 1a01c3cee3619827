package sync

import (
	"os"
	"path/filepath"
	"testing"
)

// damageSegments changes a byte in each segment of a folder, whose size stays.
func damageSegments(t *testing.T, dir string) {
	t.Helper()
	segments, _ := filepath.Glob(filepath.Join(dir, "*", "*.seg"))
	if len(segments) == 0 {
		t.Fatal("there is no segment")
	}
	for _, path := range segments {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file[len(file)/2] ^= 1
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A folder that is taken over is complete even where a file in it is damaged: this machine has merged it before.
func TestAFolderWithADamagedSegmentIsTakenOver(t *testing.T) {
	dir := t.TempDir()
	a, b, c := newMachine(t, dir), newMachine(t, dir), newMachine(t, dir)
	chat, _ := a.begin("hello")
	a.sync()
	b.sync()
	damageSegments(t, dir)
	state, err := a.s.Sync().State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), b.s, Options{Dir: dir, Adopt: state.Folder}); err != nil {
		t.Fatal(err)
	}
	if out := c.sync(); len(out.Skipped) > 0 {
		t.Errorf("the third machine says %q", out.Skipped)
	}
	c.want(chat.ID, "hello")
}
