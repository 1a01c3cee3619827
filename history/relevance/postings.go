package relevance

// postings are the texts that hold a term, and how often each does, in a few bytes a text. Texts are added and taken
// away at the end, and read from the last to the first.
//
// A text is the difference to the text before it, times eight, plus how often it holds the term: 0 to 6 is once to seven
// times. 7 is more often, and the number stands in front. Numbers are base 128 with the low bits first, and all bytes
// but the last of a number have the high bit, so that the beginning of a number is found from its end.
type postings struct {
	bytes []byte
	last  uint32 // the newest text
	texts uint32 // how many texts there are
}

// often is what stands for a number of times that needs a number of its own.
const often = 7

// add puts a text behind the newest one.
func (p *postings) add(text, times uint32) {
	low := min(times-1, often)
	if low == often {
		p.bytes = appendNumber(p.bytes, uint64(times))
	}
	p.bytes = appendNumber(p.bytes, uint64(text-p.last)<<3|uint64(low))
	p.last = text
	p.texts++
}

// remove takes the newest text away.
func (p *postings) remove() {
	c := p.cursor()
	c.next()
	p.bytes, p.last = p.bytes[:c.end], c.text
	p.texts--
}

func appendNumber(b []byte, n uint64) []byte {
	for n >= 0x80 {
		b = append(b, byte(n)|0x80)
		n >>= 7
	}
	return append(b, byte(n))
}

// cursor reads postings from the last to the first.
type cursor struct {
	bytes []byte
	end   int    // of what is not read yet
	text  uint32 // the next one
}

func (p *postings) cursor() cursor { return cursor{p.bytes, len(p.bytes), p.last} }

// next is the next text and how often it holds the term. There has to be one.
func (c *cursor) next() (text, times uint32) {
	n := c.number()
	text, times = c.text, uint32(n&often)+1
	if times > often {
		times = uint32(c.number())
	}
	c.text -= uint32(n >> 3)
	return text, times
}

// number is the number in front of the end.
func (c *cursor) number() uint64 {
	c.end--
	n := uint64(c.bytes[c.end])
	for c.end > 0 && c.bytes[c.end-1] >= 0x80 {
		c.end--
		n = n<<7 | uint64(c.bytes[c.end]&0x7f)
	}
	return n
}
