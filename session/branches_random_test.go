package session

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store"
)

// forest is every session of a test beside what should be in it.
type forest struct {
	*bench
	t     *rapid.T
	n     int // deeds so far
	trees []*grown
}

// grown is one session with all that was said in it, and what was decided by hand.
type grown struct {
	s      *Session
	stored tree
	flags  map[int64]history.Flag
}

// next scripts one more answer, and returns a text that is nowhere else.
func (f *forest) next() string {
	f.n++
	f.mu.Lock()
	defer f.mu.Unlock()
	f.steps = append(f.steps, says(fmt.Sprintf("Answer %d;", f.n)))
	return fmt.Sprintf("Text %d;", f.n)
}

// turn notes what a turn said, and checks that it was asked with the active branch alone.
func (f *forest) turn(g *grown, events []Event, err error) {
	if err != nil {
		f.t.Fatalf("the turn failed: %v", err)
	}
	for _, e := range events {
		switch e := e.(type) {
		case Stored:
			g.stored.add(e.Message)
		case Answered:
			g.stored.add(e.Message)
		}
	}
	path := g.stored.path(g.s.Info().Leaf)
	var want []string
	unasked := false // the question is excluded, and its answers with it
	for _, m := range path[:len(path)-1] {
		if m.Role == history.User {
			unasked = f.flagOf(g, m) == history.Exclude
		}
		if f.flagOf(g, m) == history.Pin || !unasked && f.flagOf(g, m) != history.Exclude {
			want = append(want, m.Content)
		}
	}
	body := f.body(f.requests())
	for _, m := range g.stored {
		if sent := strings.Contains(body, m.Content); sent != slices.Contains(want, m.Content) {
			f.t.Fatalf("%q is sent: %t; the branch is\n%swith %v, and the request\n%s", m.Content, sent, transcript(path), g.flags, body)
		}
	}
}

func (f *forest) flagOf(g *grown, m store.Message) history.Flag { return g.flags[m.ID] }

func (f *forest) any() *grown { return rapid.SampledFrom(f.trees).Draw(f.t, "session") }

func (g *grown) any(t *rapid.T) store.Message {
	return g.stored[rapid.IntRange(0, len(g.stored)-1).Draw(t, "message")]
}

func (f *forest) send() {
	g := f.any()
	events, err := drain(g.s.Send(f.t.Context(), f.next()))
	f.turn(g, events, err)
}

func (f *forest) edit() {
	g := f.any()
	m := g.any(f.t)
	if m.Role == history.Assistant {
		m = g.stored.of(m.Parent)
	}
	events, err := drain(g.s.Edit(f.t.Context(), SendOptions{}, m.ID, f.next()))
	f.turn(g, events, err)
}

func (f *forest) regenerate() {
	g := f.any()
	m := g.any(f.t)
	question := m
	if m.Role == history.Assistant {
		question = g.stored.of(m.Parent)
	}
	if f.flagOf(g, question) == history.Exclude {
		if events, err := drain(g.s.Regenerate(f.t.Context(), m.ID)); !errors.Is(err, ErrExcluded) || len(events) != 1 {
			f.t.Fatalf("an excluded message is asked again: %v, %v", events, err)
		}
		return
	}
	f.next()
	events, err := drain(g.s.Regenerate(f.t.Context(), m.ID))
	f.turn(g, events, err)
}

// switchAround goes through all versions of a message, one after the other, and comes back to it.
func (f *forest) switchAround() {
	g := f.any()
	m := g.any(f.t)
	by := rapid.SampledFrom([]int{-1, 1}).Draw(f.t, "by")
	var siblings, seen []int64
	for _, x := range g.stored {
		if x.Parent == m.Parent {
			siblings = append(siblings, x.ID)
		}
	}
	at := m.ID
	for range siblings {
		v, err := g.s.SwitchVersion(f.t.Context(), at, by)
		if len(siblings) == 1 {
			if err != ErrOneVersion {
				f.t.Fatalf("a message with one version: %v", err)
			}
			return
		}
		if err != nil || v.Of != len(siblings) || siblings[v.Nth-1] != v.Message || !g.s.Holds(v.Message) {
			f.t.Fatalf("from %d of %v by %d: %+v, %v", at, siblings, by, v, err)
		}
		seen, at = append(seen, v.Message), v.Message
	}
	slices.Sort(seen)
	if at != m.ID || !slices.Equal(seen, siblings) {
		f.t.Fatalf("around %v from %d came %v and ended at %d", siblings, m.ID, seen, at)
	}
}

func (f *forest) flag() {
	g := f.any()
	m := g.any(f.t)
	flag := rapid.SampledFrom([]history.Flag{"", history.Pin, history.Exclude}).Draw(f.t, "flag")
	if _, err := g.s.SetFlags(f.t.Context(), flag, m.ID); err != nil {
		f.t.Fatal(err)
	}
	if g.flags[m.ID] = flag; flag == "" {
		delete(g.flags, m.ID)
	}
}

func (f *forest) fork() {
	if len(f.trees) == 4 {
		f.t.Skip("that is enough of a forest")
	}
	g := f.any()
	m := g.any(f.t)
	row, err := g.s.Fork(f.t.Context(), m.ID)
	if err != nil {
		f.t.Fatal(err)
	}
	path := g.stored.path(m.ID)
	copies, err := f.deps.Store.Messages(f.t.Context(), row.ID)
	if err != nil || len(copies) != len(path) {
		f.t.Fatalf("the fork of\n%shas %d messages, %v", transcript(path), len(copies), err)
	}
	originals, err := f.deps.Store.Messages(f.t.Context(), g.s.Info().ID)
	if err != nil {
		f.t.Fatal(err)
	}
	faults := map[int64]string{} // a turn that fails without a request leaves them, after the message was stored
	for _, m := range originals {
		faults[m.ID] = m.Fault
	}
	forked := &grown{s: f.open(row.ID), flags: map[int64]history.Flag{}}
	for i, c := range copies {
		want := path[i]
		want.Fault = faults[want.ID]
		want.ID, want.Session, want.Seq, want.Request, want.Sibling, want.Siblings = c.ID, row.ID, i+1, 0, 1, 1
		want.Parent = 0
		if i > 0 {
			want.Parent = copies[i-1].ID
		}
		if !reflect.DeepEqual(c, want) {
			f.t.Fatalf("the copy is\n%+v, want\n%+v", c, want)
		}
		if flag := g.flags[path[i].ID]; flag != "" {
			forked.flags[c.ID] = flag
		}
		forked.stored.add(c)
	}
	f.trees = append(f.trees, forked)
}

func (f *forest) purge() {
	if len(f.trees) < 2 {
		f.t.Skip("the last one stays")
	}
	i := rapid.IntRange(0, len(f.trees)-1).Draw(f.t, "session")
	asked, err := f.deps.Store.Requests(f.t.Context(), f.trees[i].s.Info().ID)
	if err != nil {
		f.t.Fatal(err)
	}
	f.Unrecorded += len(asked)
	if err := f.deps.Store.Purge(f.t.Context(), f.trees[i].s.Info().ID); err != nil {
		f.t.Fatal(err)
	}
	f.trees = slices.Delete(f.trees, i, i+1)
}

// reopen goes on with a session as it is stored.
func (f *forest) reopen() {
	g := f.any()
	g.s = f.open(g.s.Info().ID)
}

// check compares every session with what should be in it.
func (f *forest) check(t *rapid.T) {
	f.t = t
	one := f.any()
	if got, want := transcript(f.open(one.s.Info().ID).Messages()), transcript(one.s.Messages()); got != want {
		t.Fatalf("the stored branch is\n%swant\n%s", got, want)
	}
	for _, g := range f.trees {
		row := g.s.Info()
		all, err := f.deps.Store.Messages(t.Context(), row.ID)
		if err != nil || len(all) != len(g.stored) {
			t.Fatalf("%d messages are stored (%v), want %d", len(all), err, len(g.stored))
		}
		for i, m := range all {
			want := g.stored[i]
			want.Sibling, want.Siblings = m.Sibling, m.Siblings // others came since
			want.Fault = m.Fault                                // a later turn failed behind it
			if !reflect.DeepEqual(m, want) {
				t.Fatalf("message %d was\n%+v, is\n%+v", want.ID, want, m)
			}
		}
		want := transcript(g.stored.path(row.Leaf))
		if got := transcript(g.s.Messages()); got != want {
			t.Fatalf("the active branch is\n%swant\n%s", got, want)
		}
		if flags, err := f.deps.Store.Flags(t.Context(), row.ID); err != nil || !maps.Equal(flags, g.flags) {
			t.Fatalf("the flags are %v (%v), want %v", flags, err, g.flags)
		}
	}
}

// TestNothingIsEverOverwritten edits, asks again, goes through versions, forks, flags and purges at random.
// Every message that was ever stored stays byte for byte until its session is purged, the active branch
// is a path from the beginning, and a request is made of that path alone.
func TestNothingIsEverOverwritten(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.deps.Tokenizer = "quarters"
	rapid.Check(t, func(rt *rapid.T) {
		b.mu.Lock()
		b.bodies, b.steps = nil, nil
		b.mu.Unlock()
		f := &forest{bench: b, t: rt}
		g := &grown{s: b.begin(), flags: map[int64]history.Flag{}}
		f.trees = []*grown{g}
		events, err := drain(g.s.Send(rt.Context(), f.next()))
		f.turn(g, events, err)
		does := func(action func()) func(*rapid.T) {
			return func(t *rapid.T) { f.t = t; action() }
		}
		rt.Repeat(map[string]func(*rapid.T){
			"send": does(f.send), "edit": does(f.edit), "regenerate": does(f.regenerate), "versions": does(f.switchAround),
			"flag": does(f.flag), "fork": does(f.fork), "purge": does(f.purge), "reopen": does(f.reopen), "": f.check,
		})
	})
}
