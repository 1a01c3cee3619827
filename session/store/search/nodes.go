package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"winnow/session/store/sqlite"
)

// A query of several common words is answered from the index's own tables. SQLite's full-text engine steps through all
// messages that have a word with a call for each, and through all places of each word of a phrase: with a million
// messages that takes a quarter of a second. The tables are those of FTS4, whose format is documented
// (https://www.sqlite.org/fts3.html#data_structures) and fixed: every later SQLite has to read the files of an earlier
// one.
//
// The index is made of segments. A segment is a B-tree of nodes: the root is in found_segdir, all others are blocks of
// found_segments. A leaf has words in order, each with its doclist: the messages that have the word, the newest first,
// and the places of the word in each.

// errMalformed says that the index is not as SQLite writes it.
var errMalformed = errors.New("the search index is damaged")

// segment is a part of the index. A message is in several of them where its words were deleted and added again: then the
// newest segment that has the word and the message holds.
type segment struct {
	root  string // a leaf where there is no block
	first int64  // block of the first leaf, 0 for none
	last  int64  // block of the last leaf
}

// readSegments reads the segments of the index, the oldest first.
func readSegments(ctx context.Context, tx *sql.Tx) ([]segment, error) {
	return sqlite.Collect(ctx, tx, func(scan func(...any) error) (s segment, err error) {
		err = scan(&s.root, &s.first, &s.last)
		return s, err
	}, `
		SELECT
			CAST(root AS TEXT),
			start_block,
			leaves_end_block
		FROM found_segdir
		ORDER BY level DESC, idx`)
}

// doclists reads the doclists of a word, or where it is open of each word that begins with it: for each such word those of
// the segments that have it, in the order of the segments.
func doclists(ctx context.Context, tx *sql.Tx, segments []segment, w queryWord) ([][]string, error) {
	var all [][]string
	places := map[string]int{}
	take := func(term []byte, doclist string) (more bool) {
		if string(term) < w.text {
			return true
		}
		if w.open && !strings.HasPrefix(string(term), w.text) || !w.open && string(term) != w.text {
			return false
		}
		place, ok := places[string(term)]
		if !ok {
			place = len(all)
			places[string(term)] = place
			all = append(all, nil)
		}
		all[place] = append(all[place], doclist)
		return w.open
	}
	for _, s := range segments {
		if err := s.eachWord(ctx, tx, w.text, take); err != nil {
			return nil, fmt.Errorf("look up %q: %w", w.text, err)
		}
	}
	return all, nil
}

// eachWord calls f with the words of a segment and their doclists, from a word's own leaf on, until f returns false.
func (s segment) eachWord(ctx context.Context, tx *sql.Tx, word string, f func(term []byte, doclist string) (more bool)) error {
	if s.first == 0 {
		_, err := eachInLeaf(s.root, f)
		return err
	}
	leaf, err := s.leafOf(ctx, tx, word)
	if err != nil {
		return err
	}
	for more := true; more && leaf <= s.last; leaf++ {
		node, err := block(ctx, tx, leaf)
		if err != nil {
			return err
		}
		if more, err = eachInLeaf(node, f); err != nil {
			return err
		}
	}
	return nil
}

// leafOf finds the block of the leaf that has a word, if the segment has it.
func (s segment) leafOf(ctx context.Context, tx *sql.Tx, word string) (int64, error) {
	node := s.root
	for {
		height, child, err := childOf(node, word)
		if err != nil || height == 1 {
			return child, err
		}
		if node, err = block(ctx, tx, child); err != nil {
			return 0, err
		}
		if next, _, ok := number(node, 0); !ok || next != height-1 {
			return 0, errMalformed
		}
	}
}

// childOf is the block of an inner node's child that has a word, if any has it, and the node's height above the leaves.
func childOf(node, word string) (height uint64, child int64, err error) {
	height, at, ok := number(node, 0)
	first, at, ok2 := number(node, at)
	if !ok || !ok2 || height == 0 {
		return 0, 0, errMalformed
	}
	child = int64(first)
	var term []byte
	for start := at; at < len(node); child++ {
		if term, at, ok = nextTerm(node, at, term, at == start); !ok {
			return 0, 0, errMalformed
		}
		if string(term) > word { // the first word that is not in the children before it
			break
		}
	}
	return height, child, nil
}

// eachInLeaf calls f with the words of a leaf until it returns false.
func eachInLeaf(node string, f func(term []byte, doclist string) (more bool)) (more bool, err error) {
	height, at, ok := number(node, 0)
	if !ok || height != 0 {
		return false, errMalformed
	}
	var term []byte
	for start := at; at < len(node); {
		if term, at, ok = nextTerm(node, at, term, at == start); !ok {
			return false, errMalformed
		}
		size, from, ok := number(node, at)
		if !ok || size > uint64(len(node)-from) {
			return false, errMalformed
		}
		at = from + int(size)
		if !f(term, node[from:at]) {
			return false, nil
		}
	}
	return true, nil
}

// nextTerm reads a word of a node: how much of the word before it begins with, and the rest of it.
func nextTerm(node string, at int, before []byte, first bool) (term []byte, next int, ok bool) {
	var shared uint64
	if !first {
		if shared, at, ok = number(node, at); !ok || shared > uint64(len(before)) {
			return nil, 0, false
		}
	}
	size, at, ok := number(node, at)
	if !ok || size == 0 || size > uint64(len(node)-at) {
		return nil, 0, false
	}
	return append(before[:shared], node[at:at+int(size)]...), at + int(size), true
}

// number reads a number of seven bits a byte, the lowest first.
func number(s string, at int) (n uint64, next int, ok bool) {
	for shift := 0; at < len(s) && shift < 64; shift += 7 {
		b := s[at]
		at++
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n, at, true
		}
	}
	return 0, 0, false
}

// block reads a node. As a text the driver hands it out without copying it a second time.
func block(ctx context.Context, tx *sql.Tx, id int64) (node string, err error) {
	err = tx.QueryRowContext(ctx, `
		SELECT CAST(block AS TEXT)
		FROM found_segments
		WHERE blockid = ?`, id).Scan(&node)
	if errors.Is(err, sql.ErrNoRows) {
		err = errMalformed
	}
	return node, err
}
