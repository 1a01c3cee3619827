package verdicts

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"winnow/history"
)

// packed is a Plan by columns, in each of which a run of equal values is written once. It is JSON in gzip: the form
// that archives have.
type packed struct {
	Sum         history.Sum                `json:"sum"`
	Added       []history.Added            `json:"added,omitempty"`
	Entries     int                        `json:"entries"`
	ID          []run[int64]               `json:"id"`    // the difference from the entry before
	Index       []run[int]                 `json:"index"` // the same
	Role        []run[history.Role]        `json:"role"`
	Disposition []run[history.Disposition] `json:"disposition"`
	Level       []run[[2]history.Level]    `json:"level"` // in all, and in its place
	Cause       []run[history.Cause]       `json:"cause"`
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

// Pack writes a plan as archives have it.
func (p Plan) Pack() ([]byte, error) {
	columns, err := json.Marshal(p.packed())
	if err != nil {
		return nil, fmt.Errorf("write the request's plan: %w", err)
	}
	return Zip(columns)
}

// Zip is a text in gzip.
func Zip(text []byte) ([]byte, error) {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	if _, err := z.Write(text); err != nil {
		return nil, fmt.Errorf("write the request's plan: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("write the request's plan: %w", err)
	}
	return buf.Bytes(), nil
}

// maxText is more than any plan unpacks to. A damaged one may promise anything.
const maxText = 1 << 30

// Unzip is the text of a packed plan.
func Unzip(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, maxText))
	if err == nil && len(text) == maxText {
		err = errors.New("it is larger than a plan can be")
	}
	return text, err
}

// packed is a plan by columns.
func (p Plan) packed() packed {
	out := packed{
		Sum: p.Sum, Added: p.Added, Entries: len(p.Entries),
		Cuts: map[int][]history.Range{}, Inserted: map[int][]history.Insert{}, Repairs: map[int][]history.Repair{},
	}
	var before history.Entry
	for i, e := range p.Entries {
		e = recorded(e)
		out.ID = extend(out.ID, e.ID-before.ID)
		out.Index = extend(out.Index, e.Index-before.Index)
		out.Role = extend(out.Role, e.Role)
		out.Disposition = extend(out.Disposition, e.Disposition)
		out.Level = extend(out.Level, [2]history.Level{e.Level, e.Place})
		out.Cause = extend(out.Cause, e.Cause)
		out.Marks = extend(out.Marks, marks{e.Pinned, e.Whole, e.Recalled})
		out.Size = extend(out.Size, size{e.TokensBefore, e.TokensAfter, e.CharsBefore, e.CharsAfter})
		putSome(out.Cuts, i, e.Cuts)
		putSome(out.Inserted, i, e.Inserted)
		putSome(out.Repairs, i, e.Repairs)
		before = e
	}
	return out
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

// Unpack reads what Pack wrote.
func Unpack(plan []byte) (Plan, error) {
	text, err := Unzip(plan)
	if err != nil {
		return Plan{}, err
	}
	var p packed
	if err := json.Unmarshal(text, &p); err != nil {
		return Plan{}, err
	}
	return p.plan()
}

// maxEntries is more messages than any conversation has.
const maxEntries = 1 << 20

// plan reads the columns. All of them must be as long as the record says: a damaged one may hold anything.
func (p packed) plan() (Plan, error) {
	if p.Entries < 0 || p.Entries > maxEntries {
		return Plan{}, fmt.Errorf("it says that it has %d entries", p.Entries)
	}
	entries := slices.Grow([]history.Entry(nil), p.Entries)[:p.Entries] // nil for none
	err := errors.Join(
		each(p.ID, len(entries), func(i int, by int64) { entries[i].ID = by }),
		each(p.Index, len(entries), func(i, by int) { entries[i].Index = by }),
		each(p.Role, len(entries), func(i int, r history.Role) { entries[i].Role = r }),
		each(p.Disposition, len(entries), func(i int, d history.Disposition) { entries[i].Disposition = d }),
		each(p.Level, len(entries), func(i int, l [2]history.Level) { entries[i].Level, entries[i].Place = l[0], l[1] }),
		each(p.Cause, len(entries), func(i int, c history.Cause) { entries[i].Cause = c }),
		each(p.Marks, len(entries), func(i int, m marks) {
			entries[i].Pinned, entries[i].Whole, entries[i].Recalled = m.Pinned, m.Whole, m.Recalled
		}),
		each(p.Size, len(entries), func(i int, s size) {
			e := &entries[i]
			e.TokensBefore, e.TokensAfter, e.CharsBefore, e.CharsAfter = s[0], s[1], s[2], s[3]
		}),
	)
	if err != nil {
		return Plan{}, err
	}
	for i := range entries {
		e := &entries[i]
		if i > 0 {
			e.ID, e.Index = e.ID+entries[i-1].ID, e.Index+entries[i-1].Index
		}
		e.Cuts, e.Inserted, e.Repairs = p.Cuts[i], p.Inserted[i], p.Repairs[i]
	}
	out := Plan{Sum: p.Sum, Entries: entries, Added: p.Added}
	if !inOrder(out.Entries) {
		return Plan{}, errors.New("its messages are not in order")
	}
	return out, nil
}

// each hands out the n values of a column one after the other.
func each[T comparable](column []run[T], n int, take func(i int, v T)) error {
	i := 0
	for _, r := range column {
		if r.N < 1 || r.N > n-i {
			return fmt.Errorf("it has %d entries, and a column has a run of %d", n, r.N)
		}
		for range r.N {
			take(i, r.V)
			i++
		}
	}
	if i < n {
		return fmt.Errorf("it has %d entries, and a column of %d", n, i)
	}
	return nil
}
