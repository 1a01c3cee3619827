package recovery

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"winnow/history/message"
)

// savedRow is a row on its way into its table.
type savedRow struct {
	Table
	values []any
}

func (r savedRow) column(name string) int {
	return slices.IndexFunc(r.Columns, func(c Column) bool { return c.Name == name })
}

func (r savedRow) get(name string) any        { return r.values[r.column(name)] }
func (r savedRow) set(name string, value any) { r.values[r.column(name)] = value }
func (r savedRow) number(name string) int64   { n, _ := r.get(name).(int64); return n }

// farFuture is a time in Unix milliseconds that no clock shows: the year 4199.
const farFuture = 1 << 46

// normalise repairs the small numbers and words that a table insists on. What was said is never
// touched: its hash decides whether it is shown.
func (r savedRow) normalise(now int64) {
	switch r.Name {
	case "sessions":
		r.normaliseSession(now)
	case "messages":
		r.normaliseMessage()
	}
}

func (r savedRow) normaliseSession(now int64) {
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

func (r savedRow) normaliseMessage() {
	id := r.values[0].(int64)
	// A place is never higher than the number: both grow by one with every message.
	if seq := r.number("seq"); seq < 1 || seq > id {
		r.set("seq", -id)
	}
	if parent := r.number("parent"); parent < 0 || parent >= id {
		r.set("parent", max(0, id-1))
	}
	known := []message.Status{message.Complete, message.Streaming, message.Interrupted, message.Failed, message.Quarantined, message.Imported}
	status, _ := r.get("status").(string)
	if !slices.Contains(known, message.Status(status)) {
		r.set("status", string(message.Complete))
	}
}

// withoutEnd makes a row usable whose long values end in zeros, and reports whether that is possible.
// A message stays as it is: it fails its hash, and keeps the messages behind it in their place.
func (r savedRow) withoutEnd() bool {
	switch r.Name {
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
		for _, long := range []string{"options", "sum", "added", "shortfalls"} {
			if at := r.column(long); at < len(r.values) {
				r.values[at] = nil
			}
		}
		return true
	}
	return false
}

// newID is the id of a session that has none.
func newID() string { return uuid.Must(uuid.NewV7()).String() }
