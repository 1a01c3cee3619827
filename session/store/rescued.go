package store

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"winnow/history"
)

// rescued is a row on its way into its table.
type rescued struct {
	shape
	values []any
}

func (r rescued) place(name string) int {
	return slices.IndexFunc(r.columns, func(c column) bool { return c.name == name })
}

func (r rescued) get(name string) any        { return r.values[r.place(name)] }
func (r rescued) set(name string, value any) { r.values[r.place(name)] = value }
func (r rescued) number(name string) int64   { n, _ := r.get(name).(int64); return n }

// farFuture is a time in Unix milliseconds that no clock shows: the year 4199.
const farFuture = 1 << 46

// straighten mends the small numbers and words that a table insists on. What was said is never
// touched: its hash decides whether it is shown.
func (r rescued) straighten(now int64) {
	switch r.table {
	case "sessions":
		r.straightenSession(now)
	case "messages":
		r.straightenMessage()
	}
}

func (r rescued) straightenSession(now int64) {
	// The order of use grows by one from the highest there is: one that cannot grow ends it.
	for _, time := range []string{"created_ms", "updated_ms", "used"} {
		if n := r.number(time); n < 0 || n > farFuture {
			r.set(time, now)
		}
	}
	for _, flag := range []string{"pinned", "archived"} {
		if n := r.number(flag); n != 0 && n != 1 {
			r.set(flag, int64(0))
		}
	}
	if from := r.get("title_from"); from != "" && from != "auto" && from != "user" {
		r.set("title_from", "user")
	}
	if id, _ := r.get("id").(string); uuid.Validate(id) != nil {
		r.set("id", newID())
	}
}

func (r rescued) straightenMessage() {
	id := r.values[0].(int64)
	// A place is never higher than the number: both grow by one with every message.
	if seq := r.number("seq"); seq < 1 || seq > id {
		r.set("seq", -id)
	}
	if parent := r.number("parent"); parent < 0 || parent >= id {
		r.set("parent", max(0, id-1))
	}
	known := []history.Status{history.Complete, history.Streaming, history.Interrupted, history.Failed, history.Quarantined, history.Imported}
	status, _ := r.get("status").(string)
	if !slices.Contains(known, history.Status(status)) {
		r.set("status", string(history.Complete))
	}
}

// withoutEnd makes a row usable whose long values end in zeros, and reports whether that is possible.
// A message stays as it is: it fails its hash, and keeps the messages behind it in their place.
func (r rescued) withoutEnd() bool {
	switch r.table {
	case "messages":
		return true
	case "sessions":
		for i, v := range r.values {
			if text, ok := v.(string); ok && strings.Contains(text, "\x00") {
				r.values[i] = ""
			}
		}
		return true
	case "requests":
		r.set("options", nil)
		r.set("plan", nil)
		return true
	}
	return false
}
