package tokenizer

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGuessIsNearTheCount compares the two on what people talk about.
func TestGuessIsNearTheCount(t *testing.T) {
	texts := map[string]string{
		"Russian": strings.Repeat(
			"Этот разговор показывает, что видит модель и почему некоторые сообщения сокращены. ", 50,
		),
		"Chinese":  strings.Repeat("这段对话说明了模型能看到什么，以及为什么有些消息被缩短。", 50),
		"Japanese": strings.Repeat("この会話は、モデルに何が見えるか、なぜ一部のメッセージが短縮されるのかを示しています。", 50),
		"Korean":   strings.Repeat("이 대화는 모델이 무엇을 보는지, 왜 일부 메시지가 짧아지는지 보여 줍니다. ", 50),
		"Arabic":   strings.Repeat("تُظهر هذه المحادثة ما يراه النموذج ولماذا تم اختصار بعض الرسائل. ", 50),
		"German": strings.Repeat(
			"Über größere Änderungen müssen wir später sprechen, weil die Übersicht fehlt. ", 50,
		),
		"French": strings.Repeat(
			"Cette conversation montre ce que le modèle voit et pourquoi des messages sont abrégés. ", 50,
		),
		"emoji": strings.Repeat("🙂🎉🚀", 50),
	}
	for _, pattern := range []string{filepath.Join("..", "..", "docs", "*.md"), "*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("no files of %s (%v)", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts[name] = string(text)
		}
	}
	var rows []map[string]any
	for i := range 200 {
		rows = append(
			rows,
			map[string]any{
				"id": i, "name": "row", "share": float64(i) / 7, "tags": []string{"a", "b"}, "open": i%2 == 0,
			},
		)
	}
	table, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	texts["JSON"] = string(table)
	c := New()
	for name, text := range texts {
		if got, want := c.Estimate(text), c.Count(text); math.Abs(float64(got-want)) > 0.2*float64(want) {
			t.Errorf("%s: guessed %d tokens, counted %d", name, got, want)
		}
	}
	var noise []byte
	for i := range 64 {
		sum := sha256.Sum256([]byte{byte(i)})
		noise = append(noise, sum[:]...)
	}
	for name, text := range map[string]string{
		"hex": hex.EncodeToString(noise), "base64": base64.StdEncoding.EncodeToString(noise),
	} {
		if got, want := c.Estimate(text), c.Count(text); math.Abs(float64(got-want)) > 0.4*float64(want) {
			t.Errorf("%s: guessed %d tokens, counted %d", name, got, want)
		}
	}
}
