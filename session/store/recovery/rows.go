package recovery

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/mattn/go-sqlite3"

	"winnow/history/message"
	"winnow/session/store/sqlite"
)

// salvager takes every row that can be read out of an image and puts it into an empty history. It
// looks at each page once and asks no tree: a row is known by its columns.
type salvager struct {
	im     Image
	to     *sql.Tx
	tables []Table
	now    int64      // Unix milliseconds
	late   []savedRow // messages whose number another one has
}

// idBits are the lowest bits of an id, which are no part of its time.
const idBits = 12

// tooHigh is the least id that no row of a real history has: one of the day after tomorrow. Such a one was damaged, and
// would leave no higher one for the messages to come.
func tooHigh(now int64) int64 { return (now + 2*24*60*60*1000) << idBits }

// mostMessages is more than any session has.
const mostMessages = 1 << 30

func (h *salvager) run(ctx context.Context) error {
	if err := h.im.Each(ctx, func(_ uint32, c Cell) error { return h.keep(ctx, c) }); err != nil {
		return err
	}
	return h.renumber(ctx)
}

// renumber stores the messages whose number another one has under numbers of their own.
func (h *salvager) renumber(ctx context.Context) error {
	var last int64
	if err := h.to.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) FROM messages").Scan(&last); err != nil {
		return err
	}
	for _, r := range h.late {
		last += 1 << idBits
		r.values[0] = last
		r.set("seq", -last)
		if err := h.insert(ctx, r); err != nil && !constraint(err) {
			return err
		}
	}
	return nil
}

// keep puts a row into the table that it fits.
func (h *salvager) keep(ctx context.Context, c Cell) error {
	if c.ID < 0 || c.ID >= tooHigh(h.now) {
		return nil
	}
	for _, s := range h.tables {
		if !s.Fits(c.Values) {
			continue
		}
		values := slices.Clone(c.Values)
		values[0] = c.ID
		r := savedRow{Table: s, values: values}
		if c.Broken && !r.withoutEnd() {
			return nil
		}
		r.normalise(h.now)
		err := h.insert(ctx, r)
		if err == nil || !constraint(err) {
			return err
		}
		// It breaks a rule of this table: it is another table's, damaged, or here already.
		if err := h.again(ctx, r); err == nil || !constraint(err) {
			return err
		}
	}
	return nil
}

// constraint reports whether a row broke a rule of its table.
func constraint(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.Code == sqlite3.ErrConstraint
}

func (h *salvager) insert(ctx context.Context, r savedRow) error {
	var values []sql.NamedArg
	for i, v := range r.values {
		values = append(values, sql.Named(r.Columns[i].Name, v))
	}
	_, err := sqlite.Insert(ctx, h.to, r.Name, values...)
	return err
}

// again stores a row that met another one in its place. A file that was cut while pages moved can
// hold two states of one row: the later one is kept.
func (h *salvager) again(ctx context.Context, r savedRow) error {
	switch r.Name {
	case "sessions":
		return h.sessionAgain(ctx, r)
	case "messages":
		return h.messageAgain(ctx, r)
	case "flags", "remedies", "drafts":
		return h.insert(ctx, r) // their number says whose they are
	case "verdicts":
		_, err := h.changes(ctx, `
			UPDATE verdicts
			SET last_request = ?
			WHERE session = ?
				AND message = ?
				AND first_request = ?
				AND last_request IS NULL`,
			r.get("last_request"), r.get("session"), r.get("message"), r.get("first_request"))
		return err
	}
	r.values[0] = nil // any number does
	return h.insert(ctx, r)
}

func (h *salvager) sessionAgain(ctx context.Context, r savedRow) error {
	older, err := h.changes(ctx, "DELETE FROM sessions WHERE n = ? AND used < ?", r.values[0], r.get("used"))
	if err != nil {
		return err
	}
	taken, err := h.has(ctx, "SELECT count(*) FROM sessions WHERE n = ?", r.values[0])
	if err != nil || taken {
		return err
	}
	if !older {
		r.set("id", newID())
	}
	return h.insert(ctx, r)
}

func (h *salvager) messageAgain(ctx context.Context, r savedRow) error {
	growing := []any{message.Streaming, message.Interrupted}
	if status := message.Status(r.get("status").(string)); !slices.Contains(growing, any(status)) {
		_, err := h.changes(ctx, "DELETE FROM messages WHERE id = ? AND status IN (?, ?)",
			append([]any{r.values[0]}, growing...)...)
		if err != nil {
			return err
		}
	}
	taken, err := h.has(ctx, "SELECT count(*) FROM messages WHERE id = ?", r.values[0])
	if err != nil {
		return err
	}
	if !taken {
		// Its place in the session may be another's: then it comes last.
		if err := h.insert(ctx, r); !constraint(err) {
			return err
		}
		r.set("seq", -r.values[0].(int64))
		return h.insert(ctx, r)
	}
	same, err := h.has(ctx, "SELECT count(*) FROM messages WHERE id = ? AND (hash = ? OR status IN (?, ?))",
		append([]any{r.values[0], r.get("hash")}, growing...)...)
	if err == nil && !same {
		h.late = append(h.late, r)
	}
	return err
}

// changes runs a statement and reports whether it changed anything.
func (h *salvager) changes(ctx context.Context, query string, args ...any) (bool, error) {
	result, err := h.to.ExecContext(ctx, query, args...)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

func (h *salvager) has(ctx context.Context, query string, args ...any) (bool, error) {
	var n int
	err := h.to.QueryRowContext(ctx, query, args...).Scan(&n)
	return n > 0, err
}

// Each calls f with every row of every page.
func (im Image) Each(ctx context.Context, f func(page uint32, c Cell) error) error {
	buf := make([]byte, im.Size)
	for n := uint32(1); n <= im.pages; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := im.page(n, buf); err != nil {
			continue // a page that the disk does not give back is lost like a damaged one
		}
		if err := im.cells(n, buf, func(c Cell) error { return f(n, c) }); err != nil {
			return err
		}
	}
	return nil
}
