// Package docs embeds winnow's documentation, for the built-in guide to answer from.
package docs

import "embed"

// Pages are the Markdown pages of this folder.
//
//go:embed *.md
var Pages embed.FS
