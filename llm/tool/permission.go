package tool

// Permission says what becomes of the calls of a tool.
type Permission string

// The permissions of a tool.
const (
	Off   Permission = "off"   // the tool is not offered to the model
	Ask   Permission = "ask"   // the user is asked before each call
	Allow Permission = "allow" // calls run without asking
)

// Permissions lists the permissions.
func Permissions() []string { return []string{string(Off), string(Ask), string(Allow)} }
