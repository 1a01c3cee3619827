package sync

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
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

// carrier is a Syncthing with its folder.
type carrier struct {
	home, dir string
	id        string // of the device
	listen    string // HOST:PORT
	api       string // HOST:PORT
}

const apiKey = "loopback"

var deviceID = regexp.MustCompile(`<device id="([A-Z0-9-]{63})"`)

// newCarrier generates the keys of a Syncthing.
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

// start runs a Syncthing that knows one other, only on loopback, until the test ends.
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
		command.Process.Signal(os.Interrupt) // if killed, it would leave its child process running
		command.Wait()
		if t.Failed() {
			t.Logf("Syncthing says:\n%s", log.String())
		}
	})
	until(t, "Syncthing answers", func() bool { return c.scan() == nil })
}

// scan has Syncthing look for changes in its folder.
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

// until waits for another program.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for limit := time.Now().Add(2 * time.Minute); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%s: it never came", what)
		}
	}
}

// files returns the sizes of the files below a folder.
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

// pair is two machines whose folders Syncthing keeps in sync.
type pair struct {
	*testing.T
	a, b   *machine
	ca, cb *carrier
}

// carry waits until both folders are the same.
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
			out := m.sync()
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
	r, err := Status(p.Context(), m.s, Options{Dir: m.dir})
	if err != nil {
		p.Fatal(err)
	}
	return r.Machine == "" || r.Waiting > 0 || r.Rewrite > 0 || r.Lost > 0 || r.Unmerged != 0
}

// equal checks that both machines have the same rows.
func (p *pair) equal() {
	p.Helper()
	if a, b := p.a.lines(), p.b.lines(); !slices.Equal(a, b) {
		p.Errorf("one machine holds\n%s\nand the other\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
}

// lines returns all rows of a machine's sessions.
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

// Two machines share a history through a folder that two real Syncthings carry, also when its host was renamed and a
// chat was purged, so that files are replaced and removed.
// It needs syncthing in PATH: go test ./session/sync -run TestSyncthingCarriesSegments
func TestSyncthingCarriesSegments(t *testing.T) {
	if _, err := exec.LookPath("syncthing"); err != nil {
		t.Skip("syncthing is not installed")
	}
	ca, cb := newCarrier(t), newCarrier(t)
	ca.start(t, cb)
	cb.start(t, ca)
	p := &pair{T: t, ca: ca, cb: cb, a: newMachine(t, ca.dir), b: newMachine(t, cb.dir)}
	kept, first := p.a.begin("kept")
	purged, _ := p.a.begin("zephyrtoken")
	p.exchange()
	_, err := p.a.s.Sync().Join(t.Context(), "another-name") // the next sync finds another name
	must(t, err)
	p.b.say(kept.ID, first.ID, history.Assistant, "an answer")
	must(t, p.b.s.Purge(t.Context(), purged.ID))
	p.exchange()
	for _, m := range []*machine{p.a, p.b} {
		m.want(kept.ID, "kept | an answer")
		for _, path := range segments(m.dir) {
			if bytes.Contains(segmentText(t, path), []byte("zephyrtoken")) {
				t.Errorf("%s contains what was purged", path)
			}
		}
	}
}
