package tokenizer

import (
	"encoding/binary"
	"flag"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the vocabulary from the library's")

// writeVocabulary lays tokens out as vocabularyFile has them. The number of a token is its place.
func writeVocabulary(tokens []string) []byte {
	out := make([]byte, bytesAt)
	start := 0
	for id, token := range tokens {
		h := hash(token)
		slot := int(h % slots)
		for binary.LittleEndian.Uint32(out[slot*numberSize:]) != 0 {
			slot = (slot + 1) % slots
		}
		binary.LittleEndian.PutUint32(out[slot*numberSize:], uint32(h>>32)>>slotBits<<slotBits|uint32(id+1))
		binary.LittleEndian.PutUint32(out[startsAt+id*numberSize:], uint32(start))
		out = append(out, token...)
		start += len(token)
	}
	binary.LittleEndian.PutUint32(out[startsAt+len(tokens)*numberSize:], uint32(start))
	return out
}

// TestVocabularyIsTheLibrarys makes the file anew from the library's vocabulary.
func TestVocabularyIsTheLibrarys(t *testing.T) {
	library := codec.NewO200kBase()
	var tokens []string
	for id := range uint(vocabularySize) {
		token, err := library.Decode([]uint{id})
		if err != nil {
			t.Fatalf("token %d: %v", id, err)
		}
		tokens = append(tokens, token)
	}
	if more, err := library.Decode([]uint{vocabularySize}); err == nil {
		t.Fatalf("the library has one more token, %q", more)
	}
	file := writeVocabulary(tokens)
	if *update {
		if err := os.WriteFile("o200k.bin", file, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(file) != vocabularyFile {
		t.Error("o200k.bin is not the library's vocabulary; write it with -update")
	}
}

// hardTexts are what texts are made of that are hard to split: letters of all kinds, marks, digits, signs, blanks, line
// breaks, contractions, and bytes that are no text.
var hardTexts = []string{
	"a", "B", "word", "Word", "WORD", "wOrD", "'s", "'S", "'ſ", "'re", "'LL", "'v", "'", "don't", "ǅ", "ʰ", "ª", "東京", "です", "한국",
	"שלום", "مرحبا", "नमस्ते", "e\u0301", "\u0301", "\u200d", "🙂", "👨‍👩‍👧", "1", "12", "1234567", "٣", "½", "Ⅷ", " ", "  ", "\t", "\u00a0", "\u3000",
	"\u0085", "\n", "\r\n", "\n\n", "/", "//", ".", "...", "!?", "{", "=>", "_", "$", "\x00", "\xff", "\xe6\x9d", "ſ", "K", "ß", "İ", "<|endoftext|>",
	"                ", "================", "aaaaaaaaaaaaaaaa", "https://example.com/a?b=c",
}

// TestCountIsTheLibrarys compares counts with those of the library, which forgets the character DEL.
func TestCountIsTheLibrarys(t *testing.T) {
	library := codec.NewO200kBase()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.SampledFrom(hardTexts), rapid.String())).Draw(t, "text"), "")
		text = strings.ReplaceAll(text, "\x7f", "")
		if rapid.Bool().Draw(t, "long") {
			text = strings.Repeat(strings.ReplaceAll(text, " ", ""), 12)
		}
		if want, err := library.Count(text); err == nil && countTokens(text) != want {
			t.Fatalf("%q has %d tokens, want %d", text, countTokens(text), want)
		}
	})
	for r := range rune(utf8.MaxRune) {
		if r == 0x7f || r > 0x300 && classOf(r) == classOf(r-1) {
			continue // where a class begins it can be wrong
		}
		text := "a " + string(r) + "'" + string(r) + " " + string(r) + "b1"
		if want, err := library.Count(text); err == nil && countTokens(text) != want {
			t.Fatalf("%q has %d tokens, want %d", text, countTokens(text), want)
		}
	}
}
