package record

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

// TurnFault is the error that a turn failed with, split into the parts that the screen shows separately.
type TurnFault struct {
	What           string `json:"what"`             // a sentence without full stop and without the server's text
	Words          string `json:"words,omitempty"`  // the server's own text
	Status         int    `json:"status,omitempty"` // the HTTP status, 0 if none
	Host           string `json:"host,omitempty"`   // the server that sent the status
	ConnectionLost bool   `json:"broken,omitempty"` // the connection broke during the answer
	NotCharged     bool   `json:"free,omitempty"`   // the server did nothing that it could charge for
	OverBudget     bool   `json:"budget,omitempty"` // what must be sent exceeds the budget, so nothing was sent
}

// NewTurnFault splits an error into its parts.
func NewTurnFault(err error) TurnFault {
	var over *history.OverBudgetError
	f, text := TurnFault{OverBudget: errors.As(err, &over)}, err.Error()
	f.NotCharged = f.OverBudget
	var e *llm.Error
	if errors.As(err, &e) {
		f.ConnectionLost, f.Words, f.Status = e.Kind == llm.ErrConnectionLost, e.ServerWords(), e.Status
		f.NotCharged = e.Kind == llm.ErrConnectionRefused || e.Status >= 400
		text = strings.Replace(text, e.Error(), e.WithoutServerWords(), 1)
	}
	if f.Status != 0 {
		text = strings.Replace(text, fmt.Sprintf(" (%d)", f.Status), "", 1)
		f.Host = e.Endpoint
		// The built-in guide has no real address.
		if at, err := url.Parse(e.Address); err == nil && at.Host != "" && e.Endpoint != llm.GuideEndpoint {
			f.Host = at.Host
		}
	}
	f.What = cmp.Or(strings.TrimSuffix(strings.TrimSpace(text), "."), "The turn failed")
	// Names of endpoints and addresses keep their case.
	if first, _, _ := strings.Cut(f.What, " "); e == nil || first != e.Endpoint && first != e.Address {
		letters := []rune(f.What)
		letters[0] = unicode.ToUpper(letters[0])
		f.What = string(letters)
	}
	return f
}

// JSON encodes the fault as stored in the record of a request.
func (f TurnFault) JSON() string {
	text, _ := json.Marshal(f) // cannot fail: strings and numbers only
	return string(text)
}

// ParseTurnFault decodes the output of JSON. It returns the zero TurnFault for "" and for invalid text.
func ParseTurnFault(text string) (f TurnFault) {
	_ = json.Unmarshal([]byte(text), &f)
	return f
}

// FailedTurn is a turn that failed after the user's message was stored. It is stored with the message after which it
// failed.
type FailedTurn struct {
	TurnFault
	Turn    int   `json:"-"`                 // the number of the turn, 0 if unknown
	Request int64 `json:"request,omitempty"` // the last request of the turn, if it failed; 0 for none
	Tries   int   `json:"tries,omitempty"`   // how often that request was sent
	After   int64 `json:"-"`                 // the message after which it failed; 0 if a part of the answer is kept
}

// NewFailedTurn returns the failed turn for an error and the last request of the turn.
func NewFailedTurn(err error, last store.Request) *FailedTurn {
	f := &FailedTurn{TurnFault: NewTurnFault(err), Tries: 1}
	if last.End == store.EndFailed || last.End == store.EndDisconnected { // otherwise something failed after the answer
		f.Turn, f.Request, f.Tries = last.Turn, last.ID, last.Retries+1
	}
	return f
}

// JSON encodes the failed turn as stored with a message.
func (f FailedTurn) JSON() string {
	text, _ := json.Marshal(f) // cannot fail: strings and numbers only
	return string(text)
}

// ParseFailedTurn returns the turn that failed after a stored message. ok is false if there is none.
func ParseFailedTurn(m store.Message) (f FailedTurn, ok bool) {
	_ = json.Unmarshal([]byte(m.Fault), &f) // invalid text counts as none
	f.After = m.ID
	return f, f.TurnFault != TurnFault{}
}

// LogCode returns a short code for the kind of an error. Logs use it because the error's text may quote a server or a
// conversation.
func LogCode(err error) string {
	if err == nil {
		return ""
	}
	if e, is := errors.AsType[*llm.Error](err); is {
		return string(e.Kind)
	}
	for known, code := range map[error]string{
		context.Canceled: "stopped", context.DeadlineExceeded: "timed-out",
		store.ErrDiskFull: "disk-full", store.ErrReadOnly: "read-only", store.ErrBusy: "busy",
		store.ErrDamaged: "damaged", store.ErrNoAccess: "no-access", store.ErrMoved: "moved",
		store.ErrNotFound: "not-found",
	} {
		if errors.Is(err, known) {
			return code
		}
	}
	return "other"
}
