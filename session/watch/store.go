package watch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"

	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/llm/watch"
	"winnow/session/store"
	"winnow/session/store/backup"
	"winnow/session/store/sqlite"
	"winnow/session/title"
	"winnow/session/transfer"
)

type tx = sqlite.Tx

// Options configures Open.
type Options struct {
	Count    func(text string) int // counts tokens
	Prices   func(upstream, model string) pricing.Prices
	MaxBytes int64 // how much is kept; 0 is 2 GB
}

// Store is a file of recorded requests. It is a watch.Recorder. Its methods are safe for concurrent use, and several
// programs may have the same file open.
type Store struct {
	path   string
	o      Options
	db     *sql.DB
	pack   *zstd.Encoder
	unpack *zstd.Decoder

	// How long to wait for other programs that write.
	patience time.Duration

	// What waits to be recorded, and the bytes of the bodies in it.
	waiting chan waiting
	bytes   atomic.Int64

	// How many requests could not be recorded and are not counted in the file yet.
	lost atomic.Int64

	// Of the goroutine that records: its context, a channel that is closed when it has ended, and whether the file is
	// another one than it knows.
	ctx   context.Context
	stop  context.CancelFunc
	done  chan struct{}
	isNew atomic.Bool

	// For that goroutine alone: the ids in the file of requests without an answer, by Exchange.ID.
	sent map[int64]int64
}

//go:embed schema.sql
var schema string

// applicationID is in the header of every file of recorded requests.
const applicationID = 0x77617463 // "watc"

// Open opens the file of recorded requests at path, and creates it if it does not exist. A damaged file, or one that is
// not winnow's, is set aside and replaced by an empty one.
//
// The store can be used even if there is an error, which says why the file cannot be written now. It then counts
// requests as lost until it can.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	// A cache of 500 KiB for each connection suffices, because few pages are read twice.
	s := &Store{
		path:    path,
		o:       o,
		db:      sqlite.OpenPool(path, sqlite.ModeFast+"&_cache_size=-500", 4),
		waiting: make(chan waiting, maxBytes/leastSize+2),
		done:    make(chan struct{}),
		sent:    map[int64]int64{},
	}
	// Valid options. One at a time, because each of several takes a megabyte.
	s.pack, _ = zstd.NewWriter(nil, zstd.WithZeroFrames(true), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderLevel(zstd.SpeedFastest))
	s.unpack, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	s.ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	err := s.change(ctx, "open the recorded requests", func(*tx) {})
	s.patience = 15 * time.Second
	go s.record()
	return s, err
}

// change runs f in one transaction that writes, and again while another program holds the lock. It creates the file and
// its tables if necessary, and begins with an empty file if this one is damaged.
func (s *Store) change(ctx context.Context, doing string, f func(t *tx)) error {
	lost := s.lost.Swap(0)
	err := store.Retry(ctx, s.patience, func() error {
		err := sqlite.CreateFile(s.path)
		return cmp.Or(err, sqlite.InTx(ctx, s.db, func(t *tx) {
			sqlite.CreateTables(t, applicationID, schema)
			f(t)
			t.Exec(`UPDATE fact SET value = value + 1 WHERE name = 'changes'`)
			t.Exec(`UPDATE fact SET value = value + ? WHERE name = 'lost'`, lost)
		}))
	})
	if err != nil {
		s.lost.Add(lost)
	}
	if (sqlite.IsDamaged(err) || sqlite.IsNotHistory(err)) && s.setAside() == nil {
		return s.change(ctx, doing, f)
	}
	return sqlite.Explain(doing, s.path, err)
}

// setAside replaces the file by an empty one.
func (s *Store) setAside() error {
	s.db.SetMaxIdleConns(0) // closes the connections, which hold locks
	s.db.SetMaxIdleConns(4)
	_, err := backup.ReplaceDatabase(s.path, "damaged", time.Now(), func(_, _ string) error { return nil })
	// A failure does not take back what the goroutine that records has not seen yet.
	s.isNew.CompareAndSwap(false, err == nil)
	return err
}

// view returns what f reads.
func view[T any](ctx context.Context, s *Store, f func(t *tx) T) (T, error) {
	t := sqlite.WithoutTx(ctx, s.db)
	out := f(t)
	return out, sqlite.Explain("read the recorded requests", s.path, t.Err)
}

// Requests returns all recorded requests, newest last.
func (s *Store) Requests(ctx context.Context) ([]Request, error) {
	return view(ctx, s, func(t *tx) []Request { return requests(t, `1`) })
}

// requests returns the requests that meet a condition, newest last.
func requests(t *tx, where string, args ...any) (all []Request) {
	var id int64
	var pinned bool
	var facts []byte
	into := []any{&id, &pinned, &facts}
	for range t.Rows(into, `SELECT id, pinned, facts FROM request WHERE `+where+` ORDER BY id`, args...) {
		var r Request
		_ = json.Unmarshal(facts, &r) // if it is damaged, the others are still read
		r.ID, r.Pinned = id, pinned
		all = append(all, r)
	}
	return all
}

// request returns one request.
func request(t *tx, id int64) Request {
	for _, r := range requests(t, `id = ?`, id) {
		return r
	}
	t.Fail(&sqlite.Error{Doing: fmt.Sprintf("read request %d", id), Kind: sqlite.ErrNotFound})
	return Request{}
}

// spans returns the bytes of those spans of a request whose ids are not in seen, and adds the ids.
func (s *Store) spans(t *tx, id int64, seen map[int64]bool) []byte {
	ids := sqlite.List[int64](t, `SELECT span FROM part WHERE request = ? ORDER BY place`, id)
	ids = slices.DeleteFunc(ids, func(id int64) bool { return seen[id] })
	var all [][]byte
	const of = `SELECT data FROM json_each(?) JOIN span ON span.id = value ORDER BY key`
	for _, data := range sqlite.List[[]byte](t, of, sqlite.JSONArray(ids)) {
		all = append(all, s.unpacked(t, data))
	}
	for _, id := range ids {
		seen[id] = true
	}
	return bytes.Join(all, nil)
}

// unpacked returns unpacked data.
func (s *Store) unpacked(t *tx, data []byte) []byte {
	plain, err := s.unpack.DecodeAll(data, nil)
	if err != nil {
		t.Fail(fmt.Errorf("%w: %w", sqlite.ErrDamaged, err))
	}
	return plain
}

// body returns the body of a request. It fails if the bytes are not those that were sent.
func (s *Store) body(t *tx, r Request) []byte {
	body := s.spans(t, r.ID, map[int64]bool{})
	if hashOf(body) != r.Hash {
		t.Fail(fmt.Errorf("%w: request %d is not as it was sent", sqlite.ErrDamaged, r.ID))
	}
	return body
}

// hashOf returns the SHA-256 of a body in hexadecimal digits.
func hashOf(body []byte) string { return fmt.Sprintf("%x", sha256.Sum256(body)) }

// answer returns the body of the answer to a request.
func (s *Store) answer(t *tx, r Request) []byte {
	return s.unpacked(t, sqlite.QueryValue[[]byte](t, `SELECT answer FROM request WHERE id = ?`, r.ID))
}

// whole returns the body of a request as it was read.
func (s *Store) whole(t *tx, r Request) *watch.Request {
	return new(read(r, s.body(t, r)))
}

// Raw returns the body of a request exactly as it was sent.
func (s *Store) Raw(ctx context.Context, id int64) ([]byte, error) {
	return view(ctx, s, func(t *tx) []byte { return s.body(t, request(t, id)) })
}

// Texts returns the bodies of a request and its answer, decompressed.
func (s *Store) Texts(ctx context.Context, id int64) (body, answer []byte, err error) {
	_, err = view(ctx, s, func(t *tx) bool {
		r := request(t, id)
		body, _ = llm.Decompress(s.body(t, r), r.Encoding)
		answer, _ = llm.Decompress(s.answer(t, r), r.AnswerEncoding)
		return true
	})
	return body, answer, err
}

// View compares a request with another, or with the one before it in its conversation if against is 0.
func (s *Store) View(ctx context.Context, id, against int64) (View, error) {
	return view(ctx, s, func(t *tx) (v View) {
		v.Request = request(t, id)
		v.Answer = answerOf(v.Request, s.answer(t, v.Request))
		now := s.whole(t, v.Request)
		// The one before may have been deleted.
		against = cmp.Or(against, sqlite.QueryValue[int64](t, `SELECT id FROM request WHERE id = ?`, v.Request.Before))
		var old *watch.Request
		if against != 0 {
			before := request(t, against)
			v.Against, old = &before, s.whole(t, before)
			v.Params = changedParams(old, now)
		}
		v.Blocks = compare(old, now, s.o.Count)
		v.Head = headOf(v)
		return v
	})
}

// Search returns the blocks and answers that contain a text in upper or lower case, newest last. A block that many
// requests contain is found once, in the first of them.
func (s *Store) Search(ctx context.Context, text string) ([]Hit, error) {
	plain := regexp.MustCompile(`[A-Za-z0-9 _.-]*`).FindAllString(text, -1) // what JSON does not escape
	longest := slices.MaxFunc(plain, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	part := regexp.MustCompile("(?i)" + regexp.QuoteMeta(longest))
	whole := regexp.MustCompile("(?i)" + regexp.QuoteMeta(strings.ToValidUTF8(text, "")))
	return view(ctx, s, func(t *tx) (hits []Hit) {
		find := func(r Request, place, text string) {
			if at := whole.FindStringIndex(text); at != nil {
				near := text[max(0, at[0]-60):min(len(text), at[1]+60)]
				hits = append(hits, Hit{r, place, title.OneLine(near)})
			}
		}
		spans, seen := map[int64]bool{}, map[string]bool{}
		for _, r := range requests(t, `1`) {
			// Only the spans that no request before has are searched.
			if added := s.spans(t, r.ID, spans); r.Encoding != "" || part.Match(added) {
				for _, b := range read(r, s.body(t, r)).Blocks {
					if !seen[b.Key] {
						find(r, b.Place, b.Text)
					}
					seen[b.Key] = true
				}
			}
			find(r, "answer", answerOf(r, s.answer(t, r)).Text)
		}
		return hits
	})
}

// Pin sets whether a request is kept when it is old.
func (s *Store) Pin(ctx context.Context, id int64, pinned bool) error {
	return s.change(ctx, "pin the request", func(t *tx) {
		t.Exec(`UPDATE request SET pinned = ? WHERE id = ?`, pinned, id)
	})
}

// Forget deletes requests, also pinned ones. If it returns nil, no byte of them is left in the file, except what other
// requests contain too. It rewrites the whole file.
func (s *Store) Forget(ctx context.Context, ids ...int64) error {
	return s.forget(ctx, `id IN (SELECT value FROM json_each(?))`, sqlite.JSONArray(ids))
}

// ForgetAll is Forget for all requests.
func (s *Store) ForgetAll(ctx context.Context) error { return s.forget(ctx, `1`) }

// forget deletes the requests that meet a condition, and rewrites the file.
func (s *Store) forget(ctx context.Context, where string, args ...any) error {
	const doing = "delete the requests"
	err := s.change(ctx, doing, func(t *tx) { drop(t, where, args...) })
	if err == nil {
		err = store.Rewrite(ctx, s.db, s.patience)
	}
	return sqlite.Explain(doing, s.path, err)
}

// drop deletes the requests that meet a condition, and the spans that no other request has. It returns the number of
// requests.
func drop(t *tx, where string, args ...any) int64 {
	n := t.Exec(`DELETE FROM request WHERE `+where, args...)
	if n > 0 {
		t.Exec(`DELETE FROM span WHERE id NOT IN (SELECT span FROM part)`)
	}
	return n
}

// prune deletes requests that are older than 30 days, and the oldest ones while the file holds too much. Pinned ones
// stay.
func (s *Store) prune() error {
	const size = `SELECT (page_count - freelist_count) * page_size
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size`
	most := cmp.Or(s.o.MaxBytes, 2e9)
	return s.change(s.ctx, "delete old requests", func(t *tx) {
		drop(t, `NOT pinned AND facts ->> 'At' < ?`, time.Now().AddDate(0, 0, -30).UTC().Format(time.RFC3339))
		for sqlite.QueryValue[int64](t, size) > most && drop(t, `id IN oldest`) > 0 {
		}
	})
}

// fact returns a value of the table fact.
func fact[T any](ctx context.Context, s *Store, name string) (T, error) {
	return view(ctx, s, func(t *tx) T {
		return sqlite.QueryValue[T](t, `SELECT value FROM fact WHERE name = ?`, name)
	})
}

// Changed returns a number that differs after each change of the file, by this program or another.
func (s *Store) Changed(ctx context.Context) (int64, error) { return fact[int64](ctx, s, "changes") }

// Lost returns how many requests could not be recorded, by all programs.
func (s *Store) Lost() int {
	n, _ := fact[int64](s.ctx, s, "lost") // a file that cannot be read does not say how many
	return int(n + s.lost.Load())
}

// Agree records that the user agreed to forward the tokens of subscriptions.
func (s *Store) Agree(ctx context.Context) error {
	return s.change(ctx, "save the answer", func(t *tx) { t.Exec(`UPDATE fact SET value = 1 WHERE name = 'agreed'`) })
}

// Agreed reports whether the user agreed to forward the tokens of subscriptions.
func (s *Store) Agreed(ctx context.Context) bool {
	yes, _ := fact[bool](ctx, s, "agreed") // no, if it cannot be read
	return yes
}

// Run returns the random part of the addresses that clients are set to. It stays the same.
func (s *Store) Run(ctx context.Context) (string, error) { return fact[string](ctx, s, "run") }

// Chat stores the messages of a request and its answer as a new chat, which continues with the same model. It returns
// the id of the chat.
func (s *Store) Chat(ctx context.Context, id int64, into *store.Store) (string, error) {
	v, err := s.View(ctx, id, 0)
	body, _, err2 := s.Texts(ctx, id)
	if err = cmp.Or(err, err2); err != nil {
		return "", err
	}
	r := v.Request
	row := store.Session{Source: "winnow watch", Origin: r.Hash, Created: r.At, Endpoint: r.Upstream, Model: r.Model}
	return transfer.ImportRequest(ctx, into, row, body, v.Answer.Text)
}
