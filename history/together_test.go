package history

import (
	"fmt"
	"sync"
	"testing"
)

// Builds of one conversation may run at the same time, each with its own draft.
func TestBuildsAtTheSameTime(t *testing.T) {
	past := chat(100)
	c := Read(past, nil)
	var wait sync.WaitGroup
	got, want := make([]string, 8), make([]string, 8)
	for i := range got {
		o := benchOptions(t, Presets()[i%len(Presets())], 6000)
		o.Turn[0].Content = fmt.Sprintf("draft %d", i)
		p, _ := Build(past, o)
		want[i] = requestText(p)
		wait.Go(func() {
			p, _ := c.Build(o)
			got[i] = requestText(p)
		})
	}
	wait.Wait()
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("draft %d: got\n%s\nwant\n%s", i, got[i], want[i])
		}
	}
}

func BenchmarkRead(b *testing.B) {
	past := chat(50000)
	for b.Loop() {
		Read(past, nil)
	}
}
