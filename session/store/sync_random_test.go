package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"winnow/session/store/sqlite"
	"winnow/session/store/storetest"
)

// folder is what machines share: the segments of each as JSON, one line each.
type folder map[string]map[int64][]byte

// syncs is one machine.
type syncs struct {
	*writer
	place   string
	archive *archive
	calm    bool // nothing goes wrong from now on
	lives   int  // how many machines it has been
	y       *Sync
}

func lineInto(b *bytes.Buffer) func(SyncLine) error {
	return func(l SyncLine) error {
		if l.Head != nil {
			b.Reset()
		}
		text, err := marshal(l)
		b.Write(append(text, '\n'))
		return err
	}
}

func linesFrom(text []byte) func(take func(SyncLine) error) error {
	return func(take func(SyncLine) error) error {
		for line := range bytes.Lines(text) {
			var l SyncLine
			if err := json.Unmarshal(line, &l); err != nil {
				return err
			}
			if err := take(l); err != nil {
				return err
			}
		}
		return nil
	}
}

// join makes the machine one that is shared, with an id that is the same in each run of a test.
func (x *syncs) join() SyncState {
	ctx := context.Background()
	before, err := x.y.State(ctx)
	x.must("state", err)
	_, err = x.y.Join(ctx, x.place, x.place)
	x.must("join", err)
	if now, err := x.y.State(ctx); err != nil || now.Machine != before.Machine {
		x.lives++
		_, err := x.s.full.Exec(`UPDATE sync_machine SET machine = ?`, fmt.Sprintf("%s.%d", x.place, x.lives))
		x.must("name the machine", err)
	}
	state, err := x.y.State(ctx)
	x.must("state", err)
	return state
}

// write writes what the machine has to say. It reports how many segments were written.
func (x *syncs) write(f folder) (written int) {
	ctx := context.Background()
	state := x.join()
	if f[state.Machine] == nil {
		f[state.Machine] = map[int64][]byte{}
	}
	for more := true; more; {
		var b bytes.Buffer
		var number int64
		var err error
		number, more, err = x.y.Collect(ctx, lineInto(&b))
		x.must("collect", err)
		if number == 0 {
			break
		}
		written++
		if x.calm || x.pick("killed", 4) > 0 {
			f[state.Machine][number] = b.Bytes()
			x.must("note it", x.y.Written(ctx, number, []byte("sum"), int64(b.Len())))
		}
	}
	state, err := x.y.State(ctx)
	x.must("state", err)
	for _, s := range state.Segments {
		if s.Sum == nil && (x.calm || x.pick("killed again", 4) > 0) {
			var b bytes.Buffer
			x.must("read the segment", x.y.Segment(ctx, s.Number, lineInto(&b)))
			f[state.Machine][s.Number] = b.Bytes()
			x.must("note it", x.y.Written(ctx, s.Number, []byte("sum"), int64(b.Len())))
			written++
		}
	}
	return written
}

// read merges what the others wrote, in any order, as far as it goes.
func (x *syncs) read(f folder) (merged int) {
	ctx := context.Background()
	state := x.join()
	type at struct {
		machine string
		number  int64
	}
	var all []at
	for machine, segments := range f {
		for number := range segments {
			if machine != state.Machine {
				all = append(all, at{machine, number})
			}
		}
	}
	slices.SortFunc(all, func(a, b at) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	all = slices.DeleteFunc(all, func(a at) bool {
		return slices.ContainsFunc(state.Others, func(o SyncOther) bool { return o.Machine == a.machine && o.Merged >= a.number }) && (x.calm || x.pick("again", 9) > 0)
	})
	for more := len(all) > 0; more; {
		more = false
		all = rapid.Permutation(all).Draw(x.T, "order")
		for i, a := range slices.Backward(all) {
			out, err := x.y.Merge(ctx, linesFrom(f[a.machine][a.number]))
			if errors.Is(err, ErrSyncWaits) {
				continue
			}
			if err != nil {
				x.Fatalf("%s merges %d of %s: %v\n%s", x.place, a.number, a.machine, err, f[a.machine][a.number])
			}
			if out.Refused > 0 {
				x.Fatalf("%s refuses %d messages of %s", x.place, out.Refused, a.machine)
			}
			merged++
			more = true
			all = slices.Delete(all, i, i+1)
			if out.Purged > 0 {
				x.must("finish the purge", x.y.FinishPurge(ctx))
			}
		}
	}
	return merged
}

// do does one thing to the history of the machine.
func (x *syncs) do() {
	ctx := context.Background()
	x.ids = allIDs(x.T, x.s)
	switch x.pick("what", 8) {
	case 2: // the file is moved: it is another machine from now on
		if x.pick("moved", 3) == 0 {
			x.place += "'"
		}
	case 3: // a session of an archive, which others may restore too
		if len(x.archive.lines) == 0 || x.pick("kept", 3) == 0 {
			session, _ := x.any()
			x.archive.lines = linesOf(x.T, x.s, session.ID)
			return
		}
		given, err := x.s.NewestIDs(ctx)
		x.must("read the newest ids", err)
		_, err = x.s.RestoreSession(ctx, sessionRestore(x.archive.lines[0].Session.ID, given, x.archive.lines))
		if !errors.Is(err, ErrTaken) {
			x.must("restore", err)
		}
	case 0: // an answer
		session, ids := x.any()
		parent := ids[x.pick("parent", len(ids))]
		begun, err := x.s.StartAnswer(ctx, x.message(session.ID, parent))
		x.must("start the answer", err)
		if x.pick("synced meanwhile", 3) == 0 {
			var b bytes.Buffer
			if state, err := x.y.State(ctx); err == nil && state.Machine != "" {
				_, _, err := x.y.Collect(ctx, lineInto(&b))
				x.must("collect", err)
			}
		}
		whole := x.message(session.ID, parent)
		whole.ID, whole.Role = begun.ID, begun.Role
		_, err = x.s.FinishAnswer(ctx, whole, x.request(session.ID, parent, ids))
		x.must("finish the answer", err)
	case 1: // a request that ends later
		session, ids := x.any()
		r, err := x.s.AddRequest(ctx, x.request(session.ID, ids[0], ids))
		x.must("request", err)
		r.Session, r.End, r.Error = session.ID, EndFailed, "it failed"
		x.must("end it", x.s.UpdateRequest(ctx, r))
	default:
		x.step("damage", "answer")
	}
}

func (x *syncs) canonical() []string {
	x.Helper()
	lines, err := storetest.Canonical(context.Background(), x.s.reads)
	x.must("read the history", err)
	return lines
}

// saidIn are the names of all messages of a history.
func saidIn(lines []string) map[string]bool {
	out := map[string]bool{}
	for _, l := range lines {
		if session, rest, _ := strings.Cut(l, " "); strings.HasPrefix(rest, "message ") {
			out[session+" "+strings.Split(rest, `"`)[1]] = true
		}
	}
	return out
}

// archive is what the machines restore from.
type archive struct{ lines []Line }

func newSyncs(t *rapid.T, i int, a *archive) *syncs {
	c := noon()
	c.add(time.Duration(i) * (3*time.Hour + 7*time.Millisecond))
	s, err := Open(context.Background(), sqlite.Memory, Options{Now: c.now})
	if err != nil {
		t.Fatalf("open a history in memory: %v", err)
	}
	return &syncs{writer: &writer{T: t, s: s, clock: c}, place: fmt.Sprintf("m%d", i), archive: a, y: s.Sync()}
}

// Whatever happens on several machines in whatever order, in the end all have the same: all that was said, and nothing
// that was purged.
func TestMachinesConverge(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f, kept := folder{}, archive{}
		all := make([]*syncs, rapid.IntRange(2, 4).Draw(t, "machines"))
		for i := range all {
			all[i] = newSyncs(t, i, &kept)
			defer all[i].s.Close()
		}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			x := all[rapid.IntRange(0, len(all)-1).Draw(t, "machine")]
			switch rapid.IntRange(0, 6).Draw(t, "do") {
			case 0:
				x.write(f)
			case 1:
				x.read(f)
			case 2:
				x.read(f)
				x.write(f)
			default:
				x.do()
			}
		}
		converge(t, f, all)
	})
}

// converge has all machines write and read until nobody has anything to say, and compares what they have.
func converge(t *rapid.T, f folder, all []*syncs) {
	t.Helper()
	before := map[string]bool{}
	purged := map[string]bool{}
	for _, x := range all {
		x.calm = true
		for m := range saidIn(x.canonical()) {
			before[m] = true
		}
		var ids []string
		x.must("list what was purged", x.s.reads.QueryRow(`SELECT json_group_array(session) FROM sync_purged`).Scan(jsonOf{&ids}))
		for _, id := range ids {
			purged[id] = true
		}
	}
	quiet := 0
	for round := 0; quiet < 2; round++ {
		if round > 30 {
			t.Fatalf("the machines never stop talking")
		}
		quiet++
		for _, x := range all {
			if x.read(f)+x.write(f) > 0 {
				quiet = 0
			}
		}
	}
	want := all[0].canonical()
	for _, x := range all[1:] {
		if d := storetest.Differ(want, x.canonical()); d != "" {
			t.Fatalf("%s and %s differ: %s", all[0].place, x.place, d)
		}
	}
	have := saidIn(want)
	for m := range before {
		if id, _, _ := strings.Cut(m, " "); !have[m] && !purged[id] {
			t.Fatalf("message %s is lost", m)
		}
	}
	for id := range purged {
		for m := range have {
			if strings.HasPrefix(m, id) {
				t.Fatalf("session %s was purged and is there", id)
			}
		}
		for machine, segments := range f {
			if !slices.ContainsFunc(all, func(x *syncs) bool { return x.join().Machine == machine }) {
				continue // it is another machine since
			}
			for number, text := range segments {
				if bytes.Contains(text, []byte(`"session":{"id":"`+id)) {
					t.Fatalf("session %s was purged and is in segment %d of %s", id, number, machine)
				}
			}
		}
	}
	for _, x := range all {
		var broken int
		x.must("check", x.s.reads.QueryRow(`
			SELECT count(*)
			FROM sessions s
			WHERE messages <> (SELECT count(*) FROM messages WHERE session = s.n)
				OR turns <> (SELECT count(*) FROM messages WHERE session = s.n AND role = 'user')
				OR leaf <> 0 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = s.leaf AND m.session = s.n)`).Scan(&broken))
		if broken > 0 {
			t.Fatalf("%s has %d sessions whose rows do not agree", x.place, broken)
		}
	}
}
