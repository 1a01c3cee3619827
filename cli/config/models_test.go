package config

import (
	"strings"
	"testing"
)

func TestTablesOfAModelAreCheckedAndOrdered(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]string{
		"[models.\"gpt-[5\"]\nwindow = 5\n": "line 1, column 2: models.gpt-[5 is not a valid " +
			"pattern",
		"[models.\"\"]\nwindow = 5\n":     "is not a valid pattern",
		"[models.\"m*\"]\nwindow = -5\n":  "models.m*.window is -5",
		"[models.\"m*\"]\nwire = \"x\"\n": `models.m*.wire is "x"`,
		"[models.\"m*\"]\nsystem = \"a\"\nsystem_file = \"b\"\n": "line 3, column 1: models.m*.system_file names a " +
			"file, but system is set too",
		"[models.\"m*\".sampling]\ntemperature = 3.0\n":   "models.m*.sampling.temperature is 3",
		"[models.\"m*\".prices]\nin = 1.0\n":              "models.m*.prices has no out",
		"[models.\"m*\"]\nsistem = \"a\"\n":               `did you mean "system"?`,
		"[models.\"m*\"]\ntools = \"no\"\n":               "models.m*.tools must be true or false",
		"[models.\"m*\"]\nsystem = \"\"\ntools = false\n": "",
	} {
		_, mistakes := Decode("c.toml", []byte(doc))
		switch {
		case want == "" && len(mistakes) > 0:
			t.Errorf("%s: %v, want no mistake", doc, mistakes[0])
		case want != "" && (len(mistakes) != 1 || !strings.Contains(mistakes[0].Error(), want)):
			t.Errorf("%s: %v, want %q", doc, mistakes, want)
		}
	}
	c, mistakes := Decode("c.toml", []byte(`
[models."*"]
window = 1
[models."w/gpt-5*"]
window = 2
[models."gpt-5.2"]
window = 3
[models."claude-*"]
window = 4
[endpoints.w]
base_url = "http://x/v1"
sampling = { top_p = 0.5 }
[endpoints.w.models."gpt-5.2"]
window = 5
`))
	if len(mistakes) > 0 {
		t.Fatal(mistakes[0])
	}
	for ref, want := range map[string]string{
		"w/gpt-5.2": `[endpoints.w.models."gpt-5.2"] [models."gpt-5.2"] [models."w/gpt-5*"] [models."*"] ` +
			`[endpoints.w.sampling]`,
		"W/gpt-5.1":      `[models."w/gpt-5*"] [models."*"] [endpoints.w.sampling]`,
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
