package cli

import (
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

// atHome reports whether a cell is acted out in every run: each fault where it happens first, and some at every
// stage.
func (c cell) atHome() bool {
	if c.fault.Lead {
		return true
	}
	stages := c.fault.Stages()
	home := stages[0]
	for _, first := range []llmtest.Stage{
		llmtest.Connect, llmtest.Headers, llmtest.FirstByte, llmtest.Text, llmtest.Calls, llmtest.End,
		llmtest.AfterTool,
	} {
		if slices.Contains(stages, first) {
			home = first
			break
		}
	}
	return c.stage == home
}

// actOut acts cells out, some at a time, in time of their own.
func actOut(t *testing.T, cells []cell) {
	signalsOnce()
	valid := newValidShapes()
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
					b.actor(c).act()
				}
			})
		})
	}
}

// signalsOnce has the runtime start the goroutine that hands on signals: a bubble in which it began would never end.
var signalsOnce = sync.OnceFunc(func() { signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR2) })

// today is when a bubble's faults happen: it begins in the year 2000, before the times that servers send.
var today = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// TestFaultMatrix acts out the faults of servers, each where it happens first, in a soak each at every stage. A person
// reads no text of a parser; what is stored, recorded and announced is what came and left; and the next request is
// valid for every strict server.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	cells := faultCells()
	if !soak() {
		cells = slices.DeleteFunc(cells, func(c cell) bool { return !c.atHome() })
	}
	actOut(t, cells)
}
