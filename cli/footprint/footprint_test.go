package footprint

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// held is what the program has of the system's memory for its heap, in bytes.
func held() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() + samples[1].Value.Uint64() + samples[2].Value.Uint64()
}

func TestMemoryIsGivenBackAfterAPeak(t *testing.T) {
	const peak = 64 << 20
	before := held()
	runtime.KeepAlive(make([]byte, peak))
	if now := held(); now < before+peak {
		t.Fatalf("%d bytes are held after a peak of %d, and %d before", now, peak, before)
	}
	k := &keeper{rest: time.AfterFunc(time.Hour, func() {})}
	k.giveBack()
	if now := held(); now > before+peak/2 {
		t.Errorf("%d bytes are held after the peak was given back, and %d before", now, before)
	}
}

// A collection puts the rest off, but not that which the keeper makes itself: it would never end.
func TestOnlyCollectionsOfOthersPutTheRestOff(t *testing.T) {
	given := make(chan bool, 1)
	k := &keeper{}
	k.rest = time.AfterFunc(time.Hour, func() { given <- true })
	k.giving.Store(true)
	k.watch(new(sentinel))
	collected := func() bool {
		runtime.GC()
		for limit := time.Now().Add(time.Second); k.giving.Load() && time.Now().Before(limit); {
			runtime.Gosched()
		}
		return k.giving.Load()
	}
	if collected() {
		t.Fatal("the collection is not noticed")
	}
	if !k.rest.Stop() {
		t.Error("the keeper's own collection put the rest off")
	}
}

func TestGarbageIsBoundedInALargeProgram(t *testing.T) {
	for _, test := range []struct {
		usual   int
		live    uint64
		percent int
	}{
		{100, 0, 100},
		{100, 10 << 20, 100},
		{100, 48 << 20, 50},
		{100, 1 << 30, 25},
		{50, 10 << 20, 50},
		{10, 1 << 30, 10},
		{-1, 48 << 20, -1},
	} {
		if got := (&keeper{usual: test.usual}).percentOf(test.live); got != test.percent {
			t.Errorf("of usually %d percent, with %d bytes in use, there are %d, want %d", test.usual, test.live, got, test.percent)
		}
	}
}

func TestACollectionSetsWhenTheNextOneIs(t *testing.T) {
	before := debug.SetGCPercent(startPercent)
	defer debug.SetGCPercent(before)
	large := make([]byte, mostGarbage)
	runtime.GC()
	k := &keeper{usual: 100, percent: startPercent}
	k.collected()
	runtime.KeepAlive(large)
	if got := debug.SetGCPercent(before); got != k.percent || got >= 100 || got < leastPercent {
		t.Errorf("with %d bytes in use and more it is %d percent, and %d is noted; want less than 100", mostGarbage, got, k.percent)
	}
}
