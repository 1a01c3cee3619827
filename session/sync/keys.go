package sync

import (
	"errors"
	"fmt"
	"os"

	"filippo.io/age"
)

// ErrNoKey is returned if the segments in the folder are encrypted and there is no key. Nothing is written in plain
// text next to them.
var ErrNoKey = errors.New("the segments in this folder are encrypted, and there is no key; " +
	"set key under [sync] to its file")

// NewKey writes a new age identity to a new file, in the format of age-keygen, and returns its public key.
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

// keyRing holds the keys of the segments.
type keyRing struct {
	keys []age.Identity // for reading; empty for plain text
	own  age.Recipient  // for writing; nil for plain text
}

// openKeys reads an identity file; "" means no key.
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
