package watch

import (
	"bytes"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"winnow/llm/pricing"
	"winnow/llm/watch"
	"winnow/session/store"
	"winnow/session/store/sqlite"
)

// newPath returns the path of a file that does not exist yet.
func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "watch.db") }

// options has simple token counts and no prices.
var options = Options{
	Count:  func(text string) int { return len(text) / 4 },
	Prices: func(_, _ string) pricing.Prices { return pricing.Prices{} },
}

// open opens a store at a path. If that fails, requests are lost, and a test that looks for them fails.
func open(t testing.TB, path string) *Store {
	t.Helper()
	s, _ := Open(t.Context(), path, options)
	t.Cleanup(func() { s.Close() })
	return s
}

// exchange returns an exchange of the Messages API whose user messages have these texts.
func exchange(id int64, texts ...string) watch.Exchange {
	var messages []string
	for _, text := range texts {
		messages = append(messages, fmt.Sprintf(`{"role":"user","content":%q}`, text))
	}
	const body = `{"model":"claude-x","system":"Be brief.","messages":[%s]}`
	return watch.Exchange{
		ID: id, Client: "claude", Upstream: "anthropic", Method: "POST", Path: "/v1/messages",
		Thread: "t", At: time.Now().UTC(), Status: 200, AnswerType: "application/json",
		Body:   fmt.Appendf(nil, body, strings.Join(messages, `,{"role":"assistant","content":"ok"},`)),
		Answer: []byte(`{"id":"msg","content":[{"type":"text","text":"Certainly."}],"stop_reason":"end_turn"}`),
	}
}

// record records whole exchanges, one after the other.
func record(s *Store, all ...watch.Exchange) {
	for _, e := range all {
		s.Sent(e)
		s.Answered(e)
		settle(s)
	}
}

// settle waits until nothing waits to be recorded.
func settle(s *Store) {
	for s.bytes.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
}

// ok ends a test that cannot go on.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// listed returns the recorded requests, and fails unless there are n.
func listed(t testing.TB, s *Store, n int) []Request {
	t.Helper()
	all, err := s.Requests(t.Context())
	if err != nil || len(all) != n {
		t.Fatalf("%d requests are listed (%v), want %d", len(all), err, n)
	}
	return all
}

// noise returns a text that cannot be compressed well.
func noise(n int) string {
	b := make([]byte, n/2)
	_, _ = rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	return fmt.Sprintf("%x", b)
}

func TestGrowingRequestsCostTheirGrowthAlone(t *testing.T) {
	t.Parallel()
	n := 280
	if testing.Short() {
		n = 60
	}
	path := newPath(t)
	s := open(t, path)
	var texts []string
	for range 110 {
		texts = append(texts, noise(4000+len(texts)))
	}
	var sent [][]byte
	for i := range n {
		texts = append(texts, noise(100+i))
		e := exchange(int64(i), texts...)
		e.Body = append(bytes.TrimSuffix(e.Body, []byte("}]}")), `,"cache_control":{}}]}`...) // moves each time
		sent = append(sent, e.Body)
		record(s, e)
	}
	size := sqlite.FileSize(path) + sqlite.FileSize(path+"-wal")
	if size > 15<<20 {
		t.Errorf("%d requests of %d bytes take %d bytes", n, len(sent[0]), size)
	}
	begun := time.Now()
	viewer := open(t, path)
	all := listed(t, viewer, n)
	t.Logf("%d requests take %d bytes and are listed within %v", n, size, time.Since(begun))
	for i, r := range all {
		if raw, err := viewer.Raw(t.Context(), r.ID); err != nil || !bytes.Equal(raw, sent[i]) {
			t.Fatalf("request %d is not as it was sent: %v", r.ID, err)
		}
	}
}

// Whatever a client sends, and in whatever encoding, its bytes and those of the answer come back.
func TestBytesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	pack, _ := zstd.NewWriter(nil)
	id := int64(0)
	rapid.Check(t, func(rt *rapid.T) {
		id++
		e := exchange(id, rapid.SliceOf(rapid.String()).Draw(rt, "texts")...)
		switch rapid.IntRange(0, 3).Draw(rt, "form") {
		case 1:
			e.Body, e.Encoding = pack.EncodeAll(e.Body, nil), "zstd"
		case 2:
			e.Body = rapid.SliceOf(rapid.Byte()).Draw(rt, "body")
		case 3:
			e.Method, e.Path, e.Body = "GET", "/v1/models", nil
		}
		e.Answer = rapid.SliceOf(rapid.Byte()).Draw(rt, "answer")
		record(s, e)
		all, err := s.Requests(t.Context())
		if err != nil || s.Lost() > 0 {
			rt.Fatalf("%d requests are lost, %v", s.Lost(), err)
		}
		last := all[len(all)-1].ID
		raw, err := s.Raw(t.Context(), last)
		_, answer, err2 := s.Texts(t.Context(), last)
		if !bytes.Equal(raw, e.Body) || !bytes.Equal(answer, e.Answer) || err != nil || err2 != nil {
			rt.Fatalf("%q and %q came back as %q and %q: %v, %v", e.Body, e.Answer, raw, answer, err, err2)
		}
	})
}

func TestAFileThatIsNotWinnowsIsSetAside(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"database of another program": func(path string) error {
			db, err := sql.Open("sqlite3", path)
			if err == nil {
				_, err = db.Exec(`CREATE TABLE notes (a)`)
				db.Close()
			}
			return err
		},
		"cut off": func(path string) error {
			s := open(t, path)
			record(s, exchange(1, noise(20000)))
			s.Close()
			return os.Truncate(path, 5000)
		},
	} {
		path := newPath(t)
		ok(t, spoil(path))
		s := open(t, path)
		record(s, exchange(1, "Hello"), exchange(2, "Hello", "again"))
		listed(t, s, 2)
		if aside, _ := filepath.Glob(path + ".damaged-*"); len(aside) != 1 || s.Lost() > 0 {
			t.Errorf("%s: %d requests are lost; set aside are %q", name, s.Lost(), aside)
		}
	}
}

// An answer whose request is in a file that was set aside meanwhile is lost, and the next request is recorded.
func TestAFileIsSetAsideBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s, e := open(t, path), exchange(1, noise(20000))
	s.Sent(e)
	settle(s)
	s.db.SetMaxIdleConns(0) // closes the file
	ok(t, os.Truncate(path, 5000))
	s.db.SetMaxIdleConns(4)
	s.Answered(e)
	record(s, exchange(2, "Hello"))
	if r := listed(t, s, 1)[0]; !r.Answered || r.Tokens.History > 10 || s.Lost() != 1 {
		t.Errorf("%d requests are lost; recorded is %+v", s.Lost(), r)
	}
}

// A request that was followed by many others while it was answered is still compared with the one before it.
func TestBreaksAreFoundAmongManyRequests(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	all := []watch.Exchange{exchange(1, "Hello"), exchange(2, "Hello", "again")}
	for i := range all {
		all[i].Path = "/v1/chat/completions"
		all[i].Answer = []byte(`{"usage":{"prompt_tokens":5000,"prompt_tokens_details":{"cached_tokens":0}}}`)
	}
	record(s, all[0])
	s.Sent(all[1])
	for i := range int64(1100) {
		other := exchange(i+3, "Something else.")
		other.Thread = "other"
		if s.Sent(other); i == 40 { // the other answers are lost
			s.Answered(all[1])
		}
		settle(s)
	}
	if r := listed(t, s, 1102)[1]; r.Break == nil || len(s.sent) > 1000 {
		t.Errorf("%d requests wait for an answer; recorded is %+v", len(s.sent), r)
	}
}

// A full disk neither stops nor delays a client. What is lost meanwhile is counted, in the file too once it works
// again.
func TestFullDiskLosesRequestsAndCountsThem(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	s.db.SetMaxOpenConns(1) // the limit of pages is that of a connection
	record(s, exchange(1, "first"))
	for _, pages := range []int{1, 1 << 20} { // never less than there are
		_, err := s.db.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages))
		ok(t, err)
		record(s, exchange(2, noise(9000)), exchange(3, noise(9001)))
		if got := s.Lost(); got != 2 {
			t.Errorf("%d requests are lost, want 2", got)
		}
	}
	listed(t, s, 3)
	if got := open(t, path).Lost(); got != 2 {
		t.Errorf("another program reads that %d requests are lost, want 2", got)
	}
}

func TestLockedFileIsWaitedFor(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	db := sqlite.OpenPool(path, sqlite.ModeFast, 1)
	defer db.Close()
	lock, err := db.Begin()
	ok(t, err)
	const sent = 40 // more than may wait
	e := exchange(0, noise(1<<20))
	for e.ID = range sent {
		s.Sent(e)
		s.Answered(e)
	}
	ok(t, lock.Rollback())
	settle(s)
	all, err := s.Requests(t.Context())
	if lost := s.Lost(); err != nil || lost == 0 || len(all)+lost != sent {
		t.Errorf("of %d requests, %d are recorded and %d are lost: %v", sent, len(all), lost, err)
	}
}

// Even a file that cannot be created loses requests only until it can.
func TestFileThatCannotBeOpenedIsTriedAgain(t *testing.T) {
	t.Parallel()
	folder := newPath(t)
	ok(t, os.WriteFile(folder, nil, 0o600))
	s := open(t, filepath.Join(folder, "watch.db"))
	record(s, exchange(1, "lost"))
	if err := os.Remove(folder); err != nil || s.Lost() != 1 {
		t.Fatalf("%d requests are lost, want 1; %v", s.Lost(), err)
	}
	record(s, exchange(2, "recorded"))
	listed(t, s, 1)
}

// A request is listed while its answer is streaming, and stays if the recording program dies. The next program
// continues its conversation.
func TestRequestsAreWrittenAtOnce(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s, viewer := open(t, path), open(t, path)
	last, _ := viewer.Changed(t.Context())
	changed := func() bool {
		before := last
		last, _ = viewer.Changed(t.Context())
		return last != before
	}
	if changed() {
		t.Error("a change is reported where there is none")
	}
	e := exchange(1, "Hello")
	s.Sent(e)
	settle(s)
	if r := listed(t, viewer, 1)[0]; r.Answered || !changed() || r.Model != "claude-x" {
		t.Errorf("the sent request is listed as %+v", r)
	}
	s.Answered(e)
	settle(s)
	first := listed(t, viewer, 1)[0]
	if !first.Answered || first.Stop != "end_turn" || first.Status != 200 || !changed() {
		t.Errorf("the answered request is listed as %+v", first)
	}
	record(open(t, path), exchange(1, "Hello", "And now?"))
	second := listed(t, viewer, 2)[1]
	if second.Before != first.ID || second.Thread != first.Thread {
		t.Errorf("the request after a restart is listed as %+v", second)
	}
	v, err := viewer.View(t.Context(), second.ID, 0)
	if err != nil || v.Against.ID != first.ID || v.Answer.Text != "Certainly." || len(v.Blocks) != 4 {
		t.Errorf("the view is %+v, %v", v, err)
	}
}

func TestTheFileKeepsWhatWasAgreed(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s, other := open(t, path), open(t, path)
	a, err := s.Run(t.Context())
	b, err2 := other.Run(t.Context())
	if len(a) < 20 || a != b || err != nil || err2 != nil || other.Agreed(t.Context()) {
		t.Errorf("the run is %q and %q: %v, %v", a, b, err, err2)
	}
	if err := s.Agree(t.Context()); err != nil || !other.Agreed(t.Context()) {
		t.Errorf("the agreement is not kept: %v", err)
	}
}

func TestForgottenRequestsLeaveNoByte(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	kept, secret := noise(2500), noise(3000) // cannot be compressed, so their bytes are in the file
	inFile := func() bool {
		data, _ := os.ReadFile(path)
		log, _ := os.ReadFile(path + "-wal")
		return bytes.Contains(append(data, log...), []byte(secret[1000:1030]))
	}
	record(s, exchange(1, kept), exchange(2, kept, secret), exchange(3, kept, secret, "more"))
	all := listed(t, s, 3)
	if err := s.Forget(t.Context(), all[1].ID); err != nil || !inFile() {
		t.Fatalf("another request lost text with the forgotten one: %v", err)
	}
	if v, err := s.View(t.Context(), all[2].ID, 0); err != nil || v.Against != nil {
		t.Errorf("the view after the request before was forgotten is %+v, %v", v, err)
	}
	if err := s.Forget(t.Context(), all[2].ID); err != nil || inFile() {
		t.Errorf("the forgotten text is still in the file: %v", err)
	}
	if raw, err := s.Raw(t.Context(), all[0].ID); err != nil || !bytes.Contains(raw, []byte(kept)) {
		t.Errorf("the request that was kept is damaged: %v", err)
	}
	if _, err := s.Raw(t.Context(), all[1].ID); err == nil {
		t.Error("a forgotten request is read")
	}
}

func TestOldRequestsAreRemovedUnlessPinned(t *testing.T) {
	t.Parallel()
	size := options
	size.MaxBytes = 150_000
	for _, o := range []Options{options, size} {
		path := newPath(t)
		s := open(t, path)
		for i := range int64(10) {
			e := exchange(i, noise(20000+int(i)))
			e.At = e.At.AddDate(0, 0, 10*(int(i)-8))
			record(s, e)
		}
		ok(t, s.Pin(t.Context(), 2, true))
		s.Close()
		s, _ = Open(t.Context(), path, o)
		record(s, exchange(1, "new"))
		var left []int64
		all, err := s.Requests(t.Context())
		for _, r := range all {
			left = append(left, r.ID)
		}
		n := len(left)
		if err != nil || n < 3 || n > 8 || left[0] != 2 || left[n-2] != 10 || left[n-1] != 11 || !all[0].Pinned {
			t.Errorf("left are %v, %v; want the newest and request 2, which is pinned", left, err)
		}
		s.Close()
	}
}

func TestSearchFindsEachBlockOnce(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	texts := []string{"A needle\nin \"hay\"", "针在草堆里", "Nothing", "The Küche"}
	for i := range texts {
		record(s, exchange(int64(i), texts[:i+1]...))
	}
	packed, streamed := exchange(9, "A zipped NEEDLE"), exchange(10, "Go on")
	pack, _ := zstd.NewWriter(nil)
	packed.Body, packed.Encoding = pack.EncodeAll(packed.Body, nil), "zstd"
	const delta = `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%q}}` + "\n\n"
	streamed.AnswerType = "text/event-stream"
	streamed.Answer = fmt.Appendf(nil, delta+delta, "no nee", "dle here")
	record(s, packed, streamed)
	for text, want := range map[string][]string{
		"needle":      {`A needle in "hay"`, "A zipped NEEDLE", "no needle here"},
		"e\nin \"HAY": {`A needle in "hay"`},
		"在草":          {"针在草堆里"},
		"KÜCHE":       {"The Küche"},
		"a.b*":        nil,
	} {
		hits, err := s.Search(t.Context(), text)
		var got []string
		for _, h := range hits {
			got = append(got, h.Snippet)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is found in %q, want %q; %v", text, got, want, err)
		}
	}
}

func TestSearchFindsWhatAForgottenRequestHadToo(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	shared := "needle" + noise(2000)
	record(s, exchange(1, shared), exchange(2, noise(3000)), exchange(3, shared, "more"))
	err := s.Forget(t.Context(), 1)
	if hits, err2 := s.Search(t.Context(), "needle"); len(hits) != 1 || err != nil || err2 != nil {
		t.Errorf("found are %v, %v, %v", hits, err, err2)
	}
}

// Each file of testdata/chat has a path, a body, its answer, and the chat that they become.
func TestARecordedConversationBecomesAChat(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	into, err := store.Open(t.Context(), store.InMemory, store.Options{})
	ok(t, err)
	defer into.Close()
	files, _ := filepath.Glob("testdata/chat/*.txtar")
	for i, file := range files {
		a, err := txtar.ParseFile(file)
		ok(t, err)
		e := exchange(int64(i))
		e.Path = strings.TrimSpace(string(a.Comment))
		e.Upstream, e.Body, e.Answer = "home", a.Files[0].Data, a.Files[1].Data
		record(s, e)
		chat, err := s.Chat(t.Context(), int64(i+1), into)
		row, err2 := into.Session(t.Context(), chat)
		messages, err3 := into.Branch(t.Context(), row.Leaf, 0)
		got := fmt.Sprintf("%s: %s/%s: %q\n", row.Title, row.Endpoint, row.Model, row.System)
		for _, m := range messages {
			got += fmt.Sprintf("%s: %s", m.Role, m.Content)
			for _, c := range m.ToolCalls {
				got += fmt.Sprintf(" [%s %s %s]", c.ID, c.Name, c.Arguments)
			}
			got += "\n"
		}
		if want := string(a.Files[2].Data); got != want {
			t.Errorf("%s becomes the chat\n%swant\n%s%v, %v, %v", file, got, want, err, err2, err3)
		}
	}
	e := exchange(99)
	e.Path, e.Body = "/v1/models", nil
	record(s, e)
	if _, err := s.Chat(t.Context(), int64(len(files)+1), into); err == nil {
		t.Error("a request without a conversation became a chat")
	}
}
