package conversation

// Query reads conversations of a database as JSON.
type Query struct {
	IDs  string // SQL for the ids of all of them
	JSON string // SQL for one of them as a JSON object, by its id
}
