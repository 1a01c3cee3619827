// Command winnow is a terminal chat client that shows, message by message, what the model sees.
package main

import (
	_ "embed"
	"os"

	"winnow/cli"
)

// exampleConfig is the file that winnow config init writes: every key with its default and what it is for.
//
//go:embed config.toml.example
var exampleConfig []byte

func main() { os.Exit(cli.Main(os.Args[1:], exampleConfig)) }
