package pricing

// Usage is what the server says the request took, in its own tokens. -1 is "not said".
type Usage struct {
	Prompt    int
	Cached    int // of Prompt, read from the server's cache
	Answer    int
	Reasoning int   // of Answer
	Cost      Money // what is charged for all of it

	CacheWrite     int // of Prompt, written to the server's cache: some servers charge more for it
	CacheWriteHour int // of CacheWrite, kept for an hour: Anthropic charges more again
}

// NoUsage is the usage of a server that says nothing.
func NoUsage() Usage {
	return Usage{Prompt: -1, Cached: -1, Answer: -1, Reasoning: -1, Cost: -1, CacheWrite: -1, CacheWriteHour: -1}
}
