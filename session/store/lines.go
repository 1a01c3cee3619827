package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/mattn/go-sqlite3"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// Line is one row of the history in an archive or a segment. Exactly one field is set, and its JSON is an object of the
// row's columns under the field's name. A session precedes its rows, a message follows its parent and its attachments,
// and a request follows the messages that it names. Times are Unix milliseconds. Ids are the same on every machine; 0
// is none. A line of an unknown kind has no field set.
//
// Apply writes lines into a history, also into that of another machine. Applying them again changes nothing.
type Line struct {
	Session    *Session    `json:"session,omitempty"`
	Attachment *Attachment `json:"attachment,omitempty"`
	Message    *Message    `json:"message,omitempty"`
	Request    *Request    `json:"request,omitempty"`
	Summary    *Summary    `json:"summary,omitempty"`
	Register   *Register   `json:"register,omitempty"`
	Tombstone  *Tombstone  `json:"tombstone,omitempty"`
}

// Rows encode themselves as JSON objects of their columns.

func (s *Session) MarshalJSON() ([]byte, error)   { return marshal(s.columns()) }
func (m *Message) MarshalJSON() ([]byte, error)   { return marshal(m.columns()) }
func (r *Request) MarshalJSON() ([]byte, error)   { return marshal(r.columns()) }
func (m *Summary) MarshalJSON() ([]byte, error)   { return marshal(m.columns()) }
func (r *Register) MarshalJSON() ([]byte, error)  { return marshal(r.columns()) }
func (l *Tombstone) MarshalJSON() ([]byte, error) { return marshal(l.columns()) }

func (s *Session) UnmarshalJSON(data []byte) error   { return unmarshal(data, s.columns()) }
func (m *Message) UnmarshalJSON(data []byte) error   { return unmarshal(data, m.columns()) }
func (r *Request) UnmarshalJSON(data []byte) error   { return unmarshal(data, r.columns()) }
func (m *Summary) UnmarshalJSON(data []byte) error   { return unmarshal(data, m.columns()) }
func (r *Register) UnmarshalJSON(data []byte) error  { return unmarshal(data, r.columns()) }
func (l *Tombstone) UnmarshalJSON(data []byte) error { return unmarshal(data, l.columns()) }

// Attachment is the bytes of an image, a file or a text part.
type Attachment struct {
	Hash string `json:"hash"` // SHA-256 of Data in hexadecimal
	Data []byte `json:"data,omitempty"`
}

// Tombstone records that a session was purged.
type Tombstone struct {
	ID       int64
	Session  string
	Messages []int64 // ids of the messages that were purged with it
}

func (l *Tombstone) columns() []column {
	return []column{{"id", &l.ID, 0}, {"session", &l.Session, 0}, {"messages", &jsonColumn{&l.Messages}, 0}}
}

// Dump passes the stored rows of a session to take as lines, all from one snapshot: every branch, the request records,
// and the user's decisions. Drafts and queued messages are left out. It holds one line in memory at a time. Damaged
// rows are passed as they are stored, and an answer that is still streaming as an interrupted one. An error from take
// stops Dump and is returned.
func (s *Store) Dump(ctx context.Context, session string, take func(Line) error) error {
	return s.view(ctx, "read the chat", func(t *tx) {
		d := &dump{tx: t, attached: map[string]bool{}, take: func(_ int64, l Line) error { return take(l) }}
		n := sessionKey(t, session)
		row := readSession(t, n)
		d.emit(0, Line{Session: &row})
		d.sharedRows(n, nil)
	})
}

// dump passes rows of the history to take as lines, in one transaction.
type dump struct {
	*tx
	take     func(id int64, l Line) error
	attached map[string]bool // hashes of the attachments that take already got
}

// emit passes a line to take unless an error occurred before. id is the id of a row that is synced, 0 for other lines.
func (d *dump) emit(id int64, l Line) {
	if d.Err == nil {
		d.Fail(d.take(id, l))
	}
}

// sharedRows emits the rows of a session that are shared with other machines: messages preceded by their attachments,
// requests with the verdicts that begin with them, summaries and registers. and maps the names of tables to additional
// SQL conditions.
func (d *dump) sharedRows(session int64, and map[string]string) {
	from := func(table string) string { return table + " WHERE session = ?" + and[table] + " ORDER BY id" }
	for m := range each[Message](d.tx, from("placed_messages"), session) {
		if m.Status == history.Streaming {
			m.Status = history.Interrupted
		}
		for _, p := range m.parts {
			if data, _ := d.readAttachment(p.hash); !d.attached[p.hash] {
				d.emit(0, Line{Attachment: &Attachment{p.hash, data}})
				d.attached[p.hash] = true
			}
		}
		d.emit(m.ID, Line{Message: m})
	}
	for r := range each[Request](d.tx, from("requests"), session) {
		r.verdicts = readVerdicts(d.tx, "verdicts WHERE session = ? AND first_request = ?", session, r.ID)
		d.emit(r.ID, Line{Request: r})
	}
	for r := range each[Summary](d.tx, from("summaries"), session) {
		d.emit(r.ID, Line{Summary: r})
	}
	for r := range each[Register](d.tx, from("registers"), session) {
		d.emit(r.Stamp, Line{Register: r})
	}
}

var (
	// ErrInvalidLines means that lines hold something that winnow cannot have written.
	ErrInvalidLines = errors.New("it is damaged")
	// ErrClockAhead means that the ids in lines are more than a day in the future. It comes with ErrInvalidLines.
	ErrClockAhead = errors.New("its clock is more than a day ahead")
	// ErrMissingRows means that lines refer to rows that are not in this history yet.
	ErrMissingRows = errors.New("it follows a file that is not here yet")
)

// ApplyResult reports what Apply wrote.
type ApplyResult struct {
	Sessions  int      // new sessions
	Messages  int      // new messages
	Filled    int      // imported messages that got their missing images
	Conflicts int      // messages that exist with other content; they stay as they are
	Purged    int      // sessions that another machine purged; FinishPurge overwrites their text
	Diverged  int      // sessions that two machines continued at the same time
	Recovered int      // sessions created for messages that the machine which purged their session did not have
	Changed   []string // ids of all sessions that were changed, added or purged

	named []string // ids of the sessions that the lines name
}

// Apply writes the lines that are new to this history, in one transaction. An existing row stays, a register with a
// later stamp is set, and a tombstone purges its session. So lines can be applied repeatedly, and files of lines in any
// order as long as a message comes after its parent; otherwise the error is ErrMissingRows. lines passes all lines in
// order to take each time it is called; it may be called several times. The error is ErrInvalidLines, possibly with
// ErrClockAhead, if the lines are not those of a history. If the history is synced, the changed sessions are queued for
// sync.
func (s *Store) Apply(ctx context.Context, lines func(take func(Line) error) error) (ApplyResult, error) {
	return inTx(ctx, s.save, "merge the conversations", func(t *tx) ApplyResult {
		out := s.apply(t, lines)
		queueSessionsForSync(t, out.Changed)
		return out
	})
}

func (s *Store) apply(t *tx, lines func(take func(Line) error) error) ApplyResult {
	a := applying{tx: t, s: s, changed: map[int64]bool{}}
	// If the wall clock went back, the clock of this file is ahead of it, and forks made here in the meantime have such
	// ids.
	here := sqlite.QueryValue[int64](t, `SELECT clock FROM home`) + time.Hour.Milliseconds()
	a.latest = max(s.now().Add(maxClockAhead).UnixMilli(), here) << numberBits
	t.Fail(lines(func(l Line) error {
		if t.Err == nil {
			a.line(l)
		}
		return t.Err
	}))
	a.finish()
	var broken sqlite3.Error
	if errors.As(t.Err, &broken) && broken.Code == sqlite3.ErrConstraint {
		t.Err = fmt.Errorf("%w: a row of it cannot be stored: %w", ErrInvalidLines, t.Err)
	}
	return a.out
}

// applying is the state of an Apply within its transaction.
type applying struct {
	*tx
	s      *Store
	latest int64 // the greatest id that is accepted
	newest int64 // the greatest id in the lines

	session int64     // key of the session of the current lines, 0 before the first one
	purged  Tombstone // tombstone of that session, with ID 0 if it was not purged

	added   []int64        // ids of the new messages
	changed map[int64]bool // keys of the changed sessions
	out     ApplyResult
}

func (a *applying) line(l Line) {
	switch {
	case l.Session != nil:
		a.beginSession(*l.Session)
	case l.Tombstone != nil:
		a.tombstone(*l.Tombstone)
	case l.Attachment != nil:
		// Keep the hash from the source, so that damaged bytes are still recognised as damaged.
		a.putAttachment(l.Attachment.Hash, l.Attachment.Data)
	case a.session == 0 && a.purged.ID == 0:
		a.Fail(fmt.Errorf("%w: a row precedes its session", ErrInvalidLines))
	case l.Message != nil:
		a.message(*l.Message)
	case a.purged.ID != 0: // only messages are kept of a purged session
	case l.Request != nil:
		a.request(*l.Request)
	case l.Summary != nil:
		a.summary(*l.Summary)
	case l.Register != nil:
		a.register(*l.Register)
	}
}

// noteChange marks the current session as changed if changed is true.
func (a *applying) noteChange(changed bool) {
	if changed {
		a.changed[a.session] = true
	}
}

// check rejects ids that no machine can have assigned.
func (a *applying) check(ids ...int64) {
	for _, id := range ids {
		if id < 0 {
			a.Fail(fmt.Errorf("%w: %d is not an id", ErrInvalidLines, id))
		}
		if id > a.latest {
			a.Fail(fmt.Errorf("%w: %w", ErrInvalidLines, ErrClockAhead))
		}
		a.newest = max(a.newest, id)
	}
}

// sessionOfRow returns the session key of a row of a table, or 0 if there is no such row.
func (a *applying) sessionOfRow(table string, id int64) int64 {
	return sqlite.QueryValue[int64](a, "SELECT session FROM "+table+" WHERE id = ?", id)
}

// beginSession finds or adds the session that the next lines belong to.
func (a *applying) beginSession(row Session) {
	a.out.named = append(a.out.named, row.ID)
	a.session = 0
	if a.purged = tombstoneOf(a.tx, row.ID); a.purged.ID != 0 {
		return
	}
	if a.session = findSession(a.tx, row.ID); a.session != 0 {
		a.noteChange(0 < a.Exec(`
			UPDATE sessions
			SET updated_ms = max(updated_ms, ?2), used = max(used, ?3)
			WHERE n = ?1 AND (updated_ms < ?2 OR used < ?3)`, a.session, milliseconds(row.Updated), row.used))
		return
	}
	a.check(row.ForkedAt, max(row.used, milliseconds(row.Updated), milliseconds(row.Created), 0)<<numberBits)
	row.Address = ""
	a.session = insertSession(a.tx, row)
	a.out.Sessions++
	a.noteChange(true)
}

// message stores a message unless it exists.
func (a *applying) message(m Message) {
	if a.purged.ID != 0 {
		if slices.Contains(a.purged.Messages, m.ID) {
			return
		}
		a.beginRecovered(a.purged.Session)
		if m.Request = 0; slices.Contains(a.purged.Messages, m.Parent) {
			m.Parent = 0
		}
	}
	a.check(m.ID, m.Parent, m.Request)
	a.prepareMessage(&m)
	if a.sessionOfRow("messages", m.ID) != 0 {
		a.mergeMessage(m)
		return
	}
	if m.Parent != 0 && a.sessionOfRow("messages", m.Parent) != a.session {
		a.Fail(ErrMissingRows)
	}
	m.session, m.Seq = a.session, nextSeq(a.tx, a.session)
	if m.Status == history.Streaming {
		m.Status = history.Interrupted
	}
	a.put("INSERT INTO messages", m.columns(), "")
	a.out.Messages++
	a.added = append(a.added, m.ID)
	a.noteChange(true)
}

// prepareMessage loads the parts of a message and removes secrets from it. An intact message gets a new hash; a damaged
// one keeps its hash, so that it stays recognisable as damaged.
func (a *applying) prepareMessage(m *Message) {
	whole := m.hash == nil || bytes.Equal(m.hash, m.fingerprint())
	m.Parts = nil
	for i := range m.parts {
		p := &m.parts[i]
		data, there := a.readAttachment(p.hash)
		if !there {
			a.Fail(fmt.Errorf("%w: message %d precedes its attachment %.80q", ErrInvalidLines, m.ID, p.hash))
		}
		p.setData(data)
		m.Parts = append(m.Parts, p.Part)
		whole = whole && hashOf(data) == p.hash
	}
	*m = m.Redacted(a.clean)
	if whole {
		m.storeParts(a.tx.putAttachment)
	}
}

// mergeMessage handles a message that exists already. Its content never changes, so other content is a conflict. The
// one exception: images that an import lacked are added as long as no request was sent without them.
func (a *applying) mergeMessage(m Message) {
	here := readMessages(a.tx, false, "id = ?", m.ID)[0]
	same := here.session == a.session
	again := same && m.Status == history.Imported && m.Role == here.Role && m.Content == here.Content
	switch {
	case same && bytes.Equal(m.hash, here.hash), again && images(m) <= images(here):
	case again && sqlite.QueryValue[int](a, `SELECT count(*) FROM requests WHERE session = ?`, a.session) == 0:
		a.update("messages", m.columns(), "id = ?", m.ID)
		a.out.Filled++
		a.noteChange(true)
	default:
		a.out.Conflicts++
	}
}

// images counts the image parts of a message. An image that could not be imported is a text part.
func images(m Message) (n int) {
	for _, p := range m.parts {
		if p.Kind == history.ImagePart {
			n++
		}
	}
	return n
}

// request stores a request unless it exists. For an existing one it stores how it ended, and that its server did read
// all of it.
func (a *applying) request(r Request) {
	a.check(r.ID, r.User)
	if a.sessionOfRow("requests", r.ID) == 0 {
		r.session, r.Turn = a.session, cmp.Or(turnOf(a.tx, r.User), r.Turn)
		putVerdicts(a.tx, &r)
		a.put("INSERT INTO requests", r.columns(), "")
		a.noteChange(true)
	} else if r.End != "" {
		a.noteChange(0 < a.update("requests", r.columns(),
			"id = ? AND session = ? AND (ended = '' OR cut_expected > 0 AND ? = 0)", r.ID, a.session, r.CutExpected))
	}
}

// register sets a value unless a later one is stored. The message of a leaf may come later, so finish sets the leaf.
func (a *applying) register(r Register) {
	a.check(r.Stamp, r.Item)
	a.noteChange(putRegister(a.tx, a.session, r))
}

func (a *applying) summary(m Summary) {
	if !validSources(m.Sources) {
		return // it might cover an excluded message
	}
	a.check(m.ID, m.Sources[0][0], m.LastMessage())
	m.session = a.session
	a.noteChange(0 < a.put("INSERT OR IGNORE INTO summaries", m.columns(), ""))
}

// tombstone purges a session here and merges the list of purged messages with that of an earlier tombstone.
func (a *applying) tombstone(l Tombstone) {
	a.check(l.ID)
	if known := tombstoneOf(a.tx, l.Session); known.ID != 0 {
		all := slices.Compact(slices.Sorted(slices.Values(append(l.Messages, known.Messages...))))
		if len(all) == len(known.Messages) {
			return
		}
		l.ID, l.Messages = known.ID, all
		queueForSync(a.tx, l.ID)
	}
	a.put("INSERT OR REPLACE INTO tombstones", l.columns(), "")
	gone := sqlite.JSONArray(l.Messages)
	if n := findSession(a.tx, l.Session); n != 0 {
		// Messages that the purging machine did not have are kept in a session of their own.
		unknown := sqlite.List[int64](a, `SELECT id FROM messages WHERE session = ? AND id NOT`+inArray, n, gone)
		if len(unknown) > 0 {
			a.beginRecovered(l.Session)
			a.Exec(`UPDATE messages SET session = ?, request = 0 WHERE id`+inArray,
				a.session, sqlite.JSONArray(unknown))
			queueForSync(a.tx, unknown...)
		}
		a.out.Purged++
		a.purge(n, l.Session)
	}
	// Messages of the tombstone that were recovered earlier are purged too.
	saved := recoveredID(l.Session)
	if n := findSession(a.tx, saved); n != 0 {
		unindex(a.tx, "session = ? AND id"+inArray, n, gone)
		a.Exec(`UPDATE messages SET parent = 0 WHERE session = ? AND parent`+inArray, n, gone)
		if a.Exec(`DELETE FROM messages WHERE session = ? AND id`+inArray, n, gone) > 0 {
			notePurged(a.tx)
		}
		a.changed[n] = true
		if sqlite.QueryValue[int](a, `SELECT count(*) FROM messages WHERE session = ?`, n) == 0 {
			a.purge(n, saved)
		}
	}
	a.session, a.purged = 0, Tombstone{}
}

func (a *applying) purge(n int64, id string) {
	purgeRows(a.tx, n)
	delete(a.changed, n)
	a.out.Changed = append(a.out.Changed, id)
}

// recoveredTitle is the title of a session with recovered messages of a purged one.
const recoveredTitle = "Recovered from a purged chat"

// recoveredID returns the id of the session that holds the recovered messages of a purged session. It is the same on
// all machines.
func recoveredID(purged string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte("winnow recovered "+purged)).String()
}

// beginRecovered continues with the session that holds the recovered messages of a purged one, and adds it if
// necessary.
func (a *applying) beginRecovered(purged string) {
	id := recoveredID(purged)
	if a.session = findSession(a.tx, id); a.session != 0 {
		return
	}
	a.out.Recovered++
	a.session = a.s.addSession(a.tx, Session{ID: id, Title: recoveredTitle, TitleFrom: TitleAuto})
	a.s.markUsed(a.tx, a.session)
}

// finish updates the columns of the changed sessions that follow from their rows.
func (a *applying) finish() {
	deleteUnusedAttachments(a.tx) // parts from which a secret was removed have new attachments
	// The clock of this file must not be behind an id of another machine.
	a.Exec(`UPDATE home SET clock = ?1 WHERE clock < ?1`, a.newest>>numberBits)
	a.out.Changed = append(a.out.Changed, sqlite.List[string](a, `
		UPDATE sessions
		SET changes = changes + 1, (messages, turns, leaf) = (
			SELECT d.messages, d.turns, d.leaf
			FROM settled_sessions d
			WHERE d.n = sessions.n
		)
		WHERE n`+inArray+`
		RETURNING id`, sqlite.JSONArray(slices.Collect(maps.Keys(a.changed))))...)
	a.out.Diverged = sqlite.QueryValue[int](a, `SELECT count(DISTINCT session) FROM diverged_messages WHERE id`+inArray,
		sqlite.JSONArray(a.added))
	slices.Sort(a.out.Changed)
	a.out.Changed = slices.Compact(a.out.Changed)
	indexNewest(a.tx)
}

// tombstoneOf returns the tombstone of a session by its id, with ID 0 if it was not purged.
func tombstoneOf(t *tx, session string) Tombstone {
	return first[Tombstone](t, "tombstones WHERE session = ?", session)
}
