package session

import (
	"context"
	"testing"

	"winnow/history"
	"winnow/session/store"
)

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
			err = from.Sync().MarkWritten(t.Context(), rows.IDs, nil, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A model of another endpoint that a sync brings has an address of its own here.
func TestASyncedEndpointHasAnAddressOfItsOwn(t *testing.T) {
	here, there := emptyStore(t), emptyStore(t)
	first := store.Message{Message: history.Message{Role: history.User, Content: "First"}}
	row, _, err := here.BeginSession(t.Context(), store.Session{Endpoint: "a", Model: "m", Address: "http://a/v1"}, first)
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

// configure sets the model and the settings of a session.
func configure(ctx context.Context, db *store.Store, to store.Session) error {
	return db.UpdateSession(ctx, to.ID, func(row *store.Session) {
		row.Endpoint, row.Address, row.Model = to.Endpoint, to.Address, to.Model
		row.Preset, row.Overrides = to.Preset, to.Overrides
	})
}
