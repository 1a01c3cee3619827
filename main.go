// Command winnow is a terminal chat client that shows, message by message, what the model sees.
package main

import (
	"os"

	"winnow/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
