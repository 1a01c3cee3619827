package keys

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Store keeps the keys that the user stored with winnow, by endpoint: in the system keyring, or in files that only the
// user can read. Its folder has one file for each key, which contains the key or a note that the key is in the keyring.
// So the names of stored keys are known without accessing the keyring.
type Store struct {
	Folder string // created when the first key is stored; with "", none can be stored
}

// inKeyring is the content of the file of a key in the keyring. It contains spaces, so it cannot be a key.
const inKeyring = "# This key is in the system keyring.\n"

// Names lists the endpoints that have a stored key, sorted. It is empty if the folder cannot be read.
func (s Store) Names() []string {
	var names []string
	files, _ := os.ReadDir(s.Folder)
	for _, f := range files {
		if s.check(f.Name()) == nil && !f.IsDir() {
			names = append(names, f.Name())
		}
	}
	return names
}

// Origin tells where the stored key of an endpoint is: Nowhere, File or Keyring.
func (s Store) Origin(name string) Origin {
	if s.check(name) != nil {
		return Origin{}
	}
	text, err := os.ReadFile(s.Path(name))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return Origin{}
	case string(text) == inKeyring:
		return Origin{Kind: Keyring}
	}
	return Origin{Kind: File, Name: s.Path(name)}
}

// Get reads the stored key of an endpoint, "" if there is none. It may access the keyring.
func (s Store) Get(ctx context.Context, name string) (Secret, error) {
	switch from := s.Origin(name); from.Kind {
	case Keyring:
		key, err := FromKeyring(ctx, name)
		if errors.Is(err, ErrNoKey) {
			err = fmt.Errorf("the system keyring no longer has a key of %s; store one with winnow keys set %s",
				name, name)
		}
		return key, err
	case File:
		return FromFile(from.Name)
	}
	return "", nil
}

// Set stores the key of an endpoint in the keyring or in a file, replacing an earlier one in either.
func (s Store) Set(
	ctx context.Context, name string, key Secret, to OriginKind,
) error {
	if err := s.check(name); err != nil {
		return err
	}
	before, text := s.Origin(name), key.Reveal()+"\n"
	if to == Keyring {
		if err := toKeyring(ctx, name, key); err != nil {
			return err
		}
		text = inKeyring
	}
	if err := writePrivate(s.Path(name), text); err != nil {
		return err
	}
	if before.Kind == Keyring && to == File {
		if err := deleteFromKeyring(ctx, name); err != nil && !errors.Is(err, ErrNoKey) {
			return fmt.Errorf(
				"the key is in %s now, but the old one could not be deleted: %w", s.Path(name), err,
			)
		}
	}
	return nil
}

// Delete deletes the stored key of an endpoint and tells where it was. The error is ErrNoKey if none is stored.
func (s Store) Delete(ctx context.Context, name string) (Origin, error) {
	from := s.Origin(name)
	switch from.Kind {
	case Nowhere:
		return from, ErrNoKey
	case Keyring:
		if err := deleteFromKeyring(ctx, name); err != nil && !errors.Is(err, ErrNoKey) {
			return from, err
		}
	}
	return from, os.Remove(s.Path(name))
}

// Path returns the file of an endpoint's key.
func (s Store) Path(name string) string { return filepath.Join(s.Folder, name) }

// check rejects names that cannot be files in the folder.
func (s Store) check(name string) error {
	if s.Folder == "" {
		return errors.New("there is no home folder to keep keys in")
	}
	if name == "" || name[0] == '.' || strings.ContainsAny(name, "/\\: \t\r\n\x00") {
		return fmt.Errorf("a key cannot be stored under the name %q", name)
	}
	return nil
}
