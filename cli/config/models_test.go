package config

import (
	"strings"
	"testing"
)

func TestTablesOfAModelAreOrdered(t *testing.T) {
	c, mistakes := Decode("c.toml", []byte(`
[models."*"]
window = 1
[models."w/gpt-5*"]
window = 2
[models."gpt-5.2"]
window = 3
[models."claude-*"]
window = 4
`))
	if len(mistakes) > 0 {
		t.Fatal(mistakes[0])
	}
	for ref, want := range map[string]string{
		"w/gpt-5.2":      `[models."gpt-5.2"] [models."w/gpt-5*"] [models."*"]`,
		"W/gpt-5.1":      `[models."w/gpt-5*"] [models."*"]`,
		"other/claude-4": `[models."claude-*"] [models."*"]`,
	} {
		endpoint, model, _ := strings.Cut(ref, "/")
		var names []string
		for _, table := range c.Tables(endpoint, model) {
			names = append(names, table.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", ref, got, want)
		}
	}
}
