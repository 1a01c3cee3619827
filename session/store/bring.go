package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"

	"winnow/history"
)

// Talk is a conversation of another program with all its branches.
type Talk struct {
	Session  Session     // Source and Origin name it; what its messages decide is set by Bring
	Messages []Utterance // every one behind the one that it follows
	Leaf     int         // the place in Messages of the end of the active branch, -1 for that of the last message
}

// Utterance is one message of a Talk. Its label is its id there.
type Utterance struct {
	Message
	Behind  int  // the place in Messages of the message before it on its branch, -1 for none
	Ignored bool // the other program keeps it from its model, so it is excluded here
}

// Brought is what became of a Talk.
type Brought struct {
	Session Session
	New     bool // the session was not here before
	Added   int  // the messages that were not
	Changed int  // those of them that stand beside one with the same label that says something else
}

// Bring stores a conversation as a session, or adds to the session that was brought of it before what
// is new, in one transaction. Messages are known by their labels. One whose text became another since
// is added as a version beside the first; nothing that is here changes. A session in the trash stays as
// it is.
//
// The active branch becomes the other program's where something was added and nobody went on with the
// session here, or where its own end lies behind the one here.
func (s *Store) Bring(ctx context.Context, talk Talk) (Brought, error) {
	return s.bring(ctx, talk, nil)
}

// errTrial ends a transaction whose outcome alone was wanted.
var errTrial = errors.New("this was a trial")

// TryBringing says what Bring would do, and does not do it. A session that is new has no id.
func (s *Store) TryBringing(ctx context.Context, talk Talk) (Brought, error) {
	out, err := s.bring(ctx, talk, errTrial)
	if errors.Is(err, errTrial) {
		err = nil
		if out.New {
			out.Session.ID = ""
		}
	}
	return out, err
}

// bring brings a conversation, and takes that back where end is not nil.
func (s *Store) bring(ctx context.Context, talk Talk, end error) (Brought, error) {
	var out Brought
	// A file can be imported again, so the import of many conversations does not wait for the disk
	// after each.
	err := s.jot(ctx, "import the conversation", func(tx *sql.Tx) error {
		out = Brought{}
		n, err := broughtAs(ctx, tx, talk.Session)
		if errors.Is(err, sql.ErrNoRows) {
			out.New = true
			n, err = s.addSession(ctx, tx, talk.Session)
		}
		if err != nil {
			return err
		}
		if out.Session, err = sessionByKey(ctx, tx, n); err != nil {
			return err
		}
		if !out.Session.Deleted.IsZero() {
			return nil
		}
		in := bringing{s: s, tx: tx, session: n, talk: talk}
		if err := in.addNew(ctx); err != nil {
			return err
		}
		out.Added, out.Changed = in.added, in.changed
		if out.New && in.added == 0 {
			return errors.New("the conversation has no message")
		}
		if in.added > 0 {
			if err := in.finish(ctx); err != nil {
				return err
			}
		}
		if out.Session, err = sessionByKey(ctx, tx, n); err != nil {
			return err
		}
		return end
	})
	return out, err
}

// broughtAs is the session that a conversation was brought as. One in the trash counts where there is no
// other.
func broughtAs(ctx context.Context, tx *sql.Tx, in Session) (n int64, err error) {
	if in.Source == "" || in.Origin == "" {
		return 0, errors.New("the conversation has no name to know it by")
	}
	err = tx.QueryRowContext(ctx, `
		SELECT n
		FROM sessions
		WHERE source = ?
			AND origin = ?
			AND origin <> ''
		ORDER BY deleted_ms <> 0, n
		LIMIT 1`, in.Source, in.Origin).Scan(&n)
	return n, err
}

// bringing is a conversation on its way into its session.
type bringing struct {
	s       *Store
	tx      *sql.Tx
	session int64
	talk    Talk
	here    map[string][]version // what the session holds, by label
	own     int                  // its messages without a label: somebody went on with it here
	last    int                  // the place of its last message
	ids     []int64              // of the talk's messages
	added   int
	turns   int
	changed int
}

// version is one message with some label.
type version struct {
	id   int64
	said [sha256.Size]byte
}

func saying(role history.Role, content []byte) [sha256.Size]byte {
	return sha256.Sum256(append(append([]byte(role), 0), content...))
}

// addNew stores the messages that are not here yet.
func (in *bringing) addNew(ctx context.Context) error {
	if err := in.look(ctx); err != nil {
		return err
	}
	in.ids = make([]int64, len(in.talk.Messages))
	for i, u := range in.talk.Messages {
		if err := ctx.Err(); err != nil {
			return err
		}
		if u.Label == "" || u.Behind >= i {
			return fmt.Errorf("message %d of the conversation has no label, or stands before the one that it follows", i)
		}
		if u.Behind >= 0 {
			u.Parent = in.ids[u.Behind]
		}
		id, err := in.add(ctx, u)
		if err != nil {
			return err
		}
		in.ids[i] = id
	}
	return nil
}

// look reads what the session holds.
func (in *bringing) look(ctx context.Context) error {
	in.here = map[string][]version{}
	rows, err := in.tx.QueryContext(ctx, `
		SELECT
			id,
			seq,
			role,
			label,
			content
		FROM messages
		WHERE session = ?
		ORDER BY id`, in.session)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var v version
		var seq int
		var role history.Role
		var label string
		var content []byte
		if err := rows.Scan(&v.id, &seq, &role, &label, &content); err != nil {
			return err
		}
		in.last = max(in.last, seq)
		if label == "" {
			in.own++
			continue
		}
		v.said = saying(role, content)
		in.here[label] = append(in.here[label], v)
	}
	return rows.Err()
}

// add stores a message where it is not here, and returns the id that it has.
func (in *bringing) add(ctx context.Context, u Utterance) (int64, error) {
	u.Message = in.s.cleanMessage(u.Message)
	said := saying(u.Role, []byte(u.Content))
	for _, v := range in.here[u.Label] {
		if v.said == said {
			return v.id, nil
		}
	}
	// The driver watches a context that can end with a goroutine for every statement. The transaction
	// has its own.
	id, err := insertAt(context.WithoutCancel(ctx), in.tx, in.session, in.last+1, u.Message, "")
	if err != nil {
		return 0, err
	}
	if u.Ignored {
		if err := in.s.setFlag(ctx, in.tx, id, history.Exclude); err != nil {
			return 0, err
		}
	}
	if len(in.here[u.Label]) > 0 {
		in.changed++
	}
	in.here[u.Label] = append(in.here[u.Label], version{id, said})
	in.last++
	in.added++
	if u.Role == history.User {
		in.turns++
	}
	return id, nil
}

// finish writes what the added messages decide of the session's row. It keeps its place among the
// sessions by its last use there: thousands of old conversations do not bury those of today.
func (in *bringing) finish(ctx context.Context) error {
	row, err := sessionByKey(ctx, in.tx, in.session)
	if err != nil {
		return err
	}
	leaf, err := in.leaf(ctx, row.Leaf)
	if err != nil {
		return err
	}
	used := cmp.Or(ms(in.talk.Session.Updated), ms(in.talk.Session.Created))
	_, err = in.tx.ExecContext(ctx, `
		UPDATE sessions
		SET updated_ms = max(updated_ms, ?2),
			used = max(used, ?2),
			messages = messages + ?3,
			turns = turns + ?4,
			leaf = ?5
		WHERE n = ?1`, in.session, used, in.added, in.turns, leaf)
	return err
}

// leaf is where the active branch ends from now on.
func (in *bringing) leaf(ctx context.Context, is int64) (int64, error) {
	at := in.talk.Leaf
	if at < 0 {
		at = len(in.ids) - 1
	}
	wanted := in.ids[at]
	if is == 0 || in.own == 0 {
		return wanted, nil
	}
	var behind bool
	err := in.tx.QueryRowContext(ctx, `
		WITH RECURSIVE branch (id, parent) AS (
			SELECT
				id,
				parent
			FROM messages
			WHERE id = ?1
			UNION ALL
			SELECT
				m.id,
				m.parent
			FROM branch
			JOIN messages m ON m.id = branch.parent
		)
		SELECT EXISTS (
			SELECT 1
			FROM branch
			WHERE id = ?2
		)`, wanted, is).Scan(&behind)
	if err != nil || !behind {
		return is, err
	}
	return wanted, nil
}
