package watch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"time"

	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/llm/watch"
	"winnow/session/store/sqlite"
)

const (
	maxBytes  = 64 << 20 // of exchanges that wait to be recorded
	leastSize = 16 << 10 // of an exchange without bodies
	maxRecent = 32       // earlier requests of a client with which a new one is compared
)

// waiting is an exchange that waits to be recorded. Without an exchange, it ends the goroutine that records.
type waiting struct {
	*watch.Exchange
	answered bool
}

// size returns the bytes that count for maxBytes.
func (w waiting) size() int64 { return int64(leastSize + len(w.Body) + len(w.Answer)) }

// Sent implements watch.Recorder.
func (s *Store) Sent(e watch.Exchange) { s.enqueue(waiting{&e, false}) }

// Answered implements watch.Recorder.
func (s *Store) Answered(e watch.Exchange) { s.enqueue(waiting{&e, true}) }

// enqueue lets an exchange wait to be recorded, or counts it as lost if too much is waiting.
func (s *Store) enqueue(w waiting) {
	if s.bytes.Add(w.size()) <= maxBytes+w.size() {
		s.waiting <- w // has room
		return
	}
	s.bytes.Add(-w.size())
	if w.answered {
		s.lost.Add(1)
	}
}

// Close records what is waiting, unless that takes long, and closes the file.
func (s *Store) Close() error {
	time.AfterFunc(2*time.Second, s.stop)
	s.waiting <- waiting{}
	<-s.done
	return s.db.Close()
}

// record records what is waiting until the store is closed. It counts each request once that is lost.
func (s *Store) record() {
	defer close(s.done)
	for n := 0; ; n++ {
		w := <-s.waiting
		if w.Exchange == nil {
			return
		}
		time.Sleep(5 * time.Millisecond) // The request itself goes first.
		if err := s.recordOne(w); err != nil && w.answered {
			s.lost.Add(1)
		}
		if n%1000 == 0 {
			_ = s.prune() // if it fails, the next one deletes more
		}
		s.bytes.Add(-w.size())
	}
}

// recordOne records a request, or the answer to a recorded one.
func (s *Store) recordOne(w waiting) error {
	k := &known{}
	err := s.change(s.ctx, "record the request", func(t *tx) {
		if s.isNew.Swap(false) { // any ids are of the file before
			clear(s.sent)
		}
		if w.answered {
			k.Row = request(t, s.sent[w.ID])
			s.complete(t, k, w.Exchange)
		} else {
			k = s.parse(w.Exchange)
			s.insert(t, k, w.Body)
		}
		facts, _ := json.Marshal(k.Row) // always encodes
		answer := s.pack.EncodeAll(w.Answer, nil)
		t.Exec(`UPDATE request SET facts = ?, answer = ? WHERE id = ?`, string(facts), answer, k.Row.ID)
	})
	delete(s.sent, w.ID)
	// The answers to older ones may be lost.
	delete(s.sent, w.ID-1000)
	if err == nil && !w.answered {
		s.sent[w.ID] = k.Row.ID
	}
	return err
}

// parse returns a new request before it is compared with others.
func (s *Store) parse(e *watch.Exchange) *known {
	r := Request{Exchange: *e, Hash: hashOf(e.Body), Wire: watch.WireOf(e.Method, e.Path), Usage: pricing.NoUsage()}
	body := read(r, e.Body)
	r.Wire, r.Model, r.Damage = body.Wire, body.Model, watch.Damage(body)
	r.Tokens = watch.PartsOf(body, s.o.Count)
	return &known{r, body, outlineOf(body)}
}

// read reads the body of a request. If it cannot be read, the result has no wire.
func read(r Request, body []byte) watch.Request {
	plain, err := llm.Decompress(body, r.Encoding)
	out, err2 := watch.Read(r.Wire, plain)
	many := len(out.Blocks) > 10_000 // the time of a comparison is quadratic
	if r.Wire == watch.NotRead || many || cmp.Or(err, err2) != nil {
		return watch.Request{}
	}
	return out
}

// answerOf reads the answer to a request, also one that broke off.
func answerOf(r Request, body []byte) watch.Answer {
	body, _ = llm.Decompress(body, r.AnswerEncoding)
	return watch.ReadAnswer(r.Wire, r.AnswerType, body)
}

// insert compares a new request with the one before it, and inserts its row without facts.
func (s *Store) insert(t *tx, k *known, body []byte) {
	var old *watch.Request
	before := k.place(s.recent(t, k))
	switch {
	case before == nil:
	case maps.Equal(before.Outline.Head, k.Outline.Head) && bytes.HasPrefix(k.Outline.Said, before.Outline.Said):
		grown := (len(k.Outline.Said) - len(before.Outline.Said)) / keySize
		old = &watch.Request{Blocks: k.Body.Blocks[:len(k.Body.Blocks)-grown]}
	default:
		old = s.whole(t, before.Row)
	}
	k.Row.Verdicts = tally(compare(old, &k.Body, s.o.Count))
	cut := k.Body
	if k.Row.Encoding != "" {
		cut.Blocks = nil // their places are those in the decoded body
	}
	from, spans := 0, []int64{}
	for _, to := range watch.Cuts(cut, len(body)) {
		spans = append(spans, s.span(t, body[from:to]))
		from = to
	}
	outline, _ := json.Marshal(k.Outline) // always encodes
	const insert = `INSERT INTO request (outline, spans) VALUES (?, ?) RETURNING id`
	k.Row.ID = sqlite.QueryValue[int64](t, insert, string(outline), sqlite.JSONArray(spans))
}

// recent returns the requests that a new one may follow, without their bodies: the last ones of its client, also those
// that other programs recorded, the last one of its conversation, and the one that it was found to follow.
func (s *Store) recent(t *tx, k *known) (all []*known) {
	for _, id := range sqlite.List[int64](t, `
		SELECT id FROM (SELECT id FROM request WHERE facts ->> 'Client' = ?1 ORDER BY id DESC LIMIT ?2)
		UNION SELECT id FROM request WHERE id = ?4
		UNION SELECT max(id) FROM request WHERE facts ->> 'Client' = ?1 AND facts ->> 'Thread' = ?3 HAVING max(id)
		ORDER BY id`, k.Row.Client, maxRecent, cmp.Or(k.Row.Thread, k.Body.Thread), k.Row.Before) {
		r := &known{Row: request(t, id)}
		outline := sqlite.QueryValue[[]byte](t, `SELECT outline FROM request WHERE id = ?`, id)
		_ = json.Unmarshal(outline, &r.Outline) // if it is damaged, the others are still compared
		all = append(all, r)
	}
	return all
}

// span returns the id of the span with these bytes, which it inserts if there is none.
func (s *Store) span(t *tx, data []byte) int64 {
	hash := hashOf(data)
	id := sqlite.QueryValue[int64](t, `SELECT id FROM span WHERE hash = ?`, hash)
	if id != 0 {
		return id
	}
	const insert = `INSERT INTO span (hash, data) VALUES (?, ?) RETURNING id`
	return sqlite.QueryValue[int64](t, insert, hash, s.pack.EncodeAll(data, nil))
}

// complete sets what the answer says about a request.
func (s *Store) complete(t *tx, k *known, e *watch.Exchange) {
	row := &k.Row
	e.Thread = row.Thread
	row.Exchange = *e
	a := answerOf(*row, e.Answer)
	row.Answered, row.AnswerID = true, a.ID
	row.Usage, row.Stop, row.Word = a.Usage, a.Stop, a.Word
	if row.Failed = a.Failed; a.Stop == "" { // a client may leave as soon as an answer is complete
		row.Failed = cmp.Or(a.Failed, e.Err)
	}
	row.Unread = unread(*row)
	if row.Wire != watch.NotRead && e.Status/100 == 2 {
		counted := pricing.Usage{Prompt: row.Tokens.Sum(), Answer: s.o.Count(a.Text)}
		row.Cost = s.o.Prices(row.Upstream, row.Model).Cost(a.Usage, counted)
	}
	whole := func(r Request) *watch.Request { return s.whole(t, r) }
	row.Break = k.findBreak(s.recent(t, k), whole, s.o)
}
