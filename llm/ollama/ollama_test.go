package ollama

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestReadModel(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, shown string
		want        Model
		none        bool
	}{
		{
			name:  "Ollama 0.17.4",
			shown: `{"details":{"family":"llama"},"parameters":"num_thread                     1\nnum_ctx                        8192","model_info":{"general.architecture":"llama","llama.context_length":131072},"capabilities":["completion","tools"]}`,
			want:  Model{Trained: 131072, NumCtx: 8192, Known: true, Tools: true},
		},
		{
			name:  "a model that thinks in levels and sees",
			shown: `{"details":{"family":"gptoss"},"model_info":{"general.architecture":"gptoss","gptoss.context_length":131072},"capabilities":["completion","tools","thinking","vision"]}`,
			want:  Model{Trained: 131072, Known: true, Tools: true, Thinking: true, Vision: true, Levels: true},
		},
		{
			name:  "an old server, which does not say what the model can do",
			shown: `{"model_info":{"general.architecture":"qwen2","qwen2.context_length":32768}}`,
			want:  Model{Trained: 32768},
		},
		{name: "a window that is no number", shown: `{"model_info":{"general.architecture":"x","x.context_length":"many"}}`},
		{name: "something else", shown: `{"error":"no such path"}`, none: true},
		{name: "a list", shown: `[]`, none: true},
	} {
		got, ok := ReadModel([]byte(test.shown))
		if got != test.want || ok == test.none {
			t.Errorf("%s: got %+v (%v), want %+v", test.name, got, ok, test.want)
		}
	}
}

func TestKeepAlive(t *testing.T) {
	t.Parallel()
	for configured, want := range map[string]string{"": `{"model":"m"`, "10m": `"keep_alive":"10m"`, "-1": `"keep_alive":-1`, "0": `"keep_alive":0`} {
		body, err := json.Marshal(Request{Model: "m", KeepAlive: KeepAlive(configured)})
		if err != nil || !strings.Contains(string(body), want) || configured == "" && strings.Contains(string(body), "keep_alive") {
			t.Errorf("%q became %s, %v", configured, body, err)
		}
	}
}
