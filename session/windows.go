package session

import (
	"context"
	"time"

	"winnow/llm"
	"winnow/session/store"
	"winnow/session/target"
)

// ListedWindows are what is known of the windows of models that their endpoints list: by the configuration, by
// what was set and learned, by what the servers state now, and by the models' names. One that would only be
// assumed is left empty. Without a store nothing was set or learned. The error is that of reading the store;
// the windows are what is known without it.
func ListedWindows(ctx context.Context, st *store.Store, endpoints []llm.Endpoint, list []llm.Model, now time.Time) ([]llm.Window, error) {
	named := make(map[string]llm.Endpoint, len(endpoints))
	for _, e := range endpoints {
		named[e.Name] = e
	}
	var failed error
	windows := make([]llm.Window, len(list))
	for i, m := range list {
		e, said := named[m.Endpoint], m.Window
		var known store.Learned
		if st != nil && failed == nil {
			known, failed = st.Endpoint(ctx, e.BaseURL, m.ID)
		}
		if said.At = known.StatedAt; said.Tokens != known.Stated {
			said.At = now
		}
		if found := target.KnownWindows(e, m.ID, known, said).Window(); !found.Assumed {
			windows[i] = found
		}
	}
	return windows, failed
}

// ReadWindow reads a window as people write one: a number of tokens, with or without separators, or
// "auto", which is 0. It is false for anything else.
func ReadWindow(text string) (tokens int, ok bool) {
	tokens, ok = ReadBudget(text)
	return tokens, ok && (tokens > 0 || text == "auto")
}
