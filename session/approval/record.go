package approval

import "encoding/json"

// Outcome says what became of a call.
type Outcome string

// The outcomes.
const (
	Ran        Outcome = "ran"        // the tool answered, be it with an error
	TimedOut   Outcome = "timed_out"  // it ran, and took too long
	Stopped    Outcome = "stopped"    // it ran, and the user stopped it
	Declined   Outcome = "refused"    // the user did not allow it
	NotRun     Outcome = "not_run"    // running tools is switched off
	NotAsked   Outcome = "not_asked"  // there was nobody to ask
	NotWhole   Outcome = "cut"        // the answer that holds the call is not whole
	NoSuchTool Outcome = "no_tool"    // there is no such tool
	Unreadable Outcome = "unreadable" // nothing of its arguments could be read
)

// Record is what became of a call, as it is stored beside its result.
type Record struct {
	Outcome   Outcome `json:"outcome"`
	By        Grant   `json:"allowed_by,omitempty"` // what allowed a call that ran
	Arguments string  `json:"arguments,omitempty"`  // what it ran with, where that is not what was received
}

// RecordOf is the record in the further keys of a stored result. ok is false for a result without one: that of an older
// version, or of an import.
func RecordOf(keys []byte) (r Record, ok bool) {
	var in struct{ Call *Record }
	if json.Unmarshal(keys, &in) != nil || in.Call == nil || in.Call.Outcome == "" {
		return Record{}, false
	}
	return *in.Call, true
}
