package transfer

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func section(text string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))
}

// Every value of a list is read, whatever stands between them; the first that is not JSON ends the list.
func TestValuesOfAList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		blank := rapid.StringOfN(rapid.SampledFrom([]rune(" \t\r\n")), 0, 5, -1)
		file := blank.Draw(t, "before") + "["
		var want []string
		n := rapid.IntRange(0, 5).Draw(t, "values")
		for i := range n {
			value := rapid.SampledFrom([]string{"7", "\"a\\n\"", "{\"a\":\n[1]}", "null", "[\n\n]"}).Draw(t, "value")
			want = append(want, fmt.Sprintf("%q", value))
			file += blank.Draw(t, "blank") + value + blank.Draw(t, "after")
			if i < n-1 {
				file += ","
			}
		}
		if n > 0 && rapid.Bool().Draw(t, "broken") {
			want = append(want, "broken")
			file += "," + blank.Draw(t, "more") + "nonsense"
		}
		file += "]"
		var got []string
		for v, err := range values(section(file)) {
			switch {
			case err != nil:
				t.Fatal(err)
			case v.Broken != "":
				got = append(got, "broken")
			default:
				got = append(got, fmt.Sprintf("%q", v.Raw))
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the values of %q are %v, want %v", file, got, want)
		}
	})
	rapid.Check(t, func(t *rapid.T) { // nothing in a file makes it panic, and it ends
		file := rapid.StringOfN(rapid.SampledFrom([]rune("[]{},:\"1 \nat\ufeff")), 0, 20, -1).Draw(t, "file")
		for range values(section(file)) {
		}
		for range list(strings.NewReader(file)) {
		}
	})
}
