//go:build cgo

package cli

import (
	"io"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/schollz/progressbar/v3"

	"winnow/session/transfer"
)

// barDelay is how long a command may take before it shows how far it is.
const barDelay = time.Second

// gauge shows how far a command is as a bar on standard error, where it takes longer than barDelay and
// somebody looks on.
type gauge struct {
	p     *program
	what  string
	total int64 // -1 where nobody knows
	bytes bool  // bytes are counted, steps otherwise
	done  int64
	began time.Time
	bar   *progressbar.ProgressBar // nil until there is one
}

// countdown counts steps, of which there are some.
func (p *program) countdown(what string, steps int) *gauge {
	return &gauge{p: p, what: what, total: int64(steps), began: p.now()}
}

func (g *gauge) step() { g.at(g.done + 1) }

// at shows how much is done.
func (g *gauge) at(done int64) {
	g.done = done
	if g.bar == nil {
		if g.p.now().Sub(g.began) < barDelay || !term.IsTerminal(g.p.err.Fd()) {
			return
		}
		g.bar = progressbar.NewOptions64(g.total,
			progressbar.OptionSetWriter(g.p.err),
			progressbar.OptionSetDescription(g.what),
			progressbar.OptionShowBytes(g.bytes),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish())
	}
	g.bar.Set64(done)
}

// end takes the bar off the screen, if there is one, so that what is said next stands on a line of its own.
func (g *gauge) end() {
	if g != nil && g.bar != nil {
		g.bar.Clear()
		g.bar = nil
	}
}

// meter is a file whose reading is shown.
type meter struct {
	transfer.File
	*gauge
}

func (p *program) metered(f importFile) meter {
	return meter{f, &gauge{p: p, what: "importing", total: f.size, bytes: true, began: p.now()}}
}

func (m meter) ReadAt(b []byte, offset int64) (int, error) {
	n, err := m.File.ReadAt(b, offset)
	m.at(offset + int64(n))
	return n, err
}

// counter shows how much is written.
type counter struct {
	io.Writer
	*gauge
}

func (p *program) counted(what string, to io.Writer) counter {
	return counter{to, &gauge{p: p, what: what, total: -1, bytes: true, began: p.now()}}
}

func (c counter) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.at(c.done + int64(n))
	return n, err
}
