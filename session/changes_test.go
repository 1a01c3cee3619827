package session

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm/tool"
	"winnow/session/store"
)

// secondStore opens the history of a bench once more, as another process does.
func secondStore(t *testing.T, b *bench) *store.Store {
	t.Helper()
	db, err := store.Open(t.Context(), b.deps.Store.Path(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// sendSegments hands all that a history has not told yet to another one.
func sendSegments(t *testing.T, from, to *store.Store) {
	t.Helper()
	for more := true; more; {
		var lines []store.Line
		rows, err := from.Sync().Collect(t.Context(), 1<<20, func(l store.Line) error {
			lines = append(lines, l)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		more = rows.More
		_, err = to.Apply(t.Context(), func(take func(store.Line) error) error {
			for _, l := range lines {
				if err := take(l); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			err = from.Sync().Told(t.Context(), rows.IDs, nil, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// What another process writes about an open conversation holds for its next request.
func TestTheNextRequestGoesByWhatAnotherProcessWrote(t *testing.T) {
	cases := map[string]struct {
		change func(ctx context.Context, db *store.Store, s *Session) error
		lacks  string // what the next request must not hold
		holds  string // and what it must
	}{
		"exclusion": {func(ctx context.Context, db *store.Store, s *Session) error {
			_, err := db.SetFlags(ctx, map[int64]history.Flag{s.Messages()[0].ID: history.Exclude})
			return err
		}, "tangerine", ""},
		"remedy": {func(ctx context.Context, db *store.Store, s *Session) error {
			return db.SetRemedies(ctx, history.LeaveOut, s.Messages()[3].ID)
		}, "marigold", "tangerine"},
		"system prompt": {func(ctx context.Context, db *store.Store, s *Session) error {
			return db.Update(ctx, s.Info().ID, func(row *store.Session) {
				row.System,
					row.SystemFixed = "Speak like a gardener.", true
			})
		}, "Be brief.", "Speak like a gardener."},
		"setting": {func(ctx context.Context, db *store.Store, s *Session) error {
			row := s.Info()
			row.Overrides = "max_messages = 0\n"
			return configure(ctx, db, row)
		}, "tangerine", "And now?"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, says("One."), says("Two."))
			s := b.begin()
			completed(t, s.Send(t.Context(), say("A word: tangerine.")))
			calling := store.Message{Session: s.Info().ID, Parent: appended(t, b, s, s.Info().Leaf, "Look.")}
			calling.Role, calling.Status = history.Assistant, history.Complete
			calling.ToolCalls = []history.ToolCall{{ID: "c1", Name: "look", Arguments: `{"q": "marigold`}}
			if _, err := b.deps.Store.Append(t.Context(), calling); err != nil {
				t.Fatal(err)
			}
			reread(t, s)
			if err := c.change(t.Context(), secondStore(t, b), s); err != nil {
				t.Fatal(err)
			}
			completed(t, s.Send(t.Context(), say("And now?")))
			if body := b.body(2); strings.Contains(body, c.lacks) || !strings.Contains(body, c.holds) {
				t.Errorf("the request must hold %q and not %q: %s", c.holds, c.lacks, body)
			}
		})
	}
}

// What another process excludes while a tool runs is not in the request with the result.
func TestTheNextRoundGoesByWhatAnotherProcessExcluded(t *testing.T) {
	b := newBench(t, says("One."), calls("c1", "look", `{}`), says("Two."))
	var s *Session
	box := new(tool.Toolbox)
	look := tool.Tool{Name: "look", Parameters: json.RawMessage(`{"type":"object"}`)}
	box.Register(look, func(ctx context.Context, _ json.RawMessage) (string, error) {
		_, err := secondStore(t, b).SetFlags(ctx, map[int64]history.Flag{s.Messages()[0].ID: history.Exclude})
		return "seen", err
	})
	b.offer(box)
	s = b.begin()
	for _, text := range []string{"A word: tangerine.", "Look."} {
		completed(t, s.Send(t.Context(), say(text)))
	}
	if !strings.Contains(b.body(2), "tangerine") || strings.Contains(b.body(3), "tangerine") {
		t.Errorf("the requests around the tool are %s and %s", b.body(2), b.body(3))
	}
}

// A model of another endpoint that a sync brings has an address of its own here.
func TestASyncedEndpointHasAnAddressOfItsOwn(t *testing.T) {
	here, there := newStoreAt(t), newStoreAt(t)
	first := store.Message{Message: history.Message{Role: history.User, Content: "First"}}
	row, _, err := here.Begin(t.Context(), store.Session{Endpoint: "a", Model: "m", Address: "http://a/v1"}, first)
	if err != nil {
		t.Fatal(err)
	}
	for name, db := range map[string]*store.Store{"here": here, "there": there} {
		if _, err := db.Sync().Join(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	sendSegments(t, here, there)
	if copied, err := there.Session(t.Context(), row.ID); err != nil || copied.Address != "" {
		t.Errorf("the address there is %q, %v; want none", copied.Address, err)
	}
	for _, c := range []struct{ endpoint, model, want string }{{"a", "other", "http://a/v1"}, {"b", "m", ""}} {
		row.Endpoint, row.Model, row.Address = c.endpoint, c.model, "http://there/v1"
		if err := configure(t.Context(), there, row); err != nil {
			t.Fatal(err)
		}
		sendSegments(t, there, here)
		now, err := here.Session(t.Context(), row.ID)
		if err != nil || now.Model != c.model || now.Address != c.want {
			t.Errorf("with %s/%s the address is %q, %v; want %q", now.Endpoint, now.Model, now.Address, err, c.want)
		}
	}
}

// Only what another process changed is announced, and once.
func TestAChangeMadeElsewhereIsAnnouncedOnce(t *testing.T) {
	b := newBench(t, says("One."), says("Two."), says("Three."))
	s := b.begin()
	announced := func(text string) (n int) {
		t.Helper()
		events := completed(t, s.Send(t.Context(), say(text)))
		for _, notice := range notices(events) {
			n += strings.Count(notice, "changed elsewhere")
		}
		return n
	}
	announced("A word: tangerine.")
	first := s.Messages()[0].ID
	if _, err := s.SetFlags(t.Context(), flagged(history.Pin, first)); err != nil {
		t.Fatal(err)
	}
	if n := announced("What is it?"); n != 0 {
		t.Errorf("a change of this window is announced %d times", n)
	}
	if _, err := secondStore(t, b).SetFlags(t.Context(), map[int64]history.Flag{first: history.Exclude}); err != nil {
		t.Fatal(err)
	}
	if stale, err := isStale(t, s); err != nil || !stale {
		t.Errorf("after an exclusion elsewhere the conversation is stale: %v, %v", stale, err)
	}
	if flag := s.Now().Flags[first]; flag != history.Exclude {
		t.Errorf("the flag is %q", flag)
	}
	if _, err := secondStore(t, b).SetFlags(t.Context(), map[int64]history.Flag{first: ""}); err != nil {
		t.Fatal(err)
	}
	if n := announced("And now?"); n != 1 {
		t.Errorf("a change made elsewhere is announced %d times", n)
	}
}

// One count of the session tells that anything of it was written elsewhere, whatever it was.
func TestAnythingThatIsWrittenElsewhereMakesAConversationStale(t *testing.T) {
	b := newBench(t, says("One."))
	s := b.begin()
	completed(t, s.Send(t.Context(), say("First")))
	other, id, first := secondStore(t, b), s.Info().ID, s.Branch().ID(0)
	message := store.Message{Session: id, Parent: s.Info().Leaf}
	message.Role, message.Content, message.Status = history.User, "Elsewhere", history.Complete
	row := s.Info()
	row.Overrides = "max_messages = 4\n"
	for _, write := range []struct {
		what string
		do   func() error
	}{
		{"title", func() error { return other.Rename(t.Context(), id, "Renamed", store.TitleUser) }},
		{"tags", func() error {
			return other.Update(t.Context(), id,
				func(row *store.Session) { row.Tags = []string{"trip"} })
		}},
		{"system prompt", func() error {
			return other.Update(t.Context(), id, func(row *store.Session) {
				row.System,
					row.SystemFixed = "Be long.", true
			})
		}},
		{"settings", func() error { return configure(t.Context(), other, row) }},
		{"flag", func() error {
			_, err := other.SetFlags(t.Context(), map[int64]history.Flag{first: history.Pin})
			return err
		}},
		{"remedy", func() error { return other.SetRemedies(t.Context(), history.LeaveOut, first) }},
		{"message", func() error { _, err := other.Append(t.Context(), message); return err }},
		{"branch", func() error {
			return other.Update(t.Context(), id,
				func(row *store.Session) { row.Leaf = first })
		}},
	} {
		if stale, err := isStale(t, s); err != nil || stale {
			t.Fatalf("before the %s: stale %v, %v", write.what, stale, err)
		}
		if err := write.do(); err != nil {
			t.Fatal(err)
		}
		if stale, err := isStale(t, s); err != nil || !stale {
			t.Errorf("after the %s: stale %v, %v", write.what, stale, err)
		}
		reread(t, s)
	}
}

// configure sets the model and the settings of a session.
func configure(ctx context.Context, db *store.Store, to store.Session) error {
	return db.Update(ctx, to.ID, func(row *store.Session) {
		row.Endpoint, row.Address, row.Model = to.Endpoint, to.Address, to.Model
		row.Preset, row.Overrides = to.Preset, to.Overrides
	})
}

// isStale says whether something of a conversation was written elsewhere.
func isStale(t *testing.T, s *Session) (bool, error) {
	changed, err := s.Refresh(t.Context())
	return changed || s.Now().Behind, err
}
