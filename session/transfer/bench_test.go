package transfer

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"winnow/session/store"
)

// writeTranscript writes a conversation of n messages of an average size to a file: questions,
// answers, and every tenth answer with a call and its result.
func writeTranscript(b *testing.B, n int) (path string, size int64) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "chat.json")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	reply := strings.Repeat(`An average reply has \"about\" so many words.\n`, 15)
	w.WriteString(`{"messages":[`)
	for i := range n {
		if i > 0 {
			w.WriteString(",\n")
		}
		at := fmt.Sprintf(`,"timestamp":"2025-10-29T13:%02d:%02dZ","id":"m%d"}`, i/60%60, i%60, i)
		switch {
		case i%20 == 1:
			const call = `{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function",` +
				`"function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}]%s`
			fmt.Fprintf(w, call, i, at)
		case i%20 == 2:
			fmt.Fprintf(w, `{"role":"tool","tool_call_id":"c%d","content":"%s"%s`, i-1, reply, at)
		case i%2 == 0:
			fmt.Fprintf(w, `{"role":"user","content":"%d: %s"%s`, i, reply[:200], at)
		default:
			fmt.Fprintf(w, `{"role":"assistant","content":"%s","finish":"stop"%s`, reply, at)
		}
	}
	w.WriteString("]}\n")
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	return path, info.Size()
}

func BenchmarkImport(b *testing.B) {
	const n = 100_000
	path, size := writeTranscript(b, n)
	b.SetBytes(size)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		s, err := store.Open(b.Context(), filepath.Join(b.TempDir(), fmt.Sprint(i), "winnow.db"), store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		var im Imported
		from := Source{File: f, Time: time.UnixMilli(1)}
		err = Import(b.Context(), s, from, func(one Imported) { im = one })
		if err != nil || im.Session.Messages != n || len(im.Errors) > 0 {
			b.Fatalf("imported %d messages of %d: %v %v", im.Session.Messages, n, im.Errors, err)
		}
		b.StopTimer()
		f.Close()
		s.Close()
		b.StartTimer()
	}
}
