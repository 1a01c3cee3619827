package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"
)

// file is a GGUF file that is read back.
type file struct {
	t        *testing.T
	left     *bytes.Reader
	metadata map[string]any
	tensors  map[string]uint64 // how many weights each has
}

func (f *file) number() (n uint64) {
	f.read(&n)
	return n
}

func (f *file) read(v any) {
	f.t.Helper()
	if err := binary.Read(f.left, binary.LittleEndian, v); err != nil {
		f.t.Fatalf("read %T: %v", v, err)
	}
}

func (f *file) text() string {
	raw := make([]byte, f.number())
	if _, err := io.ReadFull(f.left, raw); err != nil {
		f.t.Fatal(err)
	}
	return string(raw)
}

func (f *file) value(kind uint32) any {
	switch kind {
	case typeUint32, typeInt32, typeFloat32:
		var n uint32
		f.read(&n)
		return n
	case typeBool:
		var b bool
		f.read(&b)
		return b
	case typeString:
		return f.text()
	case typeArray:
		var of uint32
		f.read(&of)
		list := make([]any, f.number())
		for i := range list {
			list[i] = f.value(of)
		}
		return list
	}
	f.t.Fatalf("a value of type %d", kind)
	return nil
}

// readBack reads a file by the description of the format, and checks that the weights of its tensors lie one
// behind the other up to its end.
func readBack(t *testing.T, raw []byte) file {
	t.Helper()
	f := file{t: t, left: bytes.NewReader(raw), metadata: map[string]any{}, tensors: map[string]uint64{}}
	var head struct {
		Magic    [4]byte
		Version  uint32
		Tensors  uint64
		Metadata uint64
	}
	f.read(&head)
	if string(head.Magic[:]) != "GGUF" || head.Version != 3 {
		t.Fatalf("the file begins with %q, version %d", head.Magic, head.Version)
	}
	for range head.Metadata {
		key := f.text()
		var kind uint32
		f.read(&kind)
		f.metadata[key] = f.value(kind)
	}
	end := uint64(0)
	for range head.Tensors {
		name := f.text()
		var dimensions, kind uint32
		f.read(&dimensions)
		weights := uint64(1)
		for range dimensions {
			weights *= f.number()
		}
		f.read(&kind)
		if offset := f.number(); offset != end || offset%alignment != 0 || kind != 0 {
			t.Errorf("%s is at %d, want %d", name, offset, end)
		}
		f.tensors[name] = weights
		end += uint64(aligned(4 * int(weights)))
	}
	start := aligned(len(raw) - f.left.Len())
	if uint64(len(raw)-start) != end {
		t.Errorf("%d bytes of weights, want %d", len(raw)-start, end)
	}
	return f
}

func model(t *testing.T, o options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestModelIsWholeAndSmall(t *testing.T) {
	t.Parallel()
	raw := model(t, options{seed: 2, window: 131072})
	f := readBack(t, raw)
	tokens := f.metadata["tokenizer.ggml.tokens"].([]any)
	if got := f.metadata["llama.context_length"]; got != uint32(131072) {
		t.Errorf("context length %v", got)
	}
	if got := tokens[endOfTurn]; got != "<|im_end|>" {
		t.Errorf("an answer ends with %v", got)
	}
	for _, key := range []string{"tokenizer.ggml.scores", "tokenizer.ggml.token_type"} {
		if got := len(f.metadata[key].([]any)); got != len(tokens) {
			t.Errorf("%s has %d entries for %d tokens", key, got, len(tokens))
		}
	}
	for _, name := range []string{"token_embd.weight", "output.weight"} {
		if got, want := f.tensors[name], uint64(width*len(tokens)); got != want {
			t.Errorf("%s has %d weights, want %d", name, got, want)
		}
	}
	if got, want := len(f.tensors), 3+layers*9; got != want {
		t.Errorf("%d tensors, want %d", got, want)
	}
	if len(raw) > 1<<20 {
		t.Errorf("the file has %d bytes, more than a megabyte", len(raw))
	}
}

func TestModelIsDecidedByItsOptions(t *testing.T) {
	t.Parallel()
	first, again := model(t, options{seed: 2, window: 4096}), model(t, options{seed: 2, window: 4096})
	if !bytes.Equal(first, again) {
		t.Error("the same options made two models")
	}
	if bytes.Equal(first, model(t, options{seed: 3, window: 4096})) {
		t.Error("another seed made the same model")
	}
	if bytes.Equal(first, model(t, options{seed: 2, window: 4096, endless: true})) {
		t.Error("an endless model is the same as one that ends")
	}
}
