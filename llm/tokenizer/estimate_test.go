package tokenizer

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// Estimates for prose in many languages, code and data are within 20 %, those of random data within 40 %.
func TestEstimateIsNearTheCount(t *testing.T) {
	texts := map[string]string{}
	for _, pattern := range []string{filepath.Join("..", "..", "docs", "*.md"), "*.go", filepath.Join("testdata", "*")} {
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
	c := New()
	for name, text := range texts {
		if got, want := c.Estimate(text), c.Count(text); math.Abs(float64(got-want)) > 0.2*float64(want) {
			t.Errorf("%s: estimated %d tokens, counted %d", name, got, want)
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
			t.Errorf("%s: estimated %d tokens, counted %d", name, got, want)
		}
	}
}
