package conversation

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Every value of a list comes with the line that it begins in, whatever stands between them; the first that is not JSON
// ends the list.
func TestValuesKnowTheirLines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		blank := rapid.StringOfN(rapid.SampledFrom([]rune(" \t\r\n")), 0, 5, -1)
		file, line := "", 1
		var want []string
		write := func(text string) { file, line = file+text, line+strings.Count(text, "\n") }
		write(blank.Draw(t, "before") + "[")
		n := rapid.IntRange(0, 5).Draw(t, "values")
		for i := range n {
			write(blank.Draw(t, "blank"))
			value := rapid.SampledFrom([]string{"7", "\"a\\n\"", "{\"a\":\n[1]}", "null", "[\n\n]"}).Draw(t, "value")
			want = append(want, fmt.Sprintf("%d %q", line, value))
			write(value + blank.Draw(t, "after"))
			if i < n-1 {
				write(",")
			}
		}
		if n > 0 && rapid.Bool().Draw(t, "broken") {
			write("," + blank.Draw(t, "more"))
			want = append(want, fmt.Sprintf("%d broken", line))
			write("nonsense")
		}
		write("]")
		var got []string
		for v, err := range Values(strings.NewReader(file)) {
			switch {
			case err != nil:
				t.Fatal(err)
			case v.Broken != "":
				got = append(got, fmt.Sprintf("%d broken", v.Line))
			default:
				got = append(got, fmt.Sprintf("%d %q", v.Line, v.Raw))
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the values of %q are %v, want %v", file, got, want)
		}
	})
	rapid.Check(t, func(t *rapid.T) { // nothing in a file makes it panic, and it ends
		file := rapid.StringOfN(rapid.SampledFrom([]rune("[]{},:\"1 \nat\ufeff")), 0, 20, -1).Draw(t, "file")
		for range Values(strings.NewReader(file)) {
		}
		for range List(strings.NewReader(file), 1) {
		}
	})
}
