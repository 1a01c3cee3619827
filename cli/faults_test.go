package cli

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"winnow/llm/llmtest"
)

// faultCells are the faults at the stages at which they can happen.
func faultCells() []cell {
	var cells []cell
	for _, f := range llmtest.Faults() {
		for _, stage := range f.Stages() {
			for _, run := range []bool{false, true} {
				if run && (stage == llmtest.Title || stage == llmtest.Plan) {
					continue // run asks for no title and shows no count before it sends.
				}
				cells = append(cells, cell{fault: f, stage: stage, run: run})
			}
		}
	}
	return cells
}

// actOut acts cells out, some at a time, in time of their own.
func actOut(t *testing.T, cells []cell, take func(cell, outcome)) {
	signalsOnce()
	valid := newValidShapes()
	var mu sync.Mutex
	const batch = 16
	for from := 0; from < len(cells); from += batch {
		some := cells[from:min(from+batch, len(cells))]
		t.Run(fmt.Sprint(from/batch), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(today))
				b := newFaultBench(t, valid)
				defer b.close()
				for _, c := range some {
					o := b.actor(c).act()
					mu.Lock()
					take(c, o)
					mu.Unlock()
				}
			})
		})
	}
}

// signalsOnce has the runtime start the goroutine that hands on signals: a bubble in which it began would never end.
var signalsOnce = sync.OnceFunc(func() { signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR2) })

// today is when a bubble's faults happen: it begins in the year 2000, before the times that servers send.
var today = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

var soakFaults = flag.Int("soak", 0, "1 acts out every fault at every stage")

// TestFaultMatrix acts out the faults of docs/faults.md, in a soak every fault at every stage, and wants that the page
// says what came of them.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	cells := faultCells()
	if *soakFaults == 0 {
		cells = slices.DeleteFunc(cells, func(c cell) bool { return !c.documented() })
	}
	outcomes := map[string]outcome{}
	t.Run("cells", func(t *testing.T) {
		actOut(t, cells, func(c cell, o outcome) { outcomes[c.String()] = o })
	})
	checkPart(t, "../docs/faults.md", "faults", faultTables(outcomes, cells))
}
