package cli

import (
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"winnow/cli/report"
)

// damagedSession is the file with every corruption of a tool history, imported: where it is, its id and
// its numbers of messages.
func damagedSession(t *testing.T) (env []string, id string) {
	t.Helper()
	env = append(home(t), "WINNOW_MODEL=guide")
	var imported struct{ Session string }
	winnowJSON(t, env, &imported, "sessions", "import", filepath.Join("testdata", "damaged.jsonl"), "--json")
	return env, imported.Session
}

// TestRepairChoosesWhatIsSent has the damaged messages of a session sent as text, left out and repaired
// again. A dry run shows the same and keeps nothing, and what is stored never changes.
func TestRepairChoosesWhatIsSent(t *testing.T) {
	t.Parallel()
	env, id := damagedSession(t)
	file := databaseOf(t, env)
	stored := everyRow(t, file, 32)
	list := func(args ...string) report.RepairsJSON {
		t.Helper()
		var o report.RepairsJSON
		winnowJSON(t, env, &o, append([]string{"repair", id, "--json"}, args...)...)
		return o
	}
	repaired := list()
	if kinds := kindsOf(repaired); len(repaired.Repairs) != 20 || len(kinds) != 15 {
		t.Fatalf("%d repairs of the kinds %v are listed, want 20 of 15", len(repaired.Repairs), kinds)
	}
	last := repaired
	for _, c := range []struct {
		as       string
		calls    int   // in the request
		asText   int   // calls in it, as text; repaired, one without a name is
		repaired []int // messages that are repaired whatever is chosen, as people count them
	}{
		{"text", 0, 11, []int{12, 18, 24, 25, 29, 30}}, // they make no call that could be sent as text
		{"drop", 0, 0, []int{18, 30}},                  // they are not sent in any case
		{"repair", 10, 1, nil},
	} {
		t.Run(c.as, func(t *testing.T) {
			dry := list("--as", c.as, "--dry-run")
			if now := list("--dry-run"); !dry.DryRun || !reflect.DeepEqual(now.Repairs, last.Repairs) {
				t.Errorf("a dry run kept something: %+v, want %+v", now.Repairs, last.Repairs)
			}
			done := list("--as", c.as)
			if last = list(); done.DryRun || !reflect.DeepEqual(done.Repairs, dry.Repairs) || !reflect.DeepEqual(last, done) {
				t.Errorf("the dry run lists\n%+v\nit is done as\n%+v\nand listed later as\n%+v", dry.Repairs, done.Repairs, last.Repairs)
			}
			for _, r := range done.Repairs {
				want := c.as
				if slices.Contains(c.repaired, r.Index+1) {
					want = "repair"
				}
				if r.Remedy != want {
					t.Errorf("%s of message %d has the remedy %s, want %s", r.Kind, r.Index+1, r.Remedy, want)
				}
			}
			body := string(winnowIn(t, env)("context", id, "--wire", "--draft", "And?"))
			if calls, asText := strings.Count(body, `"arguments":`), strings.Count(body, `[called `); calls != c.calls || asText != c.asText {
				t.Errorf("the request makes %d calls and has %d as text, want %d and %d\n%s", calls, asText, c.calls, c.asText, body)
			}
			if everyRow(t, file, 32) != stored {
				t.Error("what is stored changed")
			}
		})
	}
}

func kindsOf(o report.RepairsJSON) []string {
	var kinds []string
	for _, r := range o.Repairs {
		kinds = append(kinds, r.Kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// A remedy for one message is one for its tool group, and for nothing else. A message of the group
// that is sound itself names it as well.
func TestRepairTakesTheGroupOfAMessage(t *testing.T) {
	t.Parallel()
	env, id := damagedSession(t)
	for _, number := range []int{2, 3} {
		var o, all report.RepairsJSON
		winnowJSON(t, env, &o, "repair", id, "--json", "--as", "drop", "--message", strconv.Itoa(number))
		if len(o.Repairs) != 1 || o.Repairs[0].Index != 1 || o.Repairs[0].Label != "C1" || o.Repairs[0].Remedy != "drop" {
			t.Errorf("message %d: %+v", number, o.Repairs)
		}
		winnowJSON(t, env, &all, "repair", id, "--json")
		for _, r := range all.Repairs {
			if (r.Remedy == "drop") != (r.Index == 1) {
				t.Errorf("message %d: %s of message %d has the remedy %s", number, r.Kind, r.Index+1, r.Remedy)
			}
		}
		winnowJSON(t, env, &o, "repair", id, "--json", "--as", "repair", "--message", "2")
	}
	for number, want := range map[string]string{"1": "message 1 is not damaged", "33": "there is no message 33; this session has 32"} {
		cmd := exec.Command(winnowPath(t), "repair", id, "--message", number)
		cmd.Env = env
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != int(NotFound) || !strings.Contains(string(out), want) {
			t.Errorf("message %s: exit code %d, %s", number, cmd.ProcessState.ExitCode(), out)
		}
	}
}
