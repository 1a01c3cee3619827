package keys

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/zalando/go-keyring"
)

const (
	// service is the name that winnow's keys have in the keyring; the user name of each is its endpoint's.
	service = "winnow"

	// keyringTime is how long the keyring may take: it may ask a person for its password.
	keyringTime = 30 * time.Second
)

var (
	// ErrNoKeyring says that this machine has no keyring that can be asked.
	ErrNoKeyring = errors.New("there is no system keyring here")
	// ErrNoKey says that no key is stored under a name.
	ErrNoKey = errors.New("no key is stored")
)

// CheckKeyring returns ErrNoKeyring with the reason where there is nothing to ask. It asks nothing: a
// keyring may still turn out not to answer.
func CheckKeyring() error {
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	kind, _, _ := strings.Cut(address, ":")
	switch {
	case runtime.GOOS == "darwin" || runtime.GOOS == "windows":
		return nil
	case kind != "" && kind != "disabled" && kind != "autolaunch":
		return nil
	case kind != "disabled":
		// Without an address the library would start a bus by itself, where it does not find this one.
		if _, err := os.Stat(filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "bus")); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%w: DBUS_SESSION_BUS_ADDRESS is %q, so there is no session bus to reach one by", ErrNoKeyring,
		address)
}

// FromKeyring asks the keyring for the key of an endpoint. The error is ErrNoKey where it has none.
func FromKeyring(ctx context.Context, endpoint string) (Secret, error) {
	text, err := askKeyring(ctx, func() (string, error) { return keyring.Get(service, endpoint) })
	if err != nil {
		return "", err
	}
	key, err := Parse(text)
	if err != nil {
		return "", fmt.Errorf("read the key of %s from the system keyring: %w", endpoint, err)
	}
	return key, nil
}

// toKeyring stores the key of an endpoint in the keyring, over an earlier one.
func toKeyring(ctx context.Context, endpoint string, key Secret) error {
	_, err := askKeyring(ctx, func() (string, error) { return "", keyring.Set(service, endpoint, key.Reveal()) })
	return err
}

// DeleteFromKeyring removes the key of an endpoint from the keyring. The error is ErrNoKey where it has none.
func deleteFromKeyring(ctx context.Context, endpoint string) error {
	_, err := askKeyring(ctx, func() (string, error) { return "", keyring.Delete(service, endpoint) })
	return err
}

// bounded asks the keyring, and waits for it no longer than keyringTime and ctx allow. The library cannot be
// stopped, so a question without an answer is left behind on its goroutine.
func askKeyring(ctx context.Context, ask func() (string, error)) (string, error) {
	if err := CheckKeyring(); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, keyringTime)
	defer cancel()
	var text string
	answered := make(chan error, 1)
	go func() {
		err := errors.New("its response cannot be read")
		defer func() {
			_ = recover() // The library trusts what it is sent, and a bus may end.
			answered <- err
		}()
		text, err = ask()
	}()
	select {
	case err := <-answered:
		return text, keyringError(err)
	case <-ctx.Done():
		return "", fmt.Errorf("the system keyring did not answer; is it locked?: %w", ctx.Err())
	}
}

// keyringError makes a sentence of what the library returned.
func keyringError(err error) error {
	var refused dbus.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, keyring.ErrNotFound):
		return ErrNoKey
	case errors.As(err, &refused) && refused.Name == "org.freedesktop.DBus.Error.ServiceUnknown":
		return fmt.Errorf("%w: no program on the session bus offers a secret service, as GNOME Keyring, KWallet and "+
			"KeePassXC do", ErrNoKeyring)
	case strings.HasPrefix(err.Error(), "failed to unlock"):
		return errors.New("the system keyring is locked")
	case errors.Is(err, keyring.ErrUnsupportedPlatform), errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w: %w", ErrNoKeyring, err)
	}
	return fmt.Errorf("the system keyring: %w", err)
}
