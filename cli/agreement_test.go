package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/cli/report"
	"winnow/history"
	"winnow/session"
	"winnow/session/record"
	"winnow/session/sessiontest"
	"winnow/session/store"
	"winnow/ui/keymap"
)

var oneConversation = flag.Uint64("conversation", 0, "hold this conversation of the agreement test alone, by its number")

// TestScreenReceiptCommandAndWireAgree holds conversations made at random and compares, message by
// message, what the four places say where a person can learn what the model saw: the panel on the
// screen, the receipt of the answer, winnow context --json, and the bytes that the server got.
func TestScreenReceiptCommandAndWireAgree(t *testing.T) {
	t.Parallel()
	const houses = 16 // at once: a session on the screen waits for its clocks most of the time
	first, last := uint64(1), uint64(64)
	switch {
	case *oneConversation > 0:
		first, last = *oneConversation, *oneConversation
	case soak():
		last = 2000
	case testing.Short():
		last = 12
	}
	var next atomic.Uint64
	next.Store(first - 1)
	var wait sync.WaitGroup
	all := make([]*house, houses)
	for i := range all {
		all[i] = newHouse(t)
		wait.Go(func() { all[i].holdSome(t, &next, last) })
	}
	wait.Wait()
	sent, refused, met := 0, 0, map[string]int{}
	for _, h := range all {
		sent, refused = sent+h.sent, refused+h.refused
		for glyph, n := range h.met {
			met[glyph] += n
		}
	}
	t.Logf("%d sessions agree, with %d requests and %d too large to be sent; lines of the last requests: %v", sent+refused, sent, refused, met)
	if *oneConversation > 0 || testing.Short() || t.Failed() {
		return
	}
	for glyph := range strings.SplitSeq(panelGlyphs, "") {
		if met[glyph] == 0 {
			t.Errorf("no line of any panel has the glyph %s", glyph)
		}
	}
	if sent < int(last)*8/10 {
		t.Errorf("only %d of %d sessions sent a request", sent, last)
	}
}

// holdSome holds one conversation after the other until the last is held by somebody, or one fails.
func (h *house) holdSome(t *testing.T, next *atomic.Uint64, last uint64) {
	for seed := next.Add(1); seed <= last && !t.Failed(); seed = next.Add(1) {
		over, err := h.hold(t.Context(), drawConversation(seed))
		switch {
		case err != nil:
			t.Errorf("session %d: %v", seed, err)
		case over:
			h.refused++
		default:
			h.sent++
		}
	}
}

// hold holds a conversation to its end and compares; over says that its last message was too large to be sent.
func (h *house) hold(ctx context.Context, conversation drawnConversation) (over bool, err error) {
	s, err := h.begin(ctx, conversation)
	if err != nil {
		return false, err
	}
	if err := s.LoadRest(ctx); err != nil {
		return false, err
	}
	screen, err := put(h.deps, s)
	if err != nil {
		return false, err
	}
	defer screen.close()
	screen.update(tea.PasteMsg{Content: conversation.draft})
	before := views{messages: sessiontest.Messages(s.Branch())}
	if before.next, err = h.ahead(ctx, s.Info().ID, conversation.draft); err != nil {
		return false, err
	}
	// The plan comes when the draft has rested. An empty chat has no panel.
	if err := screen.until(func() (err error) {
		if before.next.Session == "" {
			return nil
		}
		if before.panel, err = readPanel(screen.text()); err != nil {
			return err
		}
		return before.compareNext()
	}); err != nil {
		return false, err
	}

	h.expect(conversation.calls)
	if err := screen.press(keymap.Default().Keys(keymap.Send)); err != nil {
		return false, err
	}
	if err := screen.until(func() error {
		if s.Busy() || strings.Contains(screen.text(), "esc stops") {
			return errors.New("the turn does not end")
		}
		return nil
	}); err != nil {
		return false, err
	}
	bodies := h.asked()
	if before.next.Error != "" || len(bodies) == 0 {
		if before.next.Error == "" || len(bodies) != 0 {
			return false, fmt.Errorf("context says %q, and %d requests left; the screen is\n%s", before.next.Error, len(bodies), screen.text())
		}
		return true, nil
	}
	return false, h.compareSent(ctx, screen, s, before, bodies)
}

// begin stores the conversation's messages, sets what decides its requests, and has its earlier turns.
func (h *house) begin(ctx context.Context, conversation drawnConversation) (*session.Session, error) {
	s, err := h.stored(ctx, conversation)
	if err != nil {
		return nil, err
	}
	messages := sessiontest.Messages(s.Branch())
	for i, flag := range conversation.flags {
		if _, err := s.SetFlags(ctx, flag, messages[i].ID); err != nil {
			return nil, err
		}
	}
	conversation.trial.Model = conversation.ref
	if err := s.Apply(ctx, conversation.trial); err != nil {
		return nil, err
	}
	for _, i := range slices.Sorted(maps.Keys(conversation.remedies)) { // of one tool group the last counts
		if err := s.SetRemedy(ctx, conversation.remedies[i], messages[i].ID); err != nil {
			return nil, err
		}
	}
	for _, a := range conversation.earlier {
		if err := a.do(ctx, s, messages); err != nil {
			return nil, err
		}
	}
	if !conversation.again || s.Info().ID == "" {
		return s, nil
	}
	return session.Open(ctx, h.deps, s.Info().ID, conversation.ref)
}

// do does an act; messages are those that were there at first.
func (a act) do(ctx context.Context, s *session.Session, messages []store.Message) error {
	if a.what != "send" && (a.at >= len(messages) || messages[a.at].Role != history.User) {
		return nil
	}
	var events <-chan session.Event
	switch a.what {
	case "send":
		events = s.Send(ctx, a.text)
	case "edit":
		events = s.Edit(ctx, session.SendOptions{}, messages[a.at].ID, a.text)
	case "again":
		events = s.Regenerate(ctx, messages[a.at].ID)
	case "switch":
		return s.Switch(ctx, messages[a.at].ID)
	}
	var fault error
	for e := range events {
		var large *history.OverBudgetError
		if f, last := e.(session.Finished); last && !errors.As(f.Err, &large) && !errors.Is(f.Err, session.ErrExcluded) {
			fault = f.Err
		}
	}
	return fault
}

// stored is the session with the conversation's messages, a new one where there are none.
func (h *house) stored(ctx context.Context, conversation drawnConversation) (*session.Session, error) {
	if len(conversation.messages) == 0 {
		return session.New(h.deps, session.Start{Ref: conversation.ref})
	}
	row, err := h.deps.Store.ImportMessages(ctx, func(add func(store.Message) error) (store.Session, error) {
		for _, m := range conversation.messages {
			if err := add(m); err != nil {
				return store.Session{}, err
			}
		}
		// Two conversations may say the same; with prompts of their own both are imported.
		prompt := fmt.Sprintf("You are the host of conversation %d.", conversation.seed)
		return store.Session{Title: fmt.Sprint("conversation ", conversation.seed), TitleFrom: "user", System: prompt}, nil
	}, store.ImportOptions{})
	if err != nil {
		return nil, err
	}
	return session.Open(ctx, h.deps, row.ID, conversation.ref)
}

// ahead is what winnow context --draft --json writes.
func (h *house) ahead(ctx context.Context, id, draft string) (report.ContextJSON, error) {
	if id == "" {
		return report.ContextJSON{}, nil
	}
	return h.context(ctx, id, contextAsked{draft: draft})
}

// context is what winnow context --json writes of a session that was opened for it.
func (h *house) context(ctx context.Context, id string, asked contextAsked) (report.ContextJSON, error) {
	var o report.ContextJSON
	s, err := session.Open(ctx, h.deps, id, "plain/m")
	if err != nil {
		return o, err
	}
	p := &program{err: h.quiet}
	l, err := p.contextOf(ctx, s, asked)
	if err != nil {
		return o, err
	}
	var text bytes.Buffer
	if err := report.WriteJSON(&text, l.JSON()); err != nil {
		return o, err
	}
	return o, json.Unmarshal(text.Bytes(), &o)
}

// compareSent compares what the places say of the turn that is over.
func (h *house) compareSent(ctx context.Context, screen *stage, s *session.Session, before views, bodies [][]byte) error {
	after := views{messages: sessiontest.Messages(s.Branch())}
	err := screen.until(func() (err error) { // The page follows its end until it is left.
		text := screen.text()
		if !strings.Contains(text, "Next request") {
			return fmt.Errorf("the turn is not over\n%s", text)
		}
		after.shown, err = readReceipt(text)
		return err
	})
	if err != nil {
		return err
	}
	keys := keymap.Default()
	for range 2 { // to the panel
		if err := screen.press(keys.Keys(keymap.Focus)); err != nil {
			return err
		}
	}
	if err := screen.press(keys.Keys(keymap.Earlier)); err != nil {
		return err
	}
	shown, title := "", fmt.Sprintf("Turn %d", s.Info().Turns)
	err = screen.until(func() error {
		if shown = screen.text(); !strings.Contains(shown, title) {
			return fmt.Errorf("the panel does not show turn %d\n%s", s.Info().Turns, shown)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if after.panel, err = readPanel(shown); err != nil {
		return err
	}
	h.meet(after.panel)
	if after.next, err = h.context(ctx, s.Info().ID, contextAsked{turn: pastRef{turn: s.Info().Turns}}); err != nil {
		return err
	}
	// Beside the turn's requests a model may have been asked for a summary.
	body := slices.IndexFunc(bodies, func(b []byte) bool { return fmt.Sprintf("%x", sha256.Sum256(b)) == after.next.Request.Hash })
	if body < 0 {
		return fmt.Errorf("none of the %d requests that arrived has the hash of %+v", len(bodies), after.next.Request)
	}
	if after.sent, err = readWire(bodies[body]); err != nil {
		return err
	}
	if after.receipt, err = h.receipt(ctx, s, after.next.Request.Nth); err != nil {
		return err
	}
	if q := after.next.Request; !q.Proven || q.Of > len(bodies) || q.Nth != q.Of {
		return fmt.Errorf("context shows request %+v of turn %d, and %d requests arrived", q, s.Info().Turns, len(bodies))
	}
	if err := after.compareSent(); err != nil {
		return err
	}
	if err := after.compareLastWhole(ctx, s); err != nil {
		return err
	}
	if len(bodies) > 1 {
		return nil // The last request held the tool's result as well, or a summary was made for it.
	}
	return before.compareWith(after)
}

// receipt is the receipt of a request of the newest turn. Its answer says which one it belongs to.
func (h *house) receipt(ctx context.Context, s *session.Session, nth int) (record.Receipt, error) {
	row := s.Info()
	records, err := h.deps.Store.TurnRequests(ctx, row.ID, row.Turns)
	if err != nil {
		return record.Receipt{}, err
	}
	branch, err := h.deps.Store.Branch(ctx, row.ID, row.Leaf, 0, 2)
	if err != nil {
		return record.Receipt{}, err
	}
	for _, m := range branch { // A tool's result may stand last: the next request was too large.
		if m.Request == records[nth-1].ID {
			receipts, err := s.Records().Receipts(ctx)
			return receipts[m.Request], err
		}
	}
	return record.Receipt{}, fmt.Errorf("request %d of turn %d is not that of the newest answer", nth, row.Turns)
}
