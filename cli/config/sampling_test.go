package config

import (
	"strings"
	"testing"

	"winnow/llm"
)

func TestSamplingIsCheckedWhereverItStands(t *testing.T) {
	t.Parallel()
	const w = "[endpoints.w]\nbase_url = \"http://x/v1\"\n"
	for doc, want := range map[string]string{
		w + "first_byte_timeout = -1\n": "endpoints.w.first_byte_timeout is -1; " +
			"must be seconds",
		w + "keep_alive = \"often\"\n": `endpoints.w.keep_alive is "often"; must ` +
			`be a time such as "10m"`,
		w + "keep_alive = \"-1\"\n": "",
		w + "[endpoints.w.sampling]\ntemperature = 3.0\n": "line 4, column 1: " +
			"endpoints.w.sampling.temperature is 3; must be 0 to 2",
		w + "[endpoints.w.sampling]\nmax_tokens = -1\n": "endpoints.w.sampling.max_tokens is -1",
		w + "[endpoints.w.models.\"a/b-1\".sampling]\ntop_p = 1.5\n": "endpoints.w.models.a/b-1.sampling.top_p " +
			"is 1.5; must be 0 to 1",
		w + "[endpoints.w.models.m]\nsamplin = { top_p = 1.0 }\n":          `did you mean "sampling"?`,
		w + "[endpoints.w.models.m.sampling]\ntemperatur = 1.0\n":          `did you mean "temperature"?`,
		w + "[endpoints.w.models.m.sampling]\ntemperature = 1.0\n":         "",
		w + "first_byte_timeout = 30\n[endpoints.w.sampling]\ntop_p = 1.0": "",
	} {
		_, mistakes := Decode("c.toml", []byte(doc))
		switch {
		case want == "" && len(mistakes) > 0:
			t.Errorf("%s: %v, want no mistake", doc, mistakes[0])
		case want != "" && (len(mistakes) != 1 || !strings.Contains(mistakes[0].Error(), want)):
			t.Errorf("%s: %v, want %q", doc, mistakes, want)
		}
	}
}

func TestWireIsReadAndChecked(t *testing.T) {
	t.Parallel()
	const w = "[endpoints.w]\nbase_url = \"http://x/v1\"\n"
	for doc, want := range map[string]string{
		w + "wire = \"openay\"\n": `line 3, column 1: endpoints.w.wire is "openay"; must ` +
			`be auto`,
		w + "[endpoints.w.models.\"a/b-1\"]\nwire = \"x\"\n": `endpoints.w.models.a/b-1.wire is "x"`,
	} {
		_, mistakes := Decode("c.toml", []byte(doc))
		if len(mistakes) != 1 || !strings.Contains(mistakes[0].Error(), want) {
			t.Errorf("%s: %v, want %q", doc, mistakes, want)
		}
	}
	c, mistakes := Decode("c.toml", []byte("[endpoints.openai]\nwire = \"openai\"\n[endpoints.openai.models.m]\n"+
		"wire = \"auto\"\n"))
	if len(mistakes) > 0 {
		t.Fatal(mistakes[0])
	}
	got := c.Catalog(func(name string) string { return map[string]string{"OPENAI_API_KEY": "sk-test"}[name] })
	if len(got) != 1 || got[0].Wire != llm.ChatWire || len(got[0].Models) != 1 ||
		got[0].Models[0].Wire != llm.AutoWire {
		t.Errorf("the endpoint of the environment is %#v with %+v", got, got[0].Models)
	}
}
