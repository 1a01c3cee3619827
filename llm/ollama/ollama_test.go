package ollama

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

func TestAnswersBecomeChunks(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 4 {
		t.Fatalf("fixtures %v, %v", files, err)
	}
	made := regexp.MustCompile(`call_[a-z0-9]{8}"`)
	for _, file := range files {
		fixture, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var answer Answer
		var got strings.Builder
		ids := map[string]bool{}
		for line := range strings.Lines(string(fixture.Files[0].Data)) {
			chunks, done := answer.Chunks([]byte(strings.TrimSpace(line)))
			for _, chunk := range chunks {
				if !json.Valid(chunk) {
					t.Errorf("%s: the chunk is no JSON: %s", file, chunk)
				}
				text := string(chunk)
				if !strings.Contains(line, `"id":"call_`) {
					text = made.ReplaceAllStringFunc(text, func(id string) string {
						if ids[id] {
							t.Errorf("%s: the id %s was made twice", file, id)
						}
						ids[id] = true
						return `MADE"`
					})
				}
				fmt.Fprintln(&got, text)
			}
			if done {
				fmt.Fprintln(&got, "done")
			}
		}
		if want := string(fixture.Files[1].Data); got.String() != want {
			t.Errorf("%s: got\n%s\nwant\n%s", file, got.String(), want)
		}
	}
}

func TestWhatIsNoAnswerIsHandedOn(t *testing.T) {
	t.Parallel()
	for _, line := range []string{`{"error":"no"}`, `{"message":"a text"}`, `{}`, `[1]`, `"x"`, `{"error":{"message":"no"},"done":true}`} {
		chunks, done := new(Answer).Chunks([]byte(line))
		if done || len(chunks) != 1 || string(chunks[0]) != line {
			t.Errorf("%s became %q, done %v", line, chunks, done)
		}
	}
}

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
