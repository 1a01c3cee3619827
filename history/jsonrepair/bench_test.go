package jsonrepair

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// BenchmarkRepairDoubling repairs arguments of doubled length, again and again. The last column
// is the time against that of half the length: 2 where the time is linear.
func BenchmarkRepairDoubling(b *testing.B) {
	for _, damage := range []struct{ name, start, piece string }{
		{"string that broke off", `{"text":"`, `line of code(x)\n`},
		{"quotes not escaped", `{"text":"`, `he said "yes" and `},
		{"quotes of Python", `{`, `'name': True, `},
		{"members without commas", `{`, `"name" 1 `},
		{"open brackets", `{"a":`, `[{"b":`},
		{"glued objects", ``, `{"a":"x"}`},
		{"documents not escaped", `{`, `"name": "{"a": [1, "b"]}", `},
		{"first quotes lost", `{`, `"name": some text", `},
		{"last quotes lost", `{`, `"name": "some text, `},
		{"lists that lost quotes", `{"a": [`, `["x, "y"], `},
		{"tuples and constructors", `{`, `'name': (Type('x'), 1), `},
		{"paths", `{`, `"p": "C:\new\docs", `},
		{"prose", `I call it with `, `{name} and `},
	} {
		half := time.Duration(0)
		for size := 1 << 15; size <= 1<<19; size *= 2 {
			raw := damage.start + strings.Repeat(damage.piece, size/len(damage.piece))
			b.Run(fmt.Sprintf("%s/%d", damage.name, size), func(b *testing.B) {
				b.SetBytes(int64(len(raw)))
				for b.Loop() {
					Repair(raw)
					Split(raw)
				}
				each := b.Elapsed() / time.Duration(b.N)
				if half > 0 {
					b.ReportMetric(float64(each)/float64(half), "times-half")
				}
				half = each
			})
		}
	}
}
