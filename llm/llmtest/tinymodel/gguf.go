package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
)

// pair is a key of a GGUF file's metadata. The value is a string, uint32, float32, bool, or a slice of string, float32
// or int32.
type pair struct {
	key   string
	value any
}

// tensor is a matrix of float32 weights in row-major order. As in GGUF, shape begins with the length of a row.
type tensor struct {
	name  string
	shape []uint64
	data  []float32
}

// alignment of the weights of each tensor in bytes. It is GGUF's default.
const alignment = 32

// The types of GGUF's metadata values.
const (
	typeUint32  uint32 = 4
	typeInt32   uint32 = 5
	typeFloat32 uint32 = 6
	typeBool    uint32 = 7
	typeString  uint32 = 8
	typeArray   uint32 = 9
)

// writeGGUF writes version 3 of the format: a header, the metadata, the list of tensors, and their weights.
func writeGGUF(w io.Writer, metadata []pair, tensors []tensor) error {
	var b buffer
	b.WriteString("GGUF")
	b.put(uint32(3))
	b.put(uint64(len(tensors)))
	b.put(uint64(len(metadata)))
	for _, p := range metadata {
		b.text(p.key)
		b.value(p.value)
	}
	offset := 0
	for _, t := range tensors {
		b.text(t.name)
		b.put(uint32(len(t.shape)))
		b.put(t.shape)
		b.put(uint32(0)) // GGML_TYPE_F32
		b.put(uint64(offset))
		offset += aligned(4 * len(t.data))
	}
	b.pad()
	for _, t := range tensors {
		for _, weight := range t.data {
			b.put(math.Float32bits(weight))
		}
		b.pad()
	}
	_, err := w.Write(b.Bytes())
	return err
}

func aligned(n int) int { return (n + alignment - 1) / alignment * alignment }

// buffer is a file in little-endian byte order.
type buffer struct{ bytes.Buffer }

// put writes a number, or a slice of numbers without its length.
func (b *buffer) put(v any) {
	switch v := v.(type) {
	case uint32:
		b.Write(binary.LittleEndian.AppendUint32(b.AvailableBuffer(), v)) // avoid reflection for the many weights
	default:
		_ = binary.Write(b, binary.LittleEndian, v) // Writing to a bytes.Buffer cannot fail.
	}
}

func (b *buffer) text(s string) {
	b.put(uint64(len(s)))
	b.WriteString(s)
}

func (b *buffer) value(v any) {
	switch v := v.(type) {
	case string:
		b.put(typeString)
		b.text(v)
	case uint32:
		b.put(typeUint32)
		b.put(v)
	case float32:
		b.put(typeFloat32)
		b.put(v)
	case bool:
		b.put(typeBool)
		b.put(v)
	case []string:
		b.list(typeString, len(v))
		for _, s := range v {
			b.text(s)
		}
	case []float32:
		b.list(typeFloat32, len(v))
		b.put(v)
	case []int32:
		b.list(typeInt32, len(v))
		b.put(v)
	}
}

func (b *buffer) list(of uint32, length int) {
	b.put(typeArray)
	b.put(of)
	b.put(uint64(length))
}

func (b *buffer) pad() { b.Write(make([]byte, aligned(b.Len())-b.Len())) }
