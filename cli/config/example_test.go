package config

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"winnow/history"
)

var update = flag.Bool("update", false, "write the example's table of the policy")

// afterPolicy is how the part behind the policy's table begins.
const afterPolicy = "# Parameters of the requests to every model.\n"

// The example's table of the policy is made from the default policy and from the comments beside
// its fields, so that it can drift from neither.
func TestExampleShowsTheDefaultPolicy(t *testing.T) {
	text := string(exampleConfig())
	before, rest, ok := strings.Cut(text, "[context]\n")
	got, after, closed := strings.Cut(rest, "\n"+afterPolicy)
	if !ok || !closed {
		t.Fatal("config.toml.example has no table [context] in front of that of the sampling")
	}
	want := policyTable(t)
	if got == want {
		return
	}
	if !*update {
		t.Errorf("the table [context] of config.toml.example is\n%s\nwant\n%s\ngo test ./cli/config -update writes it",
			got, want)
		return
	}
	fresh := before + "[context]\n" + want + "\n" + afterPolicy + after
	if err := os.WriteFile("../../config.toml.example", []byte(fresh), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// policyTable is the default policy as TOML, each key with what its field's comment says.
func policyTable(t *testing.T) string {
	t.Helper()
	notes := map[string]string{}
	field := regexp.MustCompile("((?:\t// .*\n)+)\t\\w+ +\\w+ +`toml:\"([a-z_]+)\"")
	for _, m := range field.FindAllStringSubmatch(readText(t, "../../history/policy.go"), -1) {
		note := strings.ReplaceAll(m[1], "\n\t// ", " ")
		notes[m[2]] = strings.TrimSpace(strings.TrimPrefix(note, "\t// "))
	}
	policy := reflect.ValueOf(Defaults().Context)
	var b strings.Builder
	for i := range policy.NumField() {
		tag := policy.Type().Field(i).Tag
		key := tag.Get("toml")
		if key == "-" {
			continue
		}
		fmt.Fprintf(&b, "%-50s # %s\n", key+" = "+tomlValue(policy.Field(i)),
			notes[key]+words(strings.Fields(tag.Get("takes"))))
	}
	return b.String()
}

// words lists what a key takes that is neither a number nor free text.
func words(takes []string) string {
	if len(takes) == 0 {
		return ""
	}
	last := len(takes) - 1
	return ": " + strings.Join(takes[:last], ", ") + " or " + takes[last]
}

func tomlValue(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.String:
		return strconv.Quote(v.String())
	case v.Kind() == reflect.Int && v.Int() == history.NoLimit:
		return strconv.Quote("unlimited")
	case v.Kind() == reflect.Float64:
		return decimal(v.Float())
	}
	return fmt.Sprint(v.Interface())
}

// decimal writes a number with at least one place behind the point.
func decimal(n float64) string {
	text := strconv.FormatFloat(n, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
