//go:build cgo

package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"winnow/cli/config"
	"winnow/cli/report"
	"winnow/llm"
	"winnow/llm/keys"
)

// keyStore is where winnow keys set puts keys: the system keyring, or a folder beside the configuration file.
func (p *program) keyStore() keys.Store {
	path, _, err := p.configPath()
	if err != nil {
		return keys.Store{} // Without a home folder nothing is stored.
	}
	return keys.Store{Folder: filepath.Join(filepath.Dir(path), "keys")}
}

// endpoints are those of the configuration and of the environment, and the hosted services whose keys are
// stored. Keys in files are read; those in the keyring are fetched when a request needs them.
func (p *program) endpoints(c config.Config) []llm.Endpoint {
	list := c.Catalog(p.env, p.keyStore().Names()...)
	for i, e := range list {
		list[i] = p.withStored(e)
	}
	return list
}

// withStored adds the stored key of an endpoint that has none at hand: from the file or the keyring entry that its
// table names, else what winnow keys set stored under its name. For an endpoint without one it is looked up
// again before each request, so that a key can be stored while a chat is open.
func (p *program) withStored(e llm.Endpoint) llm.Endpoint {
	var fetch func(context.Context) (keys.Secret, error)
	store := p.keyStore()
	switch from := e.KeyFrom; {
	case e.Key != "" || from.Kind == keys.Command:
		return e
	case from.Kind == keys.Keyring:
		fetch = func(ctx context.Context) (keys.Secret, error) {
			key, err := keys.FromKeyring(ctx, e.Name)
			if errors.Is(err, keys.ErrNoKey) {
				return "", fmt.Errorf("the system keyring has no key for it; store one with winnow keys set %s", e.Name)
			}
			return key, err
		}
	case from.Kind == keys.File:
		path, err := p.expand(from.Name)
		e.KeyFrom.Name = path
		fetch = func(context.Context) (keys.Secret, error) {
			if err != nil {
				return "", err
			}
			return keys.FromFile(path)
		}
	case !e.TakesStoredKey():
		return e
	default:
		if stored := store.Find(e.Name); stored.Kind != keys.Nowhere {
			e.KeyFrom = stored
		}
		fetch = func(ctx context.Context) (keys.Secret, error) { return store.Get(ctx, e.Name) }
	}
	e.Stored = keys.NewLater(fetch)
	if e.KeyFrom.Kind == keys.File {
		// What cannot be read is said when the key is needed.
		_, _ = e.Stored.Get(context.Background())
	}
	return e
}

// keyText says where an endpoint's key comes from.
func keyText(e llm.Endpoint) string {
	switch from := e.KeyFrom; {
	case from.Kind == keys.Nowhere:
		return "no key"
	case from.Kind == keys.Variable && e.Key == "":
		return "no key: " + from.Name + " is not set"
	default:
		return "key from " + from.String()
	}
}

// keyProblem says why the stored key of an endpoint cannot be used, "" where nothing is known to be wrong. It asks
// no keyring.
func keyProblem(e llm.Endpoint) string {
	var err error
	switch e.KeyFrom.Kind {
	case keys.Keyring:
		err = keys.CheckKeyring()
	case keys.File:
		_, err = keys.FromFile(e.KeyFrom.Name)
	}
	if err == nil {
		return ""
	}
	return report.ErrorText(err)
}

// exposedKey warns of a configuration file that holds a key and that others can read. It is "" for any other.
func exposedKey(path string, c config.Config) string {
	info, err := os.Stat(path)
	if err != nil || !keys.Exposed(info) {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(c.Endpoints)) {
		if e := c.Endpoints[name]; e.Key != "" || len(llm.Endpoint{Headers: e.Headers}.Secrets()) > 0 {
			return fmt.Sprintf("the configuration file contains the key of %s, and other users of this machine can "+
				"read the file: chmod 600 %s", name, path)
		}
	}
	return ""
}
