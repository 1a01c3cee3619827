package cli

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"winnow/session/store"
)

// What is measured is the real program in a real terminal, as a person meets it, beside programs that do next to
// nothing and are measured the same way: what the machine costs is in all of them. docs/benchmarks.md says how.
var measureFlags = struct {
	on, busy, write    *bool
	rounds             *int
	only, cache, older *string
}{
	on:     flag.Bool("measure", false, "measure winnow in a terminal, with TestMeasure"),
	busy:   flag.Bool("busy", false, "measure although other programs take the processors"),
	write:  flag.Bool("write", false, "write what was measured into docs/benchmarks.md"),
	rounds: flag.Int("rounds", 5, "how many rounds are measured; the programs take turns in each"),
	only:   flag.String("only", "", "the scenes to measure, as a regular expression"),
	cache:  flag.String("cache", "", "the folder that keeps the long histories between measurements"),
	older:  flag.String("older", "", "another winnow, measured in turn with this one"),
}

// numbers are the measurements of one thing in all rounds.
type numbers []float64

// at is the measurement that the given part of all does not exceed.
func (n numbers) at(part float64) float64 {
	sorted := slices.Sorted(slices.Values(n))
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}

func (n numbers) median() float64 { return n.at(0.5) }

// text is the median, and behind it the smallest and the largest.
func (n numbers) text(digits int) string {
	if len(n) == 0 {
		return "–"
	}
	low, middle, high := plainNumber(n.at(0), digits), plainNumber(n.median(), digits), plainNumber(n.at(1), digits)
	if low == high {
		return middle
	}
	return fmt.Sprintf("%s (%s–%s)", middle, low, high)
}

// plainNumber writes a number with so many decimals and groups its thousands.
func plainNumber(x float64, digits int) string {
	whole, part, dot := strings.Cut(fmt.Sprintf("%.*f", digits, x), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if dot {
		whole += "." + part
	}
	return whole
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// The programs that are measured.
const (
	ours     = "winnow"
	older    = "older"
	empty    = "empty"     // draws nothing, 60 frames a second, as Bubble Tea does by itself
	empty120 = "empty120"  // 120 frames a second
	printing = "the bytes" // prints what a server sends
)

// measuring is what one run measures.
type measuring struct {
	*testing.T
	files   map[string]string // where each program is
	found   map[string]map[string]numbers
	noise   numbers // the time of the reference, in ms
	others  numbers // what other programs took of the processors, in percent
	cache   string
	scratch string
}

// note adds a measurement of a row.
func (m *measuring) note(row, program string, x ...float64) {
	if m.found[row] == nil {
		m.found[row] = map[string]numbers{}
	}
	m.found[row][program] = append(m.found[row][program], x...)
}

// winnows are the names of the programs that are winnow.
func (m *measuring) winnows() []string {
	if m.files[older] == "" {
		return []string{ours}
	}
	return []string{older, ours}
}

// build compiles a program as a user has it: the test binary under winnow's name would carry the tests' own libraries.
func (m *measuring) build(pkg string) string {
	m.Helper()
	path := filepath.Join(m.scratch, filepath.Base(pkg))
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", path, pkg).CombinedOutput(); err != nil {
		m.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	return path
}

// copied is a real copy of a program, which shares no memory with another that runs.
func (m *measuring) copied(program string) string {
	m.Helper()
	path := filepath.Join(m.TempDir(), program)
	copyFile(m.T, m.files[program], path)
	if err := os.Chmod(path, 0o700); err != nil {
		m.Fatal(err)
	}
	return path
}

// person is the environment of a person with a home of their own, who talks to a server. The history is a copy of the given
// one, "" for an empty one. Today's backup of it is made already, unless it is to be made later.
func (m *measuring) person(base, history string, backup bool) (env []string) {
	m.Helper()
	path := filepath.Join(m.TempDir(), "history.db")
	if history != "" {
		copyFile(m.T, filepath.Join(history, "history.db"), path)
		s, err := store.Open(m.Context(), path, store.Options{})
		if err == nil && backup {
			_, err = s.BackUpToday(m.Context())
		}
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			m.Fatalf("prepare the history: %v", err)
		}
	}
	return append(talking(home(m), base), "WINNOW_DB="+path)
}

// TestMeasure measures winnow and prints a table of what it found. Nothing is asserted: a time that fails a test says more
// about the machine than about winnow.
func TestMeasure(t *testing.T) {
	if !*measureFlags.on {
		t.Skip("takes minutes; -measure runs it")
	}
	only, err := regexp.Compile("^(" + cmp.Or(*measureFlags.only, ".*") + ")$")
	if err != nil {
		t.Fatalf("read -only: %v", err)
	}
	var chosen []scene
	for _, s := range scenes {
		if only.MatchString(s.name) {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		t.Fatalf("-only %s names no scene; there are %s", *measureFlags.only, sceneNames())
	}
	m := &measuring{T: t, scratch: t.TempDir(), found: map[string]map[string]numbers{}}
	m.cache = *measureFlags.cache
	if m.cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			t.Fatalf("find a folder for the long histories; -cache names one: %v", err)
		}
		m.cache = filepath.Join(user, "winnow-measure")
	}
	if err := os.MkdirAll(m.cache, 0o700); err != nil {
		t.Fatal(err)
	}
	m.files = map[string]string{
		ours: m.build("winnow"), empty: m.build("winnow/cli/testdata/empty"),
		printing: m.build("winnow/cli/testdata/printer"), older: *measureFlags.older,
	}
	m.files[empty120] = m.files[empty]
	for _, n := range []int{longHistory, longestHistory} {
		if slices.ContainsFunc(chosen, func(s scene) bool { return s.history == n }) {
			storedSession(t, m.cache, n)
		}
	}
	quietMachine(t, *measureFlags.busy)
	for round := range *measureFlags.rounds {
		from := readLoad(t)
		for _, s := range chosen {
			begin := time.Now()
			m.noise = append(m.noise, ms(reference()))
			t.Run(fmt.Sprintf("%s-%d", s.name, round+1), func(t *testing.T) {
				inScene := *m
				inScene.T = t
				s.run(&inScene)
			})
			if t.Failed() {
				return
			}
			fmt.Printf("round %d of %d, %s: %.0f s\n", round+1, *measureFlags.rounds, s.name, time.Since(begin).Seconds())
		}
		m.others = append(m.others, others(from, readLoad(t)))
	}
	table := m.table(chosen)
	fmt.Println(table)
	if *measureFlags.write {
		writeMeasured(t, table)
	}
}

func sceneNames() string {
	var names []string
	for _, s := range scenes {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// table writes what was measured as a table in Markdown.
func (m *measuring) table(chosen []scene) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s; %d rounds. A fixed calculation took %s ms, and other programs took %s %% of the processors.",
		time.Now().UTC().Format(time.DateOnly), machineName(), runtime.Version(), *measureFlags.rounds, m.noise.text(0), m.others.text(0))
	if *measureFlags.busy && m.others.median() > mostOthers {
		b.WriteString(" The machine was busy: read the ratios alone.")
	}
	b.WriteString("\n\n| what | goal | winnow |")
	if m.files[older] != "" {
		b.WriteString(" the older winnow |")
	}
	b.WriteString(" beside it | ratio |\n|---|--:|--:|--:|--:|")
	if m.files[older] != "" {
		b.WriteString("--:|")
	}
	for _, s := range chosen {
		for _, row := range s.rows {
			found := m.found[row.name]
			fmt.Fprintf(&b, "\n| %s | %s | %s |", row.name, cmp.Or(row.goal, " "), found[ours].text(row.digits))
			if m.files[older] != "" {
				fmt.Fprintf(&b, " %s |", found[older].text(row.digits))
			}
			var beside []string
			ratio := " "
			for _, program := range []string{empty, empty120, printing} {
				other := found[program]
				if len(other) == 0 {
					continue
				}
				beside = append(beside, besideNames[program]+" "+other.text(row.digits))
				if ratio == " " && other.median() > 0 && len(found[ours]) > 0 {
					ratio = fmt.Sprintf("%.2f", found[ours].median()/other.median())
				}
			}
			fmt.Fprintf(&b, " %s | %s |", strings.Join(beside, ", "), ratio)
		}
	}
	return b.String()
}

// besideNames are the programs beside winnow as the table names them.
var besideNames = map[string]string{empty: "empty", empty120: "empty at 120 frames", printing: "printing the bytes"}

// writeMeasured puts the table between its markers in docs/benchmarks.md.
func writeMeasured(t *testing.T, table string) {
	t.Helper()
	const path, begin, end = "../docs/benchmarks.md", "<!-- measured -->\n", "<!-- /measured -->"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, both := strings.Cut(rest, end)
	if !ok || !both {
		t.Fatalf("%s has no %s and %s", path, strings.TrimSpace(begin), end)
	}
	if err := os.WriteFile(path, []byte(before+begin+"\n"+table+"\n"+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
