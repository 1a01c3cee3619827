package theme

import (
	"testing"
	"time"
)

func TestNumbersInWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Thousands(5312), "5,312"},
		{Thousands(-1234567), "−1,234,567"},
		{Signed(37), "+37"},
		{Size(999), "999 B"},
		{Size(8100), "8.1 kB"},
		{Size(2_000_000), "2.0 MB"},
		{Plural(1, "line"), "1 line"},
		{Plural(0, "line"), "0 lines"},
		{PluralOf(2, "secret is", "secrets are"), "2 secrets are"},
		{InWords([]string{"2", "3", "4"}), "2, 3 and 4"},
		{InWords(nil), ""},
		{Duration(1900 * time.Millisecond), "1.9 s"},
		{Duration(185 * time.Second), "3 m 05 s"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
