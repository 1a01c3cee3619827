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

// writer fills a history with random content.
type writer struct {
	*rapid.T
	s     *Store
	clock *clock
	ids   []string // its sessions

	marked bool   // every text of a session contains the session's token
	token  string // of the current session
}

// tokenOf returns the token of a session. The id does not contain it.
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

func text(t *rapid.T) string {
	return string(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "text"))
}

var roles = []history.Role{history.User, history.Assistant, history.Tool, history.System, "oracle"}

func role(t *rapid.T) history.Role { return rapid.SampledFrom(roles).Draw(t, "role") }

func (w writer) pick(name string, n int) int { return rapid.IntRange(0, n-1).Draw(w.T, name) }

func (w writer) must(doing string, err error) {
	if err != nil {
		w.Fatalf("%s: %v", doing, err)
	}
}

// message returns a message with random values in every field.
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
	session, _, err := w.s.BeginSession(context.Background(), row, w.message("", 0))
	w.must("begin", err)
	w.ids = append(w.ids, session.ID)
}

// any returns a random session and the ids of its messages.
func (w *writer) any() (Session, []int64) {
	if len(w.ids) == 0 {
		w.begin()
	}
	id := w.ids[w.pick("session", len(w.ids))]
	session, err := w.s.Session(context.Background(), id)
	w.must("find the chat", err)
	return session, listOf[int64](w, w.s, `SELECT id FROM messages WHERE session = ? ORDER BY id`, session.key)
}

// step changes the history in a random way, except for those in but.
func (w *writer) step(but ...string) {
	w.clock.add(time.Duration(w.pick("later", 3)) * time.Millisecond)
	ctx := context.Background()
	session, ids := w.any()
	message := ids[w.pick("at", len(ids))]
	w.token = tokenOf(session.ID)
	steps := map[string]func() error{
		"begin": func() error { w.begin(); return nil },
		"append": func() error {
			_, err := w.s.AppendMessage(ctx, w.message(session.ID, message))
			return err
		},
		"answer": func() error {
			m, err := w.s.StartAnswer(ctx, w.message(session.ID, message))
			if err == nil {
				err = w.s.SavePartialAnswer(ctx, m.ID, w.text("partial"), "")
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
			_, err := w.s.durable.ExecContext(ctx, `
				UPDATE messages
				SET content = CAST(content || 'x' AS BLOB)
				WHERE id = ?`, message)
			return err
		},
		"prompt":  func() error { return w.s.AddPrompt(ctx, session.ID, Draft{Text: w.text("prompt")}) },
		"fault":   func() error { return w.s.SetFault(ctx, message, w.text("fault")) },
		"draft":   func() error { return w.s.SaveDraft(ctx, session.ID, Draft{Text: w.text("draft")}) },
		"leaf":    func() error { return w.s.UpdateSession(ctx, session.ID, func(row *Session) { row.Leaf = message }) },
		"rename":  func() error { return window{Store: w.s}.Rename(ctx, session.ID, w.text("title"), "user") },
		"archive": func() error { return w.s.UpdateSession(ctx, session.ID, func(row *Session) { row.Archived = true }) },
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

// request returns a request with a plan for some of the messages.
func (w writer) request(session string, user int64, ids []int64) Request {
	plan := history.Plan{Sum: history.TokenSum{Total: 5}}
	for _, id := range ids {
		if e := (history.Entry{ID: id, Disposition: history.Dropped}); w.pick("has a verdict", 4) > 0 {
			e.Cause.Text = w.text("cause")
			plan.Entries = append(plan.Entries, e)
		}
	}
	r := anything[Request](w.T, rapid.Custom(func(*rapid.T) string { return w.text("text") }))
	r.Session, r.User, r.Plan, r.Purpose, r.End = session, user, &plan, PurposeAnswer, EndDone
	r.Turn = 0
	return r
}

// fill opens a history and changes it in random steps.
func fill(t *rapid.T) *writer {
	c := noon()
	s, err := Open(context.Background(), sqlite.InMemory, Options{Now: c.now})
	check(t, err)
	w := &writer{T: t, s: s, clock: c}
	for range rapid.IntRange(1, 15).Draw(t, "steps") {
		w.step()
	}
	return w
}

// fatal is a *testing.T or a *rapid.T.
type fatal interface{ Fatalf(string, ...any) }

func linesOf(t fatal, s *Store, session string) []Line {
	var lines []Line
	err := s.Dump(context.Background(), session, func(l Line) error {
		// Lines survive JSON encoding.
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

// digest returns all lines of a history as text.
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

// allIDs returns the ids of all sessions.
func allIDs(t fatal, s *Store) []string {
	return listOf[string](t, s, `SELECT id FROM sessions ORDER BY id`)
}

// Lines that are dumped from any history and applied to another give the same sessions there: in an empty history in
// any order, and in one with other sessions.
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

// applyTo applies lines twice; the second time must change nothing.
func applyTo(t *rapid.T, s *Store, lines []Line) {
	apply := func() ApplyResult {
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

// agree compares sessions of two stores by other methods than Dump.
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
			tells[i] = described(row, branch)
		}
		if tells[0] != tells[1] {
			t.Fatalf("session %s is\n%s, was\n%s", id, tells[1], tells[0])
		}
	}
}

// described returns a session and its active branch as text.
func described(row Session, branch []Message) string {
	out := fmt.Sprintf("%q %s leaf %d, pinned %v, archived %v, deleted %v, %d messages, %d turns, %q\n", row.Title,
		row.TitleFrom, row.Leaf, row.Pinned, row.Archived, !row.Deleted.IsZero(), row.Messages, row.Turns, row.Tags)
	for _, m := range branch {
		out += fmt.Sprintf("%d behind %d at %d: %s %s %q, %d calls, %d/%d\n", m.ID, m.Parent, m.Seq, m.Role, m.Status,
			m.Content, len(m.ToolCalls), m.Sibling, m.Siblings)
	}
	return out
}
