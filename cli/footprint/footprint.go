// Package footprint gives memory back to the system when the program comes to rest. It knows nothing of what the memory
// was for.
package footprint

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// quiet is how long nothing was collected when the program is at rest. A program that works collects more often.
const quiet = 3 * time.Second

// startPercent is how much the start may allocate before garbage is first collected, as debug.SetGCPercent counts it:
// 16 MB. By itself Go would collect twice until the first screen is drawn, a fifth of all that the start costs.
const startPercent = 400

// Keep gives memory back whenever nothing was collected for a while, for as long as the program runs: after the start,
// after a long session was read, after an answer. Go itself keeps what a peak needed for minutes, and garbage until
// something else is allocated. A program at rest is not woken up for it.
//
// It is called at the start, which it lets pass without a collection.
func Keep() {
	k := &keeper{percent: debug.SetGCPercent(startPercent)}
	k.starts.Store(true)
	k.rest = time.AfterFunc(quiet, k.giveBack)
	k.watch(new(sentinel))
}

// sentinel is garbage as soon as it is made: its finalizer runs after each collection. It has a size because
// objects without one need not be collected.
type sentinel struct{ _ [16]byte }

// keeper knows when the program last collected garbage.
type keeper struct {
	rest    *time.Timer
	giving  atomic.Bool // the next collection is its own
	starts  atomic.Bool // nothing was collected yet
	percent int         // what holds after the start
}

func (k *keeper) watch(s *sentinel) {
	runtime.SetFinalizer(s, func(s *sentinel) {
		if k.starts.CompareAndSwap(true, false) {
			debug.SetGCPercent(k.percent)
		}
		if !k.giving.CompareAndSwap(true, false) {
			k.rest.Reset(quiet)
		}
		k.watch(s)
	})
}

func (k *keeper) giveBack() {
	k.giving.Store(true)
	debug.FreeOSMemory()
}
