package config

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/keys"
)

func exampleConfig() []byte {
	text, err := os.ReadFile("../../config.toml.example")
	if err != nil {
		panic(err)
	}
	return text
}

func TestExampleIsTheDefaults(t *testing.T) {
	got, mistakes := Decode("config.toml.example", exampleConfig())
	if len(mistakes) > 0 {
		t.Fatalf("the example has a mistake: %v", mistakes[0])
	}
	// An empty table or list and none are the same to a reader.
	got.Keys, got.Tools.MCPFiles, got.Tools.Permissions = nil, nil, nil
	if want := Defaults(); !reflect.DeepEqual(got, want) {
		t.Errorf("decoding the example gives\n%+v\nwant the defaults\n%+v", got, want)
	}
}

// uncommented is the example with its commented settings in force, but for the keys of which only one may be set.
func uncommented() []byte {
	setting := regexp.MustCompile(`(?m)^# (\[[a-z_."0-9*-]+\]|[a-z_]+ = )`)
	one := regexp.MustCompile(`(?m)^(key|key_command|key_file) = .*$`)
	return one.ReplaceAll(setting.ReplaceAll(exampleConfig(), []byte("$1")), nil)
}

// The example names every key, in force or in a comment, and is right with its comments in force.
func TestExampleNamesEveryKey(t *testing.T) {
	c, mistakes := Decode("config.toml.example", uncommented())
	if len(mistakes) > 0 {
		t.Fatalf("the example with its comments in force has a mistake: %v", mistakes[0])
	}
	c.Models["gpt-5*"] = Model{Prices: &Price{}}
	for _, f := range fields(reflect.ValueOf(c)) {
		name := f.path[len(f.path)-1]
		if len(f.path) == 1 {
			continue // tables, and the model
		}
		if !regexp.MustCompile(`(?m)^(# )?\[?(tools\.)?` + name + `(\]| = )`).Match(exampleConfig()) {
			t.Errorf("config.toml.example does not name %s", f.key())
		}
	}
}

func TestDecodeSaysWhatIsWrongAndWhere(t *testing.T) {
	const work = "[endpoints.w]\nbase_url = \"http://x/v1\"\n"
	for doc, want := range map[string]string{
		// what the decoder finds has a place
		"modle = \"x\"\n":                             `c.toml, line 1, column 1: unknown key "modle"; did you mean "model"?`,
		"[ui]\ntheme = \"dark\"\nmosue = true\n":      `c.toml, line 3, column 1: unknown key "ui.mosue"; did you mean "mouse"?`,
		"[contxt]\nbudget = 5\n":                      `c.toml, line 1, column 2: unknown key "contxt"; did you mean "context"?`,
		"zebra = 1\n":                                 `c.toml, line 1, column 1: unknown key "zebra"`,
		"[mcp_servers.f]\ncomand = \"a\"\n":           `unknown key "mcp_servers.f.comand"; did you mean "command"?`,
		"[models.m.sampling]\ntemperatur = 1.0\n":     `did you mean "temperature"?`,
		"[context]\nmin_messages = \"three\"\n":       `line 2, column 16: context.min_messages must be a whole number`,
		"[context]\nbudget = \"lots\"\n":              `context.budget must be a whole number, "auto" or "unlimited"`,
		"model = 5\n":                                 `c.toml, line 1, column 9: model must be a quoted string`,
		"[sampling]\ntemperature = \"warm\"\n":        `sampling.temperature must be a number`,
		"[models.m.prices]\nin = \"dear\"\nout = 1\n": `models.m.prices.in must be a number`,
		"[ui]\nmouse = \"on\"\n":                      `ui.mouse must be true or false`,
		"[keys]\nsend = \"enter\"\n":                  `keys.send must be a list of strings such as ["one", "two"]`,
		"[ui\n":                                       `c.toml, line 1, column 4: invalid TOML:`,
		// the rules of single keys
		"[context]\nuser_max_chars = -3\n":          `context.user_max_chars is -3; must be 0 or more`,
		"[context]\npreset = \"balance\"\n":         `; did you mean "balanced"?`,
		"[ui]\npanel = \"opn\"\n":                   `ui.panel is "opn"; must be auto, open, strip or closed; did you mean "open"?`,
		"[tools]\napprove = \"\"\n":                 `tools.approve is ""; must be ask, always or never`,
		"[tools]\nmax_rounds = 0\n":                 `tools.max_rounds is 0; must be 1 or more`,
		"[tools.permissions]\nread = \"always\"\n":  `tools.permissions.read is "always"; must be off, ask or allow`,
		"[sampling]\ntop_p = 1.5\n":                 `sampling.top_p is 1.5; must be 0 to 1`,
		"[limits]\nday_cost = nan\n":                `limits.day_cost is NaN; must be 0 to 1000000`,
		"[models.m]\nwindow = -5\n":                 `models.m.window is -5; must be 0 or more`,
		"[models.m]\nwire = \"x\"\n":                `models.m.wire is "x"; must be auto, openai, responses or ollama`,
		"[models.m.sampling]\ntemperature = 3.0\n":  `models.m.sampling.temperature is 3; must be 0 to 2`,
		"[models.m.prices]\nin = 1.0\nout = -1.0\n": `models.m.prices.out is -1; must be 0 to 1000000`,
		work + "first_byte_timeout = -1\n":          `endpoints.w.first_byte_timeout is -1; must be 0 or more`,
		"[mcp_servers.f]\ncommand = \"a\"\napprove = \"alow\"\n": `mcp_servers.f.approve is "alow"; must be off, ask or ` +
			`allow; did you mean "allow"?`,
		// what several say together
		"[ui]\ntheme = \"drak\"\n":                               `must be auto, dark, light, terminal or none; did you mean "dark"?`,
		"[themes.mine]\nbase = \"dark\"\nyou = \"red\"\n":        `themes.mine.you is "red"; must be a colour such as`,
		"[keys]\nsned = [\"enter\"]\n":                           `unknown action "sned"; did you mean "send"?`,
		"[keys]\nnewline = [\"enter\"]\n":                        `the key enter is bound to both send and newline`,
		"[endpoints.w]\nkey_env = \"K\"\n":                       `endpoints.w has no base_url`,
		"[endpoints.w]\nbase_url = \"example.com\"\n":            `endpoints.w.base_url is "example.com"`,
		work + "key = \"a\"\nkey_env = \"B\"\n":                  `endpoints.w has key and key_env; use only one of them`,
		work + "keep_alive = \"often\"\n":                        `endpoints.w.keep_alive is "often"; must be a time such as "10m"`,
		work + "keep_alive = \"-1\"\n":                           "",
		"[models.\"gpt-[5\"]\nwindow = 5\n":                      "models.gpt-[5 is not a valid pattern",
		"[models.\"\"]\nwindow = 5\n":                            "is not a valid pattern",
		"[models.m.prices]\nin = 1.0\n":                          "models.m.prices needs both in and out",
		"[models.m]\nsystem = \"\"\ntools = false\n":             "",
		"[mcp_servers.f]\napprove = \"ask\"\n":                   "mcp_servers.f has neither command nor url",
		"[mcp_servers.f]\ncommand = \"a\"\nurl = \"http://x\"\n": "mcp_servers.f has both command and url",
		"[mcp_servers.f]\nurl = \"example.com\"\n":               `mcp_servers.f.url is "example.com"; must be an address`,
		"[mcp_servers.f]\ncommand = \"a\"\nheaders = {A = \"b\"}\n": "mcp_servers.f.headers applies to a url " +
			"only",
		"[mcp_servers.f]\nurl = \"http://x\"\nenv = {A = \"b\"}\n": "mcp_servers.f.env applies to a command " +
			"only",
		"[tools]\nmcp_files = [\"f\"]\n[mcp_servers.f]\nargs = [\"b\"]\n": "mcp_servers.f.args needs a command",
		"[mcp_servers.f]\ncommand = \"a\"\nmax_result = 99999999\n": "mcp_servers.f.max_result is 99999999; " +
			"must be at most",
	} {
		_, mistakes := Decode("c.toml", []byte(doc))
		switch {
		case want == "" && len(mistakes) > 0:
			t.Errorf("Decode(%q) says %v, want no mistake", doc, mistakes[0])
		case want != "" && (len(mistakes) == 0 || !strings.Contains(mistakes[0].Error(), want)):
			t.Errorf("Decode(%q) says\n%v\nwant\n%s", doc, mistakes, want)
		}
	}
}

func TestDecodeFindsEveryUnknownKey(t *testing.T) {
	_, mistakes := Decode("c.toml", []byte("a1 = 1\n[ui]\nb1 = 2\n"))
	got := fmt.Sprint(mistakes)
	if len(mistakes) != 2 || !strings.Contains(got, "line 1") || !strings.Contains(got, "line 3") {
		t.Errorf("Decode finds %v, want one mistake on line 1 and one on line 3", mistakes)
	}
}

func TestDecodePutsTheFileOverItsPreset(t *testing.T) {
	other := history.Presets()[len(history.Presets())-1]
	preset, err := history.Preset(other)
	if err != nil {
		t.Fatal(err)
	}
	got, mistakes := Decode("c.toml", []byte("[context]\nbudget = 5000\npreset = \""+other+"\"\n"))
	if len(mistakes) > 0 {
		t.Fatal(mistakes[0])
	}
	want := preset
	want.Budget = 5000
	if got.Context != want {
		t.Errorf("preset %s with budget 5000 decodes to\n%+v\nwant\n%+v", other, got.Context, want)
	}
}

func TestDecodeReadsTheWordsForNumbers(t *testing.T) {
	doc := "# ü\n[context]\nbudget = \"auto\" # as much as fits\nuser_max_chars = \"unlimited\"\n" +
		"assistant_max_chars = 1_500\n[ui]\ntheme = \"auto\"\n"
	got, mistakes := Decode("c.toml", []byte(doc))
	if len(mistakes) > 0 {
		t.Fatal(mistakes[0])
	}
	c := got.Context
	if c.Budget != 0 || c.UserMaxChars != history.NoLimit || c.AssistantMaxChars != 1500 || got.UI.Theme != "auto" {
		t.Errorf("Decode(%q) gives budget %d, user %d, assistant %d, theme %q", doc, c.Budget, c.UserMaxChars,
			c.AssistantMaxChars, got.UI.Theme)
	}
}

func TestPricesAreThoseOfTheFile(t *testing.T) {
	c, mistakes := Decode("c.toml", []byte(`
[endpoints.w]
base_url = "https://llm.example.com/v1"
[models."w/small"]
prices = { in = 0.07, cached = 0, out = 0.3 }
[models."gpt-5.2".prices]
in = 1.25
out = 10
[models."w/*".prices]
in = 0
out = 0
`))
	if len(mistakes) > 0 {
		t.Fatal(mistakes[0])
	}
	catalog := (&llm.Catalog{Patterns: c.Patterns()}).With(c.Catalog(func(string) string { return "" })...)
	for _, test := range []struct{ model, want string }{
		{"gpt-5.2", "$1.25 $1.25 $10.00"}, // no price for what is cached: the full one
		{"small", "$0.07 $0 $0.30"},
		{"anything else", "$0 $0 $0"},
	} {
		client, model, err := catalog.Use("w/" + test.model)
		if err != nil {
			t.Fatal(err)
		}
		p := client.Prices(model)
		if got := fmt.Sprint(p.In, " ", p.Cached, " ", p.Out); got != test.want || !p.Known() {
			t.Errorf("a million tokens of %s cost %s, want %s", test.model, got, test.want)
		}
	}
}

// A table without an address says more of the endpoint that a key in the environment opens, and is nothing
// where there is no key.
func TestATableAddsToAKnownService(t *testing.T) {
	c, mistakes := Decode("c.toml", []byte("[endpoints.openai]\nmodel = \"gpt-5.2-mini\"\n"))
	if len(mistakes) > 0 {
		t.Fatal(mistakes[0])
	}
	key := ""
	lookup := func(name string) string {
		if name == "OPENAI_API_KEY" {
			return key
		}
		return ""
	}
	if got := c.Catalog(lookup); len(got) != 0 {
		t.Errorf("without a key there are the endpoints %v", got)
	}
	key = "sk-test"
	got := c.Catalog(lookup)
	if len(got) != 1 || got[0].BaseURL != "https://api.openai.com/v1" || got[0].Key != "sk-test" ||
		got[0].KeyFrom.Name != "OPENAI_API_KEY" || got[0].Default != "gpt-5.2-mini" {
		t.Fatalf("the endpoints are %+v", got)
	}
}

// A table of a hosted service that says where its key is needs no address, and opens the service.
func TestATableWithAKeyOpensAHostedService(t *testing.T) {
	for table, want := range map[string]keys.Origin{
		`key = "sk-test"`:          {Kind: keys.Config},
		`key_env = "WORK_KEY"`:     {Kind: keys.Variable, Name: "WORK_KEY"},
		`key_env = "UNSET"`:        {Kind: keys.Variable, Name: "UNSET"},
		`key_command = ["pass"]`:   {Kind: keys.Command, Name: "pass"},
		`key_keyring = true`:       {Kind: keys.Keyring},
		`key_file = "~/groq.key"`:  {Kind: keys.File, Name: "~/groq.key"},
		`model = "m"`:              {Kind: keys.Variable, Name: "GROQ_API_KEY"}, // no source: the environment's
		"key_keyring = false":      {Kind: keys.Variable, Name: "GROQ_API_KEY"},
		`first_byte_timeout = 300`: {Kind: keys.Variable, Name: "GROQ_API_KEY"},
	} {
		c, mistakes := Decode("c.toml", []byte("[endpoints.groq]\n"+table+"\n"))
		if len(mistakes) > 0 {
			t.Errorf("%s: %v", table, mistakes[0])
			continue
		}
		got := c.Catalog(func(name string) string {
			return map[string]string{"GROQ_API_KEY": "sk-groq", "WORK_KEY": "sk-test"}[name]
		})
		if len(got) != 1 || got[0].BaseURL != "https://api.groq.com/openai/v1" || got[0].KeyFrom != want ||
			got[0].Default == "" {
			t.Errorf("%s: got %+v", table, got)
			continue
		}
		key := map[string]string{"GROQ_API_KEY": "sk-groq", "WORK_KEY": "sk-test"}[want.Name]
		if want.Kind == keys.Config {
			key = "sk-test"
		}
		if got[0].Key.Reveal() != key {
			t.Errorf("%s: the key is %q, want %q", table, got[0].Key.Reveal(), key)
		}
	}
	_, mistakes := Decode("c.toml", []byte("[endpoints.groq]\nkey_keyring = true\nkey_file = \"x\"\n"))
	if len(mistakes) != 1 || !strings.Contains(mistakes[0].Error(), "has key_keyring and key_file; use only one of "+
		"them") {
		t.Errorf("two places: %v", mistakes)
	}
}

// A variable sets its key and no other, over the file and its preset.
func TestEveryKeyCanComeFromTheEnvironment(t *testing.T) {
	for i, f := range new(Config).settable() {
		v := Variable{f.variable(), f.key()}
		c := Defaults()
		f = c.settable()[i]
		value := map[reflect.Kind]string{
			reflect.String: "word", reflect.Int: "77", reflect.Float64: "0.25", reflect.Bool: "true",
			reflect.Slice: "one, two",
		}[f.value.Kind()]
		if f.value.Kind() == reflect.Pointer {
			value = "0.25"
		}
		if takes := strings.Fields(f.rules.Get("takes")); len(takes) > 0 {
			value = takes[0]
		}
		switch v.Key {
		case "context.preset":
			value = "recent"
		case "ui.theme":
			value = "dark"
		}
		err := c.Override(func(name string) string {
			if name == v.Name {
				return value
			}
			return ""
		})
		if err != nil || len(c.Environment) != 1 || c.Environment[0] != v {
			t.Errorf("%s=%s: %v, %v", v.Name, value, err, c.Environment)
		}
	}
	c, _ := Decode("c.toml", []byte("[context]\nbudget = 500\n"))
	env := map[string]string{"WINNOW_CONTEXT_PRESET": "recent", "WINNOW_CONTEXT_MAX_MESSAGES": "unlimited"}
	err := c.Override(func(name string) string { return env[name] })
	want := "max_messages = 9223372036854775807\npreset = 'recent'\n"
	if err != nil || c.Context.Preset != "recent" || c.Context.Budget != 500 || c.EnvironmentKeys != want {
		t.Errorf("%v; preset %s with budget %d, the environment's keys are %q", err, c.Context.Preset, c.Context.Budget,
			c.EnvironmentKeys)
	}
	err = c.Override(func(name string) string { return map[string]string{"WINNOW_TOOLS_TIMEOUT": "soon"}[name] })
	if err == nil || err.Error() != "WINNOW_TOOLS_TIMEOUT: tools.timeout must be a whole number" {
		t.Errorf("a word for a number: %v", err)
	}
}

func FuzzDecodeNeverPanics(f *testing.F) {
	f.Add("[context]\nbudget = \"auto\"\n")
	f.Add("context = { budget = \"auto\" }\n")
	f.Add("[[endpoints]]\n[endpoints.x.y.z]\na.b = 1\n")
	f.Add("\"\" = 1\n[keys]\n'a b' = [\"x\"]\n")
	f.Fuzz(func(t *testing.T, doc string) {
		_, mistakes := Decode("c.toml", []byte(doc))
		for _, m := range mistakes {
			if m.Error() == "" {
				t.Errorf("Decode(%q) has a mistake without a sentence", doc)
			}
		}
	})
}

func TestTheKeysThatAFileSetsAreKnown(t *testing.T) {
	c, mistakes := Decode("config.toml", []byte("[context]\npreset = \"recent\"\nmax_messages = \"unlimited\"\n"+
		"budget = \"auto\"\nuser_max_chars = 900\n"))
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	want := "max_messages = 9223372036854775807\nuser_max_chars = 900\n"
	if c.ContextKeys != want {
		t.Errorf("the keys are %q, want %q", c.ContextKeys, want)
	}
}

func TestDecodeTakesAByteOrderMark(t *testing.T) {
	got, mistakes := Decode("c.toml", []byte("\xef\xbb\xbfmodel = \"a/b\"\n"))
	if len(mistakes) > 0 || got.Model != "a/b" {
		t.Errorf("a file with a byte order mark gives model %q and %v", got.Model, mistakes)
	}
}
