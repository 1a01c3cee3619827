package config

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
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
	// An empty table or list is equivalent to none.
	got.Keys, got.Tools.Permissions = nil, nil
	if want := Defaults(); !reflect.DeepEqual(got, want) {
		t.Errorf("decoding the example gives\n%+v\nwant the defaults\n%+v", got, want)
	}
}

// uncommented returns the example with its commented settings enabled, except for keys that exclude each other.
func uncommented() []byte {
	setting := regexp.MustCompile(`(?m)^# (\[[a-z_."0-9*-]+\]|[a-z_]+ = )`)
	one := regexp.MustCompile(`(?m)^(key|key_command) = .*$`)
	return one.ReplaceAll(setting.ReplaceAll(exampleConfig(), []byte("$1")), nil)
}

// The example contains every key, enabled or in a comment, and is valid with the commented ones enabled.
func TestExampleNamesEveryKey(t *testing.T) {
	c, mistakes := Decode("config.toml.example", uncommented())
	if len(mistakes) > 0 {
		t.Fatalf("the example with its comments in force has a mistake: %v", mistakes[0])
	}
	c.Models["gpt-5*"] = Model{Prices: &ModelPrice{}}
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
		"[ui]\ntheme = \"dark\"\nmosue = true\n": `c.toml, line 3, column 1: unknown key "ui.mosue"; did you mean "mouse"?`,
		"[contxt]\nbudget = 5\n":                 `c.toml, line 1, column 2: unknown key "contxt"; did you mean "context"?`,
		"[context]\nbudget = \"lots\"\n":         `c.toml, line 2, column 10: context.budget has a value of the wrong type, string`,
		"[ui\n":                                  `c.toml, line 1, column 4: invalid TOML:`,
		"[keys]\nsend = \"enter\"\n":             `keys.send has a value of the wrong type, string`,
		"model = 5\n":                            `model has a value of the wrong type, integer`,
		// the rules of single keys
		"[context]\nuser_max_chars = -3\n":          `context.user_max_chars is -3; must be 0 or more`,
		"[context]\npreset = \"balance\"\n":         `; did you mean "balanced"?`,
		"[tools]\nmax_rounds = 0\n":                 `tools.max_rounds is 0; must be 1 or more`,
		"[tools.permissions]\nread = \"always\"\n":  `tools.permissions.read is "always"; must be off, ask or allow`,
		"[sampling]\ntop_p = 1.5\n":                 `sampling.top_p is 1.5; must be 0 to 1`,
		"[limits]\nday_cost = nan\n":                `limits.day_cost is NaN; must be 0 to 1000000`,
		"[models.m.prices]\nin = 1.0\nout = -1.0\n": `models.m.prices.out is -1; must be 0 to 1000000`,
		"[mcp_servers.f]\ncommand = \"a\"\napprove = \"alow\"\n": `mcp_servers.f.approve is "alow"; must be off, ask or ` +
			`allow; did you mean "allow"?`,
		// what several say together
		"[ui]\ntheme = \"drak\"\n":                                  `must be auto, dark, light, terminal or none; did you mean "dark"?`,
		"[themes.mine]\nbase = \"dark\"\nyou = \"red\"\n":           `themes.mine.you is "red"; must be a colour such as`,
		"[keys]\nsned = [\"enter\"]\n":                              `unknown action "sned"; did you mean "send"?`,
		"[keys]\nnewline = [\"enter\"]\n":                           `the key enter is bound to both send and newline`,
		"[endpoints.w]\nkey_env = \"K\"\n":                          `endpoints.w has no base_url`,
		"[endpoints.w]\nbase_url = \"example.com\"\n":               `endpoints.w.base_url is "example.com"`,
		work + "key = \"a\"\nkey_env = \"B\"\n":                     `endpoints.w has key and key_env; use only one of them`,
		"[models.\"gpt-[5\"]\nwindow = 5\n":                         "models.gpt-[5 is not a valid pattern",
		"[models.m.prices]\nin = 1.0\n":                             "models.m.prices needs both in and out",
		"[models.m]\nsystem = \"\"\ntools = false\n":                "",
		"[mcp_servers.f]\nenabled = true\n":                         "mcp_servers.f needs either a command or a url",
		"[mcp_servers.f]\ncommand = \"a\"\nheaders = {A = \"b\"}\n": "headers applies to a url only",
		"[mcp_servers.f]\nurl = \"http://x\"\nenv = {A = \"b\"}\n":  "args and env apply to a command only",
		"[mcp_servers.f]\nurl = \"example.com\"\n":                  `mcp_servers.f.url is "example.com"; must be an address`,
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
	if keys := "budget = 5000\n"; got.ContextKeys != keys {
		t.Errorf("the keys of the file are %q, want %q", got.ContextKeys, keys)
	}
	if got.Context != want {
		t.Errorf("preset %s with budget 5000 decodes to\n%+v\nwant\n%+v", other, got.Context, want)
	}
}

func TestDecodeReadsTheWordsForNumbers(t *testing.T) {
	doc := "\xef\xbb\xbf# ü\n[context]\nbudget = \"auto\" # as much as fits\nuser_max_chars = \"unlimited\"\n" +
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
	catalog := (&llm.Catalog{Patterns: c.ModelTables()}).With(c.ResolveEndpoints(func(string) string { return "" })...)
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

// A table of a hosted service needs no address. It opens the service if it says where the key is, and otherwise adds to
// the service that a key in the environment opens.
func TestATableOfAHostedServiceNeedsNoAddress(t *testing.T) {
	for table, want := range map[string]keys.Origin{
		`key = "sk-test"`:          {Kind: keys.Config},
		`key_env = "WORK_KEY"`:     {Kind: keys.Variable, Name: "WORK_KEY"},
		`key_env = "UNSET"`:        {Kind: keys.Variable, Name: "UNSET"},
		`key_command = ["pass"]`:   {Kind: keys.Command, Name: "pass"},
		`model = "m"`:              {Kind: keys.Variable, Name: "GROQ_API_KEY"}, // no source: the environment's
		`first_byte_timeout = 300`: {Kind: keys.Variable, Name: "GROQ_API_KEY"},
	} {
		c, mistakes := Decode("c.toml", []byte("[endpoints.groq]\n"+table+"\n"))
		if len(mistakes) > 0 {
			t.Errorf("%s: %v", table, mistakes[0])
			continue
		}
		got := c.ResolveEndpoints(func(name string) string {
			return map[string]string{"GROQ_API_KEY": "sk-groq", "WORK_KEY": "sk-test"}[name]
		})
		model := strings.TrimPrefix(table, "model = ")
		if len(got) != 1 || got[0].BaseURL != "https://api.groq.com/openai/v1" || got[0].KeyFrom != want ||
			got[0].Default == "" || model != table && model != strconv.Quote(got[0].Default) {
			t.Errorf("%s: got %+v", table, got)
			continue
		}
		without := c.ResolveEndpoints(func(string) string { return "" })
		if opens := want.Name != "GROQ_API_KEY"; opens != (len(without) == 1) {
			t.Errorf("%s: without a key in the environment there are %+v", table, without)
		}
		key := map[string]string{"GROQ_API_KEY": "sk-groq", "WORK_KEY": "sk-test"}[want.Name]
		if want.Kind == keys.Config {
			key = "sk-test"
		}
		if got[0].Key.Reveal() != key {
			t.Errorf("%s: the key is %q, want %q", table, got[0].Key.Reveal(), key)
		}
	}
}

// An environment variable sets its key and no other, over the file and its preset.
func TestEveryKeyCanComeFromTheEnvironment(t *testing.T) {
	for i, f := range new(Config).settable() {
		v := EnvironmentOverride{f.variable(), f.key()}
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
		err := c.ApplyEnvironment(func(name string) string {
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
	err := c.ApplyEnvironment(func(name string) string { return env[name] })
	want := "max_messages = 9223372036854775807\npreset = 'recent'\n"
	if err != nil || c.Context.Preset != "recent" || c.Context.Budget != 500 || c.EnvironmentKeys != want {
		t.Errorf("%v; preset %s with budget %d, the environment's keys are %q", err, c.Context.Preset, c.Context.Budget,
			c.EnvironmentKeys)
	}
	err = c.ApplyEnvironment(func(name string) string { return map[string]string{"WINNOW_TOOLS_MAX_ROUNDS": "soon"}[name] })
	if err == nil || err.Error() != `WINNOW_TOOLS_MAX_ROUNDS: tools.max_rounds cannot be "soon"` {
		t.Errorf("a word for a number: %v", err)
	}
}
