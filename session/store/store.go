// Package store keeps conversations in one SQLite file. It holds all the SQL of winnow and the
// promises about what is on disk when. It does not decide what a model sees and talks to none.
package store

import "winnow/session/store/sqlite"

// Memory is the path of a store that leaves nothing on disk.
const Memory = sqlite.Memory
