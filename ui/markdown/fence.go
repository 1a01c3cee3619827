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
	at       int      // how much of the stream's tail has been read
	code     string   // the lines of the last piece, complete ones
	started  bool     // a line has become final: no separator is due
	open     []string // the lines shown for the last piece and the unfinished line after it
	shown    int      // how much of that text they cover
	whole    int      // how much of it is complete lines
	rows     int      // how many of open show these
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

// unindent takes the spaces that stood before the fence from line.
func (f *fence) unindent(line string) string {
	for range f.indent {
		line = strings.TrimPrefix(line, " ")
	}
	return line
}

// advanceFence reads the complete lines that came.
func (s *Stream) advanceFence() {
	f := s.fence
	for {
		n := strings.IndexByte(s.tail[f.at:], '\n') + 1
		if n == 0 {
			s.tail, f.at = s.tail[f.at:], 0
			return
		}
		line := s.tail[f.at : f.at+n]
		if f.closes(strings.TrimSuffix(line, "\n")) {
			s.closeFence(f.at)
			s.tail = s.tail[f.at+n:]
			s.fence, s.continues, s.tight, s.parsed = nil, false, false, 0
			s.preview.reset()
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
		f.code += f.unindent(line)
		if end := pieceEnd(f.code); end > 0 {
			s.settleCode(f.code[:end])
			f.code, f.open, f.shown, f.whole, f.rows = f.code[end:], nil, 0, 0, 0
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
			f.code += f.unindent(rest)
		}
	}
	if f.code != "" || !f.started {
		s.settleCode(f.code)
	}
}

// settleCode makes a piece of the open code block final.
func (s *Stream) settleCode(piece string) {
	f := s.fence
	lines := s.labelled(nil)
	if piece != "" {
		lines = append(lines, s.r.code.lines(piece, f.language, s.r.pane)...)
	}
	s.lines = appendBlock(s.lines[:s.final], lines, f.started || s.tight)
	s.final = len(s.lines)
	f.started = true
}

// labelled returns lines of the open code block, behind its label where they are its first.
func (s *Stream) labelled(lines []string) []string {
	if s.fence.started {
		return lines
	}
	return append(s.r.code.label(s.fence.language, s.r.pane), lines...)
}

// showFence shows the open piece: what was there when it was last coloured, then plain text.
func (s *Stream) showFence() {
	f := s.fence
	text := f.code
	if part := Visible(string(s.part)); !undecided(part) {
		text += f.unindent(part)
	}
	switch {
	case len(text) == f.shown:
	case s.preview.affords(len(text), shortCode):
		f.open = s.r.code.lines(text, f.language, s.r.pane)
		f.whole, f.rows = strings.LastIndexByte(text, '\n')+1, len(f.open)
		if rest := text[f.whole:]; rest != "" {
			f.rows -= len(s.r.code.plain(rest, s.r.pane))
		}
	default:
		f.extend(text, s.r)
	}
	f.shown = len(text)
	s.lines = appendBlock(s.lines[:s.final], s.labelled(f.open), f.started || s.tight)
}

// extend adds what text has beyond the complete lines that are shown, without colours.
func (f *fence) extend(text string, r *Renderer) {
	f.open = f.open[:f.rows]
	if n := strings.LastIndexByte(text, '\n') + 1; n > f.whole {
		f.open = append(f.open, r.code.plain(text[f.whole:n-1], r.pane)...)
		f.whole, f.rows = n, len(f.open)
	}
	if rest := text[f.whole:]; rest != "" {
		f.open = append(f.open, r.code.plain(rest, r.pane)...)
	}
}
