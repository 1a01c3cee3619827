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

// Fault is why a turn failed, in the parts that the screen shows apart.
type TurnFault struct {
	What           string `json:"what"`             // a sentence, without its full stop, without the server's words
	Words          string `json:"words,omitempty"`  // the server's own words
	Status         int    `json:"status,omitempty"` // the HTTP status, 0 for none
	Host           string `json:"host,omitempty"`   // where the answer with the status came from
	ConnectionLost bool   `json:"broken,omitempty"` // the connection broke while the answer arrived
	NotCharged     bool   `json:"free,omitempty"`   // the server did nothing that it could charge for
	OverBudget     bool   `json:"budget,omitempty"` // what must be sent exceeds the budget: nothing was sent
}

// FaultOf is the fault of an error with which a turn ended.
func NewTurnFault(err error) TurnFault {
	var over *history.OverBudgetError
	f, text := TurnFault{OverBudget: errors.As(err, &over)}, err.Error()
	f.NotCharged = f.OverBudget
	var e *llm.Error
	if errors.As(err, &e) {
		f.ConnectionLost, f.Words, f.Status = e.Kind == llm.Broken, e.Words(), e.Status
		f.NotCharged = e.Kind == llm.Refused || e.Status >= 400
		text = strings.Replace(text, e.Error(), e.WithoutWords(), 1)
	}
	if f.Status != 0 {
		text = strings.Replace(text, fmt.Sprintf(" (%d)", f.Status), "", 1)
		f.Host = e.Endpoint
		// The guide is at no address.
		if at, err := url.Parse(e.Address); err == nil && at.Host != "" && e.Endpoint != llm.Guide {
			f.Host = at.Host
		}
	}
	f.What = cmp.Or(strings.TrimSuffix(strings.TrimSpace(text), "."), "The turn failed")
	// The name of an endpoint and an address stay as they are written.
	if first, _, _ := strings.Cut(f.What, " "); e == nil || first != e.Endpoint && first != e.Address {
		letters := []rune(f.What)
		letters[0] = unicode.ToUpper(letters[0])
		f.What = string(letters)
	}
	return f
}

// JSON is the fault as the record of a request keeps it.
func (f TurnFault) JSON() string {
	text, _ := json.Marshal(f) // of strings and numbers: it cannot fail
	return string(text)
}

// ReadFault reads what JSON has written. Of "" and of what cannot be read there is none.
func ParseTurnFault(text string) (f TurnFault) {
	_ = json.Unmarshal([]byte(text), &f)
	return f
}

// FailedTurn is a turn that failed after its message was stored. It is kept with the message that it failed behind.
type FailedTurn struct {
	TurnFault
	Turn    int   `json:"-"`                 // the number of the turn of Request, 0 where it is not known
	Request int64 `json:"request,omitempty"` // the last one of the turn, where that failed; 0 for none
	Tries   int   `json:"tries,omitempty"`   // how often it was sent
	After   int64 `json:"-"`                 // the message behind which the turn failed; 0 if part of an answer is kept
}

// NewFailedTurn is a turn that failed with an error, and with its last request where that failed.
func NewFailedTurn(err error, last store.Request) *FailedTurn {
	f := &FailedTurn{TurnFault: NewTurnFault(err), Tries: 1}
	if last.End == store.EndFailed || last.End == store.EndCut { // else something failed behind the answer
		f.Turn, f.Request, f.Tries = last.Turn, last.ID, last.Retries+1
	}
	return f
}

// JSON is the failure as the message keeps it.
func (f FailedTurn) JSON() string {
	text, _ := json.Marshal(f) // of strings and numbers: it cannot fail
	return string(text)
}

// FailureOf reads the failure that is stored with a message: that of the turn that failed behind it. ok is false where
// there is none.
func ParseFailedTurn(m store.Message) (f FailedTurn, ok bool) {
	_ = json.Unmarshal([]byte(m.Fault), &f) // of what cannot be read there is none
	f.After = m.ID
	return f, f.TurnFault != TurnFault{}
}

// ErrorCode names the kind of an error for a log. Its sentence may quote a server or a conversation.
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
