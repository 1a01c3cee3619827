package sessions

import (
	"strings"
	"testing"

	"winnow/session/store/backup"
)

// A purged session that backups still hold is not said to be gone: the sentence names the files and the command.
func TestAPurgeNamesTheFilesThatStillHoldTheSession(t *testing.T) {
	got := remaining("0195", []backup.Copy{{Path: "/history/backups/2026-03-04.db"}, {Path: "/history/damaged.db"}})
	for _, part := range []string{"2026-03-04.db, damaged.db", "winnow sessions purge --copies rewrite 0195"} {
		if !strings.Contains(got, part) || strings.Contains(got, "/history") {
			t.Errorf("after a purge it says %q, want %q in it and no folders", got, part)
		}
	}
}
