// Command tinymodel writes a language model of a few hundred kilobytes with random weights as a GGUF file, which
// llama.cpp and Ollama can load. It generates meaningless words at full speed, and calls tools if a grammar forces it
// to: enough to test winnow with a real server. See llm/llmtest/README.md.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
)

func main() {
	var o options
	path := flag.String("o", "tiny.gguf", "the file to write")
	flag.Uint64Var(&o.seed, "seed", 2, "of the random weights")
	flag.IntVar(&o.window, "window", 131072, "tokens that the model says it was trained for")
	flag.BoolVar(&o.endless, "endless", false, "never end an answer")
	flag.Parse()
	var file bytes.Buffer
	if err := write(&file, o); err != nil {
		fail(err)
	}
	if err := os.WriteFile(*path, file.Bytes(), 0o644); err != nil {
		fail(err)
	}
	fmt.Printf("%s: %d bytes\n", *path, file.Len())
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "tinymodel:", err)
	os.Exit(1)
}
