//go:build unix

package input

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"pgregory.net/rapid"
)

// typing feeds a Reader as Read does, with a clock that moves only in silences.
type typing struct {
	Reader
	now time.Time
}

func newTyping() *typing { return &typing{now: time.UnixMilli(1_000_000)} }

// quiet advances the clock without input.
func (r *typing) quiet(d time.Duration) {
	until := r.now.Add(d)
	for len(r.held) > 0 && !r.now.Add(r.wait(r.now)).After(until) {
		r.now = r.now.Add(r.wait(r.now))
		r.silence()
	}
	r.now = until
}

// script feeds a text in which a duration in braces is a silence.
func (r *typing) script(text string) {
	for i, piece := range strings.Split(text, "{") {
		if i > 0 {
			d, rest, _ := strings.Cut(piece, "}")
			wait, err := time.ParseDuration(d)
			if err != nil {
				panic(err)
			}
			r.quiet(wait)
			piece = rest
		}
		r.feed([]byte(piece), r.now)
	}
}

var numbered = regexp.MustCompile(`\x1b\[200~(\d+)\x1b\[201~`)

// read returns what Bubble Tea reads, with what show returns in place of each paste.
func (r *typing) read(show func(paste string) string) string {
	text := numbered.ReplaceAllStringFunc(string(r.out), func(paste string) string {
		number := numbered.FindStringSubmatch(paste)[1]
		return show(r.Message(tea.PasteMsg{Content: number}).(tea.PasteMsg).Content)
	})
	r.out = nil
	return text
}

// take returns the keys and the pastes that Bubble Tea reads.
func (r *typing) take() (keys string, pastes []string) {
	keys = r.read(func(paste string) string { pastes = append(pastes, paste); return "" })
	return keys, pastes
}

// shown returns what Bubble Tea reads, with the texts of pastes in brackets.
func (r *typing) shown() string {
	return r.read(func(paste string) string { return "[" + paste + "]" })
}

// typedNow is a silence after which input counts as typed, over one after which a paste has ended.
const (
	typedNow = "{50ms}"
	over     = "{200ms}"
)

func TestTypedAndPastedAreDistinguished(t *testing.T) {
	letters := strings.Repeat("x", burstBytes)
	for _, c := range []struct{ name, in, want string }{
		{"a letter", "a", "a"},
		{"an umlaut", "ö", "ö"},
		{"two letters at once", "ab", "ab"},
		{"a few letters of an input method", "猫が好きです。", "猫が好きです。"},
		{"more letters wait", "abcdefghi{19ms}", ""},
		{"more letters are typed", "abcdefghi{20ms}", "abcdefghi"},
		{"a letter and enter wait", "a\r{19ms}", ""},
		{"enter", "\r{20ms}", "\r"},
		{"enter with a line feed is one key", "\r\n{20ms}", "\r"},
		{"enter amid letters", "first\rSECOND{20ms}", "first\rSECOND"},
		{"enter twice, slowly", "a\r{20ms}b\r{20ms}", "a\rb\r"},
		{"two line ends in a burst", "/quit\r/quit\r" + over, "[/quit\r/quit\r]"},
		{"two line ends in two reads", "a\r{10ms}b\r" + over, "[a\rb\r]"},
		{"199 letters and enter", letters[1:] + "\r" + over, "[" + letters[1:] + "\r]"},
		{"a few letters, and a burst", "abc{1ms}" + letters + over, "abc[" + letters + "]"},
		{"enter just after a burst", letters + "{190ms}\r" + over, "[" + letters + "\r]"},
		{"enter after a burst", letters + over + "\r{20ms}", "[" + letters + "]\r"},
		{"a key that repeats", strings.Repeat("a{15ms}", 300), strings.Repeat("a", 300)},
		{"the wheel is no text", strings.Repeat("\x1b[<64;10;10M", 40), strings.Repeat("\x1b[<64;10;10M", 40)},
		{"an arrow", "\x1b[A", "\x1b[A"},
		{"an arrow in two reads", "\x1b{1ms}[A", "\x1b[A"},
		{"the escape key", "\x1b" + typedNow, escapeKey},
		{"the escape key twice", "\x1b\x1b" + typedNow, escapeKey + escapeKey},
		{"alt+enter", "\x1b\r", "\x1b\r"},
		{"an answer of the terminal", "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\", "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\"},
		{"an answer in two reads", "\x1b]11;rgb:1e1e/1e{30ms}1e/1e1e\a", "\x1b]11;rgb:1e1e/1e1e/1e1e\a"},
		{"an open string ends by itself", "\x1b]0;abc" + typedNow + "a", "a"},
		{"half a sequence", "\x1b[12" + typedNow + "a", "a"},
		{"bytes that are no text", "\x90\x9da\xff{50ms}", "a"},
		{"half a character", "\xc3" + typedNow + "a", "a"},
		{"a character in two reads", "\xe7\x8c{40ms}\xab", "猫"},

		{"a paste", "\x1b[200~a\rb\r\x1b[201~", "[a\rb\r]"},
		{"enter after a paste", "\x1b[200~a\x1b[201~{1ms}\r{20ms}", "[a]\r"},
		{"a paste after a letter and enter", "b\r\x1b[200~a\x1b[201~", "b\r[a]"},
		{"two pastes", "\x1b[200~a\x1b[201~\x1b[200~b\x1b[201~", "[a][b]"},
		{"bytes that are no text in a paste", "\x1b[200~a\xff\x90b\xc3\x1b[201~", "[a\uFFFDb\uFFFD]"},
		{"an open string in a paste", "\x1b[200~a\x1b]0;b\x1b[201~c{20ms}", "[a\x1b]0;b]c"},
		{"an end marker inside", "\x1b[200~a\x1b[201~b\rc\x1b[201~d{20ms}", "[a][b\rc]d"},
		{"an end marker inside, in two reads", "\x1b[200~a\x1b[201~{1ms}y{1ms}\x1b[201~", "[a][y]"},
		{"a start marker inside", "\x1b[200~a\r\x1b[200~b\r\x1b[201~", "[a\r][b\r]"},
		{"a marker in pieces", "\x1b[20{10ms}0~a\x1b[2{10ms}01~", "[a]"},
		{"no end marker", "\x1b[200~a\r" + over, "[a\r]"},
		{"no end marker, then typing", "\x1b[200~a" + over + "b\r" + over + "/quit\r" + over, "[a][b\r][/quit\r]"},
		{"the end marker comes late", "\x1b[200~a" + over + "b\r\x1b[201~\r{20ms}", "[a][b\r]\r"},
		{"typing a second after", "\x1b[200~a" + over + "{1s}b\r{20ms}", "[a]b\r"},
		{"another paste", "\x1b[200~a" + over + "\x1b[200~b\r\x1b[201~\r{20ms}", "[a][b\r]\r"},
		{"the rest of a paste that was forgotten", "a\r\x1b[201~\r{20ms}", "[a\r]\r"},

		{"ctrl+c in a paste is of it", "\x1b[200~a\x03b\x1b[201~", "[a\x03b]"},
		{"ctrl+c at the end of an open paste", "\x1b[200~a\x03" + over, "[a]\x03"},
		{"ctrl+c after an open paste", "\x1b[200~a" + over + "\x03" + over, "[a]\x03"},
		{"ctrl+c after an open paste, in Kitty's protocol", "\x1b[200~a" + over + "\x1b[99;5u" + over, "[a]\x03"},
		{"ctrl+c after a paste", "\x1b[200~a\x1b[201~\x03{20ms}", "[a]\x03"},
		{"ctrl+c after a burst", letters + "\x03" + over, "[" + letters + "]\x03"},
		{"ctrl+c after the escape key", "\x1b\x03", "\x03"},
		{"ctrl+c in an open string", "\x1b]0;café\x03" + typedNow, "\x03"},
		{"ctrl+c in an open string, in Kitty's protocol", "\x1bPabc\x1b[99;5u" + typedNow, "\x1b[99;5u"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newTyping()
			r.script(c.in)
			if got := r.shown(); got != c.want {
				t.Errorf("%q gives\n%q, want\n%q", c.in, got, c.want)
			}
		})
	}
}

// pieces are the parts of hostile input.
var pieces = []string{
	"word", "größer", "猫が好き", "👩‍👩‍👧", "\r", "\n", "\r\n", "\t", "y", "/quit", " ",
	startMarker, endMarker, "\x1b[20", "1~", "\x1b[201",
	"\x1b", "\x1b\x1b", "\x1b[", "\x1bO", "\x1b[12;", "\x1b[A", "\x1b[99;5u",
	"\x1b]", "\x1b]0;title", "\x1b]52;c;", "\x1bP", "\x1bPq", "\x1b_", "\x1b^", "\x1bX", "\a", "\x1b\\",
	"\x80", "\x90", "\x9b", "\x9c", "\x9d", "\x9e", "\x9f", "\xc3", "\xe3\x81", "\xf0\x9f", "\xff",
	"\x00", "\x03", "\x1a", "\x18", "\x7f",
	"\x1b[<0;1;1M", "\x1b[?2026;2$y", "\x1b]11;rgb:0/0/0\a", "\x1b[I", "\x1b[M",
}

func hostile(t *rapid.T, name string) string {
	var b strings.Builder
	for range rapid.IntRange(0, 12).Draw(t, name) {
		piece := rapid.SampledFrom(pieces).Draw(t, "piece")
		b.WriteString(strings.Repeat(piece, rapid.SampledFrom([]int{1, 1, 1, 2, 40, 400}).Draw(t, "times")))
	}
	return b.String()
}

var (
	shortSilences = []time.Duration{time.Millisecond, burstTime, escapeTime, pauseTime}
	anySilences   = append(shortSilences, lateTime)
)

// feedSome feeds a text in reads of random lengths, with random silences between them if any are given.
func (r *typing) feedSome(t *rapid.T, text string, silences ...time.Duration) {
	for len(text) > 0 {
		n := min(len(text), rapid.SampledFrom([]int{1, 2, 5, 64, 256}).Draw(t, "read"))
		r.feed([]byte(text[:n]), r.now)
		text = text[n:]
		if len(silences) > 0 && rapid.IntRange(0, 5).Draw(t, "silence") == 0 {
			r.quiet(rapid.SampledFrom(silences).Draw(t, "of"))
		}
	}
}

// Any input becomes UTF-8; after it, ctrl+c is a key within half a second, and a letter is a key a second later.
func TestTheKeyboardCannotBeLocked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newTyping()
		text := hostile(t, "pieces")
		r.feedSome(t, text, anySilences...)
		pauses := rapid.SampledFrom([]time.Duration{0, time.Millisecond, burstTime, pauseTime, 2 * time.Second})
		r.quiet(pauses.Draw(t, "pause"))
		if keys, pastes := r.take(); !utf8.ValidString(keys) || !utf8.ValidString(strings.Join(pastes, "")) {
			t.Fatalf("%q gives the keys %q and the pastes %q, which are not UTF-8", text, keys, pastes)
		}
		r.feed([]byte(interrupt), r.now)
		r.quiet(500 * time.Millisecond)
		if keys, _ := r.take(); !strings.Contains(keys, interrupt) {
			t.Fatalf("ctrl+c is no key after %q: %q", text, keys)
		}
		if len(r.held) > 0 {
			t.Fatalf("after %q and ctrl+c, %q waits still", text, r.held)
		}
		r.quiet(lateTime)
		r.feed([]byte("k"), r.now)
		if got := r.shown(); got != "k" {
			t.Fatalf("k is %q after %q", got, text)
		}
	})
}

// Whatever is pasted between markers, however it is split into reads, arrives unchanged and acts as no key.
func TestABracketedPasteArrivesWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newTyping()
		text := strings.ReplaceAll(strings.ReplaceAll(hostile(t, "pieces"), endMarker, ""), startMarker, "")
		if text == "" || marker.MatchString(text+endMarker[:5]) {
			t.Skip("parts of the text make a marker")
		}
		r.feedSome(t, startMarker+text+endMarker)
		want := strings.ToValidUTF8(text, "\uFFFD")
		if keys, pastes := r.take(); keys != "" || len(pastes) != 1 || pastes[0] != want {
			t.Fatalf("%q arrives as the keys %q and the pastes %q", text, keys, pastes)
		}
		r.feed([]byte("\r"), r.now)
		r.quiet(burstTime)
		if keys, _ := r.take(); keys != "\r" {
			t.Fatalf("enter is %q after a paste", keys)
		}
	})
}

// Nothing in a paste acts as enter or a letter key, even after an end marker inside the text or after a pause.
func TestNothingInAPasteActs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newTyping()
		text := strings.ReplaceAll(hostile(t, "pieces"), startMarker, "")
		late := rapid.Bool().Draw(t, "late")
		r.feed([]byte(startMarker), r.now)
		if late {
			text = strings.ReplaceAll(text, endMarker, "")
			r.feedSome(t, text, shortSilences...)
			r.quiet(pauseTime)
		} else {
			r.feedSome(t, text)
		}
		if marker.MatchString(strings.ReplaceAll(text, endMarker, "")) {
			t.Skip("parts of the text make a marker")
		}
		r.feed([]byte("\ry\r"+endMarker), r.now)
		r.quiet(2 * time.Second)
		if keys, _ := r.take(); strings.ContainsAny(keys, "\ry/") {
			t.Fatalf("%q has the keys %q", text, keys)
		}
	})
}

// No typed character is lost, and neither is text pasted without markers.
func TestTextIsNeverLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newTyping()
		words := rapid.SampledFrom([]string{"a", "word ", "größer", "猫", "👩‍👩‍👧", "\r", strings.Repeat("long ", 50)})
		text := strings.Join(rapid.SliceOfN(words, 1, 30).Draw(t, "words"), "")
		r.feedSome(t, text, time.Millisecond, burstTime)
		r.quiet(2 * time.Second)
		got := strings.NewReplacer("[", "", "]", "").Replace(r.shown())
		if got != text {
			t.Fatalf("%q arrives as %q", text, got)
		}
	})
}

// Bubble Tea calls Read only when the terminal has input, so Read must leave nothing undecided.
func TestReaderLeavesNothing(t *testing.T) {
	for name, text := range map[string]string{
		"the wheel":          strings.Repeat("\x1b[<64;10;10M", 5000),
		"text and the wheel": strings.Repeat("ab\x1b[<64;10;10M", 3000),
		"escapes":            strings.Repeat("ab"+strings.Repeat("\x1b", 3000), 5),
		"arrows":             strings.Repeat("\x1b[A", 20_000),
		"ctrl+c":             strings.Repeat("\x03", 20_000),
		"a paste":            startMarker + strings.Repeat("line\r", 50_000) + endMarker,
		"an open paste":      startMarker + strings.Repeat("\x1b[<64;10;10M", 5000),
		"text":               strings.Repeat("line\r", 50_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keyboard, terminal, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer keyboard.Close()
			defer terminal.Close()
			if _, err := term.MakeRaw(terminal.Fd()); err != nil {
				t.Fatal(err)
			}
			r := &Reader{File: terminal}
			silence := lateTime / 2
			if name == "an open paste" {
				silence = lateTime // until then, input belongs to the paste
			}
			typed, buf := write(keyboard, text), make([]byte, 4096)
			for done := false; !done; {
				select {
				case <-typed:
					done = !r.ready(silence)
				default:
				}
				if done || !r.ready(0) {
					continue
				}
				if _, err := r.Read(buf); err != nil {
					t.Fatal(err)
				}
				if left := len(r.out) + len(r.held); left > 0 && !r.ready(0) {
					t.Fatalf("%d bytes wait for a key that may not come", left)
				}
			}
			<-write(keyboard, "k")
			if n, err := r.Read(buf); err != nil || string(buf[:n]) != "k" {
				t.Errorf("k is read as %q (%v)", buf[:n], err)
			}
		})
	}
}

// write writes to a terminal in a goroutine, and closes the channel when everything is written.
func write(keyboard *os.File, text string) <-chan struct{} {
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = io.WriteString(keyboard, text)
	}()
	return written
}
