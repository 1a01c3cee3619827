package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

// Fault is why a turn failed, in the parts that the screen shows apart.
type Fault struct {
	What   string `json:"what"`             // a sentence, without its full stop, without the server's words
	Words  string `json:"words,omitempty"`  // the server's own words
	Status int    `json:"status,omitempty"` // the HTTP status, 0 for none
	Host   string `json:"host,omitempty"`   // where the answer with the status came from
	Broken bool   `json:"broken,omitempty"` // the connection broke while the answer arrived
	Free   bool   `json:"free,omitempty"`   // the server did nothing that it could charge for
	Budget bool   `json:"budget,omitempty"` // what must be sent exceeds the budget: nothing was sent
}

// FaultOf is the fault of an error with which a turn ended.
func FaultOf(err error) Fault {
	var f Fault
	text := err.Error()
	if e := (*history.OverBudgetError)(nil); errors.As(err, &e) {
		f.Budget, f.Free = true, true
	}
	e := (*llm.Error)(nil)
	if errors.As(err, &e) {
		f.Broken, f.Words, f.Status = e.Kind == llm.Broken, e.Words(), e.Status
		f.Free = e.Kind == llm.Refused || e.Status >= 400
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
		f.What = upperFirst(f.What)
	}
	return f
}

// upperFirst begins a sentence with a capital letter.
func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// JSON is the fault as the record of a request keeps it, "" for none.
func (f Fault) JSON() string {
	if f == (Fault{}) {
		return ""
	}
	text, err := json.Marshal(f)
	if err != nil {
		return ""
	}
	return string(text)
}

// ReadFault reads what JSON has written. What another version wrote otherwise is none.
func ReadFault(text string) Fault {
	var f Fault
	if text == "" || json.Unmarshal([]byte(text), &f) != nil {
		return Fault{}
	}
	return f
}

// Failure is a turn that failed after its message was stored.
type Failure struct {
	Fault
	User    int64 // the message
	Turn    int   // the number of the turn of Request, 0 where none failed
	Request int64 // the last request of the turn, which failed; 0 for none
	Tries   int   // how often that was sent
	After   int64 // where no request failed: the message behind which the turn failed
}

// FailureAfter is the failure of a turn behind a message, where it failed there without a request that failed. The
// user's message is left to the caller, who has the branch.
func FailureAfter(m store.Message) (f Failure, ok bool) {
	f = Failure{Fault: ReadFault(m.Fault), Tries: 1, After: m.ID}
	return f, f.Fault != Fault{}
}
