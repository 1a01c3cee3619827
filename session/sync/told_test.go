package sync

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"winnow/history"
	"winnow/session/store"
)

// damageSegments changes a byte in each segment of a folder, whose size stays.
func damageSegments(t *testing.T, dir string) {
	t.Helper()
	segments, _ := filepath.Glob(filepath.Join(dir, "*", "*.seg"))
	if len(segments) == 0 {
		t.Fatal("there is no segment")
	}
	for _, path := range segments {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file[len(file)/2] ^= 1
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A segment that is to be replaced and cannot be read is lost: its rows are told once more.
func TestADamagedSegmentThatIsReplacedIsToldAgain(t *testing.T) {
	dir := t.TempDir()
	a, b := newMachine(t, dir), newMachine(t, dir)
	purged, _ := a.begin("purged")
	kept, _ := a.begin("kept")
	a.sync()
	damageSegments(t, dir)
	if err := a.s.Purge(t.Context(), purged.ID); err != nil {
		t.Fatal(err)
	}
	a.sync()
	if out := b.sync(); len(out.Skipped) > 0 {
		t.Errorf("the other machine says %q", out.Skipped)
	}
	b.want(kept.ID, "kept")
	if _, err := b.s.Session(t.Context(), purged.ID); err == nil {
		t.Error("the other machine has the purged session")
	}
}

// A folder that is taken over is complete even where a file in it is damaged: this machine has merged it before.
func TestAFolderWithADamagedSegmentIsTakenOver(t *testing.T) {
	dir := t.TempDir()
	a, b, c := newMachine(t, dir), newMachine(t, dir), newMachine(t, dir)
	chat, _ := a.begin("hello")
	a.sync()
	b.sync()
	damageSegments(t, dir)
	state, err := a.s.Sync().State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), b.s, Options{Dir: dir, Adopt: state.Folder}); err != nil {
		t.Fatal(err)
	}
	if out := c.sync(); len(out.Skipped) > 0 {
		t.Errorf("the third machine says %q", out.Skipped)
	}
	c.want(chat.ID, "hello")
}

// An archive that is imported where the history is shared reaches the other machines.
func TestAnImportedArchiveIsTold(t *testing.T) {
	dir := t.TempDir()
	a, b, elsewhere := newMachine(t, dir), newMachine(t, dir), newMachine(t, t.TempDir())
	a.begin("something else")
	a.sync()
	b.sync()
	chat, first := elsewhere.begin("hello")
	elsewhere.say(chat.ID, first.ID, history.Assistant, "hi")
	_, err := a.s.Apply(t.Context(), func(take func(store.Line) error) error {
		return elsewhere.s.Dump(t.Context(), chat.ID, take)
	})
	if err != nil {
		t.Fatal(err)
	}
	a.sync()
	if out := b.sync(); out.Received != 2 || out.Sessions != 1 {
		t.Errorf("the other machine received %+v", out)
	}
	b.want(chat.ID, "hello | hi")
}

// importedChat imports a chat of another program, with an image or without.
func (m *machine) importedChat(image []byte) string {
	m.t.Helper()
	message := store.Message{Message: history.Message{Role: history.User, Content: "look at this"}}
	message.Label = "1"
	if image != nil {
		part := history.Part{Kind: history.ImagePart, Name: "a.png", MediaType: "image/png", Data: image}
		message.Parts = []history.Part{part}
	}
	out, err := m.s.Import(context.Background(), store.Conversation{
		Session:  store.Session{Source: "chatgpt", Origin: "one", Title: "a chat"},
		Messages: []store.ImportedMessage{{Message: message, After: -1}},
		Leaf:     -1,
	}, store.ImportOptions{})
	if err != nil {
		m.t.Fatal(err)
	}
	return out.Session.ID
}

// Images that a later import adds to a message reach the other machines, too.
func TestImagesThatAreAddedLaterAreTold(t *testing.T) {
	dir := t.TempDir()
	a, b := newMachine(t, dir), newMachine(t, dir)
	id := a.importedChat(nil)
	a.sync()
	b.sync()
	a.importedChat([]byte("an image"))
	a.sync()
	if out := b.sync(); len(out.Skipped) > 0 {
		t.Errorf("the other machine says %q", out.Skipped)
	}
	all, err := b.s.Messages(t.Context(), id)
	if err != nil || len(all) != 1 || all[0].Damaged || len(all[0].Parts) != 1 {
		t.Fatalf("the other machine has %+v, %v; want the message with its image", all, err)
	}
	if got := string(all[0].Parts[0].Data); got != "an image" {
		t.Errorf("the image is %q", got)
	}
	if out := b.sync(); out.Sent > 0 {
		t.Errorf("the other machine tells what it was told: %+v", out)
	}
}
