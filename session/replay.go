package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

// Recorded is what is kept of a past request.
type Recorded struct {
	Request  store.Request  // the record
	Nth, Of  int            // it is the turn's Nth request of Of, from 1
	Verdicts store.Verdicts // as they were decided then
}

// measure gives the verdicts what the record leaves to the messages: the size of those that were not sent, and
// where the added texts are.
func measure(v store.Verdicts, rebuilt history.Plan) {
	sized := make(map[int64]history.Entry, len(rebuilt.Entries))
	for _, e := range rebuilt.Entries {
		sized[e.ID] = e
	}
	for i := range v.Entries {
		if e := &v.Entries[i]; !e.Sent() {
			e.TokensBefore, e.CharsBefore = sized[e.ID].TokensBefore, sized[e.ID].CharsBefore
		}
	}
	for i, a := range rebuilt.Added {
		if i < len(v.Added) && v.Added[i].Before == a.Before && v.Added[i].Text == a.Text {
			v.Added[i].From, v.Added[i].To = a.From, a.To
		}
	}
}

// Replayed is a past request, put together again from its record and the stored messages.
type Replayed struct {
	Recorded
	Messages []store.Message // the branch that it was planned from, the turn's own messages at the end
	Plan     history.Plan    // as the record's options and today's rules make it
	Body     []byte          // the bytes that Plan gives
	Proven   bool            // Body is what was sent, byte for byte: it has the hash of the record
	Doubt    string          // a sentence that says why it is not proven, "" where it is
}

// NoRequestError says that the session has no such request.
type NoRequestError struct {
	Turn, Nth int
	Of        int // the turn's requests
	Turns     int // the session's turns
}

func (e *NoRequestError) Error() string {
	switch {
	case e.Turn < 1 || e.Turn > e.Turns:
		return fmt.Sprintf("there is no turn %d; this session has %d", e.Turn, e.Turns)
	case e.Of == 0:
		return fmt.Sprintf("nothing was sent in turn %d of this session", e.Turn)
	}
	return fmt.Sprintf("turn %d has no request %d; it has %d", e.Turn, e.Nth, e.Of)
}

// Recorded finds the record of the nth request of a turn; nth counts from 1, and 0 is the last one that asked
// for an answer. A turn has several requests where tools ran, where it was asked again, and where winnow asked
// for a summary or a title. Where there is no such request the error is a *NoRequestError.
func (s *Session) Recorded(ctx context.Context, turn, nth int) (Recorded, error) {
	row := s.Info()
	missing := &NoRequestError{Turn: turn, Nth: nth, Turns: row.Turns}
	if row.ID == "" {
		return Recorded{}, missing
	}
	list, err := s.deps.Store.TurnRequests(ctx, row.ID, turn)
	if err != nil {
		return Recorded{}, err
	}
	if nth == 0 {
		nth = lastAnswer(list)
	}
	if missing.Of = len(list); nth < 1 || nth > len(list) {
		return Recorded{}, missing
	}
	r := Recorded{Request: list[nth-1], Nth: nth, Of: len(list)}
	r.Verdicts, err = s.deps.Store.Verdicts(ctx, r.Request.ID)
	return r, err
}

// lastAnswer is the last of a turn's requests that asked for an answer, counted from 1; where none did it is the
// last one.
func lastAnswer(list []store.Request) int {
	for nth := len(list); nth > 0; nth-- {
		if list[nth-1].Purpose == store.ForAnswer {
			return nth
		}
	}
	return len(list)
}

// Replay puts a request together again that Recorded finds. The branch that was active then need not
// be the active one now.
func (s *Session) Replay(ctx context.Context, turn, nth int) (Replayed, error) {
	recorded, err := s.Recorded(ctx, turn, nth)
	if err != nil {
		return Replayed{}, err
	}
	return s.rebuild(ctx, recorded)
}

// rebuild puts a request together again.
func (s *Session) rebuild(ctx context.Context, recorded Recorded) (Replayed, error) {
	r := Replayed{Recorded: recorded}
	d, err := readDecision(r.Request)
	if err != nil {
		return r, err
	}
	if r.Messages, err = s.branchTo(ctx, r.Request.Session, d.Leaf); err != nil {
		return r, err
	}
	past, said, err := d.split(r.Messages)
	if err != nil {
		return r, fmt.Errorf("rebuild request %d of turn %d: %w", r.Nth, r.Request.Turn, err)
	}
	d.guess(past, s.deps.Guess)
	d.cover(past, r.Request)
	// A plan that does not fit any more is shown as any other: the hash says that it is not the one.
	var unsent error
	r.Plan, unsent = history.Build(past, d.options(said, s.deps.Count))
	measure(r.Verdicts, r.Plan)
	if r.Body, err = d.body(r.Request, r.Plan); err != nil {
		return r, err
	}
	r.Proven = unsent == nil && hash(r.Body) == r.Request.BodyHash
	if !r.Proven {
		r.Doubt = s.doubt(r, unsent)
	}
	return r, nil
}

// ReplayOf is Replay for a request that is known by its id, as a Receipt's turn and a message's Request
// name it.
func (s *Session) ReplayOf(ctx context.Context, turn int, request int64) (Replayed, error) {
	list, err := s.deps.Store.TurnRequests(ctx, s.Info().ID, turn)
	if err != nil {
		return Replayed{}, err
	}
	nth := slices.IndexFunc(list, func(r store.Request) bool { return r.ID == request })
	if nth < 0 {
		return Replayed{}, &NoRequestError{Turn: turn, Of: len(list), Turns: s.Info().Turns}
	}
	return s.Replay(ctx, turn, nth+1)
}

// branchTo is the branch that ends at leaf: the beginning of the active one where that has it and is
// loaded, else as it is stored.
func (s *Session) branchTo(ctx context.Context, session string, leaf int64) ([]store.Message, error) {
	if leaf == 0 {
		return nil, nil
	}
	s.mu.Lock()
	if at, there := s.find(leaf); there && s.whole {
		defer s.mu.Unlock()
		return slices.Clone(s.branch[:at+1]), nil
	}
	s.mu.Unlock()
	branch, err := s.deps.Store.Branch(ctx, session, leaf, 0, -1)
	return s.trusted(branch), err
}

// split divides a branch into what came before the turn and what the turn had said.
func (d Decision) split(branch []store.Message) (past, said []history.Message, err error) {
	if d.Asked != "" {
		for _, m := range branch {
			past = append(past, m.Message)
		}
		return past, []history.Message{question(d.Asked)}, nil
	}
	from := len(branch) - len(d.Turn)
	if from < 0 {
		return nil, nil, fmt.Errorf("the branch has %d messages, the turn alone had %d", len(branch), len(d.Turn))
	}
	past, said = make([]history.Message, from), make([]history.Message, len(d.Turn))
	for i, m := range branch {
		if i < from {
			past[i] = m.Message
			continue
		}
		if said[i-from] = m.Message; m.ID != d.Turn[i-from] {
			return nil, nil, fmt.Errorf("message %d stands where message %d of the turn stood", m.ID, d.Turn[i-from])
		}
	}
	return past, said, nil
}

// guess gives the messages that were not counted then the guesses that were planned with.
func (d Decision) guess(past []history.Message, guess history.Counter) {
	if guess == nil {
		return
	}
	for i := range past {
		for _, run := range d.Guessed {
			if past[i].ID >= run[0] && past[i].ID <= run[1] {
				past[i].Tokens = guess(past[i].Content)
			}
		}
	}
}

// cover gives the summary of an older record its messages. Such a record names only the newest one: the summary
// stood for all up to it that were not excluded.
func (d Decision) cover(past []history.Message, r store.Request) {
	if d.Summary == nil || len(d.Summary.Messages) > 0 {
		return
	}
	var older struct {
		Summary struct{ Upto int64 } `json:"summary"`
	}
	if json.Unmarshal(r.Options, &older) != nil {
		return // It was read before.
	}
	d.Summary.Messages = history.IDsOf(past, func(m history.Message) bool {
		return m.ID <= older.Summary.Upto && d.Flags[m.ID] != history.Exclude
	})
}

// options is what the decision was made with.
func (d Decision) options(said []history.Message, count history.Counter) history.Options {
	var summaries []history.Summary
	if d.Summary != nil {
		summaries = []history.Summary{*d.Summary}
	}
	return history.Options{
		Policy: d.Policy, System: d.System, Turn: said, Flags: d.Flags, Remedies: d.Remedies, Tools: d.Tools,
		Window: d.Window, Limit: d.Limit, Ratio: d.Ratio, Profile: d.Profile, To: d.To, Summaries: summaries, Scope: d.Scope, CutCurrent: d.Cut, Count: count,
	}
}

// body is the bytes of a plan as the endpoint of that time was sent them, whether it is still
// configured or not.
func (d Decision) body(r store.Request, p history.Plan) ([]byte, error) {
	then := llm.NewClient(llm.Endpoint{Name: r.Endpoint, BaseURL: d.Base, Profile: d.Profile, Quirks: d.Quirks})
	return then.Body(llm.Request{
		Model: r.Model, Messages: p.Messages, Tools: d.Schemas,
		MaxTokens: d.Sampling.MaxTokens, Temperature: d.Sampling.Temperature, TopP: d.Sampling.TopP, Effort: d.Sampling.Effort,
	})
}

// doubt says why a rebuilt request is not the one that was sent, as far as that can be known.
func (s *Session) doubt(r Replayed, unsent error) string {
	damaged := func(m store.Message) bool { return m.Damaged }
	switch {
	case r.Request.Rules != history.Rules:
		return fmt.Sprintf("version %d of the rules made it, and this winnow has version %d", r.Request.Rules, history.Rules)
	case unsent != nil:
		return "today it would not be sent: " + unsent.Error()
	case slices.ContainsFunc(r.Messages, damaged):
		return "a stored message is damaged"
	case r.Request.Tokenizer != s.deps.Tokenizer:
		return fmt.Sprintf("its tokens were counted by %s, and this winnow counts by %s", r.Request.Tokenizer, s.deps.Tokenizer)
	}
	return "its bytes have another hash than the record says"
}
