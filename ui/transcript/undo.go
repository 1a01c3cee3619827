package transcript

import "winnow/history"

// Action is a change of flags by hand, or the undoing of one.
type Action struct {
	Flag   history.Flag // that the messages are given; "" gives them back to the rules
	IDs    []int64      // the messages that it is about
	Before map[int64]history.Flag
	Undo   bool // the flags are put back to what they were before
}

// flagNow is the flag that the messages have after the action, where it is one for all.
func (a Action) flagNow() history.Flag {
	if !a.Undo {
		return a.Flag
	}
	return a.Before[a.IDs[0]]
}

// undoStack is the actions that changed flags since the session was opened, and those that wait. One action is
// stored at a time, so that each is undone by itself.
type undoStack struct {
	done    []Action // the last one is undone first
	busy    bool     // an action is being stored
	waiting []Action
}

// begin says which action is to be stored now, where none is being stored: else it waits. The undoing of an
// action is that of the last one then; none is false.
func (s *undoStack) begin(a Action) (now Action, ok bool) {
	switch {
	case s.busy:
		s.waiting = append(s.waiting, a)
		return a, false
	case a.Undo && len(s.done) == 0:
		return a, false
	case a.Undo:
		a = s.done[len(s.done)-1]
		a.Undo = true
	}
	s.busy = true
	return a, true
}

// end notes that an action was stored, or that it failed: then those that wait were asked for on top of it, and
// are forgotten.
func (s *undoStack) end(a Action, failed bool) {
	s.busy = false
	switch {
	case failed:
		s.waiting = nil
	case a.Undo:
		s.done = s.done[:len(s.done)-1]
	case len(a.Before) > 0:
		s.done = append(s.done, a)
	}
}

// next is the first of the actions that wait.
func (s *undoStack) next() (Action, bool) {
	if len(s.waiting) == 0 {
		return Action{}, false
	}
	a := s.waiting[0]
	s.waiting = s.waiting[1:]
	return a, true
}

// empty says that there is nothing to undo, now or once what is being stored is stored.
func (s *undoStack) empty() bool { return len(s.done) == 0 && !s.busy }
