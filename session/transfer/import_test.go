package transfer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"winnow/history"
	"winnow/session/store"
)

// written is when the files of these tests were written.
var written = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func newStoreAt(t testing.TB) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "winnow.db"), store.Options{})
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// importText imports a file and returns the reports.
func importText(t testing.TB, s *store.Store, file string) []Imported {
	t.Helper()
	all, err := importFrom(t, s, Source{File: strings.NewReader(file), Time: written})
	if err != nil {
		t.Fatalf("import %s: %v", file, err)
	}
	return all
}

// exportOf returns conversations as a ChatGPT export. Each argument is a name followed by messages, as in
// "name|id<parent: text"; messages whose id begins with q are the user's.
func exportOf(conversations ...string) string {
	var all []string
	for _, c := range conversations {
		var nodes []string
		last := ""
		parts := strings.Split(c, "|")
		for i, m := range parts[1:] {
			head, text, _ := strings.Cut(m, ": ")
			label, parent, _ := strings.Cut(head, "<")
			role := "assistant"
			if label[0] == 'q' {
				role = "user"
			}
			const node = `%q:{"id":%[1]q,"parent":%q,"message":{"id":%[1]q,"author":{"role":%[3]q},` +
				`"create_time":%[4]d,"content":{"content_type":"text","parts":[%[5]q]}}}`
			nodes = append(nodes, fmt.Sprintf(node, label, parent, role, i+1, text))
			last = label
		}
		const one = `{"title":%q,"conversation_id":%[1]q,"current_node":%q,"mapping":{%s}}`
		all = append(all, fmt.Sprintf(one, parts[0], last, strings.Join(nodes, ",")))
	}
	return "[" + strings.Join(all, ",\n") + "]"
}

func TestImportTakesEveryConversation(t *testing.T) {
	s := newStoreAt(t)
	all := importText(t, s, exportOf("rain|q1: Will it rain?|a1<q1: No.", "none", "lines|q1: How many?"))
	if len(all) != 3 || !all[0].New || all[0].Added != 2 || all[1].New || len(all[1].Warnings) != 1 ||
		all[2].Place != 3 {
		t.Fatalf("reported is %+v", all)
	}
	row := all[0].Session
	branch, err := s.Branch(context.Background(), row.Leaf, 0)
	if err != nil || len(branch) != 2 || branch[1].Content != "No." || branch[1].Status != history.Imported ||
		branch[1].Label != "a1" {
		t.Errorf("the branch is %+v, %v", branch, err)
	}
	if row.Title != "rain" || row.Source != "chatgpt" || row.Origin != "rain" ||
		row.Created.UnixMilli() != 1000 || row.Updated.UnixMilli() != 2000 {
		t.Errorf("the session is %+v", row)
	}
	hits, err := s.Search(context.Background(), store.SearchQuery{Text: "rain"})
	if err != nil || len(hits) != 1 || hits[0].Session.ID != row.ID {
		t.Errorf("the search finds %+v, %v", hits, err)
	}
}

// A message without a time gets the time of the message before it, the first one that of its conversation.
func TestImportGivesMessagesTheTimesThatTheyLack(t *testing.T) {
	s := newStoreAt(t)
	im := importText(t, s, `[{"conversation_id":"c","create_time":100,"current_node":"c","mapping":{
		"a":{"message":{"id":"a","author":{"role":"user"},"content":{"content_type":"text","parts":["Who?"]}}},
		"b":{"parent":"a","message":{"id":"b","create_time":200,"author":{"role":"assistant"},
			"content":{"content_type":"text","parts":["I."]}}},
		"c":{"parent":"b","message":{"id":"c","author":{"role":"user"},
			"content":{"content_type":"text","parts":["Why?"]}}}}}]`)[0]
	branch, err := s.Branch(t.Context(), im.Session.Leaf, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{100_000, 200_000, 200_000} {
		if got := branch[i].CreatedMS; got != want {
			t.Errorf("message %d has the time %d, want %d", i, got, want)
		}
	}
}

func TestImportThatIsStoppedKeepsWhatIsDone(t *testing.T) {
	s := newStoreAt(t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	n := 0
	from := Source{File: strings.NewReader(exportOf("a|q1: hi", "b|q1: hi", "c|q1: hi")), Time: written}
	err := Import(ctx, s, from, func(Imported) {
		if n++; n == 2 {
			stop()
		}
	})
	all, listed := s.Sessions(context.Background(), store.SessionFilter{})
	if !errors.Is(err, context.Canceled) || n != 2 || len(all) != 2 || listed != nil {
		t.Errorf("stopped behind the second: %v, %d reported, %d stored (%v)", err, n, len(all), listed)
	}
}

func TestImportRecognisesTheFile(t *testing.T) {
	own := newStoreAt(t)
	archive := exported(t, own, importText(t, own, exportOf("a|q1: hi"))[0].Session.ID, ExportOptions{Format: JSON})
	for name, c := range map[string]struct {
		file string
		new  int
		err  error
	}{
		"messages":             {file: `[{"role":"user","content":"hi"}]`, new: 1},
		"one conversation":     {file: strings.Trim(exportOf("a|q1: hi"), "[]"), new: 1},
		"winnow's own":         {file: archive, new: 1},
		"no messages":          {file: exportOf("a"), err: ErrNoMessage},
		"a database of others": {file: "SQLite format 3\x00 and no more", err: errAny},
		"an archive of others": {file: "PK\x03\x04 and no more", err: errAny},
	} {
		s := newStoreAt(t)
		got := 0
		from := Source{File: strings.NewReader(c.file), Time: written}
		err := Import(context.Background(), s, from, func(im Imported) {
			if im.New && im.Added == 1 && im.Session.Messages == 1 {
				got++
			}
		})
		if got != c.new || !errors.Is(err, c.err) && !(c.err == errAny && err != nil) {
			t.Errorf("%s: %d new, %v; want %d, %v", name, got, err, c.new, c.err)
		}
	}
	broken := errors.New("the disk broke")
	err := Import(context.Background(), newStoreAt(t), Source{File: unreadable{broken}}, func(Imported) {})
	if !errors.Is(err, broken) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

var errAny = errors.New("any error")

type unreadable struct{ err error }

func (u unreadable) ReadAt([]byte, int64) (int, error) { return 0, u.err }
func (u unreadable) Seek(int64, int) (int64, error)    { return 0, nil }

// Two conversations with the same words are the same one if their times are equal or missing.
func TestTimesTellConversationsApart(t *testing.T) {
	t.Parallel()
	s := newStoreAt(t)
	said := func(at string) string {
		return `[{"role":"user","content":"hi"` + at + `},{"role":"assistant","content":"ho"}]`
	}
	for _, c := range []struct {
		file  string
		later time.Duration
		new   bool
	}{
		{said(`,"timestamp":1761744601`), 0, true},
		{said(`,"timestamp":1761744601`), time.Hour, false},
		{said(`,"timestamp":1761748201`), 0, true},
		{said(``), 0, true},
		{said(``), time.Hour, false}, // the file's own time does not count
	} {
		from := Source{File: strings.NewReader(c.file), Time: written.Add(c.later)}
		all, err := importFrom(t, s, from)
		if err != nil || len(all) != 1 || all[0].New != c.new || all[0].Again == c.new {
			t.Errorf("%s is imported as %+v, %v; want it new: %v", c.file, all, err, c.new)
		}
	}
}

const (
	// catConversations is an export without its image, catImage.
	catImage         = "GIF89a\x01\x00\x01\x00\x00\x00\x00;"
	catConversations = `[{"title":"Cat","conversation_id":"c","mapping":{
		"q":{"children":["a"],"message":{"id":"q","create_time":1,"author":{"role":"user"},"content":{
			"content_type":"multimodal_text",
			"parts":[{"content_type":"image_asset_pointer","asset_pointer":"file-service://file-Cat"},"look"]}}},
		"a":{"parent":"q","message":{"id":"a","create_time":2,"author":{"role":"assistant"},"content":{
			"content_type":"text","parts":["A cat."]}}}}}]`
)

// An archive adds its images to a conversation that was imported without them, unless a request was sent since.
func TestArchiveAddsItsImages(t *testing.T) {
	t.Parallel()
	archive := zipOf(t,
		txtar.File{Name: "export/conversations.json", Data: []byte(catConversations)},
		txtar.File{Name: "export/file-Cat-1.gif", Data: []byte(catImage)},
	)
	for _, sent := range []bool{false, true} {
		s := newStoreAt(t)
		first := importText(t, s, catConversations)[0]
		if sent {
			if _, err := s.AddRequest(t.Context(), store.Request{Session: first.Session.ID}); err != nil {
				t.Fatal(err)
			}
		}
		all := importText(t, s, string(archive))
		branch, err := s.Branch(t.Context(), all[0].Session.Leaf, 0)
		if err != nil || len(all) != 1 || len(branch) != 2 || all[0].Added != 0 || branch[0].Damaged ||
			len(branch[0].Parts) != 1 {
			t.Fatalf("reported is %+v, the branch is %+v, %v", all, branch, err)
		}
		if got := string(branch[0].Parts[0].Data) == catImage; got == sent {
			t.Errorf("the image is there: %v, after a request: %v; reported is %+v", got, sent, all)
		}
		again := importText(t, s, string(archive))
		if again[0].Again != !sent && again[0].Added != 0 || !sent && len(again[0].Warnings) > 0 {
			t.Errorf("the archive again is reported as %+v", again)
		}
	}
}

// The database of a running program has rows only in its write-ahead log, and its path may be relative.
func TestDatabaseInUseIsRead(t *testing.T) {
	t.Chdir(t.TempDir())
	db, err := sql.Open("sqlite3", "crush.db?_journal_mode=WAL")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.Exec(`
		CREATE TABLE sessions (id TEXT, parent_session_id TEXT, title TEXT, created_at INTEGER, updated_at INTEGER);
		CREATE TABLE messages (id TEXT, session_id TEXT, role TEXT, parts TEXT, model TEXT, created_at INTEGER);
		INSERT INTO sessions VALUES ('s', NULL, 'Hello', 1760000000, 1760000000);
		INSERT INTO messages VALUES ('m', 's', 'user', '[{"type":"text","data":{"text":"hi"}}]', NULL, 1760000000)`)
	if err != nil {
		t.Fatal(err)
	}
	from := Source{File: strings.NewReader("SQLite format 3\x00"), Path: "crush.db", Time: written}
	all, err := importFrom(t, newStoreAt(t), from)
	if err != nil || len(all) != 1 || all[0].Added != 1 {
		t.Errorf("the import reports %+v, %v", all, err)
	}
}
