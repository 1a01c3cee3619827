//go:build unix

// Package input reads what the terminal sends before Bubble Tea does, and tells pastes from typing. Bubble Tea parses a
// paste as if it were typed: an unterminated escape string in the text swallows the end marker and every key after it,
// and lines pasted without markers act as keys. Here a paste is recognized first, and passed on as one text.
package input

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"
)

const (
	// Silences after which input is decided.
	burstTime  = 20 * time.Millisecond  // input within this time may be one paste
	escapeTime = 50 * time.Millisecond  // an escape sequence is not continued
	pauseTime  = 200 * time.Millisecond // a paste is over
	lateTime   = time.Second            // input no longer belongs to a paste whose end marker is missing

	// A burst of input without markers is a paste from one of these sizes on.
	burstBytes = 200
	burstLines = 2
	mostTyped  = 512 // bytes; a longer burst is always a paste

	startMarker = "\x1b[200~"
	endMarker   = "\x1b[201~"
	interrupt   = "\x03"
	escapeKey   = "\x1b[27u" // in Kitty's protocol, because a bare ESC may begin a sequence
	key         = `\x1b(?:\[[0-?]*[ -/]*[@-~]|O[0-9]*.|[]PX^_][^\a\x1b]*(?:\a|\x1b\\)|[^]OPX^_[])`
)

var (
	marker  = regexp.MustCompile(`\x1b\[20[01]~`)
	lineEnd = regexp.MustCompile(`\r\n?|\n`)
	// sequence is a key or a reply of the terminal. prompt is input that is passed on at once, because it is harmless
	// even as the beginning of a paste. unfinished is the beginning of a sequence.
	sequence   = regexp.MustCompile(key)
	prompt     = regexp.MustCompile(`^(?:` + key + `)*[^\r\n\x1b]{0,8}$`)
	unfinished = regexp.MustCompile(`\x1b+(?:\[[0-?]*[ -/]*|O[0-9]*|[]PX^_][^\a\x1b]*\x1b?)?$`)
	// Ctrl+c as terminals send it: plain, in Kitty's protocol with the lock keys on or off, and in xterm's.
	interrupts = regexp.MustCompile(`(?:\x03|\x1b\[99;(?:5|69|133|197)(?::1)?u|\x1b\[27;5;99~)+$`)
	// What would swallow a ctrl+c: the escape key and unterminated strings.
	opened = regexp.MustCompile(`(?:\x1b(?:[]PX^_][^\a\x1b]*)?)+(\x03|\x1b\[99;)`)
)

// Reader is a terminal whose pastes cannot be mistaken for keys. Except for Read it is the terminal's file, so that
// Bubble Tea polls it as usual. Read replaces the text of a paste by a number in paste markers, and Message restores
// the text, because Bubble Tea's decoder is slow and loses bytes.
//
// A bracketed paste ends at its end marker, or after a pause; without the marker, input within the next second still
// belongs to it. Ctrl+c followed by silence is always a key.
type Reader struct {
	*os.File            // the terminal; the only field to be set
	bracketed bool      // a start marker was read, and no end marker
	held      []byte    // read, but not decided
	since     time.Time // when the first byte of held was read
	last      time.Time // when the last byte was read
	ended     time.Time // when a marker was read last; it may be part of a pasted text
	out       []byte    // decided, but not returned by Read
	pastes    sync.Map  // number to text
	made      int       // pastes so far
}

// Message restores the text of a paste message. It returns other messages unchanged.
func (r *Reader) Message(msg tea.Msg) tea.Msg {
	if paste, ok := msg.(tea.PasteMsg); ok {
		text, _ := r.pastes.LoadAndDelete(paste.Content)
		paste.Content, _ = text.(string)
		return paste
	}
	return msg
}

// Read returns keys and the numbers of pastes. It may return 0 bytes without an error.
//
// Bubble Tea calls it only when the terminal has input, so no input may be left undecided when it returns: Read itself
// waits for the silence that decides. It reads little at a time, so that the result fits into p.
func (r *Reader) Read(p []byte) (int, error) {
	for more := true; more && len(r.out) <= len(p)/4; more = len(r.held) > 0 {
		var buf [256]byte
		n, err := r.File.Read(buf[:])
		if err != nil {
			return 0, err
		}
		r.feed(buf[:n], time.Now())
		if len(r.held) > 0 && !r.ready(r.wait(time.Now())) {
			r.silence()
		}
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// ready reports whether the terminal has input within d. On an error it returns true, and Read fails instead.
func (r *Reader) ready(d time.Duration) bool {
	for until := time.Now().Add(d); ; {
		var set unix.FdSet
		set.Set(int(r.Fd()))
		left := unix.NsecToTimeval(int64(max(0, time.Until(until))))
		n, err := unix.Select(int(r.Fd())+1, &set, nil, nil, &left)
		if !errors.Is(err, unix.EINTR) {
			return err != nil || n > 0
		}
	}
}

// feed adds bytes that were read, and passes on what is decided. Only silence, found by ready, ends a burst: bytes that
// were read late because the machine is busy still belong to those before them.
func (r *Reader) feed(p []byte, now time.Time) {
	if len(r.held) == 0 {
		r.since = now
		r.bracketed = r.bracketed && now.Sub(r.last) < lateTime
	}
	r.last = now
	searched := max(0, len(r.held)-len(endMarker)+1)
	r.held = append(r.held, p...)
	r.markers(searched)
	if !r.bracketed && prompt.Match(r.held) && r.complete() && now.Sub(r.ended) >= burstTime {
		r.silence()
	}
}

// markers passes on the input before each paste marker; the first searched bytes have none. If markers do not come in
// pairs, one is part of a pasted text or was late, so the input between them counts as pasted.
func (r *Reader) markers(searched int) {
	for {
		at := marker.FindIndex(r.held[searched:])
		if at == nil {
			return
		}
		before, start := r.held[:searched+at[0]], r.held[searched+at[1]-2] == '0'
		if start && !r.bracketed && !burst(before) {
			r.keys(before)
		} else {
			r.paste(before)
		}
		r.held, searched = r.held[searched+at[1]:], 0
		r.bracketed, r.since, r.ended = start, r.last, r.last
	}
}

// burst reports whether bytes that were read together are a paste without markers.
func burst(p []byte) bool {
	text := sequence.ReplaceAll(p[:min(len(p), mostTyped)], nil)
	return len(p) > mostTyped || len(text) >= burstBytes || len(lineEnd.FindAll(text, burstLines)) == burstLines
}

// complete reports whether held ends with a complete character or sequence.
func (r *Reader) complete() bool {
	last, size := utf8.DecodeLastRune(r.held)
	return (last != utf8.RuneError || size != 1) && !unfinished.Match(r.held)
}

// wait returns how long the silence must last from now on before silence is called.
func (r *Reader) wait(now time.Time) time.Duration {
	due := r.since.Add(burstTime)
	switch {
	case r.bracketed || burst(r.held):
		due = r.last.Add(pauseTime)
	case !r.complete():
		due = r.last.Add(escapeTime)
	}
	return max(0, due.Sub(now))
}

// silence passes on everything that is held, after silence or when nothing more needs to be waited for.
func (r *Reader) silence() {
	held := r.held
	r.held = nil
	if !r.bracketed && !burst(held) {
		r.keys(held)
		return
	}
	text := interrupts.ReplaceAll(held, nil)
	r.paste(text)
	if len(text) < len(held) {
		r.out = append(r.out, interrupt...)
	}
}

// keys passes on typed input without invalid UTF-8. Of an unfinished sequence only escape keys remain. A line feed
// after a carriage return is dropped.
func (r *Reader) keys(p []byte) {
	p = opened.ReplaceAll(p, []byte("$1"))
	p = bytes.ReplaceAll(p, []byte("\r\n"), []byte("\r"))
	escapes := len(p) - len(bytes.TrimRight(p, "\x1b"))
	r.out = append(r.out, bytes.ToValidUTF8(unfinished.ReplaceAll(p, nil), nil)...)
	r.out = append(r.out, strings.Repeat(escapeKey, escapes)...)
}

// paste passes on a pasted text as a number. An empty text is dropped.
func (r *Reader) paste(p []byte) {
	if len(p) == 0 {
		return
	}
	r.made++
	number := strconv.Itoa(r.made)
	r.pastes.Store(number, strings.ToValidUTF8(string(p), "\uFFFD"))
	r.out = append(r.out, startMarker+number+endMarker...)
}
