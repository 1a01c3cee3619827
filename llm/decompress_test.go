package llm

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

// writers compress.
var writers = map[string]func(io.Writer) io.WriteCloser{
	"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"br":      func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) },
	"zstd": func(w io.Writer) io.WriteCloser {
		z, _ := zstd.NewWriter(w)
		return z
	},
}

var encodings = slices.Sorted(maps.Keys(writers))

// compressed returns a body in an encoding.
func compressed(body []byte, encoding string) []byte {
	var out bytes.Buffer
	w := writers[encoding](&out)
	_, _ = w.Write(body)
	_ = w.Close()
	return out.Bytes()
}

// TestDecompress verifies that a body is read back from any encodings, one in another.
func TestDecompress(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.SliceOf(rapid.Byte()).Draw(rt, "body")
		names := rapid.SliceOfN(rapid.SampledFrom(encodings), 0, 3).Draw(rt, "encodings")
		body := want
		for _, name := range names {
			body = compressed(body, name)
		}
		if got, err := Decompress(body, strings.ToUpper(strings.Join(names, ", "))); err != nil || !bytes.Equal(got, want) {
			rt.Errorf("%s: %q, %v; want %q", names, got, err, want)
		}
	})
}

// TestDecompressLimits verifies that what arrived of a stream that broke off can be read, and that a small body cannot
// become larger than MaxBody.
func TestDecompressLimits(t *testing.T) {
	t.Parallel()
	var events []byte
	for i := range 50_000 {
		events = fmt.Appendf(events, "data: %d\n\n", i)
	}
	for _, name := range encodings {
		body := compressed(events, name)
		got, err := Decompress(body[:len(body)-3], name)
		if err == nil || len(got) < len(events)/2 || !bytes.HasPrefix(events, got) {
			t.Errorf("%s: read %d of %d bytes, %v", name, len(got), len(events), err)
		}
		got, err = Decompress(compressed(make([]byte, MaxBody+1), name), name)
		if err == nil || len(got) != MaxBody {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	_, err := Decompress([]byte("x"), "pack200")
	if _, many := Decompress([]byte("x"), strings.Repeat("identity,", 9)); err == nil || many == nil {
		t.Error("an unknown encoding was read")
	}
}
