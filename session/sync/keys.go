package sync

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	once "sync"

	"filippo.io/age"
	"github.com/google/renameio/v2/maybe"
)

// Keys are the keys of encrypted segments. Without any, segments are written in plain text.
type Keys struct {
	File    string // an age identity file, as age-keygen writes it; "" for none
	Protect bool   // encrypt with the passphrase even if no machine does so far

	// Passphrase is asked at most once in a run; nil where none can be had.
	Passphrase func(ctx context.Context) (string, error)

	// Unlocked is the folder for keys that were unlocked, so that no passphrase is asked for again; "" for none.
	Unlocked string
}

// ErrLocked says that the segments in the folder are encrypted, and that there is no key: nothing is written in plain
// text beside them.
var ErrLocked = errors.New("the segments in this folder are encrypted, and the key or passphrase is missing or wrong")

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

// ring is the keys that are at hand.
type ring struct {
	keys []age.Identity
	own  age.Recipient // of the segments that are written, nil for plain text
}

// open finds the keys for a folder. Where write is set, this machine's own key is made where a passphrase protects the
// folder and it has none.
func (k Keys) open(ctx context.Context, f *folder, machine string, write bool) (ring, error) {
	r, err := k.fromFile()
	if err != nil {
		return r, err
	}
	ask := once.OnceValues(func() (string, error) {
		if k.Passphrase == nil {
			return "", nil
		}
		return k.Passphrase(ctx)
	})
	protected, others := k.Protect, false
	for _, m := range f.machines {
		if !m.locked {
			continue
		}
		protected, others = true, others || m.id != machine
		key, err := k.unlock(f.path(m.id, lockedKey), ask)
		if err != nil {
			return r, err
		}
		if key == nil {
			continue
		}
		r.keys = append(r.keys, key)
		if m.id == machine && r.own == nil {
			r.own = key.Recipient()
		}
	}
	// A passphrase that opens none of the others' keys was mistyped, and would lock them out.
	if !write || r.own != nil || !protected || others && len(r.keys) == 0 {
		return r, nil
	}
	passphrase, err := ask()
	if err != nil || passphrase == "" {
		return r, err
	}
	key, err := k.makeOwn(f.path(machine, lockedKey), passphrase)
	if err != nil {
		return r, err
	}
	r.keys, r.own = append(r.keys, key), key.Recipient()
	return r, nil
}

// fromFile reads the key file, where there is one.
func (k Keys) fromFile() (r ring, err error) {
	if k.File == "" {
		return r, nil
	}
	file, err := os.Open(k.File)
	if err != nil {
		return r, fmt.Errorf("read the sync key: %w", err)
	}
	defer file.Close()
	if r.keys, err = age.ParseIdentities(file); err != nil {
		return r, fmt.Errorf("read the sync key %s: %w", k.File, err)
	}
	for _, key := range r.keys {
		if key, ok := key.(*age.X25519Identity); ok {
			r.own = key.Recipient()
			return r, nil
		}
	}
	return r, fmt.Errorf("read the sync key %s: it holds no key that winnow can encrypt with", k.File)
}

// unlock is the key of a machine's segments, from the file where it is locked; nil where the passphrase is missing or
// wrong.
func (k Keys) unlock(path string, ask func() (string, error)) (*age.X25519Identity, error) {
	if k.Unlocked != "" {
		if text, err := os.ReadFile(k.unlocked(path)); err == nil {
			if key, err := age.ParseX25519Identity(string(bytes.TrimSpace(text))); err == nil {
				return key, nil
			}
		}
	}
	passphrase, err := ask()
	if err != nil || passphrase == "" {
		return nil, err
	}
	by, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, err
	}
	locked, err := os.Open(path)
	if err != nil {
		return nil, nil // It is still on its way.
	}
	defer locked.Close()
	plain, err := age.Decrypt(locked, by)
	if err != nil {
		return nil, nil
	}
	text, _ := io.ReadAll(io.LimitReader(plain, 1<<10))
	key, err := age.ParseX25519Identity(string(bytes.TrimSpace(text)))
	if err != nil {
		return nil, nil
	}
	return key, k.keep(path, key)
}

// unlocked is the file of the key that is locked in another one.
func (k Keys) unlocked(path string) string {
	return filepath.Join(k.Unlocked, filepath.Base(filepath.Dir(path))+".key")
}

// keep keeps an unlocked key for the next run.
func (k Keys) keep(path string, key *age.X25519Identity) error {
	if k.Unlocked == "" {
		return nil
	}
	if err := os.MkdirAll(k.Unlocked, 0o700); err != nil {
		return err
	}
	return maybe.WriteFile(k.unlocked(path), []byte(key.String()+"\n"), 0o600)
}

// makeOwn makes the key of this machine's segments and locks it in a file.
func (k Keys) makeOwn(path, passphrase string) (*age.X25519Identity, error) {
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	by, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, err
	}
	var locked bytes.Buffer
	to, err := age.Encrypt(&locked, by)
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(to, key.String()+"\n")
	err = errors.Join(err, to.Close(), os.MkdirAll(filepath.Dir(path), 0o700))
	if err != nil {
		return nil, err
	}
	if err := maybe.WriteFile(path, locked.Bytes(), 0o600); err != nil {
		return nil, err
	}
	return key, k.keep(path, key)
}
