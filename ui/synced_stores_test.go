package ui

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/upkeep"
)

// pair is the application, and the history of another machine that exchanges its segments with it.
type pair struct {
	*live
	other *store.Store
	away  bool // nothing is exchanged
}

func paired(t *testing.T, w, h int) *pair {
	t.Helper()
	l := onStage(t, w, h)
	here := l.current.With.Store
	there, err := store.Open(t.Context(), filepath.Join(folder(t), "winnow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = there.Close() })
	for name, db := range map[string]*store.Store{"laptop": here, "desktop": there} {
		if _, err := db.Sync().Join(t.Context(), db.Path(), name); err != nil {
			t.Fatal(err)
		}
	}
	p := &pair{live: l, other: there}
	l.upkeep = upkeep.New(here, func(ctx context.Context) ([]string, error) {
		if p.away {
			return nil, nil
		}
		out, err := collected(ctx, here)
		in, more := collected(ctx, there)
		if err = errors.Join(err, more); err != nil {
			return nil, err
		}
		if _, err := merged(ctx, there, out); err != nil {
			return nil, err
		}
		return merged(ctx, here, in)
	}, l.current.Run)
	return p
}

// sync exchanges what is new on both machines.
func (p *pair) sync() {
	p.t.Helper()
	p.synced()
	p.run(p.upkeep.Sync())
	p.synced()
}

// synced waits until nothing is exchanged.
func (p *pair) synced() {
	p.t.Helper()
	p.until("the sync", func() bool { return !p.upkeep.Syncing() })
}

// there changes the session on the other machine.
func (p *pair) there(do func(other *store.Store, id string) error) {
	p.t.Helper()
	if err := do(p.other, p.current.Session.Info().ID); err != nil && !errors.Is(err, store.ErrNotOverwritten) {
		p.t.Fatal(err)
	}
}

// collected are the segments of what is new in a history.
func collected(ctx context.Context, db *store.Store) (segments [][]store.SyncLine, err error) {
	for {
		var lines []store.SyncLine
		number, more, err := db.Sync().Collect(ctx, func(line store.SyncLine) error {
			if line.Head != nil {
				lines = nil
			}
			lines = append(lines, line)
			return nil
		})
		if err != nil || number == 0 {
			return segments, err
		}
		segments = append(segments, lines)
		if err := db.Sync().Written(ctx, number, []byte("sum"), 1); err != nil || !more {
			return segments, err
		}
	}
}

// merged merges segments of another history, and returns the sessions that changed.
func merged(ctx context.Context, db *store.Store, segments [][]store.SyncLine) (changed []string, err error) {
	for _, lines := range segments {
		m, err := db.Sync().Merge(ctx, func(take func(store.SyncLine) error) error {
			for _, line := range lines {
				if err := take(line); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return changed, err
		}
		changed = append(changed, m.Changed...)
	}
	return changed, nil
}

// continues says something behind a message with a text, "" for the end of the active branch.
func continues(t *testing.T, behind, question, answer string) func(*store.Store, string) error {
	return func(db *store.Store, id string) error {
		parent := int64(0)
		if behind != "" {
			all, err := db.Messages(t.Context(), id)
			if err != nil {
				return err
			}
			at := slices.IndexFunc(all, func(m store.Message) bool { return strings.HasPrefix(m.Content, behind) })
			if at < 0 {
				return errors.New("there is no such message")
			}
			parent = all[at].ID
		}
		return adds(t, parent, question, answer)(db, id)
	}
}

func TestAChatGoesOnOnAnotherMachine(t *testing.T) {
	t.Parallel()
	p := paired(t, 120, 40)
	p.say("First")
	p.sync()
	p.there(continues(t, "", "From the desktop", "Said there."))
	p.sync()
	p.shows("Continued on desktop: 2 new messages.")
	p.wantTexts("First | Answer 1 | From the desktop | Said there")
	p.say("And back")
	p.wantTexts("First | Answer 1 | From the desktop | Said there | And back | Answer 2")
	p.sync()
	p.there(func(db *store.Store, id string) error {
		row, err := db.Session(t.Context(), id)
		if err != nil {
			return err
		}
		if list, err := db.Branch(t.Context(), id, row.Leaf, 0, -1); err != nil || len(list) != 6 {
			t.Errorf("the desktop has %d messages, %v; want 6", len(list), err)
		}
		_, err = db.SetFlags(t.Context(), map[int64]history.Flag{row.Leaf: history.Pin})
		return errors.Join(err, db.Rename(t.Context(), id, "Named there", store.TitleUser))
	})
	p.sync()
	p.shows("Named there")
	if f := p.current.Session.Flag(p.current.Session.Info().Leaf); f != history.Pin {
		t.Errorf("the flag is %q, want the one that was set there", f)
	}
}

func TestTwoMachinesAtOnceAreTwoBranches(t *testing.T) {
	t.Parallel()
	p := paired(t, 160, 40)
	p.say("First")
	p.sync()
	p.away = true
	p.say("Here alone")
	p.synced()
	p.there(continues(t, "Answer 1", "There alone", "Said there."))
	p.away = false
	p.sync()
	p.shows("Continued on desktop: the other branch is 2 of 2 at message 3; [ and ] there switch.")
	p.wantTexts("First | Answer 1 | Here alone | Answer 2")
	id := p.current.Session.Info().ID
	for _, db := range []*store.Store{p.current.With.Store, p.other} {
		parted, err := db.Sync().Parted(t.Context())
		if err != nil || parted[id].Branches != 2 || !slices.Equal(parted[id].Machines, []string{"desktop", "laptop"}) {
			t.Errorf("the branches are %+v, %v", parted, err)
		}
	}
	p.press("ctrl+s")
	p.shows("2 branches: desktop, laptop")
	p.press("esc")
	p.say("On")
	p.wantTexts("First | Answer 1 | Here alone | Answer 2 | On | Answer 3")
	p.synced()
	p.reopen()
	p.shows("Continued on desktop: the other branch is 2 of 2 at message 3; [ and ] there switch.")
}

func TestWhatWasPurgedOnAnotherMachineIsGoneHere(t *testing.T) {
	t.Parallel()
	p := paired(t, 120, 40)
	p.Unrecorded = 1
	p.say("First")
	p.sync()
	was := p.current.Session
	p.there(func(db *store.Store, id string) error { return db.Purge(t.Context(), id) })
	p.sync()
	p.until("a new chat", func() bool { return p.current.Session != was })
	p.shows("was deleted permanently on another machine. This is a new chat.")
	p.say("Second")
	p.sync()
	list, err := p.other.Sessions(t.Context(), store.Filter{})
	if err != nil || len(list) != 1 || list[0].Title != "Second" {
		t.Errorf("the other machine has %+v, %v; want the new session", list, err)
	}
}
