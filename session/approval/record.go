package approval

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
