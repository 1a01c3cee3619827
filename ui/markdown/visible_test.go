package markdown

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// scotland is a flag that is written with tags: gbsct.
const scotland = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"

func TestVisible(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"colour", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		{"clipboard", "\x1b]52;c;eA==\x07", "␛]52;c;eA==␇"},
		{"8-bit control", "\u009b31m\u0085\u0090", "<U+009B>31m<U+0085><U+0090>"},
		{"invalid bytes", "a\x9bb\xffc", "a\ufffdb\ufffdc"},
		{"overwriting", "safe\rrm -rf", "safe␍rm -rf"},
		{"line ends", "a\r\nb\r\r\n", "a\nb␍\n"},
		{"backspace, delete, null", "a\bb\x7fc\x00", "a␈b␡c␀"},
		{"override", "a\u202eb\u2066c\u200f", "a<U+202E>b<U+2066>c<U+200F>"},
		{"hidden text", "a\u200bb\U000e0041\ufeff", "a<U+200B>b<U+E0041><U+FEFF>"},
		{"byte order mark", "\ufeff# a\n\ufeffb\ufeff\n\ufeff\ufeffc", "# a\nb<U+FEFF>\n<U+FEFF>c"},
		{"soft hyphen", "\u00adsyl\u00adla\u00adble\u00ad\n", "syllable\n"},
		{"flag of Scotland", scotland + " " + scotland, scotland + " " + scotland},
		{"tags without a flag", "a\U000e0067\U000e007f", "a<U+E0067><U+E007F>"},
		{"a flag that never ends", "\U0001f3f4\U000e0067\U000e0062b", "\U0001f3f4<U+E0067><U+E0062>b"},
		{"separators", "a\u2028b\u2029", "a<U+2028>b<U+2029>"},
		{"family", "👩‍👩‍👧 🏳️‍🌈", "👩‍👩‍👧 🏳️‍🌈"},
		{"persian and hindi", "می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"},
		{"a joiner among letters", "pay\u200dpal\u200c", "pay<U+200D>pal<U+200C>"},
		{"tabs", "a\tb\n\tc\n汉\td\t\te", "a   b\n    c\n汉  d       e"},
	} {
		if got := Visible(c.in); got != c.want {
			t.Errorf("%s: Visible(%q)\ngot  %q\nwant %q", c.name, c.in, got, c.want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{" a\n\tb \x1b[2J ", 20, "a b ␛[2J"},
		{"a long title", 7, "a long…"},
		{"汉字汉字", 4, "汉…"},
		{"x", 0, ""},
		{strings.Repeat("ab ", 1<<20), 5, "ab a…"},
	} {
		if got := OneLine(c.in, c.width); got != c.want {
			t.Errorf("OneLine(%.20q, %d) is %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

// withoutFlags removes the tags of flags.
func withoutFlags(s string) string {
	before, after, found := strings.Cut(s, string(rune(blackFlag)))
	if !found {
		return s
	}
	return before + withoutFlags(strings.TrimPrefix(after, flagTags.FindString(after)))
}

func FuzzVisible(f *testing.F) {
	for _, s := range []string{
		"", scotland, "\ufeffa\u00ad\u200d", "a\x1b[31m\r\n\tb", "👩\u200d👩", "\xff\u202e",
		"\u200d\u200d", "\t\t",
	} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, cut int) {
		got := Visible(s)
		if !utf8.ValidString(got) {
			t.Fatalf("Visible(%q) is not UTF-8: %q", s, got)
		}
		for _, r := range withoutFlags(got) {
			if unsafe(r) && !joins(r) {
				t.Fatalf("Visible(%q) holds %U: %q", s, r, got)
			}
		}
		if stripped := ansi.Strip(got); stripped != got {
			t.Fatalf("Visible(%q) holds a sequence: %q", s, got)
		}
		if again := Visible(got); again != got {
			t.Fatalf("Visible(%q) is %q, and again %q", s, got, again)
		}
		if i := strings.IndexByte(s, '\n'); i >= 0 {
			if joined := Visible(s[:i+1]) + Visible(s[i+1:]); joined != got {
				t.Fatalf("Visible(%q) by lines is %q, want %q", s, joined, got)
			}
		}
	})
}

func TestGistHasNoMarks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ md, want string }{
		{"`lsof -nP` names the process; `kill` works the same.", "lsof -nP names the process; kill works the same."},
		{"```go\nvar sync = tokenSet(Semicolon)\n```\nThat is all.", "var sync = tokenSet(Semicolon) That is all."},
		{"1. one\n2. two", "one two"},
		{"a * b * c and snake_case_name", "a * b * c and snake_case_name"},
		{"→ read_file {\"path\":\"a_b_c.go\"}", "→ read_file {\"path\":\"a_b_c.go\"}"},
		{"---", "---"},
		{"", ""},
	} {
		if got := Gist(c.md); got != c.want {
			t.Errorf("the gist of %q is %q, want %q", c.md, got, c.want)
		}
	}
	if got := Gist(strings.Repeat("ä", 100_000)); len(got) > gistBytes {
		t.Errorf("the gist of a long text has %d bytes", len(got))
	}
}
