package session

import (
	"testing"

	"winnow/history"
	"winnow/session/store"
)

// sendSegments merges everything that one store has not sent yet into another one.
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

// A change of the endpoint that comes from another machine does not bring the address of the endpoint there.
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
		err := there.UpdateSession(t.Context(), row.ID, func(row *store.Session) {
			row.Endpoint, row.Model, row.Address = c.endpoint, c.model, "http://there/v1"
		})
		if err != nil {
			t.Fatal(err)
		}
		sendSegments(t, there, here)
		now, err := here.Session(t.Context(), row.ID)
		if err != nil || now.Model != c.model || now.Address != c.want {
			t.Errorf("with %s/%s the address is %q, %v; want %q", now.Endpoint, now.Model, now.Address, err, c.want)
		}
	}
}
