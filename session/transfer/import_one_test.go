package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"text/template"
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

func preset(t testing.TB, name string) history.Policy {
	t.Helper()
	p, err := history.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestImportFixtures imports the file of each fixture and compares what is stored, what is said and
// what a request would hold of it. The file is a template: repeat writes a text several times, upTo
// counts.
func TestImportFixtures(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "import", "*.txtar"))
	if err != nil || len(paths) < 14 {
		t.Fatalf("%d fixtures, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil || len(archive.Files) != 2 {
				t.Fatalf("a fixture is a file and what is wanted of it: %v", err)
			}
			name := "balanced"
			for line := range strings.Lines(string(archive.Comment)) {
				if rest, ok := strings.CutPrefix(line, "preset "); ok {
					name = strings.TrimSpace(rest)
				}
			}
			got := outcome(t, filled(t, string(archive.Files[0].Data)), preset(t, name))
			if want := string(archive.Files[1].Data); got != want {
				t.Errorf("importing %s gives\n%swant\n%s", archive.Files[0].Name, got, want)
			}
		})
	}
}

func filled(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	page, err := template.New("file").Funcs(template.FuncMap{
		"repeat": strings.Repeat,
		"upTo": func(n int) (all []int) {
			for i := range n {
				all = append(all, i+1)
			}
			return all
		},
	}).Parse(text)
	if err == nil {
		err = page.Execute(&b, nil)
	}
	if err != nil {
		t.Fatalf("fill the fixture's file: %v", err)
	}
	return b.String()
}

// outcome imports a file and tells what became of it.
func outcome(t *testing.T, file string, p history.Policy) string {
	t.Helper()
	var b strings.Builder
	s := newStoreAt(t)
	im, err := importOne(context.Background(), s, Source{File: strings.NewReader(file), Time: written, Policy: p})
	if err != nil {
		fmt.Fprintf(&b, "nothing is imported: %v\n", err)
	}
	for _, r := range im.Errors {
		fmt.Fprintf(&b, "error: %s\n", r)
	}
	for _, r := range im.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", r)
	}
	if err != nil {
		return b.String()
	}
	branch, err := s.Branch(context.Background(), im.Session.ID, im.Session.Leaf, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var past []history.Message
	for _, m := range branch {
		past = append(past, m.Message)
	}
	plan, err := history.Build(past, history.Options{Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "%q, %d messages, %d turns\n", im.Session.Title, im.Session.Messages, im.Session.Turns)
	count := map[history.Disposition]int{}
	for i, m := range past {
		e := plan.Entries[i]
		count[e.Disposition]++
		if len(past) > 8 {
			continue
		}
		said := m.Content
		if r := []rune(said); len(r) > 30 {
			said = fmt.Sprintf("%s… of %d", string(r[:20]), len(r))
		}
		fmt.Fprintf(&b, "%s %s [%s] %s %q: %s, %d of %d characters\n", time.UnixMilli(m.CreatedMS).UTC().Format("2006-01-02 15:04:05"), m.Role, m.Label, m.Status, said, e.Disposition, e.CharsAfter, e.CharsBefore)
	}
	for _, d := range []history.Disposition{history.Kept, history.Cut, history.Recalled, history.Dropped, history.Blank, history.Isolated} {
		if len(past) > 8 && count[d] > 0 {
			fmt.Fprintf(&b, "%s: %d\n", d, count[d])
		}
	}
	return b.String()
}

func TestImportTakesItsTitleFromWhereThereIsOne(t *testing.T) {
	const said = `{"role":"system","content":"Be brief."},{"role":"assistant","content":"Hello"},{"role":"user","content":" "},{"role":"user","content":"# Will it rain? I hope not."}`
	for _, c := range []struct{ file, title, want, from string }{
		{`{"title":"Weather","messages":[` + said + `]}`, "Mine", "Mine", "user"},
		{`{"messages":[` + said + `],"title":" Weather "}`, "", "Weather", "user"},
		{`{"messages":[` + said + `],"title":"The\n \u001b]0;x\u0007 weather"}`, " ", "The ]0;x weather", "user"},
		{`{"title":"","messages":[` + said + `]}`, "", "Will it rain? I hope not", "auto"},
		{`[{"role":"assistant","content":"Hello"}]`, "", "Untitled", "auto"},
	} {
		im, err := importOne(context.Background(), newStoreAt(t), Source{File: strings.NewReader(c.file), Title: c.title, Time: written, Policy: preset(t, "balanced")})
		if err != nil || im.Session.Title != c.want || im.Session.TitleFrom != store.TitleSource(c.from) {
			t.Errorf("%s with --title %q is titled %q by %q (%v), want %q by %q", c.file, c.title, im.Session.Title, im.Session.TitleFrom, err, c.want, c.from)
		}
	}
}

func TestImportKeepsWhatTheFileSaysOfTheConversation(t *testing.T) {
	s := newStoreAt(t)
	file := `{"messages":[{"role":"user","content":"hi","timestamp":1761744600},{"role":"assistant","content":"ho"}],"system":"Be kind.","model":"m-1","x":1}`
	im, err := importOne(context.Background(), s, Source{File: strings.NewReader(file), Dir: "/home/kim", Time: written, Policy: preset(t, "recent")})
	if err != nil {
		t.Fatal(err)
	}
	got := im.Session
	if got.System != "Be kind." || got.Dir != "/home/kim" || got.Preset != "" || !got.Created.Equal(time.Unix(1761744600, 0)) {
		t.Errorf("the session is %+v", got)
	}
	if len(im.Warnings) != 2 || im.Warnings[1].String() != "other data in the file is ignored: x" {
		t.Errorf("the warnings are %v", im.Warnings)
	}
	m, err := s.Message(context.Background(), got.Leaf)
	if err != nil || m.Model != "m-1" || m.CreatedMS != 1761744600_000 {
		t.Errorf("the answer is of %q at %d (%v)", m.Model, m.CreatedMS, err)
	}
	again, err := importOne(context.Background(), s, Source{File: strings.NewReader(file), Time: written.Add(time.Hour), Policy: preset(t, "recent")})
	if err != nil || !again.Again || again.Session.ID != got.ID {
		t.Errorf("the same again: %+v, %v; want it to be there as %s", again, err, got.ID)
	}
}

// stopping is a file that ends the import's context in its middle.
type stopping struct {
	io.ReadSeeker
	stop context.CancelFunc
	left int
}

func (s *stopping) Read(b []byte) (int, error) {
	if s.left--; s.left == 0 {
		s.stop()
	}
	return s.ReadSeeker.Read(b[:min(len(b), 1000)])
}

func TestImportThatIsStoppedLeavesNothing(t *testing.T) {
	s := newStoreAt(t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	file := strings.Repeat(`{"role":"user","content":"hi"}`+"\n", 1000)
	_, err := importOne(ctx, s, Source{File: &stopping{strings.NewReader(file), stop, 15}, Time: written, Policy: preset(t, "balanced")})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped import ends with %v", err)
	}
	if all, err := s.Sessions(context.Background(), store.Filter{}); err != nil || len(all) != 0 {
		t.Errorf("a stopped import leaves %v, %v", all, err)
	}
}

func TestImportSaysThatAMessageIsLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.json")
	text := `[{"role":"user","content":"` + strings.Repeat("x", largeMessage) + `","timestamp":1761744601},{"role":"user","content":"hi","timestamp":1761744602}]`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := newStoreAt(t)
	im, err := importOne(context.Background(), s, Source{File: f, Time: written, Policy: preset(t, "balanced")})
	if err != nil || im.Session.Messages != 2 {
		t.Fatalf("%d messages are imported, %v", im.Session.Messages, err)
	}
	want := []string{
		"message 1 (line 1): is 16 MiB large; requests with it will be slow",
		"message 1 (line 1): content is 16777216 characters long; it may be sent shortened",
	}
	var got []string
	for _, r := range im.Warnings {
		got = append(got, r.String())
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the warnings are %q, want %q", got, want)
	}
}

// jsonOf writes any bytes as a JSON string without changing one that need not be escaped.
func jsonOf(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		case c < ' ':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}
