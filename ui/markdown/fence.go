package markdown

import "strings"

// fence is an open block of fenced code at the end of a stream. It is read line by line: until
// its closing line comes nothing else can happen, so nothing is parsed. Its pieces are final
// when they are full.
type fence struct {
	char     byte
	count    int // how many of char opened it
	indent   int // spaces before it, which are taken from each line too
	language string
	at       int    // how much of the stream's tail has been read
	code     string // the lines of the last piece, complete ones
	started  bool   // a line has become final: no separator is due
	rendered int    // the size of code when it was last coloured
	open     []string
	openTo   int // how much of code open covers
}

// newFence returns the fence that text begins with, nil for none.
func newFence(text, language string) *fence {
	first, _, _ := strings.Cut(text, "\n")
	body := strings.TrimLeft(first, " ")
	f := &fence{indent: len(first) - len(body), language: language, at: len(first) + 1}
	if body == "" || body[0] != '`' && body[0] != '~' {
		return nil
	}
	f.char = body[0]
	f.count = len(body) - len(strings.TrimLeft(body, string(f.char)))
	if f.count < 3 || f.at > len(text) {
		return nil
	}
	return f
}

// closes tells whether line ends the block.
func (f *fence) closes(line string) bool {
	body := strings.TrimLeft(line, " ")
	if len(line)-len(body) > 3 {
		return false
	}
	rest := strings.TrimLeft(body, string(f.char))
	return len(body)-len(rest) >= f.count && strings.TrimSpace(rest) == ""
}

// add takes one line of code with its newline.
func (f *fence) add(line string) {
	for range f.indent {
		line = strings.TrimPrefix(line, " ")
	}
	f.code += line
}

// advanceFence reads the complete lines that came.
func (s *Stream) advanceFence() {
	f := s.fence
	for {
		n := strings.IndexByte(s.tail[f.at:], '\n') + 1
		if n == 0 {
			return
		}
		line := s.tail[f.at : f.at+n]
		if f.closes(strings.TrimSuffix(line, "\n")) {
			s.closeFence(f.at)
			s.tail = s.tail[f.at+n:]
			s.fence, s.continues, s.parsed = nil, false, 0
			s.reopen()
			if s.tail != "" {
				s.advance()
			}
			if s.fence == nil {
				return
			}
			f = s.fence
			continue
		}
		f.at += n
		f.add(line)
		if end := pieceEnd(f.code); end > 0 {
			s.settleCode(f.code[:end])
			f.code, f.open, f.openTo, f.rendered = f.code[end:], nil, 0, 0
		}
	}
}

// closeFence makes the code final, which ends at offset stop of the tail.
func (s *Stream) closeFence(stop int) {
	f := s.fence
	if f.at < stop {
		rest := s.tail[f.at:stop]
		f.at = stop
		if !f.closes(rest) {
			f.add(rest)
		}
	}
	if f.code != "" || !f.started {
		s.settleCode(f.code)
	}
}

// settleCode makes a piece of the open code block final.
func (s *Stream) settleCode(piece string) {
	if !s.fence.started {
		s.separate()
		s.fence.started = true
	}
	s.lines = append(s.lines[:s.final], s.codeLines(piece)...)
	s.final = len(s.lines)
}

// codeLines returns a piece of code as coloured lines, indented.
func (s *Stream) codeLines(piece string) []string {
	w := s.r.width
	return prefixed(s.r.code.lines(piece, s.fence.language, codeWidth(w)), codeIndent(w), codeIndent(w))
}

// showFence shows the open piece: what was there when it was last coloured, then plain lines.
func (s *Stream) showFence() {
	f, w := s.fence, s.r.width
	if len(f.code) >= max(600, 4*f.rendered) {
		f.rendered = len(f.code)
		f.open, f.openTo = s.codeLines(f.code), len(f.code)
	}
	if fresh := f.code[f.openTo:]; fresh != "" {
		plain := plainCode(strings.TrimSuffix(fresh, "\n"), codeWidth(w))
		f.open = append(f.open, prefixed(plain, codeIndent(w), codeIndent(w))...)
		f.openTo = len(f.code)
	}
	s.lines = s.lines[:s.final]
	if s.final > 0 && !f.started {
		s.lines = append(s.lines, "")
	}
	s.lines = append(s.lines, f.open...)
	if part := Visible(string(s.part)); part != "" && !f.closes(part) {
		s.lines = append(s.lines, prefixed(plainCode(part, codeWidth(w)), codeIndent(w), codeIndent(w))...)
	}
}
