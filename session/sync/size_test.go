package sync

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/store"
)

// image returns bytes that do not compress.
func image(seed byte, size int) []byte {
	bytes := make([]byte, size)
	rand.NewChaCha8([32]byte{seed}).Read(bytes)
	return bytes
}

// attach begins a chat with an image.
func (m *machine) attach(text string, data []byte) store.Message {
	m.t.Helper()
	part := history.Part{Kind: history.ImagePart, Name: "a.png", MediaType: "image/png", Data: data}
	message := history.Message{Role: history.User, Content: text, Parts: []history.Part{part}}
	_, first, err := m.s.BeginSession(m.t.Context(), store.Session{Title: text}, store.Message{Message: message})
	must(m.t, err)
	return first
}

// A segment stays small whatever its messages have attached. A message with a large attachment gets a segment of its
// own.
func TestAttachmentsCountInTheSizeOfASegment(t *testing.T) {
	const most, large = 8.5 * (1 << 20), 9 << 20 // a segment may have some more bytes than its texts and attachments
	dir := t.TempDir()
	a, b := newMachine(t, dir), newMachine(t, dir)
	sums := map[string][sha256.Size]byte{}
	for i, size := range []int{2 << 20, 2 << 20, 2 << 20, large} {
		data := image(byte(i), size)
		text := fmt.Sprint("chat ", i)
		sums[text] = sha256.Sum256(data)
		a.attach(text, data)
	}
	const want = 3 // two, one, and the large one
	a.sync()
	written := segments(dir)
	if len(written) != want {
		t.Errorf("there are %d segments, want %d", len(written), want)
	}
	oversized := 0
	for _, path := range written {
		info, err := os.Stat(path)
		must(t, err)
		if info.Size() > most {
			oversized++
		}
	}
	if oversized != 1 { // the one with the large attachment
		t.Errorf("%d of %d segments have more than %.0f bytes, want 1", oversized, want, most)
	}
	if out := b.sync(); len(out.Skipped) > 0 {
		t.Errorf("the other machine could not read %q", out.Skipped)
	}
	ids, err := sessionIDs(t.Context(), b.s)
	if err != nil || len(ids) != len(sums) {
		t.Fatalf("the other machine has %d chats, %v; want %d", len(ids), err, len(sums))
	}
	for _, id := range ids {
		all, err := b.s.Messages(t.Context(), id)
		if err != nil || len(all) != 1 || len(all[0].Parts) != 1 {
			t.Fatalf("chat %s has %d messages, %v", id, len(all), err)
		}
		if got := sha256.Sum256(all[0].Parts[0].Data); got != sums[all[0].Content] {
			t.Errorf("%s came with another attachment", all[0].Content)
		}
	}
}

// A file that is too large to be read is reported as such at each sync, not as damaged.
func TestAFileThatIsTooLargeIsNamed(t *testing.T) {
	dir := t.TempDir()
	name := "0000000000001" + segmentEnd(make([]byte, sha256.Size))
	path := filepath.Join(dir, "0123456789abcdef", name)
	must(t, os.Mkdir(filepath.Dir(path), 0o700))
	// The file is sparse.
	must(t, os.WriteFile(path, nil, 0o600))
	must(t, os.Truncate(path, maxFile+1<<20))
	a := newMachine(t, dir)
	out := a.sync()
	want := "0123456789abcdef/" + shortName(name) + " is not merged: it is larger than 512 MB."
	if len(out.Skipped) != 1 || filepath.ToSlash(out.Skipped[0]) != want {
		t.Errorf("the sync says %q, want %q", out.Skipped, want)
	}
	report, err := Status(t.Context(), a.s, Options{Dir: dir})
	must(t, err)
	if len(report.Machines) != 1 || report.Unmerged != 1 {
		t.Errorf("the status is %+v, want a file that is not merged", report)
	}
	if why := report.Machines[0].Why; !strings.HasSuffix(why, "it is larger than 512 MB") {
		t.Errorf("the status says %q", why)
	}
}
