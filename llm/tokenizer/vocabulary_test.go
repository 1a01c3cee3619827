package tokenizer

import (
	"encoding/binary"
	"flag"
	"math"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the vocabulary from the library's")

// writeTable lays tokens out as the files of the vocabulary have them. The first of them has the rank first.
func writeTable(tokens []string, first, buckets int) []byte {
	in := make([][]int, buckets)
	for i, token := range tokens {
		b := hash(token) % uint64(buckets)
		in[b] = append(in[b], i)
	}
	out := make([]byte, (buckets+1)*numberSize)
	for b := range buckets + 1 {
		begin := uint32(len(out))
		if b < buckets {
			for _, i := range in[b] {
				token, rank := tokens[i], first+i
				begin |= lengths(token)
				out = append(out, byte(len(token)), byte(rank), byte(rank>>8), byte(rank>>16))
				out = append(out, token...)
			}
		}
		binary.LittleEndian.PutUint32(out[b*numberSize:], begin)
	}
	return out
}

// TestVocabularyIsTheLibrarys makes the files anew from the library's vocabulary.
func TestVocabularyIsTheLibrarys(t *testing.T) {
	library := codec.NewO200kBase()
	var tokens []string
	for id := range uint(vocabularySize) {
		token, err := library.Decode([]uint{id})
		if err != nil {
			t.Fatalf("token %d: %v", id, err)
		}
		if len(token) > math.MaxUint8 {
			t.Fatalf("token %d has %d bytes, more than its length has room for", id, len(token))
		}
		tokens = append(tokens, token)
	}
	if more, err := library.Decode([]uint{vocabularySize}); err == nil {
		t.Fatalf("the library has one more token, %q", more)
	}
	for _, file := range []struct {
		name, has string
		want      []byte
	}{
		{"o200k-common.bin", commonFile, writeTable(tokens[:commonSize], 0, commonBuckets)},
		{"o200k-rest.bin", restFile, writeTable(tokens[commonSize:], commonSize, restBuckets)},
	} {
		if len(file.want) > offsetMask {
			t.Fatalf("%s has %d bytes, more than its numbers can say", file.name, len(file.want))
		}
		if *update {
			if err := os.WriteFile(file.name, file.want, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if string(file.want) != file.has {
			t.Errorf("%s is not the library's vocabulary; write it with -update", file.name)
		}
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
