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

// Line is one row of the history as an archive and a segment have it: exactly one of its fields is set, and its JSON is
// an object of the row's columns under the field's name. A session comes before the rows that belong to it, a message
// behind the one that it follows and behind its attachments, a request behind the messages that it names. Times are
// Unix milliseconds; ids are the same on every machine, and 0 is none. A line of a kind that is not known is empty.
//
// Apply writes lines: into another history, of another machine too, and as often as anybody likes.
type Line struct {
	Session    *Session    `json:"session,omitempty"`
	Attachment *Attachment `json:"attachment,omitempty"`
	Message    *Message    `json:"message,omitempty"`
	Request    *Request    `json:"request,omitempty"`
	Summary    *Summary    `json:"summary,omitempty"`
	Register   *Register   `json:"register,omitempty"`
	Tombstone  *Tombstone  `json:"tombstone,omitempty"`
}

// The rows write themselves as lines of an archive: an object of their columns.

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
	Hash string `json:"hash"` // hex SHA-256 of Data
	Data []byte `json:"data,omitempty"`
}

// Tombstone says that a session was purged.
type Tombstone struct {
	ID       int64
	Session  string
	Messages []int64 // those that went with it
}

func (l *Tombstone) columns() []column {
	return []column{{"id", &l.ID, 0}, {"session", &l.Session, 0}, {"messages", &jsonColumn{&l.Messages}, 0}}
}

// Dump passes everything that was said in a session to take, line by line and all of one moment: every
// branch, what was sent for them and what was decided of them. What is unsent stays out. It holds one line in memory at a
// time, however long the session is. Damaged rows come as they are stored. An
// answer that still arrives comes as an interrupted one. An error of take ends it and comes back.
func (s *Store) Dump(ctx context.Context, session string, take func(Line) error) error {
	return s.view(ctx, "read the session", func(t *tx) {
		d := &dump{tx: t, attached: map[string]bool{}, take: func(_ int64, l Line) error { return take(l) }}
		n := sessionKey(t, session)
		row := readSession(t, n)
		d.emit(0, Line{Session: &row})
		d.sharedRows(n, nil)
	})
}

// dump hands out rows of the history as lines, in one transaction.
type dump struct {
	*tx
	take     func(id int64, l Line) error
	attached map[string]bool // hashes of the attachments that were taken
}

// emit hands out a line, unless an error came before it. id is that of a row that machines tell each other, else 0.
func (d *dump) emit(id int64, l Line) {
	if d.Err == nil {
		d.Fail(d.take(id, l))
	}
}

// sharedRows hands out the rows of a session that are shared with other machines: messages with their calls and parts, each
// behind what its parts hold, requests with what their plans have otherwise than those before them, summaries and
// registers. and are conditions more, by the names of the tables.
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
	// ErrInvalidLines says that lines hold what no history can have written.
	ErrInvalidLines = errors.New("it is damaged")
	// ErrClockAhead says that lines have a clock that no machine can have reached. It comes with ErrLine.
	ErrClockAhead = errors.New("its clock is more than a day ahead")
	// ErrMissingRows says that lines name rows that are not here yet.
	ErrMissingRows = errors.New("it follows a file that is not here yet")
)

// ApplyResult says what Apply wrote.
type ApplyResult struct {
	Sessions  int // that were not here
	Messages  int
	Filled    int      // imported messages that have their images now
	Conflicts int      // messages that are here with other content: what is here stays
	Purged    int      // sessions that another machine purged; FinishPurge overwrites their text
	Diverged  int      // sessions with which two machines went on at once
	Recovered int      // sessions made of messages that the machine which purged their session had not got
	Changed   []string // the ids of all sessions of which something changed, was added or went

	named []string // the ids of the sessions that the lines name
}

// Apply writes what is new in lines, all of it in one transaction or nothing: a row that is here stays, a register with
// a later stamp is set, a tombstone purges. So lines can be applied again and in any order of files, but for messages,
// which come behind the one that they follow; otherwise the error is ErrWaits. lines hands them out in order, from the
// first on each time it is called. ErrLine, which may be ErrAhead, says that the lines cannot be a history's. Where the
// history is shared, the other machines are to be told of the sessions that changed.
func (s *Store) Apply(ctx context.Context, lines func(take func(Line) error) error) (ApplyResult, error) {
	return inTx(ctx, s.save, "merge the conversations", func(t *tx) ApplyResult {
		out := s.apply(t, lines)
		queueSessionsForSync(t, out.Changed)
		return out
	})
}

func (s *Store) apply(t *tx, lines func(take func(Line) error) error) ApplyResult {
	a := applying{tx: t, s: s, changed: map[int64]bool{}}
	// The clock of this file is ahead of a wall clock that went back, and what is forked here gets its ids meanwhile.
	here := sqlite.Value[int64](t, `SELECT clock FROM home`) + time.Hour.Milliseconds()
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

// applying is an Apply within its transaction.
type applying struct {
	*tx
	s      *Store
	latest int64 // no id is greater
	newest int64 // id of the lines

	session int64     // key of the session that the lines belong to, 0 in front of the first one
	purged  Tombstone // of that session, without an ID where it was not purged

	added   []int64        // ids of messages
	changed map[int64]bool // keys of sessions
	out     ApplyResult
}

func (a *applying) line(l Line) {
	switch {
	case l.Session != nil:
		a.beginSession(*l.Session)
	case l.Tombstone != nil:
		a.tombstone(*l.Tombstone)
	case l.Attachment != nil:
		// Under the hash that it had where it comes from, so that damaged bytes stay damaged.
		a.putAttachment(l.Attachment.Hash, l.Attachment.Data)
	case a.session == 0 && a.purged.ID == 0:
		a.Fail(fmt.Errorf("%w: a row stands before its session", ErrInvalidLines))
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

// noteChange notes whether the session changed.
func (a *applying) noteChange(changed bool) {
	if changed {
		a.changed[a.session] = true
	}
}

// check refuses ids that no machine can have given.
func (a *applying) check(ids ...int64) {
	for _, id := range ids {
		if id < 0 {
			a.Fail(fmt.Errorf("%w: %d is no id", ErrInvalidLines, id))
		}
		if id > a.latest {
			a.Fail(fmt.Errorf("%w: %w", ErrInvalidLines, ErrClockAhead))
		}
		a.newest = max(a.newest, id)
	}
}

// sessionOfRow is the session of a row of a table, 0 where it is not here.
func (a *applying) sessionOfRow(table string, id int64) int64 {
	return sqlite.Value[int64](a, "SELECT session FROM "+table+" WHERE id = ?", id)
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

// message stores a message that is not here.
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

// prepareMessage gives a message its parts, and takes the secrets out of it: it stays whole or damaged.
func (a *applying) prepareMessage(m *Message) {
	whole := m.hash == nil || bytes.Equal(m.hash, m.fingerprint())
	m.Parts = nil
	for i := range m.parts {
		p := &m.parts[i]
		data, there := a.readAttachment(p.hash)
		if !there {
			a.Fail(fmt.Errorf("%w: message %d stands before its attachment %.80q", ErrInvalidLines, m.ID, p.hash))
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

// mergeMessage is told of a message that is here. What it says never changes: other content is refused. Only images
// that an import lacked are added, as long as no request was sent without them.
func (a *applying) mergeMessage(m Message) {
	here := readMessages(a.tx, false, "id = ?", m.ID)[0]
	same := here.session == a.session
	again := same && m.Status == history.Imported && m.Role == here.Role && m.Content == here.Content
	switch {
	case same && bytes.Equal(m.hash, here.hash), again && images(m) <= images(here):
	case again && sqlite.Value[int](a, `SELECT count(*) FROM requests WHERE session = ?`, a.session) == 0:
		a.update("messages", m.columns(), "id = ?", m.ID)
		a.out.Filled++
		a.noteChange(true)
	default:
		a.out.Conflicts++
	}
}

// images counts the images of a message. One that was not imported is a text in its place.
func images(m Message) (n int) {
	for _, p := range m.parts {
		if p.Kind == history.ImagePart {
			n++
		}
	}
	return n
}

// request stores a request that is not here, or how one ended that had not, and that its server did read the whole of
// it.
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

// register sets a value, unless a later one is here. The message of a leaf may not be here yet: finish writes the leaf.
func (a *applying) register(r Register) {
	a.check(r.Stamp, r.Item)
	a.noteChange(putRegister(a.tx, a.session, r))
}

func (a *applying) summary(m Summary) {
	if !validSources(m.Sources) {
		return // it cannot be told what it stands for
	}
	a.check(m.ID, m.Sources[0][0], m.LastMessage())
	m.session = a.session
	a.noteChange(0 < a.put("INSERT OR IGNORE INTO summaries", m.columns(), ""))
}

// tombstone purges a session, also of what other machines that purged it had not got.
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
		// What the machine that purged the session had not got goes to a session of its own.
		unknown := sqlite.List[int64](a, `SELECT id FROM messages WHERE session = ? AND id NOT`+inArray, n, gone)
		if len(unknown) > 0 {
			a.beginRecovered(l.Session)
			a.Exec(`UPDATE messages SET session = ?, request = 0 WHERE id`+inArray, a.session, sqlite.JSONArray(unknown))
			queueForSync(a.tx, unknown...)
		}
		a.out.Purged++
		a.purge(n, l.Session)
	}
	// Of what was saved, now or before, these messages go as well.
	saved := recoveredID(l.Session)
	if n := findSession(a.tx, saved); n != 0 {
		unindex(a.tx, "session = ? AND id"+inArray, n, gone)
		a.Exec(`UPDATE messages SET parent = 0 WHERE session = ? AND parent`+inArray, n, gone)
		if a.Exec(`DELETE FROM messages WHERE session = ? AND id`+inArray, n, gone) > 0 {
			notePurged(a.tx)
		}
		a.changed[n] = true
		if sqlite.Value[int](a, `SELECT count(*) FROM messages WHERE session = ?`, n) == 0 {
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

// recoveredTitle is the title of a session with messages of one that another machine purged.
const recoveredTitle = "Recovered from a purged chat"

// recoveredID is the id of the session with the messages of a purged one that were saved.
func recoveredID(purged string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte("winnow recovered "+purged)).String()
}

// beginRecovered goes to the session that has the messages of a purged one which the machine that purged it had not got. It
// has the same id on all machines.
func (a *applying) beginRecovered(purged string) {
	id := recoveredID(purged)
	if a.session = findSession(a.tx, id); a.session != 0 {
		return
	}
	a.out.Recovered++
	a.session = a.s.addSession(a.tx, Session{ID: id, Title: recoveredTitle, TitleFrom: TitleAuto})
	a.s.markUsed(a.tx, a.session)
}

// finish writes what the rows decide of the sessions that changed.
func (a *applying) finish() {
	deleteUnusedAttachments(a.tx) // parts from which a secret was taken out are attached with other bytes
	// The clock of the file never falls behind an id of another machine.
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
	a.out.Diverged = sqlite.Value[int](a, `SELECT count(DISTINCT session) FROM diverged_messages WHERE id`+inArray,
		sqlite.JSONArray(a.added))
	slices.Sort(a.out.Changed)
	a.out.Changed = slices.Compact(a.out.Changed)
	indexNewest(a.tx)
}

// tombstoneOf is the tombstone of a session by its id, without an ID where it was not purged.
func tombstoneOf(t *tx, session string) Tombstone {
	return first[Tombstone](t, "tombstones WHERE session = ?", session)
}
