package llm

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// MaxBody bounds what is kept of the body of a recorded request or answer, in bytes, also after decompression.
const MaxBody = 64 << 20

// Decompress decompresses a body by its Content-Encoding. If the body is damaged, broken off or longer than MaxBody, it
// returns what it could read with the error.
func Decompress(body []byte, encoding string) ([]byte, error) {
	if len(body) == 0 || encoding == "" {
		return body, nil
	}
	var from io.Reader = bytes.NewReader(body)
	names := strings.Split(encoding, ",")
	if len(names) > 5 { // each takes memory
		return nil, fmt.Errorf("winnow cannot read a body with %d content encodings", len(names))
	}
	for _, name := range slices.Backward(names) {
		var err error
		if from, err = decoder(from, strings.ToLower(strings.TrimSpace(name))); err != nil {
			return nil, err
		}
	}
	plain, err := io.ReadAll(io.LimitReader(from, MaxBody+1))
	if len(plain) > MaxBody {
		return plain[:MaxBody], fmt.Errorf("the body has more than %d MiB when decompressed", MaxBody>>20)
	}
	return plain, err
}

// decoder returns a reader that decompresses by one encoding.
func decoder(from io.Reader, encoding string) (io.Reader, error) {
	switch encoding {
	case "", "identity":
		return from, nil
	case "gzip", "x-gzip":
		return gzip.NewReader(from)
	case "deflate":
		return zlib.NewReader(from)
	case "br":
		return brotli.NewReader(from), nil
	case "zstd": // One block at a time, which needs no goroutines and so no Close.
		return zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(MaxBody))
	}
	return nil, fmt.Errorf("winnow cannot read the content encoding %s", encoding)
}
