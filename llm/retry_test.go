package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestCancelDuringAWaitEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := script(step{status: 503, header: map[string]string{"Retry-After": "30"}})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		start := time.Now()
		var last error
		for event, err := range server.client().Stream(ctx, hello()) {
			if _, ok := event.(Retrying); ok {
				time.AfterFunc(time.Second, cancel)
			}
			last = err
		}
		if !errors.Is(last, context.Canceled) || time.Since(start) != time.Second || server.times() != 1 {
			t.Errorf(
				"got %v after %v and %d tries, want context.Canceled after 1s and 1", last, time.Since(start),
				server.times(),
			)
		}
	})
}

// A server that never stops must not fill memory and disk.
func TestEndlessAnswerIsCutOff(t *testing.T) {
	piece := delta2(strings.Repeat("x", 1<<20))
	server := script(step{say: slices.Repeat([]string{piece}, 40)})
	text := 0
	var end StreamEnd
	var last error
	for event, err := range server.client().Stream(t.Context(), hello()) {
		switch e := event.(type) {
		case TextDelta:
			text += len(e.Text)
		case Finished:
			end = e.End
		}
		last = err
	}
	if text <= MaxAnswerBytes || text > MaxAnswerBytes+2<<20 || end != EndCutOff || !errors.Is(last, ErrAnswerTooLong) ||
		!strings.Contains(fmt.Sprint(last), "exceeded 16 MiB") {
		t.Errorf("got %d bytes, end %v, %v; want little more than %d, cut off", text, end, last, MaxAnswerBytes)
	}
	if server.times() != 1 {
		t.Errorf("it was asked %d times, want once", server.times())
	}
}
