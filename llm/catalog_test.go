package llm

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"winnow/llm/keys"
)

// machine maps the URLs at which servers listen to their responses: a body, after a status if that is not 200, or
// "hang". Connections to other hosts are refused.
type machine map[string]string

func (m machine) Do(req *http.Request) (*http.Response, error) {
	url := req.URL.Scheme + "://" + req.URL.Host
	body, ok := m[url+req.URL.Path]
	if !ok {
		for address := range m {
			if strings.HasPrefix(address, url+"/") {
				body, ok = "404 ", true
			}
		}
	}
	if !ok {
		return nil, os.NewSyscallError("connect", syscall.ECONNREFUSED)
	}
	if body == "hang" {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	number, rest, _ := strings.Cut(body, " ")
	status, err := strconv.Atoi(number)
	if err != nil {
		status, rest = http.StatusOK, body
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(rest)), Request: req}, nil
}

// machineOf parses lines of a URL and a response.
func machineOf(lines string) machine {
	m := machine{}
	for line := range strings.Lines(lines) {
		address, answer, _ := strings.Cut(strings.TrimSpace(line), " ")
		m[address] = answer
	}
	return m
}

// watchedMachine records the remote hosts that are asked, and the hosts that receive a key.
type watchedMachine struct {
	machine
	mu    sync.Mutex
	asked []string
}

func (w *watchedMachine) Do(req *http.Request) (*http.Response, error) {
	host, keyed := req.URL.Host, req.Header.Get("Authorization") != ""
	if keyed {
		host += " with a key"
	}
	if keyed || !(Endpoint{BaseURL: req.URL.String()}).loopback() {
		w.mu.Lock()
		w.asked = append(w.asked, host)
		w.mu.Unlock()
	}
	return w.machine.Do(req)
}

// TestCatalog runs the commands of catalog.txtar.
func TestCatalog(t *testing.T) {
	checkFixtures(t, "testdata/catalog.txtar", func(t *testing.T, head, body string) (got string) {
		synctest.Test(t, func(t *testing.T) {
			network := &watchedMachine{machine: machineOf(body)}
			r := catalogRun{t: t, catalog: &Catalog{Doer: network}, env: map[string]string{}}
			began := time.Now()
			for line := range strings.Lines(head) {
				r.command(strings.TrimSpace(line))
			}
			for _, host := range slices.Compact(slices.Sorted(slices.Values(network.asked))) {
				r.say(nil, "asked %s", host)
			}
			if took := time.Since(began); took > 0 {
				fmt.Fprintf(&r.said, "after %v\n", took)
			}
			noKey(t, "the catalog", r.said.String())
			got = r.said.String()
		})
		return got
	})
}

// catalogRun runs the lines of a fixture and collects their results.
type catalogRun struct {
	t       *testing.T
	catalog *Catalog
	prefers ModelPreference
	env     map[string]string
	said    strings.Builder
}

// say adds a result, or an error if there is one.
func (r *catalogRun) say(err error, format string, args ...any) {
	if err != nil {
		format, args = "error: %v", []any{err}
	}
	fmt.Fprintf(&r.said, format+"\n", args...)
}

func (r *catalogRun) command(line string) {
	c, ctx := r.catalog, r.t.Context()
	name, ref, _ := strings.Cut(line, " ")
	words := append(strings.Fields(ref), "", "") // Most commands take up to two words.
	switch name {
	case "env":
		variable, value, _ := strings.Cut(ref, "=")
		r.env[variable] = strings.Trim(value, "'")
	case "environment": // with the services whose keys are stored
		r.endpoints(EndpointsFromEnv(func(name string) string { return r.env[name] }, words...))
	case "endpoint":
		c.With(endpointOf(words))
	case "stored":
		c.WithStoredKey = func(e Endpoint) Endpoint { e.Key = testKey; return e }
	case "probes":
		c.ProbeLocal = true
	case "local":
		r.prefers.AllowLocal = true
	case "used":
		r.prefers.Last = LastModel{Ref: words[0], Server: words[1], Keyed: slices.Contains(words, "keyed")}
	case "endpoints":
		r.endpoints(c.Endpoints())
	case "resolve":
		client, model, err := c.Resolve(ref)
		if err != nil {
			client = NewClient(Endpoint{})
		}
		r.say(err, "%s %s", client.Endpoint().Name, model)
	case "use":
		used, _, err := c.ResolveAndAdd(ref)
		if again, _, _ := c.ResolveAndAdd(used.Endpoint().Name + "/another"); again != used {
			r.t.Error("what is learned of an endpoint is not kept")
		}
		r.say(err, "%s", used.Endpoint().Name)
	case "find":
		found, err := c.FindModel(ctx, words[0], words[1])
		r.say(err, "%s", found)
	case "last":
		r.say(nil, "%+v", c.LastModel(ref))
	case "models":
		models, failed := c.Models(ctx)
		r.models(models)
		for _, name := range slices.Sorted(maps.Keys(failed)) {
			r.say(nil, "%s: %v", name, failed[name])
		}
	case "offers":
		offers, models := c.UnconfiguredProviders(ctx)
		for _, o := range offers {
			r.say(nil, "%s at %s", o.Title, o.Host)
		}
		r.models(models)
	case "add":
		first, err := c.AddService(ctx, words[0], keys.Secret(words[1]), keys.Origin{Kind: keys.Keyring})
		r.say(err, "%s", first)
	case "choose":
		r.choose(ctx, ref)
	default:
		r.t.Fatalf("%q: there is no such line", line)
	}
}

// endpointOf parses a name, a base URL and options.
func endpointOf(words []string) Endpoint {
	e := Endpoint{Name: words[0], BaseURL: words[1]}
	for _, word := range words[2:] {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "key":
			if e.Key = testKey; value != "" {
				e.KeyOrigin = keys.Origin{Kind: keys.Variable, Name: value}
			}
		case "keyring":
			e.KeyOrigin.Kind = keys.Keyring
		case "file":
			e.KeyOrigin = keys.Origin{Kind: keys.File, Name: "k"}
		case "set":
			e.BaseURLSet = true
		case "default":
			e.DefaultModel = value
		}
	}
	return e
}

func (r *catalogRun) endpoints(list []Endpoint) {
	for _, e := range list {
		takes := ""
		if e.TakesStoredKey() {
			takes = ", takes a stored key"
		}
		r.say(nil, "%s %s, key from %q, default %q%s", e.Name, e.DisplayURL(), e.KeyOrigin, e.DefaultModel, takes)
	}
	if list == nil {
		r.say(nil, "no endpoints")
	}
}

func (r *catalogRun) models(list []Model) {
	for _, m := range list {
		r.say(nil, "%s", m.Ref())
	}
}

func (r *catalogRun) choose(ctx context.Context, ref string) {
	r.prefers.Ref = ref
	got, err := ChooseModel(ctx, r.catalog, r.prefers)
	r.say(err, "%s: %s", got.Ref, got.Reason)
	if got.Unavailable != nil {
		r.say(nil, "closed: %v", got.Unavailable)
	} else if _, _, unknown := r.catalog.Resolve(got.Ref); err == nil && unknown != nil {
		r.t.Errorf("the choice cannot be resolved: %v", unknown)
	}
}
