package cause

import "testing"

// A message that is dropped, recalled or repaired always has a reason in a few words.
func TestShortCausesAreShort(t *testing.T) {
	t.Parallel()
	for code := range codes {
		short := Cause{Code: code, Text: "words"}.Short()
		needs := code >= SharedWords && code <= Neighbour || code >= Duplicate && code <= Summarized || code >= CallEmpty
		if needs && short == "" || len(short) > 24 {
			t.Errorf("the cause %s is %q in short", code, short)
		}
	}
}
