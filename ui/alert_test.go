package ui

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/theme"
)

// However much a server says, what to do now stands below it.
func TestLongErrorLeavesTheWayOut(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ w, h int }{{120, 40}, {80, 24}, {60, 16}} {
		l := onStage(t, size.w, size.h)
		l.mu.Lock()
		l.broken, l.refusal = true, strings.Repeat("The server has much to say. ", 400)+"\x1b]0;title\a"
		l.mu.Unlock()
		l.types("Hello")
		l.press("enter")
		l.until("the end of the turn", func() bool { return !l.Turn.Busy })
		screen := plain(l.Model)
		if !strings.Contains(screen, "/retry try again") || !strings.Contains(screen, "The server has much to say.") ||
			!strings.Contains(screen, " …") && !strings.Contains(screen, "…”") {
			t.Errorf("%d×%d: want the beginning of the error and the way out:\n%s", size.w, size.h, screen)
		}
	}
}

// A message that could not be stored is in the draft, and nothing is there to ask again.
func TestUnsavedMessageOffersItsDraft(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  error
		want string
	}{
		{store.ErrDiskFull, "The draft is kept; enter sends it again."},
		{store.ErrReadOnly, "The draft is kept."},
		{session.ErrBusy, "The draft is kept; enter sends it again."},
	}
	for _, test := range tests {
		l := onStage(t, 120, 40)
		fails := func(context.Context) <-chan session.Event {
			events := make(chan session.Event, 1)
			events <- session.Finished{Err: fmt.Errorf("save the message: %w", test.err)}
			close(events)
			return events
		}
		l.types("Keep me")
		l.run(l.begin(l.composer.Take(0), fails))
		l.until("the end of the turn", func() bool { return !l.Turn.Busy })
		screen := plain(l.Model)
		if l.notice.Alert().Way != test.want ||
			!strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(screen, "│", "")), " "),
				"draft is kept") || strings.Contains(screen, "/retry") || l.composer.Text() != "Keep me" {
			t.Errorf("%v: the draft is %q, want it back, %q and no /retry:\n%s", test.err, l.composer.Text(),
				test.want, screen)
		}
	}
}

// The file of the history is deleted under the running program: what was typed comes back, a command's too.
func TestLostFileGivesTheDraftBack(t *testing.T) {
	t.Parallel()
	for _, draft := range []string{"Keep me", "/alone Keep me"} {
		l := onStage(t, 120, 40)
		l.say("First")
		if err := os.Remove(l.With.Store.Path()); err != nil {
			t.Fatal(err)
		}
		l.types(draft)
		l.press("enter")
		l.until("the error", func() bool { return l.notice.Alert().Text != "" })
		screen := plain(l.Model)
		if l.composer.Text() != draft || l.notice.Alert().Way != "The draft is kept." ||
			strings.Contains(screen, "/retry") {
			t.Errorf("the draft is %q, want %q, a sentence about it and no /retry:\n%s", l.composer.Text(), draft,
				screen)
		}
	}
}

func TestWrappedLinesFit(t *testing.T) {
	for _, s := range []string{"\n " + strings.Repeat("x", 18), " " + strings.Repeat("x", 18) + " y", "a\n   " +
		strings.Repeat("日", 9), "\U0001BCA0" + strings.Repeat("x", 18), "\n \U0001BCA0" + strings.Repeat("x", 18)} {
		lines := theme.Wrap(s, 18)
		for _, line := range lines {
			if n := ansi.StringWidth(line); n > 18 {
				t.Errorf("%q wraps to a line of %d cells: %q", s, n, line)
			}
		}
		letters := strings.NewReplacer(" ", "", "\n", "")
		if got, want := letters.Replace(strings.Join(lines, "")), letters.Replace(s); got != want {
			t.Errorf("%q wraps to %q", s, lines)
		}
	}
}
