package watch

import (
	"cmp"
	"encoding/json"
	"time"
	"unique"

	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/llm/watch"
	"winnow/session/store/sqlite"
)

const (
	maxBytes  = 64 << 20 // of exchanges that wait to be recorded
	leastSize = 4 << 10  // of an exchange without bodies
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
	if w.answered { // else it is recorded together with its answer
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

// record records what is waiting until the store is closed.
func (s *Store) record() {
	defer close(s.done)
	for n := 0; ; n++ {
		w := <-s.waiting
		if w.Exchange == nil {
			return
		}
		if err := s.recordOne(w); err != nil {
			clear(s.loaded)
			if w.answered {
				s.lost.Add(1)
			}
		}
		if n%1000 == 0 {
			_ = s.prune() // if it fails, the next one deletes more
		}
		s.bytes.Add(-w.size())
	}
}

// recordOne records a request or its answer, or both if the request is not in the file.
func (s *Store) recordOne(w waiting) error {
	k := s.sent[w.ID]
	isNew := k == nil
	if isNew {
		k = parse(w.Exchange)
		k.Row.Tokens = watch.PartsOf(k.Body, s.count)
	}
	row := &k.Row
	prices := s.o.Prices(row.Upstream, row.Model)
	if w.answered {
		s.complete(k, w.Exchange, prices)
	}
	err := s.change(s.ctx, "record the request", func(t *tx) {
		if s.isNew.Swap(false) { // any ids are of the file before
			s.sent, s.loaded = map[int64]*known{}, map[int64]*known{}
			isNew = true
		}
		recent := s.recent(t, k)
		if isNew {
			s.insert(t, k, recent, w.Body)
		}
		row.Break = k.findBreak(recent, s.count, prices)
		facts, _ := json.Marshal(row) // always encodes
		answer := s.pack.EncodeAll(w.Answer, nil)
		t.Exec(`UPDATE request SET facts = ?, answer = ? WHERE id = ?`, string(facts), answer, row.ID)
	})
	if err == nil {
		s.sent[w.ID], s.loaded[row.ID] = k, k
	}
	if w.answered {
		delete(s.sent, w.ID)
	}
	delete(s.sent, w.ID-1000) // its answer may be lost
	return err
}

// parse returns a new request before it is compared with others.
func parse(e *watch.Exchange) *known {
	r := Request{Exchange: *e, Hash: hashOf(e.Body), Wire: watch.WireOf(e.Method, e.Path), Usage: pricing.NoUsage()}
	r.Body, r.Answer = nil, nil
	body := read(r, e.Body)
	r.Wire, r.Model, r.Damage = body.Wire, body.Model, watch.Damage(body)
	return &known{r, body}
}

// read reads the body of a request. If it cannot be read, the result has no wire.
func read(r Request, body []byte) watch.Request {
	plain, err := llm.Decompress(body, r.Encoding)
	out, err2 := watch.Read(r.Wire, plain)
	many := len(out.Blocks) > 10_000 // the time of a comparison is quadratic
	if r.Wire == watch.NotRead || many || cmp.Or(err, err2) != nil {
		return watch.Request{}
	}
	for i := range out.Blocks {
		text := &out.Blocks[i].Text
		*text = unique.Make(*text).Value() // the requests of a conversation have most texts in common
	}
	return out
}

// answerOf reads the answer to a request, also one that broke off.
func answerOf(r Request, body []byte) watch.Answer {
	body, _ = llm.Decompress(body, r.AnswerEncoding)
	return watch.ReadAnswer(r.Wire, r.AnswerType, body)
}

// insert compares a new request with the one before it, and inserts its row without facts.
func (s *Store) insert(t *tx, k *known, recent []*known, body []byte) {
	var old *watch.Request
	if before := k.place(recent); before != nil {
		old = &before.Body
	}
	k.Row.Verdicts = tally(compare(old, &k.Body, s.count))
	cut := k.Body
	if k.Row.Encoding != "" {
		cut.Blocks = nil // their places are those in the decoded body
	}
	var spans []int64
	from := 0
	for _, to := range watch.Cuts(cut, len(body)) {
		spans = append(spans, s.span(t, body[from:to]))
		from = to
	}
	const insert = `INSERT INTO request (spans) VALUES (?) RETURNING id`
	k.Row.ID = sqlite.QueryValue[int64](t, insert, sqlite.JSONArray(spans))
}

// recent returns the requests that a new one may follow: the last ones of its client, also those that other programs
// recorded, the last one of its conversation, and the one that it was found to follow.
func (s *Store) recent(t *tx, k *known) (all []*known) {
	if len(s.loaded) > 2*maxRecent {
		clear(s.loaded)
	}
	for _, id := range sqlite.List[int64](t, `
		SELECT id FROM (SELECT id FROM request WHERE facts ->> 'Client' = ?1 ORDER BY id DESC LIMIT ?2)
		UNION SELECT id FROM request WHERE id = ?4
		UNION SELECT max(id) FROM request WHERE facts ->> 'Client' = ?1 AND facts ->> 'Thread' = ?3 HAVING max(id)
		ORDER BY id`, k.Row.Client, maxRecent, cmp.Or(k.Row.Thread, k.Body.Thread), k.Row.Before) {
		if s.loaded[id] == nil {
			s.loaded[id] = s.known(t, id)
		}
		all = append(all, s.loaded[id])
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
func (s *Store) complete(k *known, e *watch.Exchange, prices pricing.Prices) {
	row := &k.Row
	thread := row.Thread
	row.Exchange = *e
	row.Thread, row.Exchange.Body, row.Exchange.Answer = thread, nil, nil
	a := answerOf(*row, e.Answer)
	row.Answered, row.AnswerID = true, a.ID
	row.Usage, row.Stop, row.Word = a.Usage, a.Stop, a.Word
	if row.Failed = a.Failed; a.Stop == "" { // a client may leave as soon as an answer is complete
		row.Failed = cmp.Or(a.Failed, e.Err)
	}
	row.Unread = unread(*row)
	if row.Wire != watch.NotRead && e.Status/100 == 2 {
		counted := pricing.Usage{Prompt: row.Tokens.Sum(), Answer: s.o.Count(a.Text)}
		row.Cost = prices.Cost(a.Usage, counted)
	}
}
