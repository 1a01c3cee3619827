package session

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"winnow/history"
	"winnow/session/store"
)

// glance is the packed plan of a record, of which single entries are read. Whoever asks for one message
// in thousands of requests cannot wait until all entries of each are decoded.
//
// It goes by what pack writes: the columns in the order of their fields, without spaces. Names are
// found by their quotes, since a quote in a text is escaped: a comma and a quote behind it are in a
// text at its very end alone, and then no name follows.
type glance struct {
	head    []byte            // up to the column of ids
	plain   []byte            // from the column of ids on
	columns map[string][]byte // those found so far, from their first run on
	some    map[string][]byte // what few entries have, by name; nil until it is looked for
}

var errNoPlan = errors.New("it is not as plans are written")

// glancer reads one record after the other. A glance holds until the next one.
type glancer struct {
	packed bytes.Reader
	zip    gzip.Reader
	plain  bytes.Buffer
}

// look opens the plan of a request's record.
func (g *glancer) look(r store.Request) (glance, error) {
	g.packed.Reset(r.Plan)
	g.plain.Reset()
	err := g.zip.Reset(&g.packed)
	if err == nil {
		_, err = g.plain.ReadFrom(&g.zip)
	}
	var seen glance
	if err == nil {
		if seen, err = glanceAt(g.plain.Bytes()); err != nil {
			seen, err = glanceAtRows(g.plain.Bytes())
		}
	}
	if err != nil {
		return glance{}, fmt.Errorf("read the plan of request %d: %w", r.ID, err)
	}
	return seen, nil
}

// glanceAt finds where the columns of a plan begin.
func glanceAt(plain []byte) (glance, error) {
	head, rest, found := bytes.Cut(plain, []byte(`,"id":`))
	if !found {
		return glance{}, errNoPlan
	}
	ids := bytes.TrimPrefix(rest, []byte(`[`)) // those of no entries are null
	return glance{head: head, plain: rest, columns: map[string][]byte{"id": ids}}, nil
}

// glanceAtRows is glanceAt for a plan that was written row by row.
func glanceAtRows(plain []byte) (glance, error) {
	v, ok := readRows(plain)
	if !ok {
		return glance{}, errNoPlan
	}
	columns, err := v.columns()
	if err != nil {
		return glance{}, err
	}
	return glanceAt(columns)
}

// sum reads where the tokens of the request went: it is written first of all.
func (g glance) sum() (history.Sum, error) {
	var sum history.Sum
	err := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(g.head, []byte(`{"sum":`)))).Decode(&sum)
	return sum, err
}

// column is a column from its first run on, nil where there is none. The one in front of it ends with
// a bracket, which is rarer than a comma.
func (g glance) column(name string) []byte {
	column, known := g.columns[name]
	if !known {
		_, column, _ = bytes.Cut(g.plain, []byte(`],"`+name+`":[`))
		g.columns[name] = column
	}
	return column
}

// runs are the runs of a column: a value as it is written, and how often it stands there.
func (g glance) runs(name string) iter.Seq2[[]byte, int] {
	return func(yield func([]byte, int) bool) {
		rest := g.column(name)
		for bytes.HasPrefix(rest, []byte(`{"v":`)) {
			value, behind, _ := bytes.Cut(rest[len(`{"v":`):], []byte(`,"n":`))
			number, behind, _ := bytes.Cut(behind, []byte(`}`))
			n, err := strconv.Atoi(string(number))
			if err != nil || n < 1 || n > mostEntries || !yield(value, n) {
				return
			}
			rest = bytes.TrimPrefix(behind, []byte(`,`))
		}
	}
}

// places are the places of the entries of some messages, whose ids are sorted, by id.
func (g glance) places(sorted []int64) map[int64]int {
	list := map[int64]int{}
	at, id := 0, int64(0)
	for value, n := range g.runs("id") {
		by, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil || by < 1 {
			return list // A message is younger than the one before it.
		}
		last := id + by*int64(n)
		first, _ := slices.BinarySearch(sorted, id+1)
		for _, wanted := range sorted[first:] {
			if wanted > last {
				break
			}
			if (wanted-id)%by == 0 {
				list[wanted] = at + int((wanted-id)/by) - 1
			}
		}
		at, id = at+n, last
	}
	return list
}

// ids are the ids of the first entries, at most so many: a damaged record may hold anything.
func (g glance) ids(most int) []int64 {
	var ids []int64
	id := int64(0)
	for value, n := range g.runs("id") {
		by, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil || by < 1 || n > most-len(ids) {
			break
		}
		for range n {
			id += by
			ids = append(ids, id)
		}
	}
	return ids
}

// wholeMark is how pack writes the mark of an entry that was sent whole.
var wholeMark = []byte(`"w":true`)

// cutShort is cutShort of a record's entries, of the first ones, at most so many.
func (g glance) cutShort(most int) []int64 {
	ids := g.ids(most)
	var short []int64
	for mark, n := range g.runs("marks") {
		n = min(n, len(ids))
		if !bytes.Contains(mark, wholeMark) {
			short = append(short, ids[:n]...)
		}
		ids = ids[n:]
	}
	return short
}

// value is what a column holds at a place, as it is written; nil where it is shorter.
func (g glance) value(name string, place int) []byte {
	to := 0
	for value, n := range g.runs(name) {
		if to += n; place < to {
			return value
		}
	}
	return nil
}

// whole says whether all of a message's text was sent.
func (g glance) whole(place int) (bool, error) {
	var m marks
	err := json.Unmarshal(g.value("marks", place), &m)
	return m.Whole, err
}

// entry reads the verdict at a place, which is of the message with this id.
func (g *glance) entry(id int64, place int) (history.Entry, error) {
	e := history.Entry{ID: id}
	var l [2]history.Level
	var m marks
	var s size
	err := errors.Join(
		json.Unmarshal(g.value("role", place), &e.Role),
		json.Unmarshal(g.value("disposition", place), &e.Disposition),
		json.Unmarshal(g.value("level", place), &l),
		json.Unmarshal(g.value("reason", place), &e.Cause),
		json.Unmarshal(g.value("marks", place), &m),
		json.Unmarshal(g.value("size", place), &s),
		g.few("cuts", place, &e.Cuts),
		g.few("inserted", place, &e.Inserted),
		g.few("repairs", place, &e.Repairs),
	)
	e.Index = g.index(place)
	e.Level, e.Place = l[0], l[1]
	e.Pinned, e.Whole, e.Recalled = m.Pinned, m.Whole, m.Recalled
	e.TokensBefore, e.TokensAfter, e.CharsBefore, e.CharsAfter = s[0], s[1], s[2], s[3]
	return e, err
}

// index adds up the positions in the conversation to a place.
func (g glance) index(place int) int {
	at, left := 0, place+1
	for value, n := range g.runs("index") {
		by, _ := strconv.Atoi(string(value))
		at += by * min(n, left)
		if left -= min(n, left); left == 0 {
			break
		}
	}
	return at
}

// few reads into list what a column of few entries has at a place.
func (g *glance) few(name string, place int, list any) error {
	if g.some == nil {
		g.findSome()
	}
	column := g.some[name]
	for _, before := range []byte(`{,`) {
		key := fmt.Appendf(nil, `%c"%d":[`, before, place)
		if at := bytes.Index(column, key); at >= 0 {
			return json.NewDecoder(bytes.NewReader(column[at+len(key)-1:])).Decode(list)
		}
	}
	return nil
}

// findSome finds the columns of few entries, which stand behind all others.
func (g *glance) findSome() {
	g.some = map[string][]byte{}
	rest := g.column("size")
	for _, name := range []string{"repairs", "inserted", "cuts"} {
		if at := bytes.Index(rest, []byte(`,"`+name+`":{`)); at >= 0 {
			g.some[name], rest = rest[at:], rest[:at]
		}
	}
}
