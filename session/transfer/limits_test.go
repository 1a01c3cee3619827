package transfer

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestImportOfManyConversationsWarnsOfTheLimits imports two conversations of which one is over the limit. What
// is imported again and adds nothing is not warned of.
func TestImportOfManyConversationsWarnsOfTheLimits(t *testing.T) {
	long := []string{"q0: Hello"}
	for i := range 20 {
		long = append(long, fmt.Sprintf("a%d<q%d: %s", i, i, strings.Repeat("word ", 300)), fmt.Sprintf("q%d<a%d: Go on.", i+1, i))
	}
	file := exportOf(map[string][]string{"long": long, "short": {"p1: Hello"}}, "long", "short")
	s := newStoreAt(t)
	for i, want := range []string{
		"[the total size exceeds the limit of 15,360 characters (budget_chars, preset assistant-first): a request holds the last 21 of 41 messages] []",
		"[] []",
	} {
		var got []string
		from := Source{File: strings.NewReader(file), Time: written, Policy: preset(t, "assistant-first")}
		if err := Import(context.Background(), s, from, func(im Imported) { got = append(got, fmt.Sprint(im.Warnings)) }); err != nil {
			t.Fatal(err)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("import %d is reported with %s, want %s", i+1, strings.Join(got, " "), want)
		}
	}
}
