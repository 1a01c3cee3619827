package sync

import (
	"errors"
	"fmt"
	"os"

	"filippo.io/age"
)

// ErrLocked says that the segments in the folder are encrypted, and that there is no key: nothing is written in plain
// text beside them.
var ErrNoKey = errors.New("the segments in this folder are encrypted, and there is no key; " +
	"key under [sync] names its file")

// NewKey makes a key and writes it to a new file, as age-keygen does. It returns its public part.
func NewKey(file string) (recipient string, err error) {
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return "", err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintf(f, "# public key: %s\n%s\n", key.Recipient(), key)
	return key.Recipient().String(), errors.Join(err, f.Close())
}

// ring is the keys of the segments.
type keyRing struct {
	keys []age.Identity // that open them, none for plain text
	own  age.Recipient  // of those that are written, nil for plain text
}

// openKeys reads a key file; "" is none.
func openKeys(file string) (r keyRing, err error) {
	if file == "" {
		return r, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return r, fmt.Errorf("read the sync key: %w", err)
	}
	defer f.Close()
	if r.keys, err = age.ParseIdentities(f); err != nil {
		return r, fmt.Errorf("read the sync key %s: %w", file, err)
	}
	key, ok := r.keys[0].(*age.X25519Identity)
	if !ok {
		return r, fmt.Errorf("read the sync key %s: winnow cannot encrypt with its first key", file)
	}
	r.own = key.Recipient()
	return r, nil
}
