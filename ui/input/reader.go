//go:build unix

package input

import (
	"errors"
	"os"
	"regexp"
	"strconv"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"

	"winnow/ui/cells"
)

// Reader is a terminal whose pastes cannot be mistaken for keys. It is the terminal's file but for Read, so
// that Bubble Tea sets, restores and waits for the terminal as it does without it: raw mode, suspending,
// other programs on the same terminal.
//
// A pasted text does not go through Bubble Tea's decoder, which loses bytes of it and takes time for each.
// Read puts a bracketed paste with a number in its place, and Message puts the text back.
type Reader struct {
	*os.File
	filter Filter
	out    []byte

	mu     sync.Mutex
	pastes map[string]string
	made   int

	ahead int  // bytes still to read of those that were typed before the program started
	lines bool // a line end was among those that were read of them

	asked   bool  // the terminal was asked where its cursor is
	columns []int // what it has answered
}

// MeasuredMsg says how the terminal counts the cells of characters.
type MeasuredMsg struct{ cells.Terminal }

// measured is the number of a paste that stands for a MeasuredMsg.
const measured = "measured"

// NewReader returns a reader in front of a terminal that is not in raw mode yet. Whole lines may have been typed already.
func NewReader(terminal *os.File) *Reader {
	r := &Reader{File: terminal, pastes: map[string]string{}}
	if n, err := unix.IoctlGetInt(int(terminal.Fd()), bytesWaiting); err == nil {
		r.ahead = n
	}
	return r
}

// typedAhead makes an enter of the line end of what was typed before the program started: out of raw mode the terminal
// sends a line feed for it, which is ctrl+j otherwise. Several lines may be a paste, and are left as they are: nothing is
// sent that the user does not see as one message.
func (r *Reader) typedAhead(p []byte) {
	for i := range p[:min(len(p), r.ahead)] {
		r.ahead--
		switch {
		case p[i] != '\n':
		case r.ahead == 0 && !r.lines:
			p[i] = '\r'
		default:
			r.lines = true
		}
	}
}

// Options make a program read from the terminal.
func (r *Reader) Options() []tea.ProgramOption { return []tea.ProgramOption{tea.WithInput(r)} }

// Question asks the terminal how it counts cells; it is empty for one that cannot answer. It is to be written before
// the program draws anything, and nothing waits for the answer.
func (r *Reader) Question() string {
	if name := os.Getenv("TERM"); name == "" || name == "dumb" {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = true
	return cells.Question()
}

// chunk is how much is read at once: little, so that what it becomes has room in Bubble Tea's buffer.
const chunk = 256

// Read returns keys for Bubble Tea to decode, and numbers of pastes. It may return nothing.
//
// Bubble Tea calls it when there is something to read, so it does not return while something is held
// back: it waits for the silence that decides. That takes no longer than pauseTime after the last byte.
func (r *Reader) Read(p []byte) (int, error) {
	for done := false; ; done = true {
		wait, waiting := r.filter.Wait(time.Now())
		if waiting && !r.ready(wait) {
			r.encode(r.filter.Silence(time.Now()))
			continue
		}
		// With more to read than there is room for, Bubble Tea calls again at once.
		if done && !waiting || len(r.out) >= len(p)/2 {
			break
		}
		var buf [chunk]byte
		n, err := r.File.Read(buf[:])
		r.typedAhead(buf[:n])
		r.encode(r.filter.Feed(buf[:n], time.Now()))
		if err != nil {
			if len(r.out) > 0 {
				break
			}
			return 0, err
		}
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// encode writes events as a terminal would send them, with a number for each pasted text.
func (r *Reader) encode(events []Event) {
	for _, e := range events {
		if !e.Paste {
			r.out = append(r.out, r.answered(e.Data)...)
			continue
		}
		r.mu.Lock()
		r.made++
		number := strconv.Itoa(r.made)
		r.pastes[number] = string(e.Data)
		r.mu.Unlock()
		r.out = append(append(append(r.out, startMarker...), number...), endMarker...)
	}
}

// position is where a terminal says that its cursor is. A key may look the same, so that it is one only
// while an answer is due.
var position = regexp.MustCompile(`\x1b\[\d+;(\d+)R`)

// answered takes the answers to the question about cells out of keys, and puts a number of a paste in the
// place of the last one.
func (r *Reader) answered(keys []byte) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.asked {
		return keys
	}
	return position.ReplaceAllFunc(keys, func(reply []byte) []byte {
		if len(r.columns) == cells.Replies {
			return reply
		}
		column, _ := strconv.Atoi(string(position.FindSubmatch(reply)[1]))
		if r.columns = append(r.columns, column); len(r.columns) < cells.Replies {
			return nil
		}
		r.asked = false
		return []byte(startMarker + measured + endMarker)
	})
}

// Message puts the text of a paste in the place of its number.
func (r *Reader) Message(msg tea.Msg) tea.Msg {
	paste, ok := msg.(tea.PasteMsg)
	if !ok {
		return msg
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if paste.Content == measured {
		return MeasuredMsg{cells.Answered(r.columns)}
	}
	text := r.pastes[paste.Content]
	delete(r.pastes, paste.Content)
	return tea.PasteMsg{Content: text}
}

// ready reports whether the terminal has something to read within d. Where the system cannot say, it returns
// true, and Read finds out.
func (r *Reader) ready(d time.Duration) bool {
	fd := int(r.Fd())
	until := time.Now().Add(d)
	for {
		var set unix.FdSet
		set.Set(fd)
		left := unix.NsecToTimeval(int64(max(0, time.Until(until))))
		n, err := unix.Select(fd+1, &set, nil, nil, &left)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err != nil || n > 0
	}
}
