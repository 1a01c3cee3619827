// Command measure measures a built winnow in a pseudo-terminal: the time from the start, or from a key press, until the
// screen shows the result, and the processor time and memory used. It runs on Linux; docs/benchmarks.md explains its table.
//
// go run ./cli/testdata/measure -write
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

var (
	rounds = flag.Int("rounds", 5, "how often each scene is measured; the programs take turns")
	only   = flag.String("only", "", "the scenes to measure, as a regular expression")
	write  = flag.Bool("write", false, "write the table into docs/benchmarks.md")
	other  = flag.String("other", "", "another winnow, measured in turn with this one")
	cache  = flag.String("cache", "", "the folder that keeps the long histories, or else that of the user")
)

// run is one run of this program. It implements the terminal.Test with which programs are started.
type run struct {
	programs map[string]string // paths by name
	scratch  string
	cleanups []func()
	rows     []string // in the order of the table
	found    map[string]map[string][]float64
}

func (r *run) Helper() {}

func (r *run) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

// Fatalf ends the run with a message.
func (r *run) Fatalf(format string, args ...any) {
	r.clean()
	log.Fatalf(format, args...)
}

// clean ends the programs and servers of a scene.
func (r *run) clean() {
	for _, f := range slices.Backward(r.cleanups) {
		f()
	}
	r.cleanups = nil
}

// folder creates an empty folder, which is removed at the end of the run.
func (r *run) folder() string {
	dir, err := os.MkdirTemp(r.scratch, "")
	if err != nil {
		r.Fatalf("make a folder: %v", err)
	}
	return dir
}

// note adds measurements of a program to a row.
func (r *run) note(row, program string, x ...float64) {
	if r.found[row] == nil {
		r.rows = append(r.rows, row)
		r.found[row] = map[string][]float64{}
	}
	r.found[row][program] = append(r.found[row][program], x...)
}

// build compiles a package of the module and returns the path of the program.
func (r *run) build(pkg string) string {
	file := filepath.Join(r.scratch, filepath.Base(pkg))
	if out, err := exec.Command("go", "build", "-o", file, pkg).CombinedOutput(); err != nil {
		r.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	return file
}

func main() {
	log.SetFlags(0)
	flag.Parse()
	scratch, err := os.MkdirTemp("", "measure-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(scratch)
	if *cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			log.Fatalf("find a folder for the long histories; -cache names one: %v", err)
		}
		*cache = filepath.Join(user, "winnow-measure")
	}
	r := &run{scratch: scratch, found: map[string]map[string][]float64{}}
	r.programs = map[string]string{"winnow": r.build("winnow"), "empty": r.build("winnow/cli/testdata/empty")}
	if *other != "" {
		r.programs["other"] = *other
	}
	chosen := regexp.MustCompile("^(" + *only + ")$")
	for round := range *rounds {
		for _, s := range scenes {
			if *only != "" && !chosen.MatchString(s.name) {
				continue
			}
			begin := time.Now()
			s.run(r)
			r.clean()
			log.Printf("round %d of %d, %s: %.0f s", round+1, *rounds, s.name, time.Since(begin).Seconds())
		}
	}
	table := r.table()
	fmt.Println(table)
	if *write {
		if err := writeTable(table); err != nil {
			log.Fatal(err)
		}
	}
}

// table returns the measurements as a Markdown table.
func (r *run) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s; %d rounds. The load of the machine at the end was %s.\n\n",
		time.Now().UTC().Format(time.DateOnly), machineName(), runtime.Version(), *rounds, loadAverage())
	names := []string{"winnow", "other", "empty"}
	if *other == "" {
		names = []string{"winnow", "empty"}
	}
	b.WriteString("| what | " + strings.Join(names, " | ") + " |\n|---|" + strings.Repeat("--:|", len(names)))
	for _, row := range r.rows {
		b.WriteString("\n| " + row + " |")
		for _, name := range names {
			b.WriteString(" " + spread(r.found[row][name]) + " |")
		}
	}
	return b.String()
}

// spread returns the median of measurements, and in parentheses their minimum and maximum.
func spread(all []float64) string {
	if len(all) == 0 {
		return " "
	}
	low, middle, high := number(part(all, 0)), number(part(all, 0.5)), number(part(all, 1))
	if low == high {
		return middle
	}
	return fmt.Sprintf("%s (%s–%s)", middle, low, high)
}

// part returns a quantile of measurements.
func part(all []float64, p float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]
}

// number formats a measurement with at least three digits.
func number(x float64) string {
	digits := 0
	for limit := 100.0; x < limit && digits < 2; limit /= 10 {
		digits++
	}
	return humanize.CommafWithDigits(x, digits)
}

// writeTable writes the table between its markers in docs/benchmarks.md.
func writeTable(table string) error {
	const page, begin, end = "docs/benchmarks.md", "<!-- measured -->\n", "<!-- /measured -->"
	text, err := os.ReadFile(page)
	if err != nil {
		return fmt.Errorf("read the page; run this in the folder of the module: %w", err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, both := strings.Cut(rest, end)
	if !ok || !both {
		return fmt.Errorf("%s has no %s and %s", page, strings.TrimSpace(begin), end)
	}
	return os.WriteFile(page, []byte(before+begin+"\n"+table+"\n"+end+after), 0o644)
}
