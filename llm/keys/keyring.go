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
	// Service is the name that winnow's keys have in the keyring; the user name of each is its endpoint's.
	Service = "winnow"

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
	switch runtime.GOOS {
	case "darwin", "windows", "ios":
		return nil
	}
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	// The library takes this for an address, and the user's bus is elsewhere.
	if strings.HasPrefix(address, "disabled:") {
		return fmt.Errorf("%w: DBUS_SESSION_BUS_ADDRESS is %s, so the session bus is not used", ErrNoKeyring, address)
	}
	if address != "" && !strings.HasPrefix(address, "autolaunch:") {
		return nil
	}
	// Without an address the library would start a bus by itself, where it does not find this one.
	if _, err := os.Stat(filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "bus")); err == nil {
		return nil
	}
	return fmt.Errorf("%w: DBUS_SESSION_BUS_ADDRESS is not set, so there is no session bus to reach one by",
		ErrNoKeyring)
}

// FromKeyring asks the keyring for the key of an endpoint. The error is ErrNoKey where it has none.
func FromKeyring(ctx context.Context, endpoint string) (Secret, error) {
	text, err := bounded(ctx, func() (string, error) { return keyring.Get(Service, endpoint) })
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
	_, err := bounded(ctx, func() (string, error) { return "", keyring.Set(Service, endpoint, key.Reveal()) })
	return err
}

// DeleteFromKeyring removes the key of an endpoint from the keyring. The error is ErrNoKey where it has none.
func DeleteFromKeyring(ctx context.Context, endpoint string) error {
	_, err := bounded(ctx, func() (string, error) { return "", keyring.Delete(Service, endpoint) })
	return err
}

// bounded asks the keyring, and waits for it no longer than keyringTime and ctx allow. The library cannot be
// stopped, so a question without an answer is left behind on its goroutine.
func bounded(ctx context.Context, ask func() (string, error)) (string, error) {
	if err := CheckKeyring(); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, keyringTime)
	defer cancel()
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if fault := recover(); fault != nil { // The library trusts the types of what it is sent.
				a.err = fmt.Errorf("its response cannot be read (%v)", fault)
			}
			answers <- a
		}()
		a.text, a.err = ask()
	}()
	select {
	case a := <-answers:
		return a.text, keyringError(a.err)
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", fmt.Errorf("the system keyring did not answer in time; is it locked?: %w", ctx.Err())
		}
		return "", fmt.Errorf("ask the system keyring: %w", ctx.Err())
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
	case errors.Is(err, keyring.ErrUnsupportedPlatform):
		return fmt.Errorf("%w: winnow supports none on this system", ErrNoKeyring)
	case errors.As(err, &refused) && refused.Name == "org.freedesktop.DBus.Error.ServiceUnknown":
		return fmt.Errorf("%w: no program on the session bus offers a secret service, as GNOME Keyring, KWallet and "+
			"KeePassXC do", ErrNoKeyring)
	case strings.HasPrefix(err.Error(), "failed to unlock"):
		return errors.New("the system keyring is locked")
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w: the session bus of DBUS_SESSION_BUS_ADDRESS cannot be reached", ErrNoKeyring)
	}
	return fmt.Errorf("the system keyring: %w", err)
}
