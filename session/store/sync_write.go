package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"winnow/history"
	"winnow/session/store/sqlite"
	"winnow/session/store/verdicts"
)

// A segment ends where it has so many messages, bytes of text or changes. Where its texts and attachments would be more
// than segmentWhole, it ends before the message, unless that is its only one.
const (
	segmentMessages = 500
	segmentText     = 1 << 20
	segmentWhole    = 8 << 20
	segmentChanges  = 2000
)

// textBytes and attachedBytes are the sizes of a row of messages in a query.
const (
	textBytes     = `octet_length(content) + octet_length(reasoning) + coalesce(octet_length(extra), 0)`
	attachedBytes = `coalesce((
		SELECT sum(octet_length(a.data))
		FROM parts p
		JOIN attachments a ON a.id = p.attachment
		WHERE p.message = messages.id), 0)`
)

// The values of a session that can differ between machines. Those of a message are flag and remedy; the names of rows that
// changed after they were sent are message and request.
const (
	titleValue    = "title"
	tagsValue     = "tags"
	pinnedValue   = "pinned"
	archivedValue = "archived"
	deletedValue  = "deleted"
	modelValue    = "model"
	settingsValue = "settings"
	systemValue   = "system"
	leafValue     = "leaf"
	flagValue     = "flags"
	remedyValue   = "remedies"
)

// Collect puts what no segment has yet into the next one, as much of it as a segment may have, and hands out its lines.
// number is 0 where there is nothing; more says that there is still something for another segment. take may be called
// anew from the head on. The segment is to be written, and then to be reported by Written: where that does not happen,
// State lists it without a sum, and Segment returns its lines again.
func (y *Sync) Collect(ctx context.Context, take func(SyncLine) error) (number int64, more bool, err error) {
	err = y.s.save(ctx, "collect what is to be synced", func(tx *sql.Tx) error {
		number, more = 0, false
		quiet := context.WithoutCancel(ctx)
		m, err := thisMachine(quiet, tx)
		if err != nil {
			return err
		}
		c := collecting{ctx: quiet, tx: tx, m: m}
		if err := c.run(); err != nil {
			return err
		}
		if !c.any {
			return nil
		}
		number, more = m.Next, c.more
		c.m.Next++
		if err := c.m.save(quiet, tx); err != nil {
			return err
		}
		// What is written again later names nothing that was merged since.
		err = execute(quiet, tx, `
			INSERT INTO sync_segments (number, seen, size)
			SELECT
				?,
				json_group_object(machine, merged),
				0
			FROM sync_others
			WHERE merged > 0`, number)
		if err != nil {
			return err
		}
		return segmentLines(quiet, tx, c.m, number, y.s.now().UnixMilli(), true, take)
	})
	return number, more, err
}

// Segment hands out the lines of a segment of this machine as its rows are now: what was purged is not among them.
func (y *Sync) Segment(ctx context.Context, number int64, take func(SyncLine) error) error {
	return y.s.view(ctx, "read the segment", func(tx *sql.Tx) error {
		quiet := context.WithoutCancel(ctx)
		m, err := thisMachine(quiet, tx)
		if err != nil {
			return err
		}
		return segmentLines(quiet, tx, m, number, y.s.now().UnixMilli(), false, take)
	})
}

// pend puts what was stored since the last time on the list of what is to be sent. It must come before rows of
// another machine are stored.
func pend(ctx context.Context, tx *sql.Tx, m *syncMachine) error {
	now, err := newestIDs(ctx, tx)
	if err != nil {
		return err
	}
	before := m.newest()
	for _, run := range []struct {
		kind        string
		first, last int64
	}{
		{messageKind, before.Messages + 1, now.Messages},
		{requestKind, before.Requests + 1, now.Requests},
		{summaryKind, before.Summaries + 1, now.Summaries},
	} {
		if run.first > run.last {
			continue
		}
		err := execute(ctx, tx, `
			INSERT INTO sync_rows (segment, kind, first, last)
			VALUES (0, ?, ?, ?)`, run.kind, run.first, run.last)
		if err != nil {
			return err
		}
	}
	m.Messages, m.Requests, m.Summaries = now.Messages, now.Requests, now.Summaries
	return nil
}

// stampChanges gives stamps to what changed here. What was never sent needs none: it is sent as it is.
func stampChanges(ctx context.Context, tx *sql.Tx, m *syncMachine) error {
	type change struct {
		Session int64  `db:"session"`
		Item    int64  `db:"item"`
		Name    string `db:"name"`
	}
	changes, err := sqlite.Rows[change](ctx, tx, "sync_changes WHERE session IN (SELECT n FROM sessions) ORDER BY id")
	if err != nil || len(changes) == 0 {
		return err
	}
	m.Clock++
	for _, c := range changes {
		var sent bool
		switch c.Name {
		case messageKind, requestKind, flagValue, remedyValue:
			kind := messageKind
			if c.Name == requestKind {
				kind = requestKind
			}
			if sent, err = m.wasSent(ctx, tx, kind, c.Item); err == nil && !sent {
				sent, err = otherHas(ctx, tx, kind, c.Item)
			}
		default:
			err = tx.QueryRowContext(ctx, `
				SELECT EXISTS (
					SELECT 1
					FROM sync_stamps
					WHERE session = ?
						AND item = 0
				)`, c.Session).Scan(&sent)
		}
		// What this machine had not told under a former name has a stamp in any case: others may know an older value.
		if err == nil && (sent || m.Next == 1) {
			err = stamp(ctx, tx, c.Session, c.Item, c.Name, SyncStamp{m.Clock, m.Machine}, 0, -1)
		}
		if err != nil {
			return err
		}
		// A row whose text is in a segment already is written there again.
		if sent && (c.Name == messageKind || c.Name == requestKind) {
			err := execute(ctx, tx, `
				UPDATE sync_segments
				SET sum = NULL
				WHERE number = (
					SELECT iif(last >= ?2, segment, 0)
					FROM sync_rows
					WHERE kind = ?1
						AND first <= ?2
					ORDER BY first DESC
					LIMIT 1
				)`, c.Name, c.Item)
			if err != nil {
				return err
			}
		}
	}
	return execute(ctx, tx, `DELETE FROM sync_changes`)
}

// wasSent reports whether a row is in a segment, of this machine or of another.
func (m *syncMachine) wasSent(ctx context.Context, tx *sql.Tx, kind string, id int64) (bool, error) {
	return m.sentBy(ctx, tx, kind, id, math.MaxInt64)
}

// sentBy reports whether a row is in a segment of this machine up to a number, or of another machine.
func (m *syncMachine) sentBy(ctx context.Context, tx *sql.Tx, kind string, id, number int64) (bool, error) {
	newest := m.Messages
	switch kind {
	case requestKind:
		newest = m.Requests
	case summaryKind:
		newest = m.Summaries
	}
	if id > newest {
		return false, nil
	}
	var segment, last int64
	err := tx.QueryRowContext(ctx, `
		SELECT
			segment,
			last
		FROM sync_rows
		WHERE kind = ?
			AND first <= ?
		ORDER BY first DESC
		LIMIT 1`, kind, id).Scan(&segment, &last)
	if errors.Is(err, sql.ErrNoRows) {
		return true, nil
	}
	return id > last || 0 < segment && segment <= number, err
}

// otherHas reports whether another machine has sent a row that is one here: both may have it from one archive.
func otherHas(ctx context.Context, tx *sql.Tx, kind string, here int64) (bool, error) {
	machines, err := sqlite.Collect(ctx, tx, sqlite.Only[string], `SELECT machine FROM sync_others`)
	for _, machine := range machines {
		if has, err := idsOf(ctx, tx, machine).named(kind, here); has || err != nil {
			return has, err
		}
	}
	return false, err
}

// stamp notes who set a value last.
func stamp(ctx context.Context, tx *sql.Tx, session, item int64, name string, s SyncStamp, number, segment int64) error {
	return sqlite.Upsert(ctx, tx, "sync_stamps", "session, item, name",
		sql.Named("session", session),
		sql.Named("item", item),
		sql.Named("name", name),
		sql.Named("counter", s.Counter),
		sql.Named("machine", s.Machine),
		sql.Named("number", number),
		sql.Named("segment", segment))
}

// collecting chooses what the next segment has.
type collecting struct {
	ctx  context.Context
	tx   *sql.Tx
	m    syncMachine
	any  bool // there is something
	more bool
	size int64 // bytes of the messages that were chosen, with their attachments
}

// fits reports whether the segment has room for a message, and takes the room.
func (c *collecting) fits(size int64) bool {
	if size > 0 && c.size > 0 && c.size+size > segmentWhole {
		c.more = true
		return false
	}
	c.size += size
	return true
}

func (c *collecting) run() error {
	if err := pend(c.ctx, c.tx, &c.m); err != nil {
		return err
	}
	if err := stampChanges(c.ctx, c.tx, &c.m); err != nil {
		return err
	}
	if err := c.chooseRows(); err != nil {
		return err
	}
	held, err := c.heldStamps()
	if err != nil {
		return err
	}
	for _, query := range []string{
		`UPDATE sync_purged SET segment = ?1 WHERE id IN (SELECT id FROM sync_purged WHERE segment = -1 ORDER BY id LIMIT ?2)`,
		`UPDATE sync_stamps SET segment = ?1, number = ?1 WHERE id IN (
			SELECT id
			FROM sync_stamps
			WHERE segment = -1
				AND id NOT IN (SELECT value FROM json_each(?3))
			ORDER BY id
			LIMIT ?2)`,
	} {
		result, err := c.tx.ExecContext(c.ctx, query, c.m.Next, segmentChanges, sqlite.IDs(held))
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		if err != nil {
			return err
		}
		c.any = c.any || n > 0
		c.more = c.more || n == segmentChanges
	}
	if !c.any {
		return c.m.save(c.ctx, c.tx)
	}
	// The rows of the segment may name any row that came from another machine.
	if err := execute(c.ctx, c.tx, `UPDATE sync_ids SET segment = ? WHERE segment = 0`, c.m.Next); err != nil {
		return err
	}
	return c.m.save(c.ctx, c.tx)
}

// waiting are the ids of a kind that are to be sent, as runs in order.
func (c *collecting) waiting(kind string) (history.IDs, error) {
	return sqlite.Collect(c.ctx, c.tx, func(scan func(...any) error) (run [2]int64, err error) {
		err = scan(&run[0], &run[1])
		return run, err
	}, `
		SELECT
			first,
			last
		FROM sync_rows
		WHERE segment = 0
			AND kind = ?
		ORDER BY first`, kind)
}

// chooseRows moves rows that wait into the segment, the oldest first. An answer that is still arriving waits until it is
// whole, and so does what follows it.
func (c *collecting) chooseRows() error {
	runs, err := c.waiting(messageKind)
	if err != nil {
		return err
	}
	var chosen, held []int64
	text, last := int64(0), int64(0) // last is the newest message that was looked at
	full := false
	for _, run := range runs {
		if full {
			break
		}
		err := sqlite.Each(c.ctx, c.tx, func(scan func(...any) error) error {
			var id, session, parent, said, attached int64
			var status history.Status
			if err := scan(&id, &session, &parent, &status, &said, &attached); err != nil {
				return err
			}
			if status == history.Streaming || slices.Contains(held, parent) {
				last = id
				held = append(held, id)
				return nil
			}
			if full = !c.fits(said + attached); full {
				return errEnough
			}
			last = id
			chosen = append(chosen, id)
			text += said
			if full = len(chosen) == segmentMessages || text > segmentText; full {
				return errEnough
			}
			return nil
		}, `
			SELECT
				id,
				session,
				parent,
				status,
				`+textBytes+`,
				`+attachedBytes+`
			FROM messages
			WHERE id BETWEEN ? AND ?
			ORDER BY id`, run[0], run[1])
		if err != nil && !errors.Is(err, errEnough) {
			return err
		}
	}
	if !full && len(runs) > 0 {
		last = runs[len(runs)-1][1]
	}
	c.more = c.more || full
	if err := c.settle(messageKind, runs, chosen, held, last); err != nil {
		return err
	}
	due := map[int64]bool{} // requests of the messages that were chosen
	requests, err := idsWhere(c.ctx, c.tx, `SELECT DISTINCT request FROM messages WHERE id IN (SELECT value FROM json_each(?)) AND request <> 0`, sqlite.IDs(chosen))
	if err != nil {
		return err
	}
	for _, id := range requests {
		due[id] = true
	}
	if err := c.chooseLater(requestKind, `
		SELECT
			id,
			json_array(
				user,
				iif(json_valid(CAST(options AS TEXT)), CAST(options AS TEXT) ->> '$.leaf', 0),
				iif(json_valid(CAST(options AS TEXT)), CAST(options AS TEXT) ->> '$.turn[#-1]', 0))
		FROM requests`, due); err != nil {
		return err
	}
	if err := c.chooseLater(summaryKind, `SELECT id, json_array(last) FROM summaries`, nil); err != nil {
		return err
	}
	return c.announce()
}

// mostHeld is how many rows are looked at that cannot be sent yet. Those behind them are younger, and hardly can either.
const mostHeld = 200

// chooseLater moves the rows of a kind into the segment that name no message which is not sent. query gives their ids
// and the newest messages that they name. Those that are due are sent in any case.
func (c *collecting) chooseLater(kind, query string, due map[int64]bool) error {
	runs, err := c.waiting(kind)
	if err != nil {
		return err
	}
	var chosen, held []int64
	until := int64(0)
	for _, run := range runs {
		if len(held) >= mostHeld && len(due) == 0 {
			break
		}
		err := sqlite.Each(c.ctx, c.tx, func(scan func(...any) error) error {
			var id int64
			var text string
			if err := scan(&id, &text); err != nil {
				return err
			}
			var names []*int64
			if json.Unmarshal([]byte(text), &names) != nil {
				names = nil
			}
			until = id
			sent := true
			for _, name := range names {
				if name == nil || !sent {
					continue
				}
				if sent, err = c.m.wasSent(c.ctx, c.tx, messageKind, *name); err != nil {
					return err
				}
			}
			if sent || due[id] {
				delete(due, id)
				chosen = append(chosen, id)
				return nil
			}
			if held = append(held, id); len(held) >= mostHeld && len(due) == 0 {
				return errEnough
			}
			return nil
		}, query+` WHERE id BETWEEN ? AND ? ORDER BY id`, run[0], run[1])
		switch {
		case errors.Is(err, errEnough):
		case err != nil:
			return err
		default:
			until = run[1]
		}
	}
	return c.settle(kind, runs, chosen, held, until)
}

// heldStamps are the stamps of values that cannot be told yet: those of sessions and rows that are not sent, of active
// branches whose end is not, and of messages that do not fit into the segment any more.
func (c *collecting) heldStamps() ([]int64, error) {
	held := []int64{} // nil is JSON that is no list
	type waiting struct {
		stamp, item, leaf, size int64
		name                    string
		announced               bool
	}
	stamps, err := sqlite.Collect(c.ctx, c.tx, func(scan func(...any) error) (w waiting, err error) {
		err = scan(&w.stamp, &w.item, &w.name, &w.leaf, &w.size, &w.announced)
		return w, err
	}, `
		SELECT
			t.id,
			t.item,
			t.name,
			s.leaf,
			iif(t.name = 'message', coalesce((
				SELECT `+textBytes+` + `+attachedBytes+`
				FROM messages
				WHERE id = t.item), 0), 0),
			EXISTS (SELECT 1 FROM sync_stamps b WHERE b.session = t.session AND b.item = 0 AND b.name = '')
		FROM sync_stamps t
		JOIN sessions s ON s.n = t.session
		WHERE t.segment = -1
		ORDER BY t.id`)
	for _, w := range stamps {
		kind, row := messageKind, w.item
		switch {
		case w.name == requestKind:
			kind = requestKind
		case w.name == leafValue:
			row = w.leaf
		}
		sent := w.announced
		if sent && row != 0 {
			var err error
			if sent, err = c.m.wasSent(c.ctx, c.tx, kind, row); err != nil {
				return nil, err
			}
		}
		if !sent || !c.fits(w.size) {
			held = append(held, w.stamp)
		}
	}
	return held, err
}

var errEnough = errors.New("the segment is full")

// settle writes which rows of a kind are in the segment. Of the runs that waited, those up to until are settled: what is
// neither chosen nor held is gone.
func (c *collecting) settle(kind string, runs history.IDs, chosen, held []int64, until int64) error {
	if len(runs) == 0 {
		return nil
	}
	if err := execute(c.ctx, c.tx, `DELETE FROM sync_rows WHERE segment = 0 AND kind = ? AND first <= ?`, kind, until); err != nil {
		return err
	}
	put := func(segment int64, runs history.IDs) error {
		for _, run := range runs {
			err := execute(c.ctx, c.tx, `
				INSERT INTO sync_rows (segment, kind, first, last)
				VALUES (?, ?, ?, ?)`, segment, kind, run[0], run[1])
			if err != nil {
				return err
			}
		}
		return nil
	}
	var rest history.IDs
	for _, run := range runs {
		if run[1] > until && run[0] <= until {
			rest = append(rest, [2]int64{until + 1, run[1]})
		}
	}
	c.any = c.any || len(chosen) > 0
	return errors.Join(put(c.m.Next, runsOf(chosen)), put(0, runsOf(held)), put(0, rest))
}

// runsOf are ids, which are in order, as runs.
func runsOf(ids []int64) history.IDs {
	var out history.IDs
	for _, id := range ids {
		if n := len(out); n > 0 && out[n-1][1] == id-1 {
			out[n-1][1] = id
			continue
		}
		out = append(out, [2]int64{id, id})
	}
	return out
}

// announce marks the sessions that the segment is the first to have.
func (c *collecting) announce() error {
	err := execute(c.ctx, c.tx, `
		INSERT INTO sync_stamps (session, item, name, counter, machine, number, segment)
		SELECT DISTINCT m.session, 0, '', 0, ?1, ?2, ?2
		FROM sync_rows r
		JOIN messages m ON m.id BETWEEN r.first AND r.last
		WHERE r.segment = ?2
			AND r.kind = 'message'
			AND NOT EXISTS (SELECT 1 FROM sync_stamps s WHERE s.session = m.session AND s.item = 0 AND s.name = '')`,
		c.m.Machine, c.m.Next)
	if err != nil {
		return err
	}
	// The branch of a session whose newest message is still arriving ends before it until that is sent.
	fresh, err := idsWhere(c.ctx, c.tx, `SELECT session FROM sync_stamps WHERE segment = ? AND item = 0 AND name = ''`, c.m.Next)
	for _, n := range fresh {
		var leaf int64
		if err := c.tx.QueryRowContext(c.ctx, `SELECT leaf FROM sessions WHERE n = ?`, n).Scan(&leaf); err != nil {
			return err
		}
		if sent, err := c.m.wasSent(c.ctx, c.tx, messageKind, leaf); err != nil || sent {
			if err != nil {
				return err
			}
			continue
		}
		if err := stamp(c.ctx, c.tx, n, 0, leafValue, SyncStamp{c.m.Clock, c.m.Machine}, 0, -1); err != nil {
			return err
		}
	}
	return err
}

// segmentLines hands out the lines of a segment.
func segmentLines(ctx context.Context, tx *sql.Tx, m syncMachine, number, now int64, collects bool, take func(SyncLine) error) error {
	head := SyncHead{Machine: m.Machine, Name: m.Name, Number: number, Created: now, Clock: m.Clock}
	var seen []byte
	err := tx.QueryRowContext(ctx, `SELECT seen FROM sync_segments WHERE number = ?`, number).Scan(&seen)
	if err != nil {
		return found(fmt.Sprintf("find segment %d", number), err)
	}
	if err := json.Unmarshal(seen, &head.Seen); err != nil {
		return err
	}
	if err := take(SyncLine{Head: &head}); err != nil {
		return err
	}
	err = sqlite.Each(ctx, tx, func(scan func(...any) error) error {
		var a SyncAlias
		if err := scan(&a.Machine, &a.Kind, &a.First, &a.Here, &a.Count); err != nil {
			return err
		}
		return take(SyncLine{Alias: &a})
	}, `
		SELECT
			machine,
			kind,
			first,
			here,
			last - first + 1
		FROM sync_ids
		WHERE segment = ?
		ORDER BY id`, number)
	if err != nil {
		return err
	}
	err = sqlite.Each(ctx, tx, func(scan func(...any) error) error {
		var p SyncPurge
		if err := scan(&p.Session); err != nil {
			return err
		}
		return take(SyncLine{Purge: &p})
	}, `SELECT session FROM sync_purged WHERE segment = ? ORDER BY id`, number)
	if err != nil {
		return err
	}
	w := segmentWriter{ctx: ctx, tx: tx, m: m, number: number, collects: collects, take: take, print: newPrinter()}
	return w.sessions()
}

// segmentWriter hands out the sessions of a segment.
type segmentWriter struct {
	ctx      context.Context
	tx       *sql.Tx
	m        syncMachine
	number   int64
	collects bool // the segment is new: which sessions it names is to be noted
	take     func(SyncLine) error
	print    *printer
	attached map[int64][]byte // the hashes of the attachments that were taken, by key
}

// part is what a segment has of one session.
type segmentPart struct {
	session                      int64
	messages, requests, summarys []int64
	whole                        bool
	stamps                       map[string]SyncStamp
	items                        []itemStamp // of messages, requests, flags and remedies
}

type itemStamp struct {
	Session int64  `db:"session"`
	Item    int64  `db:"item"`
	Name    string `db:"name"`
	Counter int64  `db:"counter"`
	Machine string `db:"machine"`
}

func (w *segmentWriter) sessions() error {
	parts := map[int64]*segmentPart{}
	var order []*segmentPart
	part := func(n int64) *segmentPart {
		p := parts[n]
		if p == nil {
			p = &segmentPart{session: n, stamps: map[string]SyncStamp{}}
			parts[n] = p
			order = append(order, p)
		}
		return p
	}
	for _, rows := range []struct {
		kind, table string
		add         func(p *segmentPart, id int64)
	}{
		{messageKind, "messages", func(p *segmentPart, id int64) { p.messages = append(p.messages, id) }},
		{requestKind, "requests", func(p *segmentPart, id int64) { p.requests = append(p.requests, id) }},
		{summaryKind, "summaries", func(p *segmentPart, id int64) { p.summarys = append(p.summarys, id) }},
	} {
		err := sqlite.Each(w.ctx, w.tx, func(scan func(...any) error) error {
			var session, id int64
			err := scan(&session, &id)
			if err == nil {
				rows.add(part(session), id)
			}
			return err
		}, `
			SELECT
				t.session,
				t.id
			FROM sync_rows r
			CROSS JOIN `+rows.table+` t ON t.id BETWEEN r.first AND r.last
			WHERE r.segment = ?
				AND r.kind = ?
			ORDER BY t.id`, w.number, rows.kind)
		if err != nil {
			return err
		}
	}
	err := sqlite.EachRow(w.ctx, w.tx, "sync_stamps WHERE segment = ? ORDER BY id", func(s *itemStamp) error {
		p := part(s.Session)
		switch {
		case s.Item != 0:
			p.items = append(p.items, *s)
		case s.Name == "":
			p.whole = true
		default:
			p.stamps[s.Name] = SyncStamp{s.Counter, s.Machine}
		}
		return nil
	}, w.number)
	if err != nil {
		return err
	}
	for _, p := range order {
		if w.collects {
			err := execute(w.ctx, w.tx, `INSERT INTO sync_parts (session, segment) VALUES (?, ?)`, p.session, w.number)
			if err != nil {
				return err
			}
		}
		if err := w.session(p); err != nil {
			return err
		}
	}
	return nil
}

func (w *segmentWriter) session(p *segmentPart) error {
	full, err := sessionValues(w.ctx, w.tx, p.session)
	if err != nil {
		return err
	}
	if full == nil {
		return nil
	}
	line := SyncLine{Whole: p.whole, Stamps: p.stamps}
	if p.whole && full.ForkedAt > 0 {
		line.Fork = full.ForkedAt
		if sent, err := w.m.wasSent(w.ctx, w.tx, messageKind, line.Fork); err != nil || !sent {
			line.Fork = 0
			if err != nil {
				return err
			}
		}
	}
	if _, sets := p.stamps[leafValue]; p.whole || sets {
		if full.Leaf, err = w.sentLeaf(full.Leaf); err != nil {
			return err
		}
	}
	line.Session = valuesOf(full, p)
	if err := w.take(line); err != nil {
		return err
	}
	changed := map[string]map[int64]SyncStamp{}
	for _, s := range p.items {
		if changed[s.Name] == nil {
			changed[s.Name] = map[int64]SyncStamp{}
		}
		changed[s.Name][s.Item] = SyncStamp{s.Counter, s.Machine}
	}
	for _, rows := range []func() error{
		func() error {
			return w.messages(p.session, withChanged(p.messages, changed[messageKind]), withChanged(p.requests, changed[requestKind]))
		},
		func() error { return w.summaries(p.summarys) },
		func() error { return w.flags(p, changed[flagValue]) },
		func() error { return w.remedies(p, changed[remedyValue]) },
	} {
		if err := rows(); err != nil {
			return err
		}
	}
	return nil
}

// sentLeaf is the newest message of a branch that is in the segment or in one before it.
func (w *segmentWriter) sentLeaf(leaf int64) (int64, error) {
	for leaf != 0 {
		sent, err := w.m.sentBy(w.ctx, w.tx, messageKind, leaf, w.number)
		if err != nil || sent {
			return leaf, err
		}
		if err := w.tx.QueryRowContext(w.ctx, `SELECT parent FROM messages WHERE id = ?`, leaf).Scan(&leaf); err != nil {
			return 0, found("find the end of the branch", err)
		}
	}
	return 0, nil
}

// valuesOf is the line of a session with what the segment says of it.
func valuesOf(full *SessionLine, p *segmentPart) *SessionLine {
	l := &SessionLine{ID: full.ID, Updated: full.Updated, Used: full.Used}
	if p.whole {
		*l = *full
		l.ForkedAt = 0 // a number
		return l
	}
	for name := range p.stamps {
		copyValue(name, l, full)
	}
	return l
}

// copyValue copies one of the values of a session.
func copyValue(name string, to, from *SessionLine) {
	switch name {
	case titleValue:
		to.Title, to.TitleFrom = from.Title, from.TitleFrom
	case tagsValue:
		to.Tags = from.Tags
	case pinnedValue:
		to.Pinned = from.Pinned
	case archivedValue:
		to.Archived = from.Archived
	case deletedValue:
		to.Deleted = from.Deleted
	case modelValue:
		to.Endpoint, to.Model = from.Endpoint, from.Model
	case settingsValue:
		to.Preset, to.Overrides = from.Preset, from.Overrides
	case systemValue:
		to.System, to.Fixed = from.System, from.Fixed
	case leafValue:
		to.Leaf = from.Leaf
	}
}

// changedRow is a row of a segment, with its stamp where it changed after it was sent.
type changedRow struct {
	id    int64
	stamp *SyncStamp
}

// withChanged are rows in order, with those that changed after they were sent.
func withChanged(ids []int64, changed map[int64]SyncStamp) []changedRow {
	all := slices.Clone(ids)
	for id := range changed {
		all = append(all, id)
	}
	slices.Sort(all)
	var out []changedRow
	for _, id := range slices.Compact(all) {
		r := changedRow{id: id}
		if s, is := changed[id]; is {
			r.stamp = &s
		}
		out = append(out, r)
	}
	return out
}

// messages hands out messages, and each request in front of the first answer that came after it: behind all messages that
// it names.
func (w *segmentWriter) messages(session int64, rows, requests []changedRow) error {
	w.attached = map[int64][]byte{}
	plans, err := verdicts.NewSweep(w.ctx, w.tx, session)
	if err != nil {
		return err
	}
	defer plans.Close()
	for _, r := range rows {
		d := dump{tx: w.tx, print: w.print, attached: w.attached, take: func(l Line) error {
			line := SyncLine{Line: l}
			if l.Message != nil {
				line.Stamp = r.stamp
			}
			return w.take(line)
		}}
		err := sqlite.EachRow(w.ctx, w.tx, "messages WHERE id = ?", func(row *messageRow) error {
			for len(requests) > 0 && requests[0].id <= row.Request {
				if err := w.request(session, requests[0], plans); err != nil {
					return err
				}
				requests = requests[1:]
			}
			sent, err := w.m.wasSent(w.ctx, w.tx, requestKind, row.Request)
			if err != nil {
				return err
			}
			d.requests = map[int64]bool{row.Request: sent}
			return d.message(w.ctx, row)
		}, r.id)
		if err != nil {
			return err
		}
	}
	for _, r := range requests {
		if err := w.request(session, r, plans); err != nil {
			return err
		}
	}
	return nil
}

// request hands out a request. One whose plan is damaged comes without it.
func (w *segmentWriter) request(session int64, r changedRow, plans *verdicts.Sweep) error {
	row, err := sqlite.RowScan[requestRow]()(w.tx.QueryRowContext(w.ctx, "SELECT "+sqlite.Columns[requestRow]("r")+" FROM requests r WHERE id = ?", r.id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil && !errors.Is(err, sqlite.ErrColumn) {
		return err
	}
	l := row.RequestLine
	if err == nil && row.Sum != nil {
		if l.Plan, err = plans.Packed(verdicts.Key{Session: session, Request: r.id, Purpose: l.Purpose}, row.Record); err != nil {
			return err
		}
	}
	line := SyncLine{Line: Line{Request: &l}, Stamp: r.stamp}
	if text, err := verdicts.Unzip(l.Plan); err == nil && json.Valid(text) {
		line.Plan, l.Plan = text, nil
	}
	return w.take(line)
}

func (w *segmentWriter) summaries(ids []int64) error {
	for _, id := range ids {
		err := sqlite.EachRow(w.ctx, w.tx, "summaries WHERE id = ?", func(l *SummaryLine) error {
			return w.take(SyncLine{Line: Line{Summary: l}})
		}, id)
		if err != nil {
			return err
		}
	}
	return nil
}

// flags hands out the flags of the segment's messages that were never set again, and those that it sets.
func (w *segmentWriter) flags(p *segmentPart, changed map[int64]SyncStamp) error {
	return decisionLines(w, p, changed, flagValue, func(l FlagLine) int64 { return l.Message }, func(id int64, l *FlagLine, s *SyncStamp) error {
		if l == nil {
			l = &FlagLine{Message: id}
		}
		return w.take(SyncLine{Line: Line{Flag: l}, Stamp: s})
	})
}

// remedies hands out the remedies as flags does the flags.
func (w *segmentWriter) remedies(p *segmentPart, changed map[int64]SyncStamp) error {
	return decisionLines(w, p, changed, remedyValue, func(l RemedyLine) int64 { return l.Message }, func(id int64, l *RemedyLine, s *SyncStamp) error {
		if l == nil {
			l = &RemedyLine{Message: id}
		}
		return w.take(SyncLine{Line: Line{Remedy: l}, Stamp: s})
	})
}

// decisionLines hands out what was decided about messages, nil where that was taken back.
func decisionLines[T any](
	w *segmentWriter, p *segmentPart, changed map[int64]SyncStamp, table string, of func(T) int64, take func(id int64, l *T, s *SyncStamp) error,
) error {
	decided := map[int64]*T{}
	ids := slices.Clone(p.messages)
	for id := range changed {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	err := sqlite.EachRow(w.ctx, w.tx, table+" WHERE message IN (SELECT value FROM json_each(?))", func(l *T) error { decided[of(*l)] = l; return nil },
		sqlite.IDs(ids))
	if err != nil {
		return err
	}
	for _, id := range ids {
		s, is := changed[id]
		switch {
		case is:
			err = take(id, decided[id], &s)
		case decided[id] != nil:
			// One that was set again is in the segment that says so.
			var again bool
			err = w.tx.QueryRowContext(w.ctx, `
				SELECT EXISTS (
					SELECT 1
					FROM sync_stamps
					WHERE session = ?
						AND item = ?
						AND name = ?
				)`, p.session, id, table).Scan(&again)
			if err == nil && !again {
				err = take(id, decided[id], nil)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
