// Command printer asks a server of the Chat Completions API one question and prints the text of the answer as it
// arrives: the least that a chat client can do with a stream. Its one argument is the address of the API.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
)

func main() {
	if err := ask(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "printer: %v\n", err)
		os.Exit(1)
	}
}

func ask(base string) error {
	body := strings.NewReader(`{"model":"small","stream":true,"messages":[{"role":"user","content":"How does a parser recover?"}]}`)
	answer, err := http.Post(base+"/chat/completions", "application/json", body)
	if err != nil {
		return fmt.Errorf("ask the server: %w", err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok || string(data) == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal(data, &chunk); err != nil {
			return fmt.Errorf("read a chunk: %w", err)
		}
		for _, choice := range chunk.Choices {
			os.Stdout.WriteString(choice.Delta.Content)
		}
	}
	return lines.Err()
}
