package session

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"

	"winnow/history"
	"winnow/session/store"
)

// Verdicts is what a request's record keeps of the plan: every verdict and sum, no text that was
// said. A message that is not sent comes without TokensBefore and CharsBefore, which nobody decided
// and the message itself tells.
type Verdicts struct {
	Sum     history.Sum
	Entries []history.Entry
	Added   []history.Added
}

// packed is Verdicts by columns. Of a long conversation most messages are not sent, for one and the
// same reason: a column holds such a stretch as one run. A record that named each of them would make
// a conversation's file grow with the square of its length.
type packed struct {
	Sum         history.Sum                `json:"sum"`
	Added       []history.Added            `json:"added,omitempty"`
	Entries     int                        `json:"entries"`
	ID          []run[int64]               `json:"id"`    // the difference from the entry before
	Index       []run[int]                 `json:"index"` // the same
	Role        []run[history.Role]        `json:"role"`
	Disposition []run[history.Disposition] `json:"disposition"`
	Level       []run[[2]history.Level]    `json:"level"` // in all, and in its place
	Cause       []run[history.Cause]       `json:"reason"`
	Marks       []run[marks]               `json:"marks"`
	Size        []run[size]                `json:"size"`
	Cuts        map[int][]history.Range    `json:"cuts,omitempty"` // by the entry's place, here and below
	Inserted    map[int][]history.Insert   `json:"inserted,omitempty"`
	Repairs     map[int][]history.Repair   `json:"repairs,omitempty"`
}

// run is N times the same.
type run[T comparable] struct {
	V T   `json:"v"`
	N int `json:"n"`
}

type marks struct {
	Pinned   bool `json:"p,omitempty"`
	Whole    bool `json:"w,omitempty"`
	Recalled bool `json:"r,omitempty"`
}

// size is tokens and characters, before and after.
type size [4]int

// pack writes verdicts as the record keeps them.
func (v Verdicts) pack() ([]byte, error) {
	columns, err := v.columns()
	if err != nil {
		return nil, fmt.Errorf("record the request's plan: %w", err)
	}
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	if _, err := z.Write(columns); err != nil {
		return nil, fmt.Errorf("record the request's plan: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("record the request's plan: %w", err)
	}
	return buf.Bytes(), nil
}

// columns are verdicts as JSON by columns.
func (v Verdicts) columns() ([]byte, error) {
	p := packed{
		Sum: v.Sum, Added: v.Added, Entries: len(v.Entries),
		Cuts: map[int][]history.Range{}, Inserted: map[int][]history.Insert{}, Repairs: map[int][]history.Repair{},
	}
	var before history.Entry
	for i, e := range v.Entries {
		p.ID = extend(p.ID, e.ID-before.ID)
		p.Index = extend(p.Index, e.Index-before.Index)
		p.Role = extend(p.Role, e.Role)
		p.Disposition = extend(p.Disposition, e.Disposition)
		p.Level = extend(p.Level, [2]history.Level{e.Level, e.Place})
		p.Cause = extend(p.Cause, e.Cause)
		p.Marks = extend(p.Marks, marks{e.Pinned, e.Whole, e.Recalled})
		s := size{e.TokensBefore, e.TokensAfter, e.CharsBefore, e.CharsAfter}
		if !e.Sent() {
			s[0], s[2] = 0, 0
		}
		p.Size = extend(p.Size, s)
		putSome(p.Cuts, i, e.Cuts)
		putSome(p.Inserted, i, e.Inserted)
		putSome(p.Repairs, i, e.Repairs)
		before = e
	}
	return json.Marshal(p)
}

// extend puts one more value at the end of a column.
func extend[T comparable](column []run[T], v T) []run[T] {
	if n := len(column); n > 0 && column[n-1].V == v {
		column[n-1].N++
		return column
	}
	return append(column, run[T]{v, 1})
}

func putSome[T any](column map[int][]T, i int, list []T) {
	if len(list) > 0 {
		column[i] = list
	}
}

// ReadVerdicts reads the plan of a request's record.
func ReadVerdicts(r store.Request) (Verdicts, error) {
	v, err := readVerdicts(r.Plan)
	if err != nil {
		return Verdicts{}, fmt.Errorf("read the plan of request %d: %w", r.ID, err)
	}
	return v, nil
}

func readVerdicts(plan []byte) (Verdicts, error) {
	z, err := gzip.NewReader(bytes.NewReader(plan))
	if err != nil {
		return Verdicts{}, err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return Verdicts{}, err
	}
	var p packed
	if err := json.Unmarshal(text, &p); err != nil {
		if v, ok := readRows(text); ok {
			return v, nil
		}
		return Verdicts{}, err
	}
	if err := p.check(); err != nil {
		return Verdicts{}, err
	}
	return p.unpack(), nil
}

// readRows reads a plan of the first winnow, which wrote it row by row.
func readRows(text []byte) (Verdicts, bool) {
	var v Verdicts // The keys were in lower case, which json takes too.
	err := json.Unmarshal(text, &v)
	return v, err == nil && len(v.Entries) > 0
}

// mostEntries is more messages than any file has.
const mostEntries = 1 << 28

// check says whether every column is as long as the others: a damaged record may hold anything.
func (p packed) check() error {
	if p.Entries < 0 || p.Entries > mostEntries {
		return fmt.Errorf("it says that it has %d entries", p.Entries)
	}
	for _, n := range []int{
		length(p.ID), length(p.Index), length(p.Role), length(p.Disposition), length(p.Level), length(p.Cause), length(p.Marks), length(p.Size),
	} {
		if n != p.Entries {
			return fmt.Errorf("it has %d entries, and a column of %d", p.Entries, n)
		}
	}
	return nil
}

// length is how many values a column has, -1 for one that cannot be.
func length[T comparable](column []run[T]) int {
	n := 0
	for _, r := range column {
		if r.N < 1 || r.N > mostEntries {
			return -1
		}
		n += r.N
	}
	return n
}

// unpack reads the columns row by row.
func (p packed) unpack() Verdicts {
	v := Verdicts{Sum: p.Sum, Added: p.Added, Entries: make([]history.Entry, p.Entries)}
	id, index, role, disposition := rows(p.ID), rows(p.Index), rows(p.Role), rows(p.Disposition)
	level, cause, marks, size := rows(p.Level), rows(p.Cause), rows(p.Marks), rows(p.Size)
	var before history.Entry
	for i := range v.Entries {
		l, m, s := level(), marks(), size()
		v.Entries[i] = history.Entry{
			ID: before.ID + id(), Index: before.Index + index(), Role: role(), Disposition: disposition(),
			Level: l[0], Place: l[1], Cause: cause(), Pinned: m.Pinned, Whole: m.Whole, Recalled: m.Recalled,
			TokensBefore: s[0], TokensAfter: s[1], CharsBefore: s[2], CharsAfter: s[3],
			Cuts: p.Cuts[i], Inserted: p.Inserted[i], Repairs: p.Repairs[i],
		}
		before = v.Entries[i]
	}
	return v
}

// rows gives the values of a column one after the other.
func rows[T comparable](column []run[T]) func() T {
	at, used := 0, 0
	return func() T {
		if used == column[at].N {
			at, used = at+1, 0
		}
		used++
		return column[at].V
	}
}
