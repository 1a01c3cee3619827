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

// afterPolicy is the line after the table of the policy.
const afterPolicy = "# Parameters of the requests to every model.\n"

// The table [context] of the example is generated from the default policy and the comments of its fields.
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

// policyTable returns the default policy as TOML, with the comments of its fields.
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

// words lists the possible values of a key.
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

// decimal formats a number with at least one decimal place.
func decimal(n float64) string {
	text := strconv.FormatFloat(n, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
