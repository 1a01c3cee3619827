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

	"winnow/history"
	"winnow/session/store/storetest"
)

// shared is a store that is shared under a name.
func shared(t *testing.T, name string) *Store {
	t.Helper()
	s := newStore(t)
	_, err := s.Sync().Join(context.Background(), name, name)
	must(t, "join", err)
	_, err = s.full.Exec(`UPDATE sync_machine SET machine = ?`, name)
	must(t, "name the machine", err)
	return s
}

// collected is the next segment of a store, and its number.
func collected(t *testing.T, s *Store) (int64, []byte) {
	t.Helper()
	var b bytes.Buffer
	number, _, err := s.Sync().Collect(context.Background(), lineInto(&b))
	must(t, "collect", err)
	if number > 0 {
		must(t, "note it", s.Sync().Written(context.Background(), number, []byte("sum"), int64(b.Len())))
	}
	return number, b.Bytes()
}

func merged(t *testing.T, s *Store, segment []byte) SyncMerged {
	t.Helper()
	out, err := s.Sync().Merge(context.Background(), linesFrom(segment))
	if err != nil {
		t.Fatalf("merge: %v\n%s", err, segment)
	}
	return out
}

// exchange lets stores tell one another all that they have.
func exchange(t *testing.T, all ...*Store) {
	t.Helper()
	for more := true; more; {
		more = false
		for _, from := range all {
			number, segment := collected(t, from)
			if number == 0 {
				continue
			}
			more = true
			for _, to := range all {
				if to != from {
					merged(t, to, segment)
				}
			}
		}
	}
}

func canonicalOf(t *testing.T, s *Store) []string {
	t.Helper()
	lines, err := storetest.Canonical(context.Background(), s.reads)
	must(t, "read the history", err)
	return lines
}

// A value that is changed after it was sent, in every way there is, is the same on the other machine.
func TestChangesAreSent(t *testing.T) {
	a, b := shared(t, "a"), shared(t, "b")
	ctx := context.Background()
	session, m := begin(t, a, "t", "hello")
	r, err := a.AddRequest(ctx, Request{Session: session.ID, User: m.ID, Turn: 1, Options: []byte(fmt.Sprintf(`{"leaf":%d}`, m.ID))})
	must(t, "request", err)
	exchange(t, a, b)
	changes := map[string]func() error{
		"rename":  func() error { return a.Rename(ctx, session.ID, "renamed", TitleUser) },
		"tags":    func() error { return a.SetTags(ctx, session.ID, "x", "y") },
		"pin":     func() error { return a.SetPinned(ctx, session.ID, true) },
		"archive": func() error { return a.SetArchived(ctx, session.ID, true) },
		"delete":  func() error { return a.Delete(ctx, session.ID) },
		"restore": func() error { return a.Restore(ctx, session.ID) },
		"system":  func() error { return a.SetSystem(ctx, session.ID, "be short") },
		"flag":    func() error { return flag(ctx, a, m.ID, history.Exclude) },
		"unflag":  func() error { return flag(ctx, a, m.ID, "") },
		"remedy":  func() error { return a.SetRemedies(ctx, history.LeaveOut, m.ID) },
		"fault":   func() error { return a.SetFault(ctx, m.ID, `{"code":1}`) },
		"configure": func() error {
			return a.Configure(ctx, Session{ID: session.ID, Model: "other", Overrides: "reserve = 2\n"})
		},
		"empty": func() error { return a.SetLeaf(ctx, session.ID, 0) },
		"leaf":  func() error { return a.SetLeaf(ctx, session.ID, m.ID) },
		"request": func() error {
			r.Session, r.End, r.Answer = session.ID, EndDone, 7
			return a.UpdateRequest(ctx, r)
		},
	}
	for _, name := range []string{"rename", "tags", "pin", "archive", "delete", "restore", "system", "flag", "unflag", "remedy", "fault", "configure", "empty", "leaf", "request"} {
		before := canonicalOf(t, a)
		must(t, name, changes[name]())
		if slices.Equal(canonicalOf(t, a), before) {
			t.Errorf("%s changes nothing that is compared", name)
		}
		exchange(t, a, b)
		if d := storetest.Differ(canonicalOf(t, a), canonicalOf(t, b)); d != "" {
			t.Errorf("after %s %s", name, d)
		}
	}
	if number, segment := collected(t, b); number != 0 {
		t.Errorf("the machine that only read says something:\n%s", segment)
	}
}

func TestAnArrivingAnswerIsSentWhenItIsWhole(t *testing.T) {
	a, b := shared(t, "a"), shared(t, "b")
	ctx := context.Background()
	session, m := begin(t, a, "t", "question")
	begun, err := a.StartAnswer(ctx, says(session.ID, m.ID, history.Assistant, ""))
	must(t, "start", err)
	must(t, "checkpoint", a.Checkpoint(ctx, begun.ID, "half of", ""))
	_, segment := collected(t, a)
	if bytes.Contains(segment, []byte("half of")) {
		t.Errorf("half of an answer is sent:\n%s", segment)
	}
	merged(t, b, segment)
	if there := sessionOf(t, b, session.ID); there.Messages != 1 || read(t, b, there.Leaf).Content != "question" {
		t.Errorf("the other machine has %+v, want the question as the end of the branch", there)
	}
	begun.Content, begun.Status = "half of it and the rest", history.Complete
	_, err = a.FinishAnswer(ctx, begun, Request{})
	must(t, "finish", err)
	exchange(t, a, b)
	if there := sessionOf(t, b, session.ID); there.Messages != 2 || read(t, b, there.Leaf).Content != "half of it and the rest" {
		t.Errorf("the other machine has %+v, want the answer as the end of the branch", there)
	}
}

func TestSegmentsAreMergedInOrderAndOnce(t *testing.T) {
	a, b, c := shared(t, "a"), shared(t, "b"), shared(t, "c")
	session, m := begin(t, a, "t", "first")
	_, one := collected(t, a)
	add(t, a, says(session.ID, m.ID, history.Assistant, "second"))
	_, two := collected(t, a)
	ctx := context.Background()
	if _, err := b.Sync().Merge(ctx, linesFrom(two)); !errors.Is(err, ErrSyncWaits) {
		t.Errorf("the second segment first: %v, want ErrSyncWaits", err)
	}
	merged(t, b, one)
	merged(t, b, two)
	if again := merged(t, b, one); again.Messages != 0 || len(again.Changed) != 0 {
		t.Errorf("a segment again brings %+v", again)
	}
	add(t, b, says(session.ID, sessionOf(t, b, session.ID).Leaf, history.User, "third"))
	_, three := collected(t, b)
	if _, err := c.Sync().Merge(ctx, linesFrom(three)); !errors.Is(err, ErrSyncWaits) {
		t.Errorf("a segment before those that its machine had seen: %v, want ErrSyncWaits", err)
	}
	for _, segment := range [][]byte{one, two, three} {
		merged(t, c, segment)
	}
	merged(t, a, three)
	if d := storetest.Differ(canonicalOf(t, a), canonicalOf(t, c)); d != "" {
		t.Error(d)
	}
	from, err := c.Sync().From(ctx, sessionOf(t, c, session.ID).Leaf)
	if err != nil || from != "b" {
		t.Errorf("the newest message is from %q, %v; want b", from, err)
	}
}

func TestAPurgeTakesASessionOutOfEverySegment(t *testing.T) {
	a, b := shared(t, "a"), shared(t, "b")
	ctx := context.Background()
	session, m := begin(t, a, "one secret title", "a secret")
	other, _ := begin(t, a, "kept", "kept")
	exchange(t, a, b)
	for i := range 3 { // each title is in a segment of its own
		must(t, "rename", a.Rename(ctx, session.ID, fmt.Sprint("secret title ", i), TitleUser))
		exchange(t, a, b)
	}
	add(t, b, says(session.ID, sessionOf(t, b, session.ID).Leaf, history.User, "a secret, too"))
	exchange(t, a, b)
	must(t, "purge", a.Purge(ctx, session.ID))
	exchange(t, a, b)
	must(t, "finish the purge", b.Sync().FinishPurge(ctx))
	for name, s := range map[string]*Store{"a": a, "b": b} {
		if _, err := s.Session(ctx, session.ID); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s has the purged session: %v", name, err)
		}
		sessionOf(t, s, other.ID)
		state, err := s.Sync().State(ctx)
		must(t, "state", err)
		for _, segment := range state.Segments {
			var b bytes.Buffer
			must(t, "read it", s.Sync().Segment(ctx, segment.Number, lineInto(&b)))
			if strings.Contains(b.String(), "secret") {
				t.Errorf("segment %d of %s has purged text:\n%s", segment.Number, name, b.String())
			}
		}
	}
	state, err := a.Sync().State(ctx)
	must(t, "state", err)
	for _, segment := range state.Segments[:4] {
		if segment.Sum != nil {
			t.Errorf("segment %d of a is not to be written again", segment.Number)
		}
	}
	given, err := b.NewestIDs(ctx)
	must(t, "ids", err)
	lines := []Line{{Session: &SessionLine{ID: session.ID, FirstMessage: m.ID}}, {Message: &MessageLine{ID: m.ID, Seq: 1, Role: "user", Status: "complete"}}}
	if _, err := b.RestoreSession(ctx, sessionRestore(session.ID, given, lines)); !errors.Is(err, ErrTaken) {
		t.Errorf("a purged session is restored under its id: %v, want ErrTaken", err)
	}
}

func TestASessionThatTwoMachinesWentOnWithHasTwoBranches(t *testing.T) {
	a, b := shared(t, "a"), shared(t, "b")
	ctx := context.Background()
	session, m := begin(t, a, "t", "question")
	exchange(t, a, b)
	add(t, a, says(session.ID, m.ID, history.User, "on a"))
	add(t, b, says(session.ID, sessionOf(t, b, session.ID).Leaf, history.User, "on b"))
	_, fromA := collected(t, a)
	_, fromB := collected(t, b)
	merged(t, a, fromB)
	merged(t, b, fromA)
	exchange(t, a, b)
	if d := storetest.Differ(canonicalOf(t, a), canonicalOf(t, b)); d != "" {
		t.Fatal(d)
	}
	for name, s := range map[string]*Store{"a": a, "b": b} {
		row := sessionOf(t, s, session.ID)
		if row.Messages != 3 {
			t.Errorf("%s has %d messages, want 3", name, row.Messages)
		}
		all, err := s.Sync().Diverged(ctx)
		must(t, "look", err)
		got := all[session.ID]
		if len(got) != 1 || read(t, s, got[0].Message).Content == read(t, s, row.Leaf).Content || got[0].Machine == got[0].Here {
			t.Errorf("%s says of the other branch %+v", name, got)
		}
		if some, err := s.Sync().Diverged(ctx, "another"); err != nil || len(some) != 0 {
			t.Errorf("of another session it says %v, %v", some, err)
		}
	}
}

// What no machine can have written is refused, and nothing of it stays.
func TestDamagedSegmentsAreRefused(t *testing.T) {
	a := shared(t, "a")
	session, m := begin(t, a, "t", "hello")
	must(t, "flag", flag(context.Background(), a, m.ID, history.Pin))
	_, good := collected(t, a)
	head, rest, _ := strings.Cut(string(good), "\n")
	for name, bad := range map[string]string{
		"no head":             rest,
		"two heads":           head + "\n" + head + "\n" + rest,
		"its own":             strings.Replace(string(good), `"machine":"a"`, `"machine":"b"`, 1),
		"no number":           strings.Replace(string(good), `"number":1`, `"number":0`, 1),
		"a clock of the sun":  strings.Replace(string(good), `"clock":`, `"clock":99999999999999999`, 1),
		"a row in front":      head + "\n" + strings.SplitAfter(rest, "\n")[1],
		"a message without":   strings.Replace(string(good), `{"message":{"id":1`, `{"message":{"id":0`, 1),
		"a great message":     strings.Replace(string(good), `{"message":{"id":1`, `{"message":{"id":99999999999999`, 1),
		"its own parent":      strings.Replace(string(good), `{"message":{"id":1`, `{"message":{"id":1,"parent":1`, 1),
		"a title of nobody":   strings.Replace(string(good), `"title":"t"`, `"title":"t","title_from":"x"`, 1),
		"no such flag":        strings.Replace(string(good), `"flag":"pin"`, `"flag":"pinned"`, 1),
		"a session without":   strings.Replace(string(good), session.ID, "", 1),
		"an alias of nothing": head + "\n" + `{"alias":{"machine":"b","kind":"message","first":0,"here":1,"count":1}}` + "\n" + rest,
	} {
		if bad == string(good) {
			t.Fatalf("%s: nothing is damaged:\n%s", name, good)
		}
		b := shared(t, "b")
		begin(t, b, "here", "was here")
		before := canonicalOf(t, b)
		if _, err := b.Sync().Merge(context.Background(), linesFrom([]byte(bad))); !errors.Is(err, ErrSyncDamaged) {
			t.Errorf("%s: %v, want ErrSyncDamaged", name, err)
		}
		if d := storetest.Differ(before, canonicalOf(t, b)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if out := merged(t, b, good); out.Messages != 1 {
			t.Errorf("%s: the whole one brings %+v afterwards", name, out)
		}
	}
}

// What a message says is what its hash was made of when it was stored. No line changes it, whatever hash the line names.
func TestNoLineChangesTheContentOfAStoredMessage(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct{ named, stamped, damaged bool }{
		"told again":                    {named: true},
		"changed":                       {named: true, stamped: true},
		"changed as damaged":            {named: true, stamped: true, damaged: true},
		"changed as damaged, unnamed":   {stamped: true, damaged: true},
		"told again as if it had a new": {named: true, damaged: true},
	} {
		a := shared(t, "a")
		session, m := begin(t, a, "t", "what was said")
		collected(t, a)
		var hash []byte
		message := MessageLine{ID: 1, Role: "user", Status: "complete", Content: "what was never said", Fault: `{"code":1}`}
		err := a.reads.QueryRow(`SELECT hash, created_ms FROM messages WHERE id = ?`, m.ID).Scan(&hash, &message.Created)
		must(t, "read the row", err)
		line := SyncLine{Line: Line{Message: &message}}
		if c.stamped {
			line.Stamp = &SyncStamp{1000, "c"}
		}
		if c.damaged {
			message.Damaged = hash
		}
		lines := []SyncLine{{Head: &SyncHead{Machine: "c", Name: "c", Number: 1, Clock: 1}}}
		if c.named {
			lines = append(lines, SyncLine{Alias: &SyncAlias{"a", messageKind, m.ID, 1, 1}})
		}
		lines = append(lines, SyncLine{Line: Line{Session: &SessionLine{ID: session.ID}}}, line)
		out, err := a.Sync().Merge(ctx, func(take func(SyncLine) error) error {
			for _, l := range lines {
				if err := take(l); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || out.Messages != 0 || out.Refused != 1 {
			t.Errorf("%s: the merge gives %+v, %v; want one message refused", name, out, err)
		}
		if got := read(t, a, m.ID); got.Content != "what was said" || got.Damaged || got.Fault != "" {
			t.Errorf("%s: the message is %+v", name, got)
		}
		if check, err := a.Check(ctx); err != nil || !check.Sound() {
			t.Errorf("%s: the check says %+v, %v", name, check, err)
		}
	}
}

// A history that was copied is another machine, and what it has is not there twice.
func TestACopyOfAHistoryIsAnotherMachine(t *testing.T) {
	a, b := shared(t, "a"), shared(t, "b")
	ctx := context.Background()
	session, m := begin(t, a, "t", "hello")
	add(t, a, says(session.ID, m.ID, history.Assistant, "hello"))
	add(t, a, says(session.ID, m.ID, history.Assistant, "hello")) // asked again in the same moment, with the same answer
	exchange(t, a, b)
	before := canonicalOf(t, b)
	state, err := a.Sync().Join(ctx, "elsewhere", "a")
	must(t, "join", err)
	if state.Machine == "a" || state.Next != 1 {
		t.Fatalf("a file in another place is %+v", state)
	}
	_, segment := collected(t, a)
	if out := merged(t, b, segment); out.Messages != 0 || out.Sessions != 0 {
		t.Errorf("what is known already comes again: %+v", out)
	}
	if d := storetest.Differ(before, canonicalOf(t, b)); d != "" {
		t.Error(d)
	}
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
