package cli

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// letters are typed in turn: a letter that is in front of the cursor says which keys have been drawn. None of them is
// anywhere else on the screen, and there are so many that a program may lie some seconds behind.
var letters = strings.Split("αβγδεζηθκλμνξπρστφχψωбвгджзийклмнптуфхцчшщъыьэюяբդեզթիլխծկհձղճմյնշոչպջռսվտրցւփքօ", "")

// wordLength is how many letters come before a blank. A blank is not measured: it may stand at the end of a line.
const wordLength = 7

// typist types into one program at a steady pace, however slow that is, and measures how long each letter takes to
// the screen.
type typist struct {
	term  *terminal
	mu    sync.Mutex
	sent  []time.Time
	shown int // how many letters are on the screen
	took  []time.Duration
}

// newTypist makes a typist for a program whose draft is empty.
func newTypist(term *terminal) *typist {
	y := &typist{term: term}
	term.mu.Lock()
	term.look = y.look
	term.mu.Unlock()
	return y
}

// look finds out which letters have come to the screen.
func (y *typist) look(s *screen) {
	x := s.before()
	if x < 0 {
		return
	}
	which := slices.Index(letters, s.cells[s.y][x].text)
	if which < 0 && x > 0 && s.cells[s.y][x].text == " " {
		which = slices.Index(letters, s.cells[s.y][x-1].text)
	}
	if which < 0 {
		return
	}
	now := time.Now()
	y.mu.Lock()
	defer y.mu.Unlock()
	for i := y.shown; i < len(y.sent) && i < y.shown+len(letters); i++ {
		if i%len(letters) != which {
			continue
		}
		for ; y.shown <= i; y.shown++ {
			y.took = append(y.took, now.Sub(y.sent[y.shown]))
		}
		return
	}
}

// typeOn types n letters, one in each pause, until done says that it is enough.
func (y *typist) typeOn(n int, pause time.Duration, done func() bool) {
	begin := time.Now()
	for i := 0; i < n && !done(); i++ {
		time.Sleep(time.Until(begin.Add(time.Duration(i) * pause)))
		y.mu.Lock()
		key := letters[len(y.sent)%len(letters)]
		y.sent = append(y.sent, time.Now())
		if len(y.sent)%wordLength == 0 {
			key += " "
		}
		y.mu.Unlock()
		y.term.send(key)
	}
}

// times waits for the last letter and returns how long each took, in milliseconds.
func (y *typist) times(t testing.TB) numbers {
	t.Helper()
	y.term.waitFor("the last letter that was typed", func(string) bool {
		y.mu.Lock()
		defer y.mu.Unlock()
		return y.shown == len(y.sent)
	})
	y.mu.Lock()
	defer y.mu.Unlock()
	var out numbers
	for _, took := range y.took {
		out = append(out, ms(took))
	}
	return out
}

// never is for a typist who types all letters.
func never() bool { return false }

// changed waits until the screen is another one and returns it and how long that took. It is false where nothing
// changed within a second.
func (s *terminal) changed(from string) (to string, took time.Duration, ok bool) {
	begin := time.Now()
	limit := time.NewTimer(time.Second)
	defer limit.Stop()
	for {
		if to := s.text(); to != from {
			return to, time.Since(begin), true
		}
		select {
		case <-s.news:
		case <-s.over:
			return from, 0, false
		case <-limit.C:
			return from, 0, false
		}
	}
}

// written is how many bytes a program has written so far.
func (s *terminal) written() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.raw)
}
