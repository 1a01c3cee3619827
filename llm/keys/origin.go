package keys

// Kind is a sort of place that a key can come from.
type OriginKind string

// The places, in the order in which they are asked.
const (
	Nowhere  OriginKind = ""
	Config   OriginKind = "config"      // the configuration file holds the key itself
	Variable OriginKind = "environment" // an environment variable
	Command  OriginKind = "command"     // a program prints it
	Keyring  OriginKind = "keyring"     // the system keyring
	File     OriginKind = "file"        // a file that only the user can read
)

// Origin says where the key of an endpoint comes from. Its zero value is nowhere.
type Origin struct {
	Kind OriginKind
	Name string // the variable, the program or the file; "" for the others
}

// String names the place as it stands in a sentence: "OPENAI_API_KEY", "the file ~/work.key". It is "" for
// nowhere.
func (o Origin) String() string {
	words := map[OriginKind]string{
		Config: "the config file", Command: "the command ", Keyring: "the system keyring", File: "the file ",
	}
	return words[o.Kind] + o.Name
}

// Stored says that winnow keys set can replace the key.
func (o Origin) Stored() bool { return o.Kind == Keyring || o.Kind == File }
