package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	"winnow/history"
	"winnow/session/store/search"
	"winnow/session/store/sqlite"
	"winnow/session/store/verdicts"

	"github.com/mattn/go-sqlite3"
)

// SyncMerged says what a segment brought.
type SyncMerged struct {
	Sessions int // that were not here
	Messages int
	Requests int
	Purged   int      // sessions that another machine purged; FinishPurge overwrites their text
	Diverged int      // sessions that were continued on two machines at once
	Refused  int      // messages that are here with other content: what is here stays
	Changed  []string // the ids of all sessions of which something changed, was added or went
}

// Merge stores what is new in a segment of another machine, all of it or nothing. lines hands out its lines in order, from
// the head on each time it is called. A segment that is merged already changes nothing. The error is ErrSyncWaits where
// others come first, and ErrSyncDamaged, which may be ErrSyncAhead, where the lines cannot be a machine's.
func (y *Sync) Merge(ctx context.Context, lines func(take func(SyncLine) error) error) (SyncMerged, error) {
	return inTx(ctx, y.s.save, "merge the segment", func(tx *sql.Tx) (SyncMerged, error) {
		g := merging{ctx: context.WithoutCancel(ctx), s: y.s, tx: tx, changed: map[string]bool{}, attached: map[string]int64{}, print: newPrinter()}
		err := lines(func(l SyncLine) error {
			if err := errors.Join(ctx.Err(), y.CheckClocks(l)); err != nil {
				return err
			}
			return g.line(l)
		})
		if errors.Is(err, errEnough) {
			return SyncMerged{}, nil // it is merged already
		}
		if err == nil {
			err = g.finish()
		}
		var broken sqlite3.Error
		if errors.As(err, &broken) && broken.Code == sqlite3.ErrConstraint {
			err = damaged("a row of it cannot be stored: %v", err)
		}
		return g.out, err
	})
}

// merging is a merge within its transaction.
type merging struct {
	ctx   context.Context
	s     *Store
	tx    *sql.Tx
	m     syncMachine
	head  *SyncHead
	ids   *idsThere
	clock int64
	now   NewestIDs // ids that were given here
	out   SyncMerged

	changed  map[string]bool
	attached map[string]int64 // keys of attachments by hex hash
	print    *printer
	plans    verdicts.Writer

	session *mergedSession // nil in front of the first one
	skip    bool           // the session was purged
	clean   *Cleaner
}

// mergedSession is the session whose lines are being merged.
type mergedSession struct {
	n, seq          int64
	id              string
	fresh           bool         // it was added by this segment
	values          *SessionLine // before the segment, nil before they are asked for
	messages, turns int64        // that were added
	turnsBefore     int64
	turn            map[int64]int64 // the turns of the user's messages that were added
	leaf            int64           // that the segment sets, the writer's id
	leafStamp       SyncStamp
	setsLeaf        bool
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrSyncDamaged, fmt.Sprintf(format, args...))
}

func (g *merging) line(l SyncLine) error {
	if g.head == nil {
		if l.Head == nil {
			return damaged("it has no head")
		}
		return g.begin(l.Head)
	}
	switch {
	case l.Head != nil:
		return damaged("it has two heads")
	case l.Alias != nil:
		return g.alias(*l.Alias)
	case l.Purge != nil:
		return g.purge(l.Purge.Session)
	case l.Session != nil:
		if err := g.endSession(); err != nil {
			return err
		}
		return g.beginSession(l)
	case g.skip:
		return nil
	case g.session == nil:
		return damaged("a row stands before its session")
	}
	if l.Stamp != nil {
		if err := g.possible(*l.Stamp); err != nil {
			return err
		}
	}
	err := g.row(l)
	if errors.Is(err, errPurged) {
		g.ids.err = nil
		return nil
	}
	return err
}

// row merges a row of a session.
func (g *merging) row(l SyncLine) error {
	l.Line = g.clean.Line(l.Line)
	switch {
	case l.Attachment != nil:
		in := restoring{tx: g.tx, attached: g.attached}
		if err := in.addAttachment(g.ctx, l.Attachment); err != nil {
			return damaged("%v", err)
		}
		return nil
	case l.Message != nil:
		return g.message(l)
	case l.Request != nil:
		return g.request(l)
	case l.Summary != nil:
		return g.summary(*l.Summary)
	case l.Flag != nil:
		if l.Flag.Flag != "" && l.Flag.Flag != string(history.Pin) && l.Flag.Flag != string(history.Exclude) {
			return damaged("there is no flag %.20q", l.Flag.Flag)
		}
		return g.decide(flagValue, l.Flag.Message, l.Stamp, l.Flag.Flag != "", func(id int64) any { f := *l.Flag; f.Message = id; return f })
	case l.Remedy != nil:
		if l.Remedy.Remedy != "" && !slices.Contains(history.Remedies(), history.Remedy(l.Remedy.Remedy)) {
			return damaged("there is no remedy %.20q", l.Remedy.Remedy)
		}
		return g.decide(remedyValue, l.Remedy.Message, l.Stamp, l.Remedy.Remedy != "", func(id int64) any { r := *l.Remedy; r.Message = id; return r })
	}
	return damaged("a row is of no kind")
}

// begin checks whether the segment is the next one, and makes ready.
func (g *merging) begin(h *SyncHead) error {
	var err error
	if g.m, err = thisMachine(g.ctx, g.tx); err != nil {
		return err
	}
	if h.Machine == "" || h.Number <= 0 || h.Clock < 0 || len(h.Machine) > 64 {
		return damaged("its head cannot be")
	}
	if h.Machine == g.m.Machine {
		return damaged("it is this machine's own")
	}
	merged := func(machine string) (number int64, err error) {
		err = g.tx.QueryRowContext(g.ctx, `SELECT merged FROM sync_others WHERE machine = ?`, machine).Scan(&number)
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return number, err
	}
	before, err := merged(h.Machine)
	if err != nil {
		return err
	}
	if h.Number <= before {
		return errEnough
	}
	if h.Number != before+1 {
		return fmt.Errorf("%w: %d of %s", ErrSyncWaits, before+1, h.Machine)
	}
	for machine, number := range h.Seen {
		if machine == g.m.Machine {
			if number >= g.m.Next {
				return damaged("it has seen a segment that this machine has not written")
			}
			continue
		}
		have, err := merged(machine)
		if err != nil {
			return err
		}
		if have < number {
			return fmt.Errorf("%w: %d of %s", ErrSyncWaits, have+1, machine)
		}
	}
	g.head, g.clock, g.ids, g.clean = h, max(g.m.Clock, h.Clock), idsOf(g.ctx, g.tx, h.Machine), g.s.Cleaner()
	if err := pend(g.ctx, g.tx, &g.m); err != nil {
		return err
	}
	if err := stampChanges(g.ctx, g.tx, &g.m); err != nil {
		return err
	}
	g.clock = max(g.clock, g.m.Clock)
	g.now = g.m.newest()
	return nil
}

func (g *merging) possible(s SyncStamp) error {
	if s.Counter < 0 || s.Machine == "" || len(s.Machine) > 64 {
		return damaged("a stamp cannot be")
	}
	g.clock = max(g.clock, s.Counter)
	return nil
}

// alias notes that ids of the writer are those of another machine, as far as these are known here and those are not.
func (g *merging) alias(a SyncAlias) error {
	if !slices.Contains(syncKinds[:], a.Kind) || a.First <= 0 || a.Here <= 0 || a.Count <= 0 || a.First > maxID || a.Here > maxID || a.Count > maxID {
		return damaged("an alias cannot be")
	}
	last := a.First + a.Count - 1
	var there []syncRun // with the ids of that machine in First and Last
	var err error
	if a.Machine == g.m.Machine {
		table := map[string]string{messageKind: "messages", requestKind: "requests", summaryKind: "summaries"}[a.Kind]
		var own []int64
		own, err = idsWhere(g.ctx, g.tx, `SELECT id FROM `+table+` WHERE id BETWEEN ? AND ? ORDER BY id`, a.First, last)
		for _, run := range runsOf(own) {
			there = append(there, syncRun{First: run[0], Last: run[1], Here: run[0]})
		}
	} else {
		there, err = idsOf(g.ctx, g.tx, a.Machine).overlapping(a.Kind, a.First, last)
	}
	if err != nil {
		return err
	}
	known, err := g.ids.overlapping(a.Kind, a.Here, a.Here+a.Count-1)
	if err != nil {
		return err
	}
	for _, r := range there {
		for id := r.First; id <= r.Last; id++ {
			here := a.Here + id - a.First
			if !slices.ContainsFunc(known, func(k syncRun) bool { return k.has(here) }) {
				g.ids.add(a.Kind, here, r.Here+id-r.First, true)
			}
		}
	}
	return nil
}

// purge deletes a session that was purged elsewhere.
func (g *merging) purge(id string) error {
	n, err := sessionThere(g.ctx, g.tx, id)
	if err != nil {
		return err
	}
	if err := notePurged(g.ctx, g.tx, n, id, g.head.Machine, 0); err != nil || n == 0 {
		return err
	}
	g.out.Purged++
	g.changed[id] = true
	return purgeRows(g.ctx, g.tx, n)
}

// beginSession finds or adds the session, and merges its values.
func (g *merging) beginSession(l SyncLine) error {
	purged, err := wasPurged(g.ctx, g.tx, l.Session.ID)
	if g.skip = purged; err != nil || purged {
		return err
	}
	for _, s := range l.Stamps {
		if err := g.possible(s); err != nil {
			return err
		}
	}
	row := *g.clean.Line(Line{Session: l.Session}).Session
	s := &mergedSession{id: row.ID, turn: map[int64]int64{}}
	if s.n, err = sessionThere(g.ctx, g.tx, row.ID); err != nil {
		return err
	}
	if s.fresh = s.n == 0; s.fresh {
		if g.skip = !l.Whole; g.skip {
			return nil // another machine purged it: its tombstone follows
		}
		if row.ID == "" || len(row.ID) > 64 {
			return damaged("a session cannot have the id %.80q", row.ID)
		}
		if s.n, err = g.addSession(row, l.Fork); err != nil {
			return err
		}
		g.out.Sessions++
		g.changed[s.id] = true
	} else if l.Whole && l.Fork != 0 {
		// One of an archive waits for its parent to tell which message it was forked at.
		at, err := g.ids.find(messageKind, l.Fork)
		if err == nil && at != 0 {
			err = execute(g.ctx, g.tx, `
				UPDATE sessions
				SET forked_at = ?
				WHERE n = ?
					AND forked_at <= 0`, at, s.n)
		}
		if err != nil {
			return err
		}
	}
	g.session = s
	err = g.tx.QueryRowContext(g.ctx, `
		SELECT
			(SELECT coalesce(max(seq), 0) FROM messages WHERE session = n),
			turns
		FROM sessions
		WHERE n = ?`, s.n).Scan(&s.seq, &s.turnsBefore)
	if err != nil {
		return err
	}
	result, err := g.tx.ExecContext(g.ctx, `
		UPDATE sessions
		SET updated_ms = max(updated_ms, ?2),
			used = max(used, ?3)
		WHERE n = ?1
			AND (updated_ms < ?2 OR used < ?3)`, s.n, max(row.Updated, 0), min(row.Used, maxID<<10))
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		g.changed[s.id] = true
		if err != nil {
			return err
		}
	}
	names := map[string]SyncStamp{}
	if l.Whole {
		for _, name := range []string{titleValue, tagsValue, pinnedValue, archivedValue, deletedValue, modelValue, settingsValue, systemValue, leafValue} {
			names[name] = SyncStamp{Machine: g.head.Machine}
		}
	}
	for name, stamp := range l.Stamps {
		names[name] = stamp
	}
	for name, stamp := range names {
		if name == leafValue {
			s.setsLeaf, s.leaf, s.leafStamp = true, row.Leaf, stamp // its message may follow
			continue
		}
		if err := g.setValue(name, row, stamp); err != nil {
			return err
		}
	}
	return nil
}

// addSession adds a session of another machine without messages.
func (g *merging) addSession(row SessionLine, fork int64) (int64, error) {
	var err error
	row.Leaf, row.ForkedAt = 0, 0
	if fork != 0 && row.Parent != "" {
		if row.ForkedAt, err = g.ids.find(messageKind, fork); err != nil {
			return 0, err
		}
	}
	row.Used = min(row.Used, maxID<<10)
	n, err := sqlite.InsertRow(g.ctx, g.tx, "sessions", row)
	if err != nil {
		return 0, err
	}
	tags := make([]string, len(row.Tags))
	for i, tag := range row.Tags {
		tags[i] = string(tag)
	}
	if err := setTags(g.ctx, g.tx, n, tags); err != nil {
		return 0, err
	}
	return n, stamp(g.ctx, g.tx, n, 0, "", SyncStamp{Machine: g.head.Machine}, g.head.Number, 0)
}

// storedStamp is a stamp with the segment of its machine that has the value.
type storedStamp struct {
	SyncStamp
	number int64
}

// stampOf is who set a value here last. What was never set since the session was sent first has its stamp; what was never
// sent is this machine's.
func (g *merging) stampOf(item int64, name string) (s storedStamp, err error) {
	for _, at := range []struct {
		item int64
		name string
	}{{item, name}, {0, ""}} {
		if at.item != item {
			break
		}
		err = g.tx.QueryRowContext(g.ctx, `
			SELECT
				counter,
				machine,
				number
			FROM sync_stamps
			WHERE session = ?
				AND item = ?
				AND name = ?`, g.session.n, at.item, at.name).Scan(&s.Counter, &s.Machine, &s.number)
		if !errors.Is(err, sql.ErrNoRows) {
			return s, err
		}
	}
	return storedStamp{SyncStamp: SyncStamp{Machine: g.m.Machine}}, nil
}

// concurrent reports whether the writer of the segment did not know of a value here when it set its own.
func (g *merging) concurrent(here storedStamp) bool {
	if here.Machine == g.head.Machine {
		return false
	}
	return here.number == 0 || g.head.Seen[here.Machine] < here.number
}

// setValue sets a value of the session where its stamp is greater than the one here. A session that was just
// added has it already.
func (g *merging) setValue(name string, there SessionLine, at SyncStamp) error {
	if g.session.fresh {
		if at.Counter == 0 {
			return nil
		}
		return stamp(g.ctx, g.tx, g.session.n, 0, name, at, g.head.Number, 0)
	}
	here, err := g.valuesHere()
	if err != nil {
		return err
	}
	before, err := g.stampOf(0, name)
	if err != nil {
		return err
	}
	mine, theirs := SessionLine{}, SessionLine{}
	copyValue(name, &mine, here)
	copyValue(name, &theirs, &there)
	a, b := valueText(mine), valueText(theirs)
	wins := at.after(before.SyncStamp)
	if name == titleValue && (mine.TitleFrom == string(TitleUser)) != (theirs.TitleFrom == string(TitleUser)) {
		wins = theirs.TitleFrom == string(TitleUser) // an automatic title never replaces the user's
	}
	if a != b && (!wins || g.concurrent(before)) {
		lost, by := a, before.SyncStamp
		if !wins {
			lost, by = b, at
		}
		if err := g.lose(name, lost, by); err != nil {
			return err
		}
	}
	if !wins {
		return nil
	}
	if a != b {
		g.changed[g.session.id] = true
		if err := g.writeValue(name, theirs); err != nil {
			return err
		}
	}
	return stamp(g.ctx, g.tx, g.session.n, 0, name, at, g.head.Number, 0)
}

// valuesHere are the values of the session before the segment.
func (g *merging) valuesHere() (*SessionLine, error) {
	s := g.session
	if s.values != nil {
		return s.values, nil
	}
	var err error
	s.values, err = sessionValues(g.ctx, g.tx, s.n)
	return s.values, err
}

// sessionValues reads the row of a session and its tags.
func sessionValues(ctx context.Context, tx *sql.Tx, n int64) (*SessionLine, error) {
	var l *SessionLine
	err := sqlite.EachRow(ctx, tx, "sessions WHERE n = ?", func(row *SessionLine) error { l = row; return nil }, n)
	if err != nil || l == nil {
		return nil, err
	}
	tags, err := tagsOf(ctx, tx, []int64{n})
	for _, tag := range tags[n] {
		l.Tags = append(l.Tags, Text(tag))
	}
	return l, err
}

// valueText is a value as JSON, for the record and to compare.
func valueText(l SessionLine) string {
	text, err := marshal(l)
	if err != nil {
		return ""
	}
	return string(text)
}

// lose keeps a value that was set at once with another one, which is kept.
func (g *merging) lose(name, value string, by SyncStamp) error {
	return execute(g.ctx, g.tx, `
		INSERT INTO sync_lost (session, item, name, value, machine, counter, at_ms)
		VALUES (?, 0, ?, ?, ?, ?, ?)`, g.session.n, name, value, by.Machine, by.Counter, g.s.now().UnixMilli())
}

// writeValue writes a value of the session.
func (g *merging) writeValue(name string, l SessionLine) error {
	columns := map[string][]sql.NamedArg{
		titleValue:    {sql.Named("title", l.Title), sql.Named("title_from", l.TitleFrom)},
		pinnedValue:   {sql.Named("pinned", l.Pinned)},
		archivedValue: {sql.Named("archived", l.Archived)},
		deletedValue:  {sql.Named("deleted_ms", l.Deleted)},
		modelValue:    {sql.Named("endpoint", l.Endpoint), sql.Named("model", l.Model)},
		settingsValue: {sql.Named("preset", l.Preset), sql.Named("overrides", l.Overrides)},
		systemValue:   {sql.Named("system", l.System), sql.Named("system_fixed", l.Fixed)},
	}
	if name == tagsValue {
		tags := make([]string, len(l.Tags))
		for i, tag := range l.Tags {
			tags[i] = string(tag)
		}
		return setTags(g.ctx, g.tx, g.session.n, tags)
	}
	values, there := columns[name]
	if !there {
		return damaged("there is no value %.20q", name)
	}
	if name == modelValue { // the address is that of another endpoint
		err := execute(g.ctx, g.tx, `
			UPDATE sessions
			SET address = ''
			WHERE n = ?
				AND endpoint <> ?`, g.session.n, string(l.Endpoint))
		if err != nil {
			return err
		}
	}
	_, err := sqlite.Update(g.ctx, g.tx, "sessions", values, sql.Named("n", g.session.n))
	return err
}

// message stores a message that is not here.
func (g *merging) message(l SyncLine) error {
	m := *l.Message
	if m.ID <= 0 || m.ID > maxID || m.Parent < 0 || m.Parent >= m.ID {
		return damaged("message %d cannot follow message %d", m.ID, m.Parent)
	}
	here, err := g.ids.find(messageKind, m.ID)
	if err != nil {
		return err
	}
	there := m.ID
	m.Parent = g.ids.message(m.Parent)
	if m.Parent != 0 && g.ids.err == nil {
		if err := inSession(g.ctx, g.tx, g.session.n, m.Parent); err != nil {
			return damaged("message %d follows one of another session", m.ID)
		}
	}
	if g.ids.err != nil {
		return g.ids.err
	}
	if m.Status == Text(history.Streaming) {
		m.Status = Text(history.Interrupted)
	}
	if here != 0 {
		return g.messageAgain(here, m, l.Stamp)
	}
	print := string(m.Damaged)
	if m.Damaged == nil {
		print = string(g.print.line(&m))
	}
	var same int64
	if !g.session.fresh {
		if same, err = g.sameMessage(m, print); err != nil {
			return err
		}
	}
	if same != 0 {
		g.ids.add(messageKind, there, same, true)
		if l.Stamp != nil {
			return g.messageAgain(same, m, l.Stamp)
		}
		return g.agreeOnMessage(same, m)
	}
	g.now.Messages++
	m.ID = g.now.Messages
	if m.Request, err = g.ids.find(requestKind, m.Request); err != nil {
		return err
	}
	s := g.session
	s.seq++
	m.Seq = s.seq
	row := messageRow{MessageLine: m, Session: s.n, Calls: len(m.ToolCalls), PartCount: len(m.Parts), Hash: print}
	if _, err := sqlite.InsertRow(g.ctx, g.tx, "messages", row); err != nil {
		return err
	}
	if err := g.callsAndParts(m); err != nil {
		return err
	}
	g.ids.add(messageKind, there, m.ID, false)
	s.messages++
	g.out.Messages++
	g.changed[s.id] = true
	if m.Role == Text(history.User) {
		s.turns++
		s.turn[m.ID] = s.turnsBefore + s.turns
	}
	if l.Stamp != nil {
		return stamp(g.ctx, g.tx, s.n, m.ID, messageKind, *l.Stamp, g.head.Number, 0)
	}
	return nil
}

func (g *merging) callsAndParts(m MessageLine) error {
	var attachments []int64
	for _, part := range m.Parts {
		key, there := g.attached[part.Hash]
		if !there {
			return damaged("a message has an attachment that is not in the segment (%.80q)", part.Hash)
		}
		attachments = append(attachments, key)
	}
	return insertCallsAndParts(g.ctx, g.tx, m.ID, m, attachments)
}

// news reports whether a row changed later than what is known of it here.
func (g *merging) news(item int64, kind string, at SyncStamp) (bool, error) {
	before, err := g.stampOf(item, kind)
	if before.Counter == 0 {
		before.Machine = "" // as it was sent first
	}
	return at.after(before.SyncStamp), err
}

// messageAgain merges a message that is here. What it says never changes: a line with other content is refused, also one
// that claims to be damaged and names the hash of the content here.
func (g *merging) messageAgain(here int64, m MessageLine, at *SyncStamp) error {
	var hash []byte
	if err := g.tx.QueryRowContext(g.ctx, `SELECT hash FROM messages WHERE id = ?`, here).Scan(&hash); err != nil {
		return err
	}
	if !bytes.Equal(hash, g.print.line(&m)) {
		g.out.Refused++
		return nil
	}
	if at == nil {
		return nil
	}
	return g.replaceMessage(here, m, *at)
}

// replaceMessage replaces a message that changed after it was sent, where that is news. Its content is the same.
func (g *merging) replaceMessage(here int64, m MessageLine, at SyncStamp) error {
	news, err := g.news(here, messageKind, at)
	if err != nil || !news {
		return err
	}
	old, err := message(g.ctx, g.tx, here)
	if err != nil {
		return err
	}
	if err := unindex(g.ctx, g.tx, []int64{here}); err != nil {
		return err
	}
	m.ID, m.Seq, m.Parent = here, int64(old.Seq), old.Parent
	if m.Request, err = g.ids.find(requestKind, m.Request); err != nil {
		return err
	}
	row := messageRow{
		MessageLine: m, Session: g.session.n, Calls: len(m.ToolCalls), PartCount: len(m.Parts),
		Hash: string(g.print.line(&m)),
	}
	values, err := sqlite.Values(row)
	if err != nil {
		return err
	}
	if _, err := sqlite.Update(g.ctx, g.tx, "messages", values, sql.Named("id", here)); err != nil {
		return err
	}
	for _, table := range []string{"tool_calls", "parts"} {
		if err := execute(g.ctx, g.tx, "DELETE FROM "+table+" WHERE message = ?", here); err != nil {
			return err
		}
	}
	if err := g.callsAndParts(m); err != nil {
		return err
	}
	g.changed[g.session.id] = true
	if err := indexStored(g.ctx, g.tx, []int64{here}); err != nil {
		return err
	}
	return stamp(g.ctx, g.tx, g.session.n, here, messageKind, at, g.head.Number, 0)
}

// sameMessage is a message here that says the same at the same place and has no name of the writer yet, 0 for none.
func (g *merging) sameMessage(m MessageLine, print string) (int64, error) {
	if g.session.fresh {
		return 0, nil
	}
	return g.nameless(messageKind, `
		SELECT id
		FROM messages
		WHERE session = ?
			AND parent = ?
			AND hash = ?
			AND created_ms = ?
			AND status <> 'streaming'
		ORDER BY id`, g.session.n, m.Parent, []byte(print), m.Created)
}

// nameless is the first row of a query that has no name of the writer yet, 0 for none.
func (g *merging) nameless(kind, query string, args ...any) (int64, error) {
	ids, err := idsWhere(g.ctx, g.tx, query, args...)
	for _, id := range ids {
		named, err := g.ids.named(kind, id)
		if err != nil || !named {
			return id, err
		}
	}
	return 0, err
}

// request stores a request that is not here, or its newer row.
func (g *merging) request(l SyncLine) error {
	r := *l.Request
	if l.Plan != nil {
		packed, err := verdicts.Zip(l.Plan)
		if err != nil {
			return err
		}
		r.Plan = packed
		r.Plan = g.clean.plan(r.Plan)
	}
	there := r.ID
	if there <= 0 || there > maxID {
		return damaged("request %d cannot be", there)
	}
	known, err := g.ids.find(requestKind, there)
	if err != nil {
		return err
	}
	stored := known != 0
	if stored {
		var n int64
		err := g.tx.QueryRowContext(g.ctx, `SELECT session FROM requests WHERE id = ?`, known).Scan(&n)
		if err != nil || n != g.session.n {
			return damaged("request %d is of another session", there)
		}
		if l.Stamp == nil {
			return nil
		}
	} else {
		user, err := g.ids.find(messageKind, r.User)
		if err != nil {
			return err
		}
		same, err := g.sameRequest(r, user)
		if err != nil {
			return err
		}
		if same != 0 {
			g.ids.add(requestKind, there, same, true)
			if l.Stamp == nil {
				return g.agreeOnRequest(same, r)
			}
			known, stored = same, true
		}
	}
	r.ID = 0
	out, err := remap(Line{Request: &r}, g.ids)
	if g.ids.err != nil {
		return g.ids.err
	}
	if err != nil {
		return damaged("%v", err)
	}
	row := out.Request
	if row.User != 0 {
		if row.Turn, err = g.turn(row.User); err != nil {
			return err
		}
	}
	if stored {
		row.ID = known
		return g.replaceRequest(row, *l.Stamp)
	}
	g.now.Requests++
	row.ID = g.now.Requests
	g.ids.add(requestKind, there, row.ID, false)
	if l.Stamp != nil {
		if err := stamp(g.ctx, g.tx, g.session.n, row.ID, requestKind, *l.Stamp, g.head.Number, 0); err != nil {
			return err
		}
	}
	g.changed[g.session.id] = true
	g.out.Requests++
	if _, err := sqlite.InsertRow(g.ctx, g.tx, "requests", row, sql.Named("session", g.session.n)); err != nil {
		return err
	}
	plan, err := verdicts.Unpack(row.Plan)
	if err != nil {
		return nil // a request without a plan that can be read comes without one
	}
	return g.plans.Put(g.ctx, g.tx, verdicts.Key{Session: g.session.n, Request: row.ID, Purpose: row.Purpose}, plan)
}

// agreeOnMessage settles what differs of two copies of a message that were made before either was sent, as from one archive:
// all machines take the greater one.
func (g *merging) agreeOnMessage(here int64, there MessageLine) error {
	before, err := g.stampOf(here, messageKind)
	if err != nil || before.Counter > 0 {
		return err
	}
	type changes struct {
		Status       Text `db:"status"`
		FinishReason Text `db:"finish_reason"`
		Endpoint     Text `db:"endpoint"`
		Model        Text `db:"model"`
		Alone        bool `db:"alone"`
		Fault        Text `db:"fault"`
	}
	var mine changes
	err = sqlite.EachRow(g.ctx, g.tx, "messages WHERE id = ?", func(row *changes) error { mine = *row; return nil }, here)
	if err != nil {
		return err
	}
	theirs := changes{there.Status, there.FinishReason, there.Endpoint, there.Model, there.Alone, there.Fault}
	return g.agree("messages", here, mine, theirs)
}

// agreeOnRequest is agreeOnMessage for a request.
func (g *merging) agreeOnRequest(here int64, there RequestLine) error {
	before, err := g.stampOf(here, requestKind)
	if err != nil || before.Counter > 0 {
		return err
	}
	type changes struct {
		RequestLine
		ID      int64  `json:"-" db:"-"`
		Turn    int64  `json:"-" db:"-"`
		User    int64  `json:"-" db:"-"`
		Options Text   `json:"-" db:"-"`
		Plan    []byte `json:"-" db:"-"`
	}
	var mine changes
	err = sqlite.EachRow(g.ctx, g.tx, "requests WHERE id = ?", func(row *changes) error { mine = *row; return nil }, here)
	if err != nil {
		return err
	}
	return g.agree("requests", here, mine, changes{RequestLine: there})
}

// agree writes the greater of two rows of a table.
func (g *merging) agree(table string, id int64, mine, theirs any) error {
	a, err := marshal(mine)
	if err != nil {
		return err
	}
	b, err := marshal(theirs)
	if err != nil || bytes.Compare(a, b) >= 0 {
		return err
	}
	g.changed[g.session.id] = true
	values, err := sqlite.Values(theirs)
	if err == nil {
		_, err = sqlite.Update(g.ctx, g.tx, table, values, sql.Named("id", id))
	}
	return err
}

// replaceRequest replaces the record of a request that changed after it was sent, where that is news. Its plan stays.
func (g *merging) replaceRequest(row *RequestLine, at SyncStamp) error {
	news, err := g.news(row.ID, requestKind, at)
	if err != nil || !news {
		return err
	}
	values, err := sqlite.Values(*row)
	if err != nil {
		return err
	}
	if _, err := sqlite.Update(g.ctx, g.tx, "requests", values, sql.Named("id", row.ID)); err != nil {
		return err
	}
	g.changed[g.session.id] = true
	return stamp(g.ctx, g.tx, g.session.n, row.ID, requestKind, at, g.head.Number, 0)
}

// sameRequest is a request here that is the same and has no name of the writer yet.
func (g *merging) sameRequest(r RequestLine, user int64) (int64, error) {
	return g.nameless(requestKind, `
		SELECT id
		FROM requests
		WHERE session = ?
			AND user = ?
			AND created_ms = ?
			AND body_hash = ?
			AND purpose = ?
		ORDER BY id`, g.session.n, user, r.Created, r.BodyHash, r.Purpose)
}

// turn is the number of the turn of a user's message here, as Store.Turn counts it.
func (g *merging) turn(user int64) (int64, error) {
	s := g.session
	if turn, known := s.turn[user]; known {
		return turn, nil
	}
	var turn int64
	err := g.tx.QueryRowContext(g.ctx, `
		SELECT count(*)
		FROM messages u
		JOIN messages m ON m.session = u.session AND m.seq <= u.seq
		WHERE u.id = ?
			AND m.role = 'user'`, user).Scan(&turn)
	s.turn[user] = turn
	return turn, err
}

// summary stores a summary that is not here.
func (g *merging) summary(l SummaryLine) error {
	if l.ID <= 0 || l.ID > maxID {
		return damaged("summary %d cannot be", l.ID)
	}
	there := l.ID
	known, err := g.ids.find(summaryKind, there)
	if err != nil || known != 0 {
		return err
	}
	l.ID = 0
	out, err := remap(Line{Summary: &l}, g.ids)
	if err = errors.Join(g.ids.err, err); err != nil {
		return err
	}
	row := out.Summary
	same, err := g.nameless(summaryKind, `
		SELECT id
		FROM summaries
		WHERE session = ?
			AND first = ?
			AND last = ?
			AND text = ?
		ORDER BY id`, g.session.n, row.First, row.Last, []byte(row.Text))
	if err != nil {
		return err
	}
	if same != 0 {
		g.ids.add(summaryKind, there, same, true)
		return nil
	}
	g.now.Summaries++
	row.ID = g.now.Summaries
	g.ids.add(summaryKind, there, row.ID, false)
	g.changed[g.session.id] = true
	_, err = sqlite.InsertRow(g.ctx, g.tx, "summaries", row, sql.Named("session", g.session.n))
	return err
}

// decide sets what was decided about a message where its stamp is greater. What was never set again has the machine's
// first one.
func (g *merging) decide(table string, there int64, at *SyncStamp, set bool, row func(id int64) any) error {
	id := g.ids.message(there)
	if g.ids.err != nil {
		return g.ids.err
	}
	if err := inSession(g.ctx, g.tx, g.session.n, id); err != nil {
		return damaged("a decision is about a message of another session")
	}
	stampThere := SyncStamp{Machine: g.head.Machine}
	if at != nil {
		stampThere = *at
	}
	var decided bool
	err := g.tx.QueryRowContext(g.ctx, `SELECT EXISTS (SELECT 1 FROM `+table+` WHERE message = ?)`, id).Scan(&decided)
	if err != nil {
		return err
	}
	before, err := g.stampOf(id, table)
	if err != nil {
		return err
	}
	if before.Counter == 0 && before.number == 0 && !decided {
		before.SyncStamp = SyncStamp{} // never set
	}
	if !stampThere.after(before.SyncStamp) {
		return nil
	}
	g.changed[g.session.id] = true
	if err := execute(g.ctx, g.tx, "DELETE FROM "+table+" WHERE message = ?", id); err != nil {
		return err
	}
	if set {
		if _, err := sqlite.InsertRow(g.ctx, g.tx, table, row(id)); err != nil {
			return err
		}
	}
	if table == remedyValue {
		if err := execute(g.ctx, g.tx, `UPDATE repairs SET undone = ? WHERE message = ?`, set, id); err != nil {
			return err
		}
	}
	return stamp(g.ctx, g.tx, g.session.n, id, table, stampThere, g.head.Number, 0)
}

// endSession writes what the messages decide of the session's row.
func (g *merging) endSession() error {
	s := g.session
	if s == nil {
		return nil
	}
	g.session = nil
	if s.messages > 0 {
		err := execute(g.ctx, g.tx, `
			UPDATE sessions
			SET messages = messages + ?2,
				turns = turns + ?3
			WHERE n = ?1`, s.n, s.messages, s.turns)
		if err != nil {
			return err
		}
	}
	if !s.setsLeaf || s.leaf == 0 && s.leafStamp.Counter == 0 {
		return nil
	}
	g.session = s
	defer func() { g.session = nil }()
	return g.setLeaf(s)
}

// setLeaf sets the end of the active branch where its stamp is greater. Two ends that were reached at once on two machines
// are two branches: the one that is not active is kept as the one that lost.
func (g *merging) setLeaf(s *mergedSession) error {
	there, err := g.ids.find(messageKind, s.leaf)
	if err != nil || there == 0 && s.leaf != 0 {
		return err // its message is in a later segment, which sets it
	}
	if err := inSession(g.ctx, g.tx, s.n, there); err != nil {
		return damaged("the branch of a session ends in another one")
	}
	var here int64
	if err := g.tx.QueryRowContext(g.ctx, `SELECT leaf FROM sessions WHERE n = ?`, s.n).Scan(&here); err != nil {
		return err
	}
	before, err := g.stampOf(0, leafValue)
	if err != nil {
		return err
	}
	wins := here == 0 && before.Counter == 0 || s.leafStamp.after(before.SyncStamp)
	if here != there && here != 0 && there != 0 && (!wins || g.concurrent(before)) {
		older, newer := min(here, there), max(here, there)
		oneLine, err := isAncestor(g.ctx, g.tx, s.n, older, newer)
		if err != nil {
			return err
		}
		if !oneLine {
			// The user may go on from either, so both ends are kept.
			if err := g.lose(leafValue, fmt.Sprint(here), before.SyncStamp); err != nil {
				return err
			}
			if err := g.lose(leafValue, fmt.Sprint(there), s.leafStamp); err != nil {
				return err
			}
			g.out.Diverged++
			g.changed[s.id] = true
		}
	}
	if !wins {
		return nil
	}
	if here != there {
		g.changed[s.id] = true
		if err := execute(g.ctx, g.tx, `UPDATE sessions SET leaf = ? WHERE n = ?`, there, s.n); err != nil {
			return err
		}
	}
	return stamp(g.ctx, g.tx, s.n, 0, leafValue, s.leafStamp, g.head.Number, 0)
}

// syncIndexAtOnce is how many messages of a segment are put into the search index with it.
const syncIndexAtOnce = 100

// dropUnused deletes the attachments of the segment that no message has, because their messages are not stored.
func (g *merging) dropUnused() error {
	if len(g.attached) == 0 {
		return nil
	}
	return execute(g.ctx, g.tx, `
		DELETE FROM attachments
		WHERE id IN (SELECT value FROM json_each(?))
			AND NOT EXISTS (SELECT 1 FROM parts WHERE parts.attachment = attachments.id)`,
		sqlite.IDs(slices.Collect(maps.Values(g.attached))))
}

// finish notes that the segment is merged.
func (g *merging) finish() error {
	if g.head == nil {
		return damaged("it has no line")
	}
	if err := g.endSession(); err != nil {
		return err
	}
	if err := g.ids.put(); err != nil {
		return err
	}
	// What the merge changed is no change of this machine.
	if err := execute(g.ctx, g.tx, `DELETE FROM sync_changes`); err != nil {
		return err
	}
	// A few messages are found at once. Those of a first sync are put into the index in the background, the newest first.
	if first, last := g.m.Messages+1, g.now.Messages; g.out.Messages > syncIndexAtOnce {
		if err := search.Later(g.ctx, g.tx, first, last); err != nil {
			return err
		}
	} else if first <= last {
		if err := indexRuns(g.ctx, g.tx, history.IDs{{first, last}}); err != nil {
			return err
		}
	}
	if err := g.dropUnused(); err != nil {
		return err
	}
	g.m.Clock = g.clock
	g.m.Messages, g.m.Requests, g.m.Summaries = g.now.Messages, g.now.Requests, g.now.Summaries
	if err := g.m.save(g.ctx, g.tx); err != nil {
		return err
	}
	err := sqlite.Upsert(g.ctx, g.tx, "sync_others", "machine",
		sql.Named("machine", g.head.Machine),
		sql.Named("name", g.head.Name),
		sql.Named("merged", g.head.Number),
		sql.Named("last_ms", g.head.Created))
	if err != nil {
		return err
	}
	g.out.Changed = slices.Sorted(maps.Keys(g.changed))
	for _, id := range g.out.Changed {
		if err := execute(g.ctx, g.tx, `UPDATE sessions SET changes = changes + 1 WHERE id = ?`, id); err != nil {
			return err
		}
	}
	return nil
}
