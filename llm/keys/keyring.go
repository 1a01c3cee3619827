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
	// service is the service name of winnow's keys in the keyring. The user name is the name of the endpoint.
	service = "winnow"

	// keyringTime is how long the keyring may take. It may prompt the user for its password.
	keyringTime = 30 * time.Second
)

var (
	// ErrNoKeyring reports that no system keyring is available.
	ErrNoKeyring = errors.New("there is no system keyring here")
	// ErrNoKey reports that no key is stored under a name.
	ErrNoKey = errors.New("no key is stored")
)

// CheckKeyring returns ErrNoKeyring, with the reason, if there is certainly no keyring. It does not access the keyring,
// which may still fail to respond.
func CheckKeyring() error {
	address := os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	kind, _, _ := strings.Cut(address, ":")
	switch {
	case runtime.GOOS == "darwin" || runtime.GOOS == "windows":
		return nil
	case kind != "" && kind != "disabled" && kind != "autolaunch":
		return nil
	case kind != "disabled":
		// Without an address and without this socket, the library would start a bus of its own.
		if _, err := os.Stat(filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "bus")); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%w: DBUS_SESSION_BUS_ADDRESS is %q, so there is no session bus to reach one by", ErrNoKeyring,
		address)
}

// FromKeyring reads the key of an endpoint from the keyring. The error is ErrNoKey if there is none.
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

// toKeyring stores the key of an endpoint in the keyring, replacing an earlier one.
func toKeyring(ctx context.Context, endpoint string, key Secret) error {
	_, err := askKeyring(ctx, func() (string, error) { return "", keyring.Set(service, endpoint, key.Reveal()) })
	return err
}

// deleteFromKeyring deletes the key of an endpoint from the keyring. The error is ErrNoKey if there is none.
func deleteFromKeyring(ctx context.Context, endpoint string) error {
	_, err := askKeyring(ctx, func() (string, error) { return "", keyring.Delete(service, endpoint) })
	return err
}

// askKeyring calls the keyring library, and waits until ctx ends or keyringTime has passed. A call of the library
// cannot be canceled, so a call without a response stays behind on its goroutine.
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
			_ = recover() // The library may panic on an invalid response.
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

// keyringError turns an error of the library into a sentence for the user.
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
