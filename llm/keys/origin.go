package keys

// OriginKind is a kind of place that a key can come from.
type OriginKind string

// The places, in the order in which they are tried.
const (
	Nowhere  OriginKind = ""
	Config   OriginKind = "config"      // in the configuration file itself
	Variable OriginKind = "environment" // an environment variable
	Command  OriginKind = "command"     // printed by a program
	Keyring  OriginKind = "keyring"     // the system keyring
	File     OriginKind = "file"        // a file that only the user can read
)

// Origin is the place that the key of an endpoint comes from. Its zero value is Nowhere.
type Origin struct {
	Kind OriginKind
	Name string // of the variable, the program or the file; otherwise ""
}

// String names the place for use in a sentence: "OPENAI_API_KEY", "the file ~/work.key". It is "" for Nowhere.
func (o Origin) String() string {
	words := map[OriginKind]string{
		Config: "the config file", Command: "the command ", Keyring: "the system keyring", File: "the file ",
	}
	return words[o.Kind] + o.Name
}

// Stored reports whether the key was stored by winnow keys set, which can replace it.
func (o Origin) Stored() bool { return o.Kind == Keyring || o.Kind == File }
