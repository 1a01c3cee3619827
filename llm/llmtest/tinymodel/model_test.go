package main

import (
	"bytes"
	"testing"
)

func model(t *testing.T, o options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// README.md promises a small file that depends on the options only. Loading it is tested with real servers.
func TestModelIsDecidedByItsOptions(t *testing.T) {
	t.Parallel()
	first, again := model(t, options{seed: 2, window: 4096}), model(t, options{seed: 2, window: 4096})
	if !bytes.Equal(first, again) {
		t.Error("the same options made two models")
	}
	if len(first) > 1<<20 {
		t.Errorf("the file has %d bytes, more than a megabyte", len(first))
	}
	if bytes.Equal(first, model(t, options{seed: 3, window: 4096})) {
		t.Error("another seed made the same model")
	}
	if bytes.Equal(first, model(t, options{seed: 2, window: 4096, endless: true})) {
		t.Error("an endless model is the same as one that ends")
	}
}
