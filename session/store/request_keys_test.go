package store

import (
	"context"
	"reflect"
	"testing"
)

func TestKeysNumberTheRequestsOfEachTurn(t *testing.T) {
	s := openAt(t, newPath(t), Options{})
	ctx := context.Background()
	session, first := begin(t, s, "", "hello")
	other, _ := begin(t, s, "", "elsewhere")
	var stored []Request
	var want []RequestKey
	for i, turn := range []int{1, 2, 1, 2, 2} { // An earlier turn can be asked again.
		r, err := s.AddRequest(ctx, Request{Session: session.ID, Turn: turn, User: first.ID, Plan: []byte{byte(i)}})
		must(t, "add", err)
		_, err = s.AddRequest(ctx, Request{Session: other.ID, Turn: turn})
		must(t, "add to another session", err)
		stored = append(stored, r)
		want = append(want, RequestKey{ID: r.ID, Turn: turn, Nth: []int{1, 1, 2, 2, 3}[i], Of: []int{2, 3, 2, 3, 3}[i], User: first.ID})
	}
	if got, err := s.RequestKeys(ctx, session.ID); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("RequestKeys returns\n%+v, %v, want\n%+v", got, err, want)
	}
	// The other session's request between them is not given out.
	got, err := s.RequestsByID(ctx, session.ID, stored[3].ID, stored[1].ID, stored[1].ID+1, 1<<40)
	if err != nil || !reflect.DeepEqual(got, []Request{stored[1], stored[3]}) {
		t.Errorf("RequestsByID returns\n%+v, %v, want\n%+v", got, err, []Request{stored[1], stored[3]})
	}
	if got, err := s.RequestsByID(ctx, session.ID); err != nil || len(got) > 0 {
		t.Errorf("RequestsByID of no ids returns %+v, %v", got, err)
	}
}
