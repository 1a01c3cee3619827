package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// writer fills a history with anything that it can hold.
type writer struct {
	*rapid.T
	s     *Store
	clock *clock
	ids   []string // its sessions

	marked bool   // every text of a session has its token
	token  string // of the session at hand
}

// tokenOf is the token of a session, which its id does not hold.
func tokenOf(session string) string { return "TOK" + strings.ToUpper(session[24:]) }

func (w writer) text(name string) string {
	text := rapid.OneOf(
		rapid.StringN(0, 12, 40),
		rapid.Custom(func(t *rapid.T) string { return text(t) }),
		rapid.SampledFrom([]string{
			"sun and moon", "Sunny, 日本語", "mőon", "", "a\x00b", "\xff\xfe", "<b>&amp;</b>\u2028",
			"{\"base64\":\"eA==\"}",
		}),
	).Draw(w.T, name)
	if w.marked {
		text += strings.Repeat(" "+w.token, 1+w.pick("tokens", 3)*w.pick("many", 200))
	}
	return text
}

func (w writer) pick(name string, n int) int { return rapid.IntRange(0, n-1).Draw(w.T, name) }

func (w writer) must(doing string, err error) {
	if err != nil {
		w.Fatalf("%s: %v", doing, err)
	}
}

// message is one with everything that a message may have.
func (w writer) message(session string, parent int64) Message {
	m := anything[Message](w.T, rapid.Custom(func(*rapid.T) string { return w.text("text") }))
	m.Session, m.Parent, m.Role, m.Queued, m.Damaged = session, parent, role(w.T), 0, false
	m.Status = rapid.SampledFrom([]history.Status{
		"", history.Interrupted, history.Failed, history.Imported, history.Quarantined,
	}).Draw(w.T, "status")
	for i := range m.Parts {
		if p := &m.Parts[i]; w.pick("image", 2) == 0 {
			p.Kind, p.Data = history.TextPart, nil
		} else {
			p.Kind, p.Text = history.ImagePart, ""
		}
	}
	return m
}

func (w *writer) begin() {
	id := newSessionID()
	w.token = tokenOf(id)
	row := Session{
		ID: id, Title: w.text("title"), Model: "m", Preset: "tight", Overrides: "reserve = 1\n",
		System: w.text("system"), Dir: "/work", Endpoint: "here", Tags: []string{w.text("tag"), "b"}, Pinned: w.pick("pinned", 2) == 0,
	}
	session, _, err := w.s.Begin(context.Background(), row, w.message("", 0))
	w.must("begin", err)
	w.ids = append(w.ids, session.ID)
}

// any is one of the sessions and its messages.
func (w *writer) any() (Session, []int64) {
	if len(w.ids) == 0 {
		w.begin()
	}
	id := w.ids[w.pick("session", len(w.ids))]
	session, err := w.s.Session(context.Background(), id)
	w.must("find the session", err)
	return session, listOf[int64](w, w.s, `SELECT id FROM messages WHERE session = ? ORDER BY id`, session.key)
}

// step does one thing to the history, but none of those.
func (w *writer) step(but ...string) {
	w.clock.add(time.Duration(w.pick("later", 3)) * time.Millisecond)
	ctx := context.Background()
	session, ids := w.any()
	message := ids[w.pick("at", len(ids))]
	w.token = tokenOf(session.ID)
	steps := map[string]func() error{
		"begin": func() error { w.begin(); return nil },
		"append": func() error {
			_, err := w.s.Append(ctx, w.message(session.ID, message))
			return err
		},
		"answer": func() error {
			m, err := w.s.StartAnswer(ctx, w.message(session.ID, message))
			if err == nil {
				err = w.s.Checkpoint(ctx, m.ID, w.text("partial"), "")
			}
			if err == nil && w.pick("ends", 2) == 0 {
				whole := w.message(session.ID, message)
				whole.ID, whole.Role = m.ID, m.Role
				var r Request
				if r, err = w.s.AddRequest(ctx, w.request(session.ID, message, ids)); err == nil {
					_, err = w.s.FinishAnswer(ctx, whole, r)
				}
			}
			return err
		},
		"request": func() error {
			_, err := w.s.AddRequest(ctx, w.request(session.ID, message, ids))
			return err
		},
		"flag": func() error {
			f := rapid.SampledFrom([]history.Flag{history.Pin, history.Exclude, ""}).Draw(w.T, "flag")
			return flag(ctx, w.s, message, f)
		},
		"remedy": func() error {
			r := rapid.SampledFrom(history.Remedies()).Draw(w.T, "remedy")
			return w.s.SetRemedies(ctx, r, message)
		},
		"summary": func() error {
			_, err := w.s.AddSummary(ctx, Summary{Session: session.ID, Sources: history.IDRanges{{ids[0], max(ids[0],
				message)}}, Messages: 2, Model: "m", Text: w.text("summary")})
			return err
		},
		"damage": func() error {
			_, err := w.s.full.ExecContext(ctx, `
				UPDATE messages
				SET content = CAST(content || 'x' AS BLOB)
				WHERE id = ?`, message)
			return err
		},
		"prompt":  func() error { return w.s.AddPrompt(ctx, session.ID, Draft{Text: w.text("prompt")}) },
		"fault":   func() error { return w.s.SetFault(ctx, message, w.text("fault")) },
		"draft":   func() error { return w.s.SaveDraft(ctx, session.ID, Draft{Text: w.text("draft")}) },
		"leaf":    func() error { return w.s.Update(ctx, session.ID, func(row *Session) { row.Leaf = message }) },
		"rename":  func() error { return window{Store: w.s}.Rename(ctx, session.ID, w.text("title"), "user") },
		"archive": func() error { return w.s.Update(ctx, session.ID, func(row *Session) { row.Archived = true }) },
		"delete":  func() error { return window{Store: w.s}.Delete(ctx, session.ID) },
		"fork": func() error {
			fork, err := w.s.Fork(ctx, session.ID, message)
			w.ids = append(w.ids, fork.ID)
			return err
		},
		"purge": func() error {
			w.ids = slices.DeleteFunc(w.ids, func(id string) bool { return id == session.ID })
			return w.s.Purge(ctx, session.ID)
		},
	}
	names := make([]string, 0, len(steps))
	for name := range steps {
		if !slices.Contains(but, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	name := rapid.SampledFrom(names).Draw(w.T, "step")
	w.must(name, steps[name]())
}

// request is a record of a plan of some messages.
func (w writer) request(session string, user int64, ids []int64) Request {
	plan := history.Plan{Sum: history.TokenSum{Total: 5}}
	for _, id := range ids {
		if e := (history.Entry{ID: id, Disposition: history.Dropped}); w.pick("has a verdict", 4) > 0 {
			e.Cause.Text = w.text("cause")
			plan.Entries = append(plan.Entries, e)
		}
	}
	r := anything[Request](w.T, rapid.Custom(func(*rapid.T) string { return w.text("text") }))
	r.Session, r.User, r.Plan, r.Purpose, r.End = session, user, &plan, ForAnswer, EndDone
	r.Turn = 0
	return r
}

// fill opens a history and does some steps to it.
func fill(t *rapid.T) *writer {
	c := noon()
	s, err := Open(context.Background(), sqlite.Memory, Options{Now: c.now})
	check(t, err)
	w := &writer{T: t, s: s, clock: c}
	for range rapid.IntRange(1, 15).Draw(t, "steps") {
		w.step()
	}
	return w
}

// fatal is what ends a test, one of rapid's or another.
type fatal interface{ Fatalf(string, ...any) }

func linesOf(t fatal, s *Store, session string) []Line {
	var lines []Line
	err := s.Dump(context.Background(), session, func(l Line) error {
		// What goes through JSON and back is the same.
		text, err := json.Marshal(l)
		var back Line
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		lines = append(lines, back)
		return err
	})
	if err != nil {
		t.Fatalf("Dump(%s): %v", session, err)
	}
	return lines
}

// digest is everything that is dumped of a history.
func digest(t fatal, s *Store) string {
	var b strings.Builder
	for _, id := range allIDs(t, s) {
		for _, l := range linesOf(t, s, id) {
			text, err := json.Marshal(l)
			if err != nil {
				t.Fatalf("write a line: %v", err)
			}
			b.Write(append(text, '\n'))
		}
	}
	return b.String()
}

// allIDs are the ids of all sessions.
func allIDs(t fatal, s *Store) []string {
	return listOf[string](t, s, `SELECT id FROM sessions ORDER BY id`)
}

// What is dumped of any history and restored by another file is the same there: in an empty one in any
// order, and in one that has the ids already.
func TestRestoreSessionKeepsAllThatDumpHandsOut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		w := fill(t)
		defer w.s.Close()
		want := digest(t, w.s)
		ids := rapid.Permutation(allIDs(t, w.s)).Draw(t, "order")

		empty := memory(t)
		defer empty.Close()
		for _, id := range ids {
			applyTo(t, empty, linesOf(t, w.s, id))
		}
		if got := digest(t, empty); got != want {
			t.Fatalf("an empty file holds after it\n%s\nwant\n%s", got, want)
		}
		agree(t, w.s, empty, ids)
		used := fill(t)
		defer used.s.Close()
		before := digest(t, used.s)
		for _, id := range ids {
			applyTo(t, used.s, linesOf(t, w.s, id))
		}
		agree(t, w.s, used.s, ids)
		for _, id := range ids {
			w.must("purge", used.s.Purge(ctx, id))
		}
		if got := digest(t, used.s); got != before {
			t.Fatalf("bringing sessions in and purging them changed the others to\n%s\nfrom\n%s", got, before)
		}
	})
}

// applyTo applies lines, which changes nothing the second time.
func applyTo(t *rapid.T, s *Store, lines []Line) {
	apply := func() Applied {
		out, err := s.Apply(context.Background(), func(take func(Line) error) (err error) {
			for i := 0; i < len(lines) && err == nil; i++ {
				err = take(lines[i])
			}
			return err
		})
		check(t, err)
		return out
	}
	if out := apply(); out.Sessions != 1 {
		t.Fatalf("Apply says %+v of a session that was not there", out)
	}
	if out := apply(); len(out.Changed) != 0 {
		t.Fatalf("Apply of what is there says %+v", out)
	}
}

// agree compares what two stores say of sessions by other ways than their dumps.
func agree(t *rapid.T, a, b *Store, ids []string) {
	for _, id := range ids {
		var tells [2]string
		for i, s := range []*Store{a, b} {
			row, err := s.Session(context.Background(), id)
			check(t, err)
			branch, err := s.Branch(context.Background(), row.Leaf, 0)
			check(t, err)
			for k := range branch {
				if m := &branch[k]; m.Status == history.Streaming {
					m.Status = history.Interrupted // where it is not streamed
				}
			}
			tells[i] = told(row, fmt.Sprint(row.Tags), Decisions{}, branch)
		}
		if tells[0] != tells[1] {
			t.Fatalf("session %s is\n%s, was\n%s", id, tells[1], tells[0])
		}
	}
}
