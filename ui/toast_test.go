package ui

import (
	"strings"
	"testing"
)

// TestALongNoticeHoldsItsPathAsItIs has a path whose last part does not fit on the notice's last line.
func TestALongNoticeHoldsItsPathAsItIs(t *testing.T) {
	m := fresh(t, 80, 24)
	m.complain(strings.Repeat("word ", 15) + "and then in /a/folder/on-" + strings.Repeat("m", 60) + "/winnow.db it ends.")
	if screen := plain(m); !strings.Contains(screen, "/a/folder/on-mmmm") {
		t.Errorf("the path is not as it is:\n%s", screen)
	}
}
