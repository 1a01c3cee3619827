// Package footprint gives memory back to the system when the program comes to rest. It knows nothing of what the memory
// was for.
package footprint

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// quiet is how long nothing was collected when the program is at rest. A program that works collects more often.
const quiet = 3 * time.Second

// startPercent is how much the start may allocate before garbage is first collected, as debug.SetGCPercent counts it:
// 16 MB. By itself Go would collect twice until the first screen is drawn, a fifth of all that the start costs.
const startPercent = 400

// mostGarbage is how much garbage there may be, in bytes, before it is collected. By itself Go lets garbage grow to the size
// of what is in use: a long session would take twice its memory. leastPercent bounds what that costs when much is in use.
const (
	mostGarbage  = 24 << 20
	leastPercent = 25
)

// liveHeap is the metric of what was in use at the last collection.
const liveHeap = "/gc/heap/live:bytes"

// Keep gives memory back whenever nothing was collected for a while, for as long as the program runs: after the start,
// after a long session was read, after an answer. Go itself keeps what a peak needed for minutes, and garbage until
// something else is allocated. A program at rest is not woken up for it. Keep also bounds the garbage of a program that has
// much in use.
//
// It is called at the start, which it lets pass without a collection.
func Keep() {
	k := &keeper{percent: startPercent, usual: debug.SetGCPercent(startPercent)}
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
	usual   int         // percent that holds by itself after the start: of what is in use so much may become garbage
	percent int         // that holds now; only collections change it, one after another
}

// percentOf is the percentage for so many bytes in use.
func (k *keeper) percentOf(live uint64) int {
	if k.usual <= leastPercent { // or -1: somebody wants no collections
		return k.usual
	}
	return max(leastPercent, min(k.usual, int(100*mostGarbage/max(live, 1))))
}

// collected follows a collection.
func (k *keeper) collected() {
	sample := []metrics.Sample{{Name: liveHeap}}
	metrics.Read(sample)
	if p := k.percentOf(sample[0].Value.Uint64()); p != k.percent {
		k.percent = p
		debug.SetGCPercent(p)
	}
}

func (k *keeper) watch(s *sentinel) {
	runtime.SetFinalizer(s, func(s *sentinel) {
		k.collected()
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
