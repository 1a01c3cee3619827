package approval

// Outcome says how a call ended.
type Outcome string

// The outcomes.
const (
	OutcomeRan        Outcome = "ran"       // the tool answered, possibly with an error
	OutcomeTimedOut   Outcome = "timed_out" // it ran and took too long
	OutcomeStopped    Outcome = "stopped"   // it ran and the user stopped it
	OutcomeDeclined   Outcome = "refused"   // the user did not allow it
	OutcomeToolsOff   Outcome = "not_run"   // running tools is switched off
	OutcomeUnattended Outcome = "not_asked" // there was nobody to ask
	OutcomeAnswerCut  Outcome = "cut"       // the answer with the call is not complete
	OutcomeNoSuchTool Outcome = "no_tool"
	OutcomeUnreadable Outcome = "unreadable" // its arguments could not be read
)

// CallRecord is what is stored about a call beside its result.
type CallRecord struct {
	Outcome   Outcome `json:"outcome"`
	By        Grant   `json:"allowed_by,omitempty"` // what allowed a call that ran
	Arguments string  `json:"arguments,omitempty"`  // what it ran with, if not the arguments as received
}
