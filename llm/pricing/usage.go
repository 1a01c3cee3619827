package pricing

// Usage is what the server says the request took, in its own tokens. -1 is "not said".
type Usage struct {
	Prompt    int
	Cached    int // of Prompt, read from the server's cache
	Answer    int
	Reasoning int   // of Answer
	Cost      Money // what is charged for all of it
}

// NoUsage is the usage of a server that says nothing.
func NoUsage() Usage { return Usage{-1, -1, -1, -1, -1} }
