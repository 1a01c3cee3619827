package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// options describe the model to be written.
type options struct {
	seed    uint64
	window  int  // context length in tokens in the metadata
	endless bool // the model never ends an answer
}

// The sizes of the model. The servers' optimized code requires rows of a multiple of 32.
const (
	width       = 64  // of a token's vector
	heads       = 2   // of attention
	layers      = 2   // of attention and feed-forward network
	feedForward = 128 // width of the feed-forward network
)

// chatTemplate is the format of Qwen and others. llama.cpp's server detects from it how the model writes a
// tool call, and enforces that with a grammar.
//
//go:embed chat.jinja
var chatTemplate string

// The token types of GGUF.
const (
	normal  int32 = 1
	unknown int32 = 2
	control int32 = 3
	byteOf  int32 = 6
)

// token is an entry of the vocabulary.
type token struct {
	text  string
	kind  int32
	score float32 // the pair with the highest score is merged first
	bias  float64 // how likely the model is to write it; added to the random logits
}

const (
	beginOfText = 1 // the ID of the token at the beginning of a text
	endOfTurn   = 4 // the ID of the token that ends an answer

	never = -60 // a bias that random weights cannot outweigh
)

// words are what the model mostly writes. It can read and write any other text letter by letter.
const words = `the of and to in is that for it as was with be by on not he his but at are this have from or had an
they which one you were her all she there would their we him been has when who will more no if out so said what up
its about into than them can only other new some could time these two may then do first any my now such like our
over man me even most made after also did many before must through back years where much your way well down should
because each just those people how too little state good very make world still own see men work long get here
between both life being under never day same another know while last might us great old year off come since against
go came right used take three`

// vocabulary consists of the control tokens, every byte, every printable ASCII character, and the words with all their
// prefixes, because a tokenizer of this type merges two pieces at a time. The biases produce answers of some words,
// about half of them with a call if tools are offered.
func vocabulary(o options) []token {
	list := []token{
		{"<unk>", unknown, 0, never},
		{"<s>", control, 0, never},
		{"</s>", control, 0, never},
		{"<|im_start|>", control, 0, never},
		{"<|im_end|>", control, 0, never},
	}
	for b := range 256 {
		list = append(list, token{fmt.Sprintf("<0x%02X>", b), byteOf, 0, never})
	}
	pieces := map[string]bool{}
	add := func(text string, bias float64) {
		if !pieces[text] {
			pieces[text] = true
			list = append(list, token{text, normal, float32(len(pieces)) * -1, bias})
		}
	}
	add("▁", -2)
	for c := '!'; c <= '~'; c++ {
		bias := -4.0
		if c == '"' && !o.endless {
			bias = 7 // Keep the strings in arguments short.
		}
		add(string(c), bias)
	}
	if !o.endless {
		list[endOfTurn].bias = 6
		add("<tool_call>\n", 7) // as in the chat template
	}
	for word := range strings.FieldsSeq(words) {
		for end := 1; end < len(word); end++ {
			add("▁"+word[:end], -4)
		}
		add("▁"+word, 0)
	}
	return list
}

// spread is the standard deviation that the random weights add to a token's bias.
const spread = 1.5

// write writes a Llama model with random weights. Equal options give equal models.
func write(w io.Writer, o options) error {
	tokens := vocabulary(o)
	var (
		texts  []string
		scores []float32
		kinds  []int32
	)
	for _, t := range tokens {
		texts, scores, kinds = append(texts, t.text), append(scores, t.score), append(kinds, t.kind)
	}
	metadata := []pair{
		{"general.architecture", "llama"},
		{"general.name", "tiny random model for tests"},
		{"general.file_type", uint32(0)},
		{"llama.vocab_size", uint32(len(tokens))},
		{"llama.context_length", uint32(o.window)},
		{"llama.embedding_length", uint32(width)},
		{"llama.block_count", uint32(layers)},
		{"llama.feed_forward_length", uint32(feedForward)},
		{"llama.rope.dimension_count", uint32(width / heads)},
		{"llama.attention.head_count", uint32(heads)},
		{"llama.attention.head_count_kv", uint32(heads)},
		{"llama.attention.layer_norm_rms_epsilon", float32(1e-5)},
		{"tokenizer.ggml.model", "llama"},
		{"tokenizer.ggml.tokens", texts},
		{"tokenizer.ggml.scores", scores},
		{"tokenizer.ggml.token_type", kinds},
		{"tokenizer.ggml.bos_token_id", uint32(beginOfText)},
		{"tokenizer.ggml.eos_token_id", uint32(endOfTurn)},
		{"tokenizer.ggml.unknown_token_id", uint32(0)},
		{"tokenizer.ggml.add_bos_token", true},
		{"tokenizer.ggml.add_eos_token", false},
		{"tokenizer.ggml.add_space_prefix", false}, // with it, llama.cpp's grammars fail at the beginning of an answer
		{"tokenizer.chat_template", chatTemplate},
	}
	tensors := weights(tokens, rand.New(rand.NewPCG(o.seed, 0)))
	slices.SortFunc(tensors, func(a, b tensor) int { return cmp.Compare(a.name, b.name) })
	return writeGGUF(w, metadata, tensors)
}

// weights are small random numbers. The first number of each token's vector is the same, and the output layer
// multiplies it by the token's bias, so that the model prefers words to broken characters.
func weights(tokens []token, random *rand.Rand) []tensor {
	matrix := func(name string, columns, rows int, deviation float64) tensor {
		data := make([]float32, columns*rows)
		for i := range data {
			data[i] = float32(random.NormFloat64() * deviation)
		}
		return tensor{name, []uint64{uint64(columns), uint64(rows)}, data}
	}
	norm := func(name string) tensor {
		return tensor{name, []uint64{width}, slices.Repeat([]float32{1}, width)}
	}
	const (
		common = 8.0  // the first number of each vector, before the last normalization
		small  = 0.05 // keeps the output of the layers far below it
	)
	in := matrix("token_embd.weight", width, len(tokens), 1)
	out := matrix("output.weight", width, len(tokens), 0)
	// The last normalization divides by the root of the mean square.
	rms := math.Sqrt((common*common + width - 1) / width)
	for i, t := range tokens {
		in.data[i*width] = common
		row := out.data[i*width : (i+1)*width]
		for j := range row {
			row[j] = float32(random.NormFloat64() * spread * rms / math.Sqrt(width))
		}
		row[0] = float32(t.bias * rms / common)
	}
	list := []tensor{in, out, norm("output_norm.weight")}
	for layer := range layers {
		at := func(name string) string { return fmt.Sprintf("blk.%d.%s.weight", layer, name) }
		list = append(
			list,
			norm(at("attn_norm")), norm(at("ffn_norm")),
			matrix(at("attn_q"), width, width, 0.2), matrix(at("attn_k"), width, width, 0.2),
			matrix(at("attn_v"), width, width, 0.2), matrix(at("attn_output"), width, width, small),
			matrix(at("ffn_gate"), width, feedForward, 0.2), matrix(at("ffn_up"), width, feedForward, 0.2),
			matrix(at("ffn_down"), feedForward, width, small),
		)
	}
	return list
}
