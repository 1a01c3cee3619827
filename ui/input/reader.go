//go:build unix

// Package input reads what the terminal sends, before Bubble Tea's reader does. That one takes a paste apart as if it
// were typed: an escape string that a pasted text opens swallows the end of the paste, and every key after it; lines
// that are pasted without markers run as commands. Here a paste is told from typing, and passed on as one text.
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
	// How long a silence decides something.
	burstTime  = 20 * time.Millisecond  // what arrives within it may be one paste
	escapeTime = 50 * time.Millisecond  // an escape sequence does not go on
	pauseTime  = 200 * time.Millisecond // a paste is over
	lateTime   = time.Second            // and so is what may still be of it, where its end marker is missing

	// What makes a paste of a burst without markers.
	burstBytes = 200
	burstLines = 2
	mostTyped  = 512 // bytes that may turn out to be typed

	startMarker = "\x1b[200~"
	endMarker   = "\x1b[201~"
	interrupt   = "\x03"
	escapeKey   = "\x1b[27u" // so that it cannot be the beginning of something else
	key         = `\x1b(?:\[[0-?]*[ -/]*[@-~]|O[0-9]*.|[]PX^_][^\a\x1b]*(?:\a|\x1b\\)|[^]OPX^_[])`
)

var (
	marker  = regexp.MustCompile(`\x1b\[20[01]~`)
	lineEnd = regexp.MustCompile(`\r\n?|\n`)
	// Keys and answers of the terminal; bytes that are passed on at once, because they do no harm where they are the
	// beginning of a paste; and the beginning of a key or an answer.
	sequence   = regexp.MustCompile(key)
	prompt     = regexp.MustCompile(`^(?:` + key + `)*[^\r\n\x1b]{0,8}$`)
	unfinished = regexp.MustCompile(`\x1b+(?:\[[0-?]*[ -/]*|O[0-9]*|[]PX^_][^\a\x1b]*\x1b?)?$`)
	// Ctrl+c as terminals send it: plain, by Kitty's protocol with the lock keys on and off, by xterm's.
	interrupts = regexp.MustCompile(`(?:\x03|\x1b\[99;(?:5|69|133|197)(?::1)?u|\x1b\[27;5;99~)+$`)
	// What takes ctrl+c with it: the escape key, and open strings.
	opened = regexp.MustCompile(`(?:\x1b(?:[]PX^_][^\a\x1b]*)?)+(\x03|\x1b\[99;)`)
)

// Reader is a terminal whose pastes cannot be mistaken for keys. It is the terminal's file but for Read, so that Bubble
// Tea waits for it as it does without it. Read puts a bracketed paste with a number in the place of a pasted text, and
// Message puts the text back: Bubble Tea's decoder loses bytes of it, and takes time for each.
//
// A bracketed paste ends at its end marker, or after a pause. Then what arrives is of it as well, until a second
// passes. Ctrl+c is a key wherever silence follows it.
type Reader struct {
	*os.File            // the terminal, the only field that has to be set
	bracketed bool      // the start marker of a paste came
	held      []byte    // arrived and not decided
	since     time.Time // the first byte of held came
	last      time.Time // the last byte came
	ended     time.Time // a paste ended, by a marker that may be of the text
	out       []byte    // decided and not read
	pastes    sync.Map  // from number to text
	made      int
}

// Message puts the text of a paste in the place of its number.
func (r *Reader) Message(msg tea.Msg) tea.Msg {
	if paste, ok := msg.(tea.PasteMsg); ok {
		text, _ := r.pastes.LoadAndDelete(paste.Content)
		paste.Content, _ = text.(string)
		return paste
	}
	return msg
}

// Read returns keys for Bubble Tea to decode, and numbers of pastes. It may return nothing.
//
// Bubble Tea calls it when there is something to read, so nothing stays behind when there is not: what is held back
// waits here for the silence that decides, and little is read at once, so that what it becomes has room in p.
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

// ready reports whether the terminal has something to read within d. Where the system cannot say, it returns true, and
// Read finds out.
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

// feed takes bytes that have arrived, and passes on what is decided. Time passes by silence: bytes that are read late,
// because the machine is busy, still belong to those before them.
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

// markers passes on what stands before the markers of pastes. Up to searched there are none. Where they do not come in
// pairs, a marker is in the text of a paste or one was late: what stands between them is pasted.
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

// burst reports whether bytes that arrived together are a paste without markers.
func burst(p []byte) bool {
	text := sequence.ReplaceAll(p[:min(len(p), mostTyped)], nil)
	return len(p) > mostTyped || len(text) >= burstBytes || len(lineEnd.FindAll(text, burstLines)) == burstLines
}

// complete reports whether what is held ends with a whole character or sequence.
func (r *Reader) complete() bool {
	last, size := utf8.DecodeLastRune(r.held)
	return (last != utf8.RuneError || size != 1) && !unfinished.Match(r.held)
}

// wait returns for how long nothing may arrive from now on before silence is to be called.
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

// silence passes on all that is held: nothing more arrived in time, or nothing more is waited for.
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

// keys passes on what was typed, without what is no UTF-8. A sequence that does not go on is the escape key, or
// nothing. The line feed behind a carriage return is no key of its own.
func (r *Reader) keys(p []byte) {
	p = opened.ReplaceAll(p, []byte("$1"))
	p = bytes.ReplaceAll(p, []byte("\r\n"), []byte("\r"))
	escapes := len(p) - len(bytes.TrimRight(p, "\x1b"))
	r.out = append(r.out, bytes.ToValidUTF8(unfinished.ReplaceAll(p, nil), nil)...)
	r.out = append(r.out, strings.Repeat(escapeKey, escapes)...)
}

// paste passes on a pasted text by its number. An empty one is none.
func (r *Reader) paste(p []byte) {
	if len(p) == 0 {
		return
	}
	r.made++
	number := strconv.Itoa(r.made)
	r.pastes.Store(number, strings.ToValidUTF8(string(p), "\uFFFD"))
	r.out = append(r.out, startMarker+number+endMarker...)
}
