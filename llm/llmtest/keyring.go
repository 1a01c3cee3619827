package llmtest

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"net"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"
)

// FakeKeyring is a D-Bus session bus with an in-memory keyring: the part of org.freedesktop.secrets, the API of GNOME
// Keyring, that go-keyring uses. Keys are named by service and user, as in "winnow/openai".
type FakeKeyring struct {
	Address string // for DBUS_SESSION_BUS_ADDRESS

	listener net.Listener
	folder   string

	mu      sync.Mutex
	held    chan struct{} // calls wait until it is closed; may be nil
	open    []net.Conn
	keys    map[string]string
	locked  bool
	refuses bool
	removed bool
	asked   int
}

// StartFakeKeyring starts a keyring with some keys in it. It runs until Close.
func StartFakeKeyring(keys map[string]string) (*FakeKeyring, error) {
	folder, err := os.MkdirTemp("", "bus") // The path of a socket must be short.
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(folder, "s")
	s := &FakeKeyring{Address: "unix:path=" + socket, folder: folder, keys: map[string]string{}}
	maps.Copy(s.keys, keys)
	if s.listener, err = net.Listen("unix", socket); err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	go func() {
		for {
			conn, err := s.listener.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.open = append(s.open, conn)
			s.mu.Unlock()
			go s.serve(conn)
		}
	}()
	return s, nil
}

// Close stops the keyring and closes all connections.
func (s *FakeKeyring) Close() {
	s.listener.Close()
	os.RemoveAll(s.folder)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.open {
		conn.Close()
	}
}

// Lock makes the keyring prompt for a password, which is never entered.
func (s *FakeKeyring) Lock(locked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.locked = locked
}

// Refuse makes the keyring report at once that it stays locked.
func (s *FakeKeyring) Refuse(refuses bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuses = refuses
}

// HoldCalls leaves calls unanswered until release is called.
func (s *FakeKeyring) HoldCalls() (release func()) {
	held := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = held
	return sync.OnceFunc(func() { close(held) })
}

// Remove removes the keyring from the bus.
func (s *FakeKeyring) Remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removed = true
}

// Key returns a key by service and user name, "" if there is none.
func (s *FakeKeyring) Key(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[name]
}

// Calls is the number of calls so far.
func (s *FakeKeyring) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// serve answers one client. An invalid message ends the connection.
func (s *FakeKeyring) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	if !authenticate(in, conn) {
		return
	}
	for {
		call, err := dbus.DecodeMessage(in)
		if err != nil {
			return
		}
		if call.Type != dbus.TypeMethodCall {
			continue
		}
		s.mu.Lock()
		held := s.held
		s.mu.Unlock()
		if held != nil {
			<-held
		}
		reply := &dbus.Message{Type: dbus.TypeMethodReply, Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldReplySerial: dbus.MakeVariant(call.Serial()),
		}}
		if reply.Body, err = s.answer(call); err != nil {
			reply.Type = dbus.TypeError
			reply.Headers[dbus.FieldErrorName] = dbus.MakeVariant(err.Error())
		}
		if len(reply.Body) > 0 {
			reply.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(reply.Body...))
		}
		if reply.EncodeTo(conn, binary.LittleEndian) != nil {
			return
		}
	}
}

// authenticate accepts every client, as the protocol requires before the first message.
func authenticate(in *bufio.Reader, out net.Conn) bool {
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return false
		}
		answer := "ERROR\r\n"
		switch line = strings.Trim(line, "\x00\r\n"); {
		case line == "BEGIN":
			return true
		case line == "AUTH":
			answer = "REJECTED EXTERNAL\r\n"
		case strings.HasPrefix(line, "AUTH EXTERNAL"):
			answer = "OK 1234deadbeef1234deadbeef1234dead\r\n"
		}
		if _, err := out.Write([]byte(answer)); err != nil {
			return false
		}
	}
}

const (
	noPrompt   = dbus.ObjectPath("/")
	collection = dbus.ObjectPath("/org/freedesktop/secrets/collection/login")
	secrets    = "/org/freedesktop/secrets/item/"
)

// secret is a secret in the format of the protocol.
type secret struct {
	Session     dbus.ObjectPath
	Parameters  []byte
	Value       []byte
	ContentType string
}

// answer returns the result of a call.
func (s *FakeKeyring) answer(call *dbus.Message) ([]any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	header := func(f dbus.HeaderField) string {
		text, _ := call.Headers[f].Value().(string)
		return text
	}
	object, _ := call.Headers[dbus.FieldPath].Value().(dbus.ObjectPath)
	member := header(dbus.FieldMember)
	if header(dbus.FieldDestination) == "org.freedesktop.DBus" {
		if member == "Hello" {
			return []any{":1.1"}, nil
		}
		return nil, nil
	}
	s.asked++
	if s.removed {
		return nil, errorName("org.freedesktop.DBus.Error.ServiceUnknown")
	}
	switch member {
	case "Get": // the property Collections
		return []any{dbus.MakeVariant([]dbus.ObjectPath{collection})}, nil
	case "OpenSession":
		return []any{dbus.MakeVariant(""), dbus.ObjectPath("/session")}, nil
	case "Unlock":
		if s.refuses {
			return []any{[]dbus.ObjectPath{}, noPrompt}, nil
		}
		if s.locked {
			return []any{[]dbus.ObjectPath{}, dbus.ObjectPath("/prompt")}, nil
		}
		return []any{call.Body[0], noPrompt}, nil
	case "SearchItems":
		wanted := call.Body[0].(map[string]string)
		name := wanted["service"] + "/" + wanted["username"]
		if _, there := s.keys[name]; !there {
			return []any{[]dbus.ObjectPath{}}, nil
		}
		return []any{[]dbus.ObjectPath{itemPath(name)}}, nil
	case "CreateItem":
		properties := call.Body[0].(map[string]dbus.Variant)
		attributes := properties["org.freedesktop.Secret.Item.Attributes"].Value().(map[string]string)
		name := attributes["service"] + "/" + attributes["username"]
		s.keys[name] = string(call.Body[1].([]any)[2].([]byte))
		return []any{itemPath(name), noPrompt}, nil
	case "GetSecret":
		return []any{secret{"/session", nil, []byte(s.keys[itemName(object)]), "text/plain"}}, nil
	case "Delete":
		delete(s.keys, itemName(object))
		return []any{noPrompt}, nil
	}
	return nil, nil // Prompt, Close
}

// errorName is the name of a D-Bus error.
type errorName string

func (e errorName) Error() string { return string(e) }

func itemPath(name string) dbus.ObjectPath {
	return dbus.ObjectPath(secrets + hex.EncodeToString([]byte(name)))
}

func itemName(p dbus.ObjectPath) string {
	name, _ := hex.DecodeString(path.Base(string(p)))
	return string(name)
}
