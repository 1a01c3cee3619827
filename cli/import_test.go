package cli

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"winnow/session/store"
)

func TestImportThatIsStoppedEndsAsInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, config, db := filepath.Join(dir, "chat.json"), filepath.Join(dir, "config.toml"),
		filepath.Join(dir, "winnow.db")
	for path, text := range map[string]string{file: `[{"role":"user","content":"hi"}]`, config: ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := store.Open(context.Background(), db, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, stop := context.WithCancel(context.Background())
	stop()
	in := importing{program: &program{now: time.Now}}
	err = in.importAll(ctx, s, []string{file})
	if exitOf(err) != Interrupted || err.Error() != "stopped; what was imported until then is kept" ||
		len(in.Conversations) > 0 {
		t.Errorf("a stopped import gives %+v, exit code %d: %v", in.Conversations, exitOf(err), err)
	}
	if all, err := s.Sessions(context.Background(), store.Filter{}); err != nil || len(all) > 0 {
		t.Errorf("a stopped import leaves %v, %v", all, err)
	}
}
