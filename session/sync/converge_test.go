package sync

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/store"
)

var soak = flag.Int("soak", 0, "let so many groups of machines sync")

func TestMain(m *testing.M) {
	flag.Parse()
	checks := "15"
	if *soak > 0 {
		checks = fmt.Sprint(*soak)
	}
	if os.Getenv("RAPID_CHECKS") == "" || *soak > 0 {
		flag.Set("rapid.checks", checks)
	}
	os.Exit(m.Run())
}

// world is several machines, what was said on them, and the program that carries files between their folders.
type world struct {
	*rapid.T
	root     string
	machines []*box
	sessions []string
	said     map[string]bool // every text
	gone     map[string]bool // texts that a machine had when it purged their session
	archives [][]store.Line
	texts    int
}

// box is one machine.
type box struct {
	w     *world
	n     int
	path  string // of the database
	dir   string // its copy of the folder
	s     *store.Store
	now   time.Time
	sent  map[string]string // hashes of the files carried to the others, by name
	inbox []delivery
	clean bool // nothing has happened since the last complete sync
	saved string
	whole string // a copy of the database and of the folder
}

// delivery is a file on its way to a machine, or the news that it was removed.
type delivery struct {
	name string
	file []byte // nil if it was removed
}

var errKilled = errors.New("killed")

func (w *world) must(doing string, err error) {
	w.Helper()
	if err != nil {
		w.Fatalf("%s: %v", doing, err)
	}
}

func (w *world) pick(name string, n int) int { return rapid.IntRange(0, n-1).Draw(w.T, name) }

// text returns a new unique text.
func (w *world) text() string {
	w.texts++
	text := fmt.Sprintf("said%dq", w.texts)
	w.said[text] = true
	return text
}

func (b *box) open() {
	s, err := store.Open(context.Background(), b.path,
		store.Options{Now: func() time.Time { b.now = b.now.Add(time.Millisecond); return b.now }})
	b.w.must("open", err)
	b.s = s
}

// session picks a session of the machine, with its messages.
func (b *box) session() (store.Session, []store.Message, bool) {
	ids, err := sessionIDs(context.Background(), b.s)
	b.w.must("list", err)
	if len(ids) == 0 {
		return store.Session{}, nil, false
	}
	id := ids[b.w.pick("session", len(ids))]
	row, err := b.s.Session(context.Background(), id)
	b.w.must("read the session", err)
	all, err := b.s.Messages(context.Background(), id)
	b.w.must("read the messages", err)
	return row, all, len(all) > 0 // the file with its messages may arrive later
}

// act does one thing on a machine.
func (b *box) act() {
	ctx, w := context.Background(), b.w
	b.clean = false
	row, all, any := b.session()
	if !any || w.pick("begin", 6) == 0 {
		id := fmt.Sprintf("%08x-0000-7000-8000-%012x", len(w.sessions)+1, b.n)
		w.sessions = append(w.sessions, id)
		text := w.text()
		_, _, err := b.s.BeginSession(ctx, store.Session{ID: id, Title: "begun", Model: "m", Tags: []string{"t"}, System: "s"},
			says(id, 0, history.User, text))
		w.must("begin", err)
		return
	}
	at := all[w.pick("message", len(all))]
	for at.Status == history.Streaming {
		at = all[0]
	}
	newest := all[len(all)-1]
	acts := map[string]func() error{
		"say": func() error {
			_, err := b.s.AppendMessage(ctx, says(row.ID, at.ID, history.User, w.text()))
			return err
		},
		"turn": func() error { return b.turn(row, newest) },
		"arriving": func() error {
			m := says(row.ID, at.ID, history.Assistant, "")
			_, err := b.s.StartAnswer(ctx, m)
			return err
		},
		"attach": func() error {
			m := says(row.ID, at.ID, history.User, w.text())
			m.Parts = []history.Part{
				{Kind: history.TextPart, Name: "a.txt", MediaType: "text/plain", Text: fmt.Sprint("file ",
					w.pick("file", 3))},
				{Kind: history.ImagePart, Name: "a.png", MediaType: "image/png", Data: []byte{0x89, byte(w.pick("image",
					3))}},
			}
			_, err := b.s.AppendMessage(ctx, m)
			return err
		},
		"branch": func() error { return b.s.UpdateSession(ctx, row.ID, func(row *store.Session) { row.Leaf = at.ID }) },
		"fork": func() error {
			fork, err := b.s.Fork(ctx, row.ID, at.ID)
			if err == nil {
				w.sessions = append(w.sessions, fork.ID)
			}
			return err
		},
		"pin": func() error {
			_, err := b.s.SetFlags(ctx, map[int64]history.Flag{at.ID: rapid.SampledFrom([]history.Flag{
				history.Pin,
				history.Exclude, "",
			}).Draw(w.T, "flag")})
			return err
		},
		"remedy": func() error {
			return b.s.SetRemedies(ctx, rapid.SampledFrom(history.Remedies()).Draw(w.T, "remedy"), at.ID)
		},
		"rename": func() error {
			title := fmt.Sprint("title ", w.pick("title", 5))
			return b.s.UpdateSession(ctx, row.ID, func(row *store.Session) { row.Title, row.TitleFrom = title, store.TitleUser })
		},
		"tag": func() error {
			return b.s.UpdateSession(ctx, row.ID, func(row *store.Session) {
				row.Tags = []string{fmt.Sprint("tag",
					w.pick("tag", 3)), "x"}
			})
		},
		"star": func() error {
			return b.s.UpdateSession(ctx, row.ID, func(row *store.Session) { row.Pinned = w.pick("pinned", 2) == 0 })
		},
		"archive": func() error {
			return b.s.UpdateSession(ctx, row.ID, func(row *store.Session) { row.Archived = w.pick("archived", 2) == 0 })
		},
		"system": func() error {
			return b.s.UpdateSession(ctx, row.ID, func(row *store.Session) {
				row.System, row.SystemFixed = fmt.Sprint("system ", w.pick("system", 3)), true
			})
		},
		"model": func() error {
			row.Model = fmt.Sprint("model ", w.pick("model", 3))
			return b.s.UpdateSession(ctx, row.ID, func(stored *store.Session) { stored.Model = row.Model })
		},
		"delete": func() error {
			return b.s.UpdateSession(ctx, row.ID, func(row *store.Session) { row.Deleted = b.now })
		},
		"restore": func() error {
			return b.s.UpdateSession(ctx, row.ID, func(row *store.Session) { row.Deleted = time.Time{} })
		},
		"summary": func() error {
			_, err := b.s.AddSummary(ctx, store.Summary{
				Session: row.ID, Sources: history.IDRanges{{all[0].ID, all[0].ID}},
				Messages: 1, Model: "m", Text: "in short",
			})
			return err
		},
		"export": func() error {
			var lines []store.Line
			err := b.s.Dump(ctx, row.ID, func(l store.Line) error {
				text, err := json.Marshal(l)
				var back store.Line
				if err == nil {
					err = json.Unmarshal(text, &back)
				}
				lines = append(lines, back)
				return err
			})
			w.archives = append(w.archives, lines)
			return err
		},
		"import": func() error {
			if len(w.archives) == 0 {
				return nil
			}
			lines := w.archives[w.pick("archive", len(w.archives))]
			_, err := b.s.Apply(ctx, rowsOf(lines))
			return err
		},
		"purge": func() error {
			if w.pick("purge", 3) > 0 || b.machine() == "" {
				return nil // before the first sync nobody is told: an archive brings the session back
			}
			for _, m := range all {
				w.gone[m.Content] = true
			}
			return b.s.Purge(ctx, row.ID)
		},
		"clock": func() error {
			b.now = b.now.Add(time.Duration(w.pick("hours", 48)-24) * time.Hour)
			return nil
		},
	}
	name := rapid.SampledFrom(slices.Sorted(maps.Keys(acts))).Draw(w.T, "act")
	w.must(name, acts[name]())
}

// rowsOf returns rows that are in memory.
func rowsOf(lines []store.Line) rowSource {
	return func(take func(store.Line) error) error {
		for _, l := range lines {
			if err := take(l); err != nil {
				return err
			}
		}
		return nil
	}
}

func says(session string, parent int64, role history.Role, text string) store.Message {
	return store.Message{Session: session, Parent: parent, Message: history.Message{Role: role, Content: text}}
}

// turn stores a question, the record of a request and an answer. The hash of the record depends on the messages it
// names.
func (b *box) turn(row store.Session, after store.Message) error {
	ctx, w := context.Background(), b.w
	if after.Status == history.Streaming {
		return nil
	}
	user, err := b.s.AppendMessage(ctx, says(row.ID, after.ID, history.User, w.text()))
	if err != nil {
		return err
	}
	ids, err := b.s.BranchIDs(ctx, row.ID, user.ID)
	if err != nil {
		return err
	}
	var entries []history.Entry
	for i, id := range ids {
		entries = append(entries, history.Entry{
			ID: id, Index: i, Role: history.User, Disposition: history.Kept,
			TokensAfter: i,
		})
	}
	plan := history.Plan{Entries: entries}
	options := fmt.Sprintf(`{"leaf":%d,"turn":[%d],"flags":{"%d":"pin"},"guessed":[[%d,%d]]}`,
		after.ID, user.ID, user.ID, ids[0], user.ID)
	hash, err := b.named(ids)
	if err != nil {
		return err
	}
	r, err := b.s.AddRequest(ctx, store.Request{
		Session: row.ID, Turn: 1, User: user.ID, Model: "m", Rules: 6,
		BodyHash: hash, Prompt: -1, Options: options, Plan: &plan,
	})
	if err != nil || w.pick("fails", 4) == 0 {
		return err
	}
	m := says(row.ID, user.ID, history.Assistant, "")
	m.Request = r.ID
	begun, err := b.s.StartAnswer(ctx, m)
	if err != nil || w.pick("stays", 4) == 0 {
		return err
	}
	begun.Content, begun.Status, begun.Request = w.text(), history.Complete, r.ID
	if _, err := b.s.FinishAnswer(ctx, begun, store.Request{}); err != nil {
		return err
	}
	r.End, r.Plan = store.EndDone, nil
	return b.s.UpdateRequest(ctx, r)
}

// named returns a hash of the content of messages.
func (b *box) named(ids []int64) (string, error) {
	all, err := b.s.MessagesByID(context.Background(), ids)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, m := range all {
		fmt.Fprintln(sum, m.Content)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// sync runs a sync, which may be killed at any step, and reports whether it did anything.
func (b *box) sync(kill bool, verify bool) bool {
	w := b.w
	left := -1
	if kill {
		left = w.pick("killed after", 6)
	}
	out, err := Run(context.Background(), b.s, Options{Dir: b.dir, Verify: verify, step: func() error {
		if left == 0 {
			return errKilled
		}
		left--
		return nil
	}})
	if err != nil && !errors.Is(err, errKilled) {
		w.Fatalf("machine %d syncs: %v", b.n, err)
	}
	b.clean = err == nil
	b.carry()
	return out.Received > 0 || out.Sent > 0 || len(out.Changed) > 0 || err != nil
}

// machine returns the name of the machine's folder.
func (b *box) machine() string {
	state, err := b.s.Sync().State(context.Background())
	b.w.must("read the state", err)
	return state.Folder
}

// carry puts new and removed files into the inboxes of the other machines.
func (b *box) carry() {
	machine := b.machine()
	if machine == "" {
		return
	}
	files, _ := filepath.Glob(filepath.Join(b.dir, machine, "*"))
	here := map[string]bool{}
	for _, path := range files {
		file, err := os.ReadFile(path)
		b.w.must("read the file", err)
		name, _ := filepath.Rel(b.dir, path)
		here[name] = true
		if sum := fmt.Sprintf("%x", sha256.Sum256(file)); b.sent[name] != sum {
			b.sent[name] = sum
			b.send(name, file)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.sent)) {
		if !here[name] {
			delete(b.sent, name)
			b.send(name, nil)
		}
	}
}

func (b *box) send(name string, file []byte) {
	for _, other := range b.w.machines {
		if other != b {
			other.inbox = append(other.inbox, delivery{name, file})
		}
	}
}

// deliver lets a file arrive: in any order, twice, half or damaged.
func (b *box) deliver() {
	w := b.w
	if len(b.inbox) == 0 {
		return
	}
	i := w.pick("delivery", len(b.inbox))
	d := b.inbox[i]
	// Versions of the same file arrive in order.
	for k := range i {
		if b.inbox[k].name == d.name {
			i, d = k, b.inbox[k]
			break
		}
	}
	how := w.pick("how", 6)
	if d.file == nil {
		how = 5
	}
	switch how {
	case 0: // half of it is there for now
		b.arrive(d.name, d.file[:len(d.file)/2])
		return
	case 1:
		b.arrive(strings.TrimSuffix(d.name, ".seg")+" (conflicted copy).seg", d.file)
		return
	case 2:
		bad := slices.Clone(d.file)
		bad[w.pick("byte", len(bad))] ^= 1
		b.arrive(d.name, bad)
		return
	case 3: // it is lost: its owner sends it again some time
		owner := slices.IndexFunc(w.machines, func(m *box) bool { return m.machine() == filepath.Dir(d.name) })
		if owner < 0 {
			return // it is of a machine that is another one since
		}
		w.machines[owner].sent[d.name] = "lost"
	default:
		b.arrive(d.name, d.file)
	}
	b.inbox = slices.Delete(b.inbox, i, i+1)
}

func (b *box) arrive(name string, file []byte) {
	path := filepath.Join(b.dir, name)
	if file == nil {
		os.Remove(path)
		return
	}
	b.w.must("make the folder", os.MkdirAll(filepath.Dir(path), 0o700))
	b.w.must("write the file", os.WriteFile(path, file, 0o600))
}

// damage damages or removes a file of this machine.
func (b *box) damage() {
	machine := b.machine()
	files, _ := filepath.Glob(filepath.Join(b.dir, machine, "*"))
	if machine == "" || len(files) == 0 {
		return
	}
	path := files[b.w.pick("file", len(files))]
	if b.w.pick("gone", 2) == 0 {
		os.Remove(path)
		return
	}
	file, err := os.ReadFile(path)
	b.w.must("read the file", err)
	file[len(file)/2] ^= 1
	b.w.must("damage the file", os.WriteFile(path, file, 0o600))
}

// backup copies the database, or restores the copy if everything since is in segments.
func (b *box) backup() {
	saved := b.path + ".saved"
	if b.saved == "" && b.machine() == "" {
		return // it would not know afterwards which segments it has written
	}
	if b.saved == "" {
		b.w.must("back up", b.s.Backup(context.Background(), saved))
		b.saved = saved
		return
	}
	if !b.clean {
		return
	}
	b.sync(false, true) // nobody restores a history and loses its segments at once
	b.w.must("close", b.s.Close())
	for _, suffix := range []string{"", "-wal", "-shm"} {
		os.Remove(b.path + suffix)
	}
	b.w.must("restore", os.Rename(saved, b.path))
	b.saved = ""
	b.open()
	b.sync(false, false) // nor damages one before the next sync
}

// snapshot copies the database and the folder, or restores both if another machine has merged everything since. To the
// program that carries files, those that are gone were removed.
func (b *box) snapshot() {
	home := filepath.Dir(b.path)
	if b.whole == "" {
		if b.machine() == "" {
			return
		}
		b.whole = filepath.Join(b.w.root, fmt.Sprint("snapshot", b.n))
		b.w.must("make the folder", os.MkdirAll(b.whole, 0o700))
		b.w.must("back up", b.s.Backup(context.Background(), filepath.Join(b.whole, "winnow.db")))
		b.w.must("copy the folder", os.CopyFS(filepath.Join(b.whole, "shared"), os.DirFS(b.dir)))
		return
	}
	if !b.clean || !b.known() {
		return
	}
	b.w.must("close", b.s.Close())
	b.w.must("remove", os.RemoveAll(home))
	b.w.must("remove", os.RemoveAll(b.dir))
	b.w.must("make the folder", os.MkdirAll(home, 0o700))
	b.w.must("restore", os.Rename(filepath.Join(b.whole, "winnow.db"), b.path))
	b.w.must("restore the folder", os.Rename(filepath.Join(b.whole, "shared"), b.dir))
	b.w.must("remove", os.RemoveAll(b.whole))
	b.whole, b.saved = "", ""
	b.open()
	b.carry()
	b.askAgain()
}

// known reports whether another machine has merged all segments of this one.
func (b *box) known() bool {
	own, err := b.s.Sync().State(context.Background())
	b.w.must("read the state", err)
	for _, other := range b.w.machines {
		if other == b {
			continue
		}
		there, err := other.s.Sync().State(context.Background())
		b.w.must("read the state", err)
		merged := map[string]bool{}
		for _, s := range there.Segments {
			merged[s.Name] = true
		}
		if !slices.ContainsFunc(own.Segments, func(s store.Segment) bool {
			return s.Machine == own.Folder && !s.Replaced &&
				!merged[s.Name]
		}) {
			return true
		}
	}
	return false
}

// askAgain has the other machines send their files again.
func (b *box) askAgain() {
	for _, other := range b.w.machines {
		if other != b {
			for name := range other.sent {
				other.sent[name] = "lost"
			}
			other.carry()
		}
	}
}

// drop removes the folder of a machine.
func (b *box) drop() {
	b.w.must("remove", os.RemoveAll(b.dir))
	b.w.must("make the folder", os.MkdirAll(b.dir, 0o700))
	b.carry()
	b.askAgain()
}

// plant lets a segment of an unknown program arrive everywhere, with rows that were exported before.
func (w *world) plant() {
	if len(w.archives) == 0 {
		return
	}
	lines := w.archives[w.pick("archive", len(w.archives))]
	h := head{
		Folder: stranger, Host: "stranger", Number: int64(w.pick("number", 3)),
		Created: time.Now().Add(-2 * inactiveAfter).UnixMilli(), // nobody will write it anew
	}
	dir := filepath.Join(w.root, "planted")
	s, err := writeSegment(dir, h, nil, rowsOf(lines))
	w.must("write a segment", err)
	file, err := os.ReadFile(filepath.Join(dir, stranger, s.Name))
	w.must("read the segment", err)
	for _, b := range w.machines {
		b.inbox = append(b.inbox, delivery{filepath.Join(stranger, s.Name), file})
	}
}

func TestMachinesConverge(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		root, err := os.MkdirTemp("", "sync")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(root)
		w := &world{T: t, root: root, said: map[string]bool{}, gone: map[string]bool{"": true}}
		for i := range rapid.IntRange(2, 5).Draw(t, "machines") {
			b := &box{
				w: w, n: i, path: filepath.Join(root, fmt.Sprint(i), "winnow", "winnow.db"),
				dir: filepath.Join(root, fmt.Sprint(i), "shared"), now: time.Date(2026, 11, 21, 12+i, 0, 0, 0,
					time.UTC), sent: map[string]string{},
			}
			w.must("make the folder", os.MkdirAll(b.dir, 0o700))
			b.open()
			defer func() { b.s.Close() }()
			w.machines = append(w.machines, b)
		}
		for range rapid.IntRange(5, 60).Draw(t, "steps") {
			b := w.machines[w.pick("machine", len(w.machines))]
			switch w.pick("step", 15) {
			case 0, 1:
				b.sync(false, false)
			case 2:
				b.sync(true, false)
			case 3, 4, 5:
				b.deliver()
			case 6:
				b.damage()
			case 7:
				b.backup()
			case 8:
				b.snapshot()
			case 9:
				if w.pick("drop", 3) == 0 {
					b.drop()
				}
			case 10:
				w.plant()
			default:
				b.act()
			}
		}
		w.settle()
		w.check()
	})
}

// settle lets all files arrive and all machines sync until nothing changes.
func (w *world) settle() {
	// Two days later, answers that were streaming count as interrupted, and no request as running.
	latest := w.machines[0].now
	for _, b := range w.machines {
		if b.now.After(latest) {
			latest = b.now
		}
	}
	for _, b := range w.machines {
		w.must("close", b.s.Close())
		b.now = latest.Add(48 * time.Hour)
		b.open()
	}
	for range 30 {
		moved := false
		for _, b := range w.machines {
			for _, d := range b.inbox {
				b.arrive(d.name, d.file)
				moved = true
			}
			b.inbox = nil
			moved = b.sync(false, true) || moved
		}
		if !moved && !slices.ContainsFunc(w.machines, func(b *box) bool { return len(b.inbox) > 0 }) {
			return
		}
	}
	var why []string
	for _, b := range w.machines {
		out, err := Run(context.Background(), b.s, Options{Dir: b.dir})
		why = append(why, fmt.Sprintf("%d: %+v %v", b.n, out, err))
	}
	w.Fatalf("the machines do not come to rest:\n%s", strings.Join(why, "\n"))
}

func (w *world) check() {
	first := w.machines[0].describe()
	for _, b := range w.machines[1:] {
		if got := b.describe(); got != first {
			w.Fatalf("machine %d has\n%s\nand machine 0\n%s", b.n, got, first)
		}
	}
	for _, text := range slices.Sorted(maps.Keys(w.said)) {
		if !w.gone[text] && !strings.Contains(first, text) {
			w.Fatalf("%q is lost:\n%s", text, first)
		}
	}
	var gone []string // texts that no session has
	for text := range w.gone {
		if text != "" && !strings.Contains(first, text) {
			gone = append(gone, text)
		}
	}
	for _, b := range w.machines {
		machine := b.machine()
		w.must("finish the purge", b.s.FinishPurge(context.Background())) // as the next start does
		w.must("close", b.s.Close())
		err := filepath.WalkDir(filepath.Dir(filepath.Dir(b.path)), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || strings.HasSuffix(path, ".saved") || strings.Contains(path, "conflicted") {
				return err
			}
			file, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if strings.HasSuffix(path, ".seg") {
				s, err := openSegment(path)
				if err != nil {
					return fmt.Errorf("%s of machine %d, which is %s: %w", path, b.n, machine, err)
				}
				defer s.Close()
				_, err = readSegment(s, nil, func(l store.Line) error {
					text, err := json.Marshal(l)
					file = append(file, text...)
					return err
				})
				if err != nil {
					return err
				}
			}
			for _, text := range gone {
				if strings.Contains(string(file), text) {
					at := strings.Index(string(file), text)
					return fmt.Errorf("%s holds %q, which was purged; machine %d is %s: %q", path, text, b.n, machine,
						file[max(0, at-400):min(len(file), at+200)])
				}
			}
			return nil
		})
		w.must("look for purged texts", err)
		b.open()
	}
}

func has(runs history.IDRanges, id int64) bool {
	return slices.ContainsFunc(runs, func(run [2]int64) bool { return run[0] <= id && id <= run[1] })
}

// describe returns everything that a machine has of its sessions.
func (b *box) describe() string {
	ctx, w := context.Background(), b.w
	var out strings.Builder
	ids, err := sessionIDs(ctx, b.s)
	w.must("list", err)
	for _, id := range ids {
		row, err := b.s.Session(ctx, id)
		w.must("read the session", err)
		all, err := b.s.Messages(ctx, id)
		w.must("read the messages", err)
		decided, err := b.s.UserDecisions(ctx, id)
		w.must("read the flags", err)
		flags, remedies := decided.Flags, decided.Remedies
		path := map[int64]string{0: ""}
		var lines []string
		for _, m := range all {
			if m.Damaged {
				w.Fatalf("message %d of machine %d is damaged", m.ID, b.n)
			}
			var parts []string
			for _, p := range m.Parts {
				parts = append(parts, p.Name+p.Text)
			}
			path[m.ID] = fmt.Sprintf("%s/%d:%s:%s:%s:%d%v", path[m.Parent], m.ID, m.Role, m.Content, m.Status,
				m.CreatedMS, parts)
			lines = append(lines, fmt.Sprintf("%s %s %s request=%t", path[m.ID], flags[m.ID], remedies[m.ID],
				m.Request != 0))
		}
		requests, err := b.s.Requests(ctx, id, store.RequestFilter{})
		w.must("read the requests", err)
		for _, r := range requests {
			plan, err := b.s.Verdicts(ctx, r.ID)
			w.must("read the plan", err)
			var named []int64
			for _, e := range plan.Entries {
				named = append(named, e.ID)
			}
			hash, err := b.named(named)
			w.must("read the messages", err)
			if hash != r.BodyHash {
				w.Fatalf("machine %d: request %d of %s names other messages", b.n, r.ID, id)
			}
			var options struct {
				Leaf    int64
				Turn    []int64
				Guessed history.IDRanges
			}
			w.must("read the options", json.Unmarshal([]byte(r.Options), &options))
			if len(options.Turn) != 1 || options.Turn[0] != r.User || len(named) > 1 &&
				options.Leaf != named[len(named)-2] || !has(options.Guessed, named[0]) || !has(options.Guessed,
				r.User) {
				w.Fatalf("machine %d: request %d of %s was decided by others: %s, names %v", b.n, r.ID, id, r.Options,
					named)
			}
			lines = append(lines, fmt.Sprintf("request %d %s %s end=%q", r.ID, path[r.User], r.Model, r.End))
		}
		summaries, err := b.s.Summaries(ctx, id)
		w.must("read the summaries", err)
		for _, s := range summaries {
			lines = append(lines, fmt.Sprintf("summary %s of %s", s.Text, path[s.Sources[0][0]]))
		}
		slices.Sort(lines)
		tags := slices.Sorted(slices.Values(row.Tags))
		fmt.Fprintf(&out, "session %s %q %s pinned=%t archived=%t deleted=%t model=%s system=%s tags=%v",
			id, row.Title, row.TitleFrom, row.Pinned, row.Archived, !row.Deleted.IsZero(), row.Model, row.System, tags)
		fmt.Fprintf(&out, " messages=%d turns=%d parent=%s leaf=%s\n\t%s\n",
			row.Messages, row.Turns, row.Parent, path[row.Leaf], strings.Join(lines, "\n\t"))
	}
	return out.String()
}

// sessionIDs returns the sorted ids of all sessions.
func sessionIDs(ctx context.Context, s *store.Store) (ids []string, err error) {
	all, err := s.Sessions(ctx, store.SessionFilter{All: true})
	for _, row := range all {
		ids = append(ids, row.ID)
	}
	slices.Sort(ids)
	return ids, err
}
