package config

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
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
	want := Defaults()
	got.contextKeys = "" // The file names the defaults; no file names none.
	if len(got.Keys) == 0 {
		// An empty table and no table are the same to a reader.
		got.Keys = nil
	}
	if len(got.Tools.MCPFiles) == 0 {
		got.Tools.MCPFiles = nil // An empty list as well.
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("decoding the example gives\n%+v\nwant the defaults\n%+v", got, want)
	}
}

func TestExampleNamesEveryKey(t *testing.T) {
	live, commented := exampleKeys()
	// what the example calls one of them
	named := map[string]string{
		"endpoints": "work", "endpoints.work.prices": "large", "endpoints.work.models": "large",
		"models": "gpt-5*", "themes": "mine", "mcp_servers": "files",
	}
	var walk func(t reflect.Type, path []string)
	walk = func(typ reflect.Type, path []string) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			at := append(append([]string(nil), path...), f.Tag.Get("toml"))
			switch {
			case !f.IsExported(): // no key
			case f.Type.Kind() == reflect.Struct:
				walk(f.Type, at)
			case f.Type.Kind() == reflect.Map && f.Type.Elem().Kind() == reflect.Struct:
				walk(f.Type.Elem(), append(at, named[strings.Join(at, ".")]))
			case f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct:
				walk(f.Type.Elem(), at)
			case f.Name == "Keys" || !f.IsExported():
			default:
				name := strings.Join(at, ".")
				found := live[name]
				if f.Type.Kind() == reflect.Pointer || path != nil &&
					slices.Contains([]string{"endpoints", "models", "themes", "mcp_servers"}, path[0]) {
					found = commented[name] || commented[strings.Replace(name, "mcp_servers.files", "mcp_servers.web",
						1)]
				}
				if !found {
					t.Errorf("config.toml.example does not name %s", name)
				}
			}
		}
	}
	walk(reflect.TypeFor[Config](), nil)
}

// exampleKeys lists the keys of the example that are in force, and those that are commented out.
func exampleKeys() (live, commented map[string]bool) {
	names := func(doc []byte) map[string]bool {
		out := map[string]bool{}
		for _, k := range readKeys(doc) {
			out[strings.Join(k.path, ".")] = true
		}
		return out
	}
	return names(exampleConfig()), names(uncommented())
}

// uncommented is the example with its commented settings in force.
func uncommented() []byte {
	setting := regexp.MustCompile(`(?m)^# (\[[a-z_."0-9*-]+\]|[a-z_]+ = )`)
	return setting.ReplaceAll(exampleConfig(), []byte("$1"))
}

func TestExampleIsRightWhenUncommented(t *testing.T) {
	// One of the places of a key is enough; the example shows all of them.
	doc := regexp.MustCompile(`(?m)^(key|key_command|key_file|system_file) = .*$`).ReplaceAll(uncommented(), nil)
	c, mistakes := Decode("config.toml.example", doc)
	if len(mistakes) > 0 {
		t.Fatalf("the example with its comments in force has a mistake: %v", mistakes[0])
	}
	if c.Endpoints["work"].BaseURL == "" {
		t.Errorf("the example with its comments in force has the endpoints %+v, want work", c.Endpoints)
	}
}

func TestDecodeSaysWhatIsWrongAndWhere(t *testing.T) {
	const priced = "[endpoints.w]\nbase_url = \"http://x/v1\"\n[endpoints.w.prices.\"gpt-5.2\"]\n"
	cases := []struct{ name, doc, want string }{
		{
			"a server without an address", "[mcp_servers.files]\napprove = \"ask\"\n",
			`c.toml, line 1, column 2: mcp_servers.files has neither command nor url; set one of them`,
		},
		{
			"a server with two", "[mcp_servers.files]\ncommand = \"a\"\nurl = \"http://x\"\n",
			`c.toml, line 1, column 2: mcp_servers.files has both command and url; use only one of them`,
		},
		{
			"an address that is none", "[mcp_servers.files]\nurl = \"example.com\"\n",
			`c.toml, line 2, column 1: mcp_servers.files.url is "example.com"; must be an address such as ` +
				`https://example.com/mcp`,
		},
		{
			"headers of a command", "[mcp_servers.files]\ncommand = \"a\"\nheaders = {A = \"b\"}\n",
			`c.toml, line 3, column 1: mcp_servers.files.headers applies to a url only; use env with a command`,
		},
		{
			"an environment of a url", "[mcp_servers.files]\nurl = \"http://x\"\nenv = {A = \"b\"}\n",
			`c.toml, line 3, column 1: mcp_servers.files.env applies to a command only; use headers with a url`,
		},
		{
			"arguments of nothing", "[tools]\nmcp_files = [\"f\"]\n[mcp_servers.files]\nargs = [\"b\"]\n",
			`c.toml, line 4, column 1: mcp_servers.files.args needs a command`,
		},
		{
			"a negative time", "[mcp_servers.files]\ncommand = \"a\"\ntool_timeout = -1\n",
			`c.toml, line 3, column 1: mcp_servers.files.tool_timeout is -1; must be seconds, or 0 for the default`,
		},
		{
			"a result that is too large", "[mcp_servers.files]\ncommand = \"a\"\nmax_result = 99999999\n",
			`c.toml, line 3, column 1: mcp_servers.files.max_result is 99999999; must be at most 16777216`,
		},
		{
			"a permission", "[mcp_servers.files]\ncommand = \"a\"\napprove = \"alow\"\n",
			`c.toml, line 3, column 1: mcp_servers.files.approve is "alow"; must be off, ask or allow; did you mean ` +
				`"allow"?`,
		},
		{"a permission of a tool", "[mcp_servers.files]\ncommand = \"a\"\n[mcp_servers.files.tools]\n" +
			"read = \"always\"\n", `c.toml, line 4, column 1: mcp_servers.files.tools.read is "always"; must be off, ` +
			`ask or allow`},
		{"an unknown key of a server", "[mcp_servers.files]\ncomand = \"a\"\n", `c.toml, line 2, column 1: unknown ` +
			`key "mcp_servers.files.comand"; did you mean "command"?`},
		{"unknown key", "modle = \"x\"\n", `c.toml, line 1, column 1: unknown key "modle"; did you mean "model"?`},
		{"unknown key in a table", "[ui]\ntheme = \"dark\"\nmosue = true\n", `c.toml, line 3, column 1: unknown key ` +
			`"ui.mosue"; did you mean "mouse"?`},
		{"unknown table", "[contxt]\nbudget = 5\n", `c.toml, line 1, column 2: unknown key "contxt"; did you mean ` +
			`"context"?`},
		{"nothing near", "zebra = 1\n", `c.toml, line 1, column 1: unknown key "zebra"`},
		{"unknown policy key", "[context]\nuser_max_char = 3\n", `c.toml, line 2, column 1: unknown key ` +
			`"context.user_max_char"; did you mean "user_max_chars"?`},
		{"text for a number", "[context]\nmin_messages = \"three\"\n", `c.toml, line 2, column 16: ` +
			`context.min_messages must be a whole number`},
		{"a wrong word for a budget", "[context]\nbudget = \"lots\"\n", `c.toml, line 2, column 10: context.budget ` +
			`must be a whole number or "auto"`},
		{"a wrong word for a limit", "[context]\nuser_max_chars = \"auto\"\n", `c.toml, line 2, column 18: ` +
			`context.user_max_chars must be a whole number or "unlimited"`},
		{"a key of another table", "[context]\nsummarizer_model = \"x\"\n", `c.toml, line 2, column 1: unknown key ` +
			`"context.summarizer_model"; did you mean model under [summary]?`},
		{"number for a text", "model = 5\n", `c.toml, line 1, column 9: model must be a quoted string`},
		{
			"text for a number that may be left out", "[sampling]\ntemperature = \"warm\"\n",
			`c.toml, line 2, column 15: sampling.temperature must be a number`,
		},
		{"text for a switch", "[ui]\nmouse = \"on\"\n", `c.toml, line 2, column 9: ui.mouse must be true or false`},
		{"text for a list of keys", "[keys]\nsend = \"enter\"\n", `c.toml, line 2, column 8: keys.send must be a ` +
			`list of strings such as ["one", "two"]`},
		{"not TOML", "[ui\n", `c.toml, line 1, column 4: invalid TOML:`},
		{"negative limit", "[context]\n\nuser_max_chars = -3\n", `c.toml, line 3, column 1: context.user_max_chars ` +
			`is -3; must be 0 or more`},
		{"unknown preset", "[context]\npreset = \"balance\"\n", `; did you mean "balanced"?`},
		{"unknown theme", "[ui]\ntheme = \"drak\"\n", `c.toml, line 2, column 1: ui.theme is "drak"; must be auto, ` +
			`dark, light, terminal or none; did you mean "dark"?`},
		{
			"a colour that is none", "[themes.mine]\nbase = \"dark\"\nyou = \"red\"\n",
			`c.toml, line 3, column 1: themes.mine.you is "red"; must be a colour such as "#6fd3c3", or 0 to 255 in ` +
				`quotes for one of the terminal's; with more than one, for terminals with 24-bit, 256 and 16 ` +
				`colours: "#6fd3c3 80 14"`,
		},
		{"unknown action", "[keys]\nsned = [\"enter\"]\n", `c.toml, line 2, column 1: unknown action "sned"; did you ` +
			`mean "send"?`},
		{"one key for two actions", "[keys]\nnewline = [\"enter\"]\n", `c.toml, line 1, column 2: the key enter is ` +
			`bound to both send and newline`},
		{
			"no rounds", "[tools]\nmax_rounds = 0\n",
			`c.toml, line 2, column 1: tools.max_rounds is 0; must be 1 or more`,
		},
		{"endpoint without address", "[endpoints.work]\nkey_env = \"K\"\n", `c.toml, line 1, column 2: ` +
			`endpoints.work has no base_url`},
		{
			"address without scheme", "[endpoints.work]\nbase_url = \"example.com\"\n",
			`c.toml, line 2, column 1: endpoints.work.base_url is "example.com"`,
		},
		{
			"two keys", "[endpoints.w]\nbase_url = \"http://x/v1\"\nkey = \"a\"\nkey_env = \"B\"\n",
			`c.toml, line 1, column 2: endpoints.w has key and key_env; use only one of them`,
		},
		{"a price in words", priced + "in = \"dear\"\nout = 1\n", `c.toml, line 4, column 6: ` +
			`endpoints.w.prices.gpt-5.2.in must be a number`},
		{"half a price", priced + "in = 1.25\n", `c.toml, line 3, column 2: endpoints.w.prices.gpt-5.2 has no out; ` +
			`set it in US dollars per million tokens`},
		{"a negative price", priced + "in = 1.25\nout = -1\n", `c.toml, line 5, column 1: ` +
			`endpoints.w.prices.gpt-5.2.out is -1; must be US dollars per million tokens, 0 or more`},
		{"no price at all", priced + "in = 1.25\nout = nan\n", `c.toml, line 5, column 1: ` +
			`endpoints.w.prices.gpt-5.2.out is NaN; must be`},
		{"an unknown price", priced + "cache = 1.25\n", `c.toml, line 4, column 1: unknown key ` +
			`"endpoints.w.prices.gpt-5.2.cache"; did you mean "cached"?`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, mistakes := Decode("c.toml", []byte(c.doc))
			if len(mistakes) == 0 {
				t.Fatalf("Decode(%q) finds nothing wrong, want %q", c.doc, c.want)
			}
			if got := mistakes[0].Error(); !strings.Contains(got, c.want) {
				t.Errorf("Decode(%q) says\n%s\nwant\n%s", c.doc, got, c.want)
			}
		})
	}
}

func TestDecodeFindsEveryUnknownKey(t *testing.T) {
	_, mistakes := Decode("c.toml", []byte("a1 = 1\n[ui]\nb1 = 2\n"))
	if len(mistakes) != 2 || mistakes[0].Line != 1 || mistakes[1].Line != 3 {
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
prices.small = { in = 0.07, cached = 0, out = 0.3 }

[endpoints.w.prices."gpt-5.2"]
in = 1.25
out = 10

[endpoints.w.prices."*"]
in = 0
out = 0
`))
	if len(mistakes) > 0 {
		t.Fatal(mistakes[0])
	}
	client := llm.NewClient(c.Catalog(func(string) string { return "" })[0])
	for _, test := range []struct{ model, want string }{
		{"gpt-5.2", "$1.25 $1.25 $10.00"}, // no price for what is cached: the full one
		{"small", "$0.07 $0 $0.30"},
		{"anything else", "$0 $0 $0"},
	} {
		p := client.Prices(test.model)
		if got := fmt.Sprint(p.In, " ", p.Cached, " ", p.Out); got != test.want || !p.Known() {
			t.Errorf("a million tokens of %s cost %s, want %s", test.model, got, test.want)
		}
	}
}

// A table without an address says more of the endpoint that a key in the environment opens, and is nothing
// where there is no key.
func TestATableAddsToAKnownService(t *testing.T) {
	c, mistakes := Decode("c.toml", []byte("[endpoints.openai]\nmodel = \"gpt-5.2-mini\"\n"+
		"[endpoints.openai.prices.\"gpt-5.2-mini\"]\nin = 0.25\nout = 2\n"))
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
	if price := got[0].Prices["gpt-5.2-mini"]; price.In.String() != "$0.25" || price.Out.String() != "$2.00" {
		t.Errorf("the prices are %+v", price)
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
	if len(mistakes) != 1 || !strings.Contains(mistakes[0].Text, "has key_keyring and key_file; use only one of them") {
		t.Errorf("two places: %v", mistakes)
	}
}

// The environment may give the key itself, and is then said to.
func TestAKeyOfTheEnvironmentIsSaidToBeOne(t *testing.T) {
	c, mistakes := Environment{Lookup: func(name string) string {
		return map[string]string{"WINNOW_ENDPOINTS_WORK_KEY": "sk-test"}[name]
	}}.Override(Config{
		Context: Defaults().Context, UI: Defaults().UI, Tools: Defaults().Tools,
		Limits: Defaults().Limits, Endpoints: map[string]Endpoint{"work": {BaseURL: "http://x/v1"}},
	})
	if len(mistakes) > 0 {
		t.Fatal(mistakes[0])
	}
	got := c.Catalog(func(string) string { return "" })
	if want := (keys.Origin{Kind: keys.Variable, Name: "WINNOW_ENDPOINTS_WORK_KEY"}); got[0].KeyFrom != want ||
		got[0].Key != "sk-test" {
		t.Errorf("got %+v from %v", got[0].Key, got[0].KeyFrom)
	}
}

func TestDecodeTakesAByteOrderMark(t *testing.T) {
	got, mistakes := Decode("c.toml", []byte("\xef\xbb\xbfmodel = \"a/b\"\n"))
	if len(mistakes) > 0 || got.Model != "a/b" {
		t.Errorf("a file with a byte order mark gives model %q and %v", got.Model, mistakes)
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
	if c.contextKeys != want {
		t.Errorf("the keys are %q, want %q", c.contextKeys, want)
	}
}
