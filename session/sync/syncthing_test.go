package sync

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/store"
)

// carrier is a Syncthing that keeps a folder.
type carrier struct {
	home, dir string
	id        string // of the device
	listen    string // HOST:PORT
	api       string // HOST:PORT
}

const apiKey = "loopback"

var deviceID = regexp.MustCompile(`<device id="([A-Z0-9-]{63})"`)

// newCarrier makes the keys of a Syncthing.
func newCarrier(t *testing.T) *carrier {
	t.Helper()
	c := &carrier{home: t.TempDir(), dir: t.TempDir(), listen: freePort(t), api: freePort(t)}
	command := exec.Command("syncthing", "generate", "--home", c.home, "--no-default-folder", "--skip-port-probing")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("syncthing generate: %v\n%s", err, out)
	}
	config, err := os.ReadFile(filepath.Join(c.home, "config.xml"))
	if err != nil {
		t.Fatal(err)
	}
	found := deviceID.FindSubmatch(config)
	if found == nil {
		t.Fatalf("no device in\n%s", config)
	}
	c.id = string(found[1])
	return c
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs a Syncthing that knows one other, on loopback alone, until the test ends.
func (c *carrier) start(t *testing.T, other *carrier) {
	t.Helper()
	config := fmt.Sprintf(`<configuration version="36">
	<folder id="winnow" path=%[1]q type="sendreceive" rescanIntervalS="3600" fsWatcherEnabled="false">
		<device id="%[2]s"></device><device id="%[3]s"></device><minDiskFree unit="%%">0</minDiskFree>
	</folder>
	<device id="%[2]s"><address>tcp://%[4]s</address></device>
	<device id="%[3]s"><address>tcp://%[5]s</address></device>
	<gui enabled="true" tls="false"><address>%[6]s</address><apikey>%[7]s</apikey></gui>
	<options>
		<listenAddress>tcp://%[4]s</listenAddress><globalAnnounceEnabled>false</globalAnnounceEnabled>
		<localAnnounceEnabled>false</localAnnounceEnabled><relaysEnabled>false</relaysEnabled>
		<natEnabled>false</natEnabled><stunKeepaliveStartS>0</stunKeepaliveStartS><urAccepted>-1</urAccepted>
		<autoUpgradeIntervalH>0</autoUpgradeIntervalH><crashReportingEnabled>false</crashReportingEnabled>
		<startBrowser>false</startBrowser><reconnectionIntervalS>1</reconnectionIntervalS>
	</options>
</configuration>`, c.dir, c.id, other.id, c.listen, other.listen, c.api, apiKey)
	if err := os.WriteFile(filepath.Join(c.home, "config.xml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("syncthing", "serve", "--home", c.home, "--no-browser", "--no-restart", "--no-upgrade")
	var log bytes.Buffer
	command.Stdout, command.Stderr = &log, &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Signal(os.Interrupt) // killed, it would leave the process that it watches
		command.Wait()
		if t.Failed() {
			t.Logf("Syncthing says:\n%s", log.String())
		}
	})
	until(t, "Syncthing answers", func() bool { return c.scan() == nil })
}

// scan has Syncthing look for what changed in its folder.
func (c *carrier) scan() error {
	request, err := http.NewRequest(http.MethodPost, "http://"+c.api+"/rest/db/scan?folder=winnow", nil)
	if err != nil {
		return err
	}
	request.Header.Set("X-API-Key", apiKey)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("scan: %s: %s", answer.Status, text)
	}
	return nil
}

// until waits for what another program does.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for limit := time.Now().Add(2 * time.Minute); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%s: it never came", what)
		}
	}
}

// files are the sizes of the segments below a folder.
func files(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	found := map[string]int64{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil // it was removed meanwhile
		}
		name, _ := filepath.Rel(dir, path)
		if info, err := e.Info(); err == nil && !strings.HasPrefix(name, ".st") {
			found[name] = info.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// pair is two machines whose folders Syncthing carries.
type pair struct {
	*testing.T
	a, b   *machine
	ca, cb *carrier
	key    string // "" for none
}

// carry waits until both folders hold the same.
func (p *pair) carry() {
	p.Helper()
	for _, c := range []*carrier{p.ca, p.cb} {
		if err := c.scan(); err != nil {
			p.Fatal(err)
		}
	}
	until(p.T, "the folders are the same", func() bool { return maps.Equal(files(p.T, p.ca.dir), files(p.T, p.cb.dir)) })
}

// exchange lets both machines sync until nothing changes, and checks the status before and after each sync.
func (p *pair) exchange() {
	p.Helper()
	for range 8 {
		moved := false
		for _, m := range []*machine{p.a, p.b} {
			due := p.status(m)
			before := files(p.T, m.dir)
			out := m.syncWith(p.key)
			worked := out.Sent > 0 || len(out.Changed) > 0 || !maps.Equal(before, files(p.T, m.dir))
			if len(out.Changed) > 0 && !due {
				p.Errorf("the status said up to date before a sync which did %+v", out)
			}
			if after := p.status(m); after {
				p.Errorf("after a sync the status is not up to date")
			}
			p.carry()
			moved = moved || worked
		}
		if !moved {
			p.equal()
			return
		}
	}
	p.Fatal("the machines do not come to rest")
}

// status reports whether a sync has anything to do.
func (p *pair) status(m *machine) bool {
	p.Helper()
	r, err := Status(p.Context(), m.s, Options{Dir: m.dir, Key: p.key})
	if err != nil {
		p.Fatal(err)
	}
	return r.Machine == "" || r.Waiting > 0 || r.Rewrite > 0 || r.Lost > 0 || r.Unmerged != 0
}

// equal checks that both machines hold the same.
func (p *pair) equal() {
	p.Helper()
	if a, b := p.a.lines(), p.b.lines(); !slices.Equal(a, b) {
		p.Errorf("one machine holds\n%s\nand the other\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
}

// lines are all rows of a machine's sessions.
func (m *machine) lines() (all []string) {
	m.t.Helper()
	ids, err := sessionIDs(m.t.Context(), m.s)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, id := range ids {
		err := m.s.Dump(m.t.Context(), id, func(l store.Line) error {
			text, err := json.Marshal(l)
			all = append(all, string(text[:min(len(text), 1000)]))
			return err
		})
		if err != nil {
			m.t.Fatal(err)
		}
	}
	slices.Sort(all)
	return all
}

// holds checks that both machines hold texts.
func (p *pair) holds(texts ...string) {
	p.Helper()
	for _, m := range []*machine{p.a, p.b} {
		all := strings.Join(m.lines(), "\n")
		for _, text := range texts {
			if !strings.Contains(all, text) {
				p.Errorf("a machine has lost %q", text)
			}
		}
	}
}

// restore puts the history and the folder of a machine back as they were when its history was saved.
func (p *pair) restore(m *machine, database, folder string) {
	p.Helper()
	path := m.s.Path()
	err := m.s.Close()
	for _, old := range []string{path, path + "-wal", path + "-shm", m.dir} {
		if err == nil {
			err = os.RemoveAll(old)
		}
	}
	if err == nil {
		err = os.Rename(database, path)
	}
	if err == nil {
		err = os.CopyFS(m.dir, os.DirFS(folder))
	}
	if err == nil {
		m.s, err = store.Open(p.Context(), path, store.Options{})
	}
	if err != nil {
		p.Fatal(err)
	}
	s := m.s
	p.Cleanup(func() { s.Close() })
}

// Two machines share a history through a folder that two real Syncthings carry.
// Needs syncthing in PATH: go test ./session/sync -run TestSyncthingCarriesSegments
func TestSyncthingCarriesSegments(t *testing.T) {
	if _, err := exec.LookPath("syncthing"); err != nil {
		t.Skip("syncthing is not installed")
	}
	ca, cb := newCarrier(t), newCarrier(t)
	ca.start(t, cb)
	cb.start(t, ca)
	for name, scene := range map[string]func(p *pair){
		"the history and the folder of one snapshot are restored": restoredScene,
		"a host is renamed, and a chat is purged":                 renamedScene,
		"many turns are folded":                                   foldedScene,
		"images are larger than a segment":                        imagesScene,
		"a stranger writes plain text and forges a clock":         strangerScene,
		"a message is excluded while its chat is open elsewhere":  excludedScene,
	} {
		t.Run(name, func(t *testing.T) {
			folder := strings.ReplaceAll(name, " ", "-")
			p := &pair{T: t, ca: ca, cb: cb}
			for at, c := range []*carrier{ca, cb} {
				dir := filepath.Join(c.dir, folder)
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				*[]**machine{&p.a, &p.b}[at] = newMachine(t, dir)
			}
			scene(p)
		})
	}
}

func restoredScene(p *pair) {
	chat, first := p.a.begin("old question")
	p.exchange()
	saved, folder := filepath.Join(p.TempDir(), "saved.db"), filepath.Join(p.TempDir(), "folder")
	if err := p.a.s.Backup(p.Context(), saved); err != nil {
		p.Fatal(err)
	}
	if err := os.CopyFS(folder, os.DirFS(p.a.dir)); err != nil {
		p.Fatal(err)
	}
	answer := p.a.say(chat.ID, first.ID, history.Assistant, "newer answer")
	p.exchange()
	p.b.say(chat.ID, answer.ID, history.User, "newer question")
	p.exchange()
	p.restore(p.a, saved, folder)
	p.carry()
	p.a.say(chat.ID, first.ID, history.Assistant, "answer after the restore")
	p.exchange()
	p.holds("old question", "newer answer", "newer question", "answer after the restore")
}

func renamedScene(p *pair) {
	chat, first := p.a.begin("zephyrtoken")
	p.exchange()
	if _, err := p.a.s.Sync().Join(p.Context(), "another-name"); err != nil { // the next sync finds another one
		p.Fatal(err)
	}
	p.a.say(chat.ID, first.ID, history.Assistant, "an answer")
	p.exchange()
	p.holds("zephyrtoken", "an answer")
	if machines, _ := filepath.Glob(filepath.Join(p.a.dir, "*")); len(machines) != 1 { // only one has written
		p.Errorf("the folder has %q, want one folder of the renamed machine", machines)
	}
	if err := p.b.s.Purge(p.Context(), chat.ID); err != nil {
		p.Fatal(err)
	}
	p.exchange()
	for _, m := range []*machine{p.a, p.b} {
		if all := m.lines(); len(all) > 0 {
			p.Errorf("after the purge there is %q", all)
		}
		paths, _ := filepath.Glob(filepath.Join(m.dir, "*", "*.seg"))
		for _, path := range paths {
			if bytes.Contains(segmentText(p.T, path), []byte("zephyrtoken")) {
				p.Errorf("%s holds what was purged", path)
			}
		}
	}
}

func foldedScene(p *pair) {
	chat, last := p.a.begin("turn 0")
	p.exchange()
	for turn := range mostSmall + 6 {
		last = p.a.say(chat.ID, last.ID, history.User, fmt.Sprintf("turn %d.", turn+1))
		p.a.sync()
	}
	p.exchange()
	p.holds("turn 0", "turn 1.", fmt.Sprintf("turn %d.", mostSmall+6))
	if n := len(files(p.T, p.b.dir)); n > mostSmall {
		p.Errorf("the folder has %d files after folding", n)
	}
}

func imagesScene(p *pair) {
	const image = 9 << 20
	for i := range 5 {
		data := make([]byte, image)
		rand.NewChaCha8([32]byte{byte(i)}).Read(data) // a file that does not compress, as images are
		p.a.attach(fmt.Sprintf("image %d", i), data)
	}
	p.exchange()
	p.holds("image 0", "image 4")
	segments, _ := filepath.Glob(filepath.Join(p.b.dir, "*", "*.seg"))
	for _, path := range segments {
		if info, err := os.Stat(path); err != nil || info.Size() > image*4/3+1<<20 { // in base64
			p.Errorf("%s has more than one image: %v, %v", path, info, err)
		}
	}
}

func strangerScene(p *pair) {
	p.key = newKey(p.T)
	kept, first := p.a.begin("kept")
	p.exchange()
	purge := store.Line{Tombstone: &store.Tombstone{ID: 1, Session: kept.ID, Messages: []int64{first.ID}}}
	ahead := time.Now().Add(48 * time.Hour).UnixMilli()
	file := forge(p.T, p.a.dir, ahead, append([]store.Line{purge}, chat("forged", 1, "hello")...)...)
	p.carry()
	for _, m := range []*machine{p.a, p.b} {
		m.skips(m.syncWith(p.key), p.key, file, "it is not encrypted, and under a key only what the key opens is merged")
		m.want(kept.ID, "kept")
	}
	p.b.say(kept.ID, first.ID, history.Assistant, "answer")
	for _, m := range []*machine{p.b, p.a} { // what they have to say to one another is not held up
		m.syncWith(p.key)
		p.carry()
	}
	p.a.want(kept.ID, "kept | answer")
	p.equal()
	segments, _ := filepath.Glob(filepath.Join(p.a.dir, "*", "*.seg"))
	for _, path := range segments {
		if filepath.Base(filepath.Dir(path)) != stranger && !isEncrypted(path) {
			p.Errorf("%s is in plain text", path)
		}
	}
}

func excludedScene(p *pair) {
	chat, first := p.a.begin("a secret")
	p.exchange()
	read, err := p.b.s.Session(p.Context(), chat.ID) // as an open chat knows it
	if err != nil {
		p.Fatal(err)
	}
	if _, err := p.a.s.SetFlags(p.Context(), map[int64]history.Flag{first.ID: history.Exclude}); err != nil {
		p.Fatal(err)
	}
	p.exchange()
	if now, err := p.b.s.Session(p.Context(), chat.ID); err != nil || now.Changes == read.Changes {
		p.Errorf("an open chat does not learn that something changed: %+v, %v", now, err)
	}
	decided, err := p.b.s.UserDecisions(p.Context(), chat.ID)
	if err != nil || decided.Flags[first.ID] != history.Exclude {
		p.Errorf("the other machine decided %+v, %v", decided, err)
	}
}
