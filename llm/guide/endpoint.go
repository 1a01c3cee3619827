package guide

import (
	"io/fs"

	"winnow/llm"
)

// baseURL is where the guide would be. The domain .invalid never exists, so that a request that
// misses the guide's Doer goes nowhere.
const baseURL = "http://guide.invalid/v1"

// Endpoint is a guide as one of winnow's servers.
func Endpoint(pages fs.FS, o Options) llm.Endpoint {
	g := New(pages, o)
	return llm.Endpoint{
		Name:    llm.Guide,
		BaseURL: baseURL,
		Window:  Window,
		Default: Model,
		Doer:    g,
		Tools:   toolbox(g),
	}
}
