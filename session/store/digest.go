package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strings"

	"winnow/session/store/sqlite"
)

// SessionIDs returns the ids of all sessions, those in the trash and archived included, in their order.
func (s *Store) SessionIDs(ctx context.Context) ([]string, error) {
	return inTx(ctx, s.view, "list the sessions", func(tx *sql.Tx) ([]string, error) {
		return sqlite.Collect(ctx, tx, sqlite.Only[string], `
			SELECT id
			FROM sessions
			ORDER BY id`)
	})
}

// Digester takes the digests of one session from its lines, in their order: of everything that is kept of the
// session. Row numbers do not count: two sessions with the same content have the same digest.
type Digester struct {
	sum, messages hash.Hash
	id            [2]string // the session's own and its parent's
	print         *printer
	shift         Shift
	count         int64 // of messages
}

// NewDigester returns a Digester for one session.
func NewDigester() *Digester {
	return &Digester{sum: sha256.New(), messages: sha256.New(), print: newPrinter()}
}

// Add takes the next line. The first one is the session's.
func (d *Digester) Add(l Line) error {
	switch {
	case l.Session != nil:
		s := *l.Session
		d.shift = Shift{1 - s.FirstMessage, 1 - s.FirstRequest, 1 - s.FirstSummary}
		d.id = [2]string{s.ID, s.Parent}
		s.ID, s.Parent = "", ""
		l = Line{Session: &s}
	case l.Message != nil:
		d.count++
		d.addMessage(l.Message)
	}
	l, err := d.shift.relative(l)
	if err != nil {
		return err
	}
	text, err := marshal(l)
	if err != nil {
		return err
	}
	field(d.sum, text)
	return nil
}

// relative is a line with its ids moved, in the one form that all lines have that say the same.
func (s Shift) relative(l Line) (Line, error) {
	switch {
	case l.Request != nil:
		r := *l.Request
		r.Options = remapOptions(r.Options, s)
		if text, ok := remapPlan(r.Plan, s); ok {
			r.Plan = text
		}
		r.ID, r.User = moved(r.ID, s.Requests), moved(r.User, s.Messages)
		return Line{Request: &r}, nil
	case l.Attachment != nil:
		// What it is called by is not trusted: bytes that are damaged have another hash.
		sum := sha256.Sum256(l.Attachment.Data)
		return Line{Attachment: &AttachmentLine{Hash: l.Attachment.Hash, Data: sum[:]}}, nil
	}
	return s.Line(l)
}

// Sum is the hex digest of all lines so far but for the session's own id and its parent's: a session that
// was restored under another id is still the same.
func (d *Digester) Sum() string { return hex.EncodeToString(d.sum.Sum(nil)) }

// Whole is the hex digest of all lines so far.
func (d *Digester) Whole() string {
	sum := sha256.New()
	for _, part := range []string{d.id[0], d.id[1], d.Sum()} {
		field(sum, []byte(part))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// MessagesSum is the hex digest of who said what, in which order and on which branches, and nothing beside:
// a session that went on since has it among the messages that it began with. Messages says of how many
// it is.
func (d *Digester) MessagesSum() string { return hex.EncodeToString(d.messages.Sum(nil)) }

// Messages is the number of messages so far.
func (d *Digester) Messages() int64 { return d.count }

func (d *Digester) addMessage(l *MessageLine) {
	print := l.Damaged
	if print == nil {
		print = d.print.line(l)
	}
	addMessage(d.messages, l.Seq, moved(l.Parent, d.shift.Messages), print)
}

// addMessage adds a message to a digest of messages.
func addMessage(sum hash.Hash, seq, parent int64, print []byte) {
	field(sum, binary.LittleEndian.AppendUint64(nil, uint64(seq)))
	field(sum, binary.LittleEndian.AppendUint64(nil, uint64(parent)))
	field(sum, print)
}

// messagesDigest is Digester.MessagesSum of the first messages of a stored session, "" where it has fewer.
func messagesDigest(ctx context.Context, tx *sql.Tx, session, messages int64) (string, error) {
	sum := sha256.New()
	count := int64(0)
	err := sqlite.Each(ctx, tx, func(scan func(...any) error) error {
		var seq, parent, first int64
		var print []byte
		if err := scan(&seq, &parent, &print, &first); err != nil {
			return err
		}
		addMessage(sum, seq, moved(parent, 1-first), print)
		count++
		return nil
	}, `
		SELECT
			seq,
			parent,
			hash,
			(SELECT min(id) FROM messages WHERE session = ?1)
		FROM messages
		WHERE session = ?1
		ORDER BY seq
		LIMIT ?2`, session, messages)
	if err != nil || count < messages {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// field adds bytes after their length, so that what moves from one field to the next is noticed.
func field(sum hash.Hash, data []byte) {
	sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(data))))
	sum.Write(data)
}

// FindArchived finds the session that a session of an archive is, whether it is here under its own id or was
// restored under another one. It is the same where it begins with the same messages on the same
// branches. unchanged says that nothing else is different either; ErrNotFound that there is none.
func (s *Store) FindArchived(ctx context.Context, of SessionLine, d *Digester) (there Session, unchanged bool, err error) {
	err = s.view(ctx, "look for the session", func(tx *sql.Tx) error {
		there, unchanged = Session{}, false
		keys, err := candidates(ctx, tx, of, d.Messages())
		if err != nil {
			return err
		}
		for _, n := range keys {
			same, err := messagesDigest(ctx, tx, n, d.Messages())
			if err != nil {
				return err
			}
			if same != d.MessagesSum() {
				continue
			}
			stored := NewDigester()
			if err := dumpSession(ctx, tx, n, stored.Add); err != nil {
				return err
			}
			unchanged = stored.Sum() == d.Sum()
			there, err = sessionByKey(ctx, tx, n)
			return err
		}
		return &sqlite.Error{Doing: "find the session", Kind: ErrNotFound}
	})
	return there, unchanged, err
}

// candidates are the sessions that may be one of an archive. One that was restored under another id is
// looked for only where its own is taken.
func candidates(ctx context.Context, tx *sql.Tx, of SessionLine, messages int64) ([]int64, error) {
	own, err := sessionThere(ctx, tx, strings.ToLower(of.ID))
	if err != nil || own == 0 {
		return nil, err
	}
	others, err := idsWhere(ctx, tx, `
		SELECT n
		FROM sessions
		WHERE created_ms = ?
			AND messages >= ?
			AND n <> ?
		ORDER BY deleted_ms = 0 DESC, n`, of.Created, messages, own)
	return append([]int64{own}, others...), err
}
