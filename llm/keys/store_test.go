package keys

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"winnow/llm/llmtest"
)

const testKey = "planted-key-4711"

func TestParseTakesOneKey(t *testing.T) {
	for text, want := range map[string]string{
		" sk-1\r\n":                            "sk-1",
		"\ufeffsk-1":                           "sk-1",
		"":                                     "!empty",
		" \n ":                                 "!empty",
		"sk-1\nsk-2":                           "!a single line",
		"sk 1":                                 "!without spaces",
		"sk-\x1b[200~":                         "!without spaces",
		"schlüssel":                            "!ASCII",
		inKeyring:                              "!without spaces",
		strings.Repeat("x", maxKeyBytes):       strings.Repeat("x", maxKeyBytes),
		strings.Repeat("x", maxKeyBytes) + "x": "!longer",
	} {
		key, err := Parse(text)
		fault, wrong := strings.CutPrefix(want, "!")
		if wrong && (err == nil || !strings.Contains(err.Error(), fault)) || !wrong &&
			(err != nil || key.Reveal() != want) {
			t.Errorf("%.40q: %.40q, %v; want %.40q", text, key.Reveal(), err, want)
		}
		if err != nil && len(text) > 3 && strings.Contains(err.Error(), text) {
			t.Errorf("%.40q: the error repeats it: %v", text, err)
		}
	}
}

func TestKeyFilesAreForTheUserAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "work")
	if err := toFile(path, testKey); err != nil {
		t.Fatal(err)
	}
	if key, err := FromFile(path); err != nil || key.Reveal() != testKey {
		t.Errorf("read %q, %v", key.Reveal(), err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("its folder has the mode %v, %v", info.Mode(), err)
	}
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o620, 0o644} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := FromFile(path)
		if err == nil || !strings.Contains(err.Error(), "chmod 600 "+path) || strings.Contains(err.Error(), testKey) {
			t.Errorf("mode %o: %v, want an error with the command", mode, err)
		}
	}
	// Writing a key to a file that others can read makes it private.
	if err := toFile(path, testKey+"-2"); err != nil {
		t.Fatal(err)
	}
	if key, err := FromFile(path); err != nil || key.Reveal() != testKey+"-2" {
		t.Errorf("read %q, %v", key.Reveal(), err)
	}
	if _, err := FromFile(filepath.Dir(path)); err == nil || !strings.Contains(err.Error(), "regular file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := FromFile(path + "-2"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// The keyring is accessed over a socket, like a real one. This is one test because the library keeps one connection for
// the whole process.
func TestKeyring(t *testing.T) {
	bus, err := llmtest.StartFakeKeyring(map[string]string{"winnow/foreign": testKey + "-0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
	t.Cleanup(func() {
		kept, err := dbus.SessionBus() // Other tests must not use this connection.
		bus.Close()
		if err == nil {
			<-kept.Context().Done()
		}
	})
	s := Store{Folder: filepath.Join(t.TempDir(), "keys")}
	ctx := t.Context()
	get := func(name, want string) {
		t.Helper()
		if key, err := s.Get(ctx, name); err != nil || key.Reveal() != want {
			t.Errorf("the key of %s is %q, %v; want %q", name, key.Reveal(), err, want)
		}
	}
	set := func(name string, key Secret, to OriginKind) {
		t.Helper()
		if err := s.Set(ctx, name, key, to); err != nil {
			t.Fatal(err)
		}
	}

	// A key that winnow did not store is not looked up by Get.
	get("foreign", "")
	if bus.Calls() != 0 {
		t.Errorf("the keyring was asked %d times for a key that is not stored", bus.Calls())
	}
	if key, err := FromKeyring(ctx, "foreign"); err != nil || key.Reveal() != testKey+"-0" {
		t.Errorf("the foreign key is %q, %v", key.Reveal(), err)
	}

	set("openai", testKey, Keyring)
	get("openai", testKey)
	if got := bus.Key("winnow/openai"); got != testKey {
		t.Errorf("the keyring holds %q", got)
	}
	if from := s.Origin("openai"); from.Kind != Keyring {
		t.Errorf("it comes from %v", from)
	}
	if text, err := os.ReadFile(s.Path("openai")); err != nil || string(text) != inKeyring {
		t.Errorf("its file holds %q, %v", text, err)
	}
	asked := bus.Calls()
	if names := s.Names(); !slices.Equal(names, []string{"openai"}) || bus.Calls() != asked {
		t.Errorf("the names are %q, after %d calls", names, bus.Calls()-asked)
	}

	// Storing a key elsewhere deletes the old one.
	set("openai", testKey+"-2", File)
	get("openai", testKey+"-2")
	if got := bus.Key("winnow/openai"); got != "" {
		t.Errorf("the keyring still holds %q", got)
	}
	set("openai", testKey+"-3", Keyring)
	get("openai", testKey+"-3")
	if from, err := s.Delete(ctx, "openai"); err != nil || from.Kind != Keyring || bus.Key("winnow/openai") != "" {
		t.Errorf("deleted from %v, %v; the keyring holds %q", from, err, bus.Key("winnow/openai"))
	}
	if _, err := s.Delete(ctx, "openai"); !errors.Is(err, ErrNoKey) {
		t.Errorf("deleted twice: %v", err)
	}

	// A locked keyring prompts for its password. The wait is limited.
	set("openai", testKey, Keyring)
	bus.Lock(true)
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if _, err := s.Get(short, "openai"); !errors.Is(err, context.DeadlineExceeded) ||
		!strings.Contains(err.Error(), "locked") {
		t.Errorf("a locked keyring: %v", err)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := s.Get(stopped, "openai"); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	bus.Lock(false)
	get("openai", testKey)
	bus.Refuse(true)
	if _, err := s.Get(ctx, "openai"); err == nil || err.Error() != "the system keyring is locked" {
		t.Errorf("a keyring that stays locked: %v", err)
	}
	bus.Refuse(false)

	// Another program deletes the key.
	if err := deleteFromKeyring(ctx, "openai"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(ctx, "openai"); err == nil || !strings.Contains(err.Error(), "winnow keys set openai") {
		t.Errorf("a key that is gone: %v", err)
	}
	if _, err := s.Delete(ctx, "openai"); err != nil || len(s.Names()) != 0 {
		t.Errorf("delete what is gone: %v; left: %q", err, s.Names())
	}

	bus.Remove()
	if err := s.Set(ctx, "openai", testKey, Keyring); !errors.Is(err, ErrNoKeyring) ||
		!strings.Contains(err.Error(), "GNOME Keyring") {
		t.Errorf("a bus without a keyring: %v", err)
	}
	if len(s.Names()) != 0 {
		t.Errorf("what could not be stored is remembered: %q", s.Names())
	}
}

func TestWithoutABusThereIsNoKeyring(t *testing.T) {
	addresses := []string{"disabled:"}
	if _, err := os.Stat(filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "bus")); err != nil {
		// This machine has no session bus at the default path.
		addresses = append(addresses, "", "autolaunch:", "autolaunch:scope=*user")
	}
	for _, address := range addresses {
		t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
		t.Setenv("PATH", t.TempDir()) // so that no bus can be started
		if _, err := FromKeyring(t.Context(), "openai"); !errors.Is(err, ErrNoKeyring) {
			t.Errorf("%q: %v", address, err)
		}
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "gone"))
	if _, err := FromKeyring(t.Context(), "openai"); !errors.Is(err, ErrNoKeyring) {
		t.Errorf("a bus that is gone: %v", err)
	}
}

func TestLazySecretIsFetchedOnceUntilItIsRefused(t *testing.T) {
	t.Parallel()
	fetched, key, fault := 0, Secret(""), errors.New("locked")
	l := NewLazySecret(func(context.Context) (Secret, error) { fetched++; return key, fault })
	want := func(what string, key Secret, known Secret, times int) {
		t.Helper()
		got, _ := l.Get(t.Context())
		if got != key || l.Fetched() != known || fetched != times {
			t.Errorf("%s: got %q, knows %q after %d fetches; want %q, %q, %d", what, got.Reveal(), l.Fetched().Reveal(),
				fetched, key.Reveal(), known.Reveal(), times)
		}
	}
	want("an error", "", "", 1)
	fault = nil
	want("no key", "", "", 2)
	key = "first-key"
	want("a key", "first-key", "first-key", 3)
	key = "second-key"
	want("again", "first-key", "first-key", 3)
	l.MarkRefused()
	want("refused", "second-key", "second-key", 4)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	l.turn <- struct{}{} // Another goroutine fetches.
	if _, err := l.Get(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped while it waited: %v", err)
	}
}

func toFile(path string, key Secret) error { return writePrivate(path, key.Reveal()+"\n") }
