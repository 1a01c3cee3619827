package input

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// session feeds a filter as Reader does: the clock moves by silences only.
type session struct {
	Filter
	now  time.Time
	seen []Event
}

func newSession() *session { return &session{now: time.UnixMilli(1_000_000)} }

func (s *session) feed(p string) { s.seen = append(s.seen, s.Feed([]byte(p), s.now)...) }

// quiet lets time pass in which nothing arrives.
func (s *session) quiet(d time.Duration) {
	for until := s.now.Add(d); ; {
		wait, waiting := s.Wait(s.now)
		if !waiting || s.now.Add(wait).After(until) {
			s.now = until
			return
		}
		s.now = s.now.Add(wait)
		s.seen = append(s.seen, s.Silence(s.now)...)
	}
}

// take is what was seen so far: keys quoted as they are, pastes in brackets. Neighbours of a kind are one.
func (s *session) take() string {
	var b strings.Builder
	for i, e := range s.seen {
		switch {
		case e.Paste:
			fmt.Fprintf(&b, "[%s]", e.Data)
		case i > 0 && s.seen[i-1].Paste:
			b.WriteString(" ")
			fallthrough
		default:
			b.Write(e.Data)
		}
	}
	s.seen = nil
	return b.String()
}

// paused stands for a silence of 30 ms in the tests' inputs, long for one of 300 ms.
const (
	paused = "{30ms}"
	long   = "{300ms}"
)

func (s *session) script(text string) {
	for i, piece := range strings.Split(text, "{") {
		if i > 0 {
			d, rest, _ := strings.Cut(piece, "}")
			wait, err := time.ParseDuration(d)
			if err != nil {
				panic(err)
			}
			s.quiet(wait)
			piece = rest
		}
		s.feed(piece)
	}
}

func TestTypedAndPastedAreDistinguished(t *testing.T) {
	letters := strings.Repeat("x", burstBytes)
	for _, c := range []struct{ name, in, want string }{
		{"a letter", "a", "a"},
		{"an umlaut", "ö", "ö"},
		{"two letters at once", "ab", "ab"},
		{"a few letters of an input method", "猫が好きです。", "猫が好きです。"},
		{"a few letters, and a burst", "abc{1ms}" + letters + "{110ms}", "abc[" + letters + "]"},
		{"more letters wait", "abcdefghi{19ms}", ""},
		{"more letters are typed", "abcdefghi" + paused, "abcdefghi"},
		{"letters and a tab wait", "a\tb{19ms}", ""},
		{"a letter and enter wait", "a\r{19ms}", ""},
		{"enter", "\r" + paused, "\r"},
		{"enter with a line feed is one key", "\r\n" + paused, "\r"},
		{"enter amid letters", "first\rSECOND" + paused, "first\rSECOND"},
		{"enter twice, slowly", "a\r" + paused + "b\r" + paused, "a\rb\r"},
		{"two line ends in a burst", "a\rb\r{110ms}", "[a\rb\r]"},
		{"two line ends in two reads", "a\r{10ms}b\r{110ms}", "[a\rb\r]"},
		{"199 letters and enter", letters[1:] + "\r{110ms}", "[" + letters[1:] + "\r]"},
		{"200 letters", letters + "{110ms}", "[" + letters + "]"},
		{"enter just after a burst", letters + "{90ms}\r{110ms}", "[" + letters + "\r]"},
		{"enter after a burst", letters + "{110ms}\r" + paused, "[" + letters + "] \r"},
		{"letters one by one, and enter", strings.Repeat("x{1us}", 198) + "\r{10us}x{110ms}", letters[2:] + "[\rx]"},
		{"a key that repeats", strings.Repeat("a{15ms}", 300), strings.Repeat("a", 300)},
		{"the wheel is no text", strings.Repeat("\x1b[<64;10;10M", 40), strings.Repeat("\x1b[<64;10;10M", 40)},
		{"an arrow", "\x1b[A", "\x1b[A"},
		{"an arrow in two reads", "\x1b{1ms}[A", "\x1b[A"},
		{"the escape key", "\x1b{51ms}", escapeKey},
		{"the escape key twice", "\x1b\x1b{51ms}", escapeKey + escapeKey},
		{"the escape key, then ctrl+c", "\x1b\x03" + paused, escapeKey + "\x03"},
		{"alt+enter", "\x1b\r", "\x1b\r"},
		{"alt+left", "\x1b\x1b[D", "\x1b\x1b[D"},
		{"alt+]", "\x1b]{51ms}", "\x1b[93;3u"},
		{"alt+shift+o", "\x1bO{51ms}", "\x1b[111;4u"},
		{"an answer of the terminal", "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\", "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\"},
		{"an answer in two reads", "\x1b]11;rgb:1e1e/1e{30ms}1e/1e1e\a", "\x1b]11;rgb:1e1e/1e1e/1e1e\a"},
		{"half an answer", "\x1b]11;rgb:1e{60ms}a", "a"},
		{"an open string and ctrl+c", "\x1b]0;abc\x03" + paused, "\x03"},
		{"an open string and enter", "\x1bPabc\r" + paused, "\r"},
		{"a string that is no answer", "\x1b]0;caf\xc3\xa9\r\a" + paused, "\r\a"},
		{"a string with a C1 terminator", "\x1b]0;a\x9crm\x1b\\b" + paused, "b"},
		{"lone C1 bytes", "\x90\x9da" + paused, "a"},
		{"half a character", "\xc3{51ms}a" + paused, "a"},
		{"a character in two reads", "\xe7\x8c{1s}\xab", "猫"},
		{"half a sequence", "\x1b[12{51ms}a", "a"},

		{"a paste", "\x1b[200~a\rb\r\x1b[201~", "[a\rb\r]"},
		{"an empty paste", "\x1b[200~\x1b[201~", "[]"},
		{"enter after a paste", "\x1b[200~a\x1b[201~{1ms}\r" + paused, "[a] \r"},
		{"a paste after a letter and enter", "b\r\x1b[200~a\x1b[201~", "b\r[a]"},
		{"two pastes", "\x1b[200~a\x1b[201~\x1b[200~b\x1b[201~", "[a][b]"},
		{"bytes that are no text", "\x1b[200~a\xff\x90b\xc3\x1b[201~", "[a\uFFFD" + "b\uFFFD]"},
		{"an open string in a paste", "\x1b[200~a\x1b]0;b\x1b[201~c", "[a\x1b]0;b]"},
		{"an end marker inside", "\x1b[200~a\x1b[201~b\rc\x1b[201~d" + paused, "[a][b\rc] d"},
		{"end markers inside", "\x1b[200~a\x1b[201~\r\x1b[201~\r\x1b[201~" + paused, "[a][\r][\r]"},
		{"a start marker inside", "\x1b[200~a\x1b[200~b\x1b[201~", "[a\x1b[200~b]"},
		{"a marker in pieces", "\x1b[20{10ms}0~a\x1b[2{10ms}01~", "[a]"},
		{"no end marker", "\x1b[200~a\r" + long, "[a\r]"},
		{"no end marker, then typing", "\x1b[200~a" + long + "b\r" + paused + "/quit\r" + paused, "[a][b\r][/quit\r]"},
		{"the end marker comes late", "\x1b[200~a" + long + "b\r\x1b[201~" + paused + "\r" + paused, "[a][b\r] \r"},
		{"typing a second after", "\x1b[200~a" + long + "{1s}b\r" + paused, "[a] b\r"},
		{"another paste", "\x1b[200~a" + long + "\x1b[200~b\r\x1b[201~" + paused + "\r" + paused, "[a][b\r] \r"},
		{"the mouse after an open paste", "\x1b[200~a" + long + "\x1b[<64;1;1M" + paused, "[a]"},
		{"the rest of a paste that was forgotten", "a\r\x1b[201~" + paused + "\r" + paused, "[a\r] \r"},

		{"ctrl+c in a paste is of it", "\x1b[200~a\x03b\x1b[201~", "[a\x03b]"},
		{"ctrl+c at the end of an open paste", "\x1b[200~a\x03{60ms}", "[a] \x03"},
		{"ctrl+c in an open paste", "\x1b[200~a{100ms}\x03{60ms}", "[a] \x03"},
		{"ctrl+c after an open paste", "\x1b[200~a" + long + "\x03" + paused, "[a] \x03"},
		{"ctrl+c after an open paste, in Kitty's protocol", "\x1b[200~a" + long + "\x1b[99;5u" + paused, "[a] \x03"},
		{"ctrl+c after a paste", "\x1b[200~a\x1b[201~\x03" + paused, "[a] \x03"},
		{"ctrl+c after a burst", letters + "\x03{60ms}", "[" + letters + "] \x03"},
		{"an answer amid a burst", letters + "\x1b[?2026;2$y{110ms}", "\x1b[?2026;2$y[" + letters + "]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSession()
			s.script(c.in)
			if got := s.take(); got != c.want {
				t.Errorf("%q gives\n%q, want\n%q", c.in, got, c.want)
			}
		})
	}
}

// pieces are what hostile input is made of.
var pieces = []string{
	"word", "größer", "猫が好き", "👩‍👩‍👧", "\r", "\n", "\r\n", "\t", "y", "/quit", " ",
	startMarker, endMarker, "\x1b[20", "1~", "\x1b[201", "\x1b", "\x1b\x1b", "\x1b[", "\x1bO", "\x1b[12;", "\x1b[A", "\x1b[99;5u",
	"\x1b]", "\x1b]0;title", "\x1b]52;c;", "\x1bP", "\x1bPq", "\x1b_", "\x1b^", "\x1bX", "\a", "\x1b\\",
	"\x80", "\x90", "\x9b", "\x9c", "\x9d", "\x9e", "\x9f", "\xc3", "\xe3\x81", "\xf0\x9f", "\xff", "\x00", "\x03", "\x1a", "\x18", "\x7f",
	"\x1b[<0;1;1M", "\x1b[?2026;2$y", "\x1b]11;rgb:0/0/0\a", "\x1b[I", "\x1b[M",
}

func hostile(t *rapid.T, name string) string {
	var b strings.Builder
	for range rapid.IntRange(0, 12).Draw(t, name) {
		b.WriteString(strings.Repeat(rapid.SampledFrom(pieces).Draw(t, "piece"), rapid.SampledFrom([]int{1, 1, 1, 2, 40, 400}).Draw(t, "times")))
	}
	return b.String()
}

var soak = flag.Int("soak", 0, "check the properties over so many random inputs each")

func TestMain(m *testing.M) {
	flag.Set("test.parallel", "8") // they wait for pauses between keys
	flag.Parse()
	if *soak > 0 {
		flag.Set("rapid.checks", fmt.Sprint(*soak))
	}
	os.Exit(m.Run())
}

var (
	shortSilences = []time.Duration{time.Millisecond, burstTime, escapeTime, settleTime, pauseTime}
	anySilences   = append(shortSilences, literalTime)
)

// feedSome feeds a text in reads of any length, with silences between them or without.
func (s *session) feedSome(t *rapid.T, text string, silences ...time.Duration) {
	for len(text) > 0 {
		n := min(len(text), rapid.SampledFrom([]int{1, 2, 5, 64, chunk, 4096}).Draw(t, "read"))
		s.feed(text[:n])
		text = text[n:]
		if len(silences) > 0 && rapid.IntRange(0, 5).Draw(t, "silence") == 0 {
			s.quiet(rapid.SampledFrom(silences).Draw(t, "of"))
		}
	}
}

func (s *session) keys() (keys string) {
	for _, e := range s.seen {
		if !e.Paste {
			keys += string(e.Data)
		}
	}
	return keys
}

// Ctrl+c is a key within half a second after any bytes, and a letter is one a second and a half later.
func TestTheKeyboardCannotBeLocked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSession()
		text := hostile(t, "pieces")
		s.feedSome(t, text, anySilences...)
		s.quiet(rapid.SampledFrom([]time.Duration{0, time.Millisecond, burstTime, pauseTime, 2 * time.Second}).Draw(t, "before ctrl+c"))
		s.seen = nil
		s.feed(interrupt)
		s.quiet(500 * time.Millisecond)
		if !strings.Contains(s.keys(), interrupt) {
			t.Fatalf("ctrl+c is no key after %q: %q", text, s.take())
		}
		if wait, waiting := s.Wait(s.now); waiting {
			t.Fatalf("after %q and ctrl+c, %v are waited for still", text, wait)
		}
		s.quiet(literalTime)
		s.seen = nil
		s.feed("k")
		if got := s.take(); got != "k" {
			t.Fatalf("k is %q after %q", got, text)
		}
	})
}

// Whatever is pasted between markers, in whatever reads, arrives as it is and acts as no key.
func TestABracketedPasteArrivesWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSession()
		text := strings.ReplaceAll(hostile(t, "pieces"), endMarker, "")
		s.feedSome(t, startMarker+text+endMarker)
		want := []Event{{Paste: true, Data: bytes.ToValidUTF8([]byte(text), []byte("\uFFFD"))}}
		if strings.Contains(text+endMarker[:5], endMarker) {
			t.Skip("the text and the marker make another")
		}
		if !slices.EqualFunc(s.seen, want, func(a, b Event) bool { return a.Paste == b.Paste && bytes.Equal(a.Data, b.Data) }) {
			t.Fatalf("%q arrives as %q", text, s.take())
		}
		s.feed("\r")
		s.quiet(burstTime)
		if !strings.HasSuffix(s.keys(), "\r") {
			t.Fatal("enter is no key after a paste")
		}
	})
}

// Nothing in a paste is enter or a letter key: neither what stands behind an end marker inside, nor what
// comes after a pause.
func TestNothingInAPasteActs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSession()
		text := hostile(t, "pieces")
		late := rapid.Bool().Draw(t, "late")
		if late {
			text = strings.ReplaceAll(text, endMarker, "")
		}
		s.feed(startMarker)
		if late {
			s.feedSome(t, text, shortSilences...)
			s.quiet(pauseTime)
		} else {
			s.feedSome(t, text)
		}
		s.feed("\ry\r" + endMarker)
		s.quiet(2 * time.Second)
		if late && (strings.Contains(text, startMarker) || strings.Contains(text, endMarker)) || !late && strings.Contains(text, endMarker) && strings.Contains(text, startMarker) {
			return // several pastes, or one that ended: taking the markers out may have made others
		}
		if keys := reported.ReplaceAllString(s.keys(), ""); strings.ContainsAny(keys, "\ry/") {
			t.Fatalf("%q has the keys %q", text, keys)
		}
	})
}

// No character that is typed is lost, and what is pasted without markers arrives as well.
func TestTextIsNeverLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSession()
		var text string
		for range rapid.IntRange(1, 30).Draw(t, "words") {
			text += rapid.SampledFrom([]string{"a", "word ", "größer", "猫", "👩‍👩‍👧", "\r", strings.Repeat("long ", 50)}).Draw(t, "word")
		}
		s.feedSome(t, text, anySilences...)
		s.quiet(2 * time.Second)
		got := ""
		for _, e := range s.seen {
			got += string(e.Data)
		}
		if got != text && !strings.Contains(got, "\uFFFD") {
			t.Fatalf("%q arrives as %q", text, got)
		}
	})
}

// What is passed on as keys is text and complete sequences: Bubble Tea's reader never waits for the rest
// of one.
func TestKeysAreComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSession()
		s.feedSome(t, hostile(t, "pieces"), anySilences...)
		s.quiet(2 * time.Second)
		for _, e := range s.seen {
			for p := e.Data; !e.Paste && len(p) > 0; {
				k := next(p)
				if k.kind == unfinishedToken && !urxvtShift.Match(p) || k.kind == garbageToken || k.kind == startToken || k.kind == endToken {
					t.Fatalf("keys %q have %q, a token of kind %d", e.Data, p, k.kind)
				}
				p = p[max(1, k.size):]
			}
			if e.Paste && !utf8.Valid(e.Data) {
				t.Fatalf("the paste %q is no UTF-8", e.Data)
			}
		}
	})
}

// A paste of many megabytes costs time in proportion.
func BenchmarkPaste(b *testing.B) {
	text := []byte(startMarker + strings.Repeat("a line of some text\r", 50_000) + endMarker)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s := newSession()
		for p := text; len(p) > 0; p = p[min(chunk, len(p)):] {
			s.Feed(p[:min(chunk, len(p))], s.now)
		}
	}
}
