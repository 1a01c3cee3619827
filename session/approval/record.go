package approval

// Outcome says what became of a call.
type Outcome string

// The outcomes.
const (
	OutcomeRan        Outcome = "ran"        // the tool answered, be it with an error
	OutcomeTimedOut   Outcome = "timed_out"  // it ran, and took too long
	OutcomeStopped    Outcome = "stopped"    // it ran, and the user stopped it
	OutcomeDeclined   Outcome = "refused"    // the user did not allow it
	OutcomeToolsOff   Outcome = "not_run"    // running tools is switched off
	OutcomeUnattended Outcome = "not_asked"  // there was nobody to ask
	OutcomeAnswerCut  Outcome = "cut"        // the answer that holds the call is not whole
	OutcomeNoSuchTool Outcome = "no_tool"    // there is no such tool
	OutcomeUnreadable Outcome = "unreadable" // nothing of its arguments could be read
)

// Record is what became of a call, as it is stored beside its result.
type CallRecord struct {
	Outcome   Outcome `json:"outcome"`
	By        Grant   `json:"allowed_by,omitempty"` // what allowed a call that ran
	Arguments string  `json:"arguments,omitempty"`  // what it ran with, where that is not what was received
}
