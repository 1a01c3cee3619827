//go:build cgo

package cli

import (
	"io"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/schollz/progressbar/v3"
)

// barDelay is how long a command may take before it shows how far it is.
const barDelay = time.Second

// meter is a file whose reading is shown as a bar on standard error, where that is a terminal.
type meter struct {
	io.ReadSeeker
	p     *program
	size  int64
	began time.Time
	read  int64
	bar   *progressbar.ProgressBar // nil until barDelay is over, and where nobody looks on
}

func (p *program) metered(f importFile) *meter {
	return &meter{ReadSeeker: f, p: p, size: f.size, began: p.now()}
}

func (m *meter) Read(b []byte) (int, error) {
	n, err := m.ReadSeeker.Read(b)
	m.read += int64(n)
	m.show()
	return n, err
}

func (m *meter) Seek(offset int64, whence int) (int64, error) {
	at, err := m.ReadSeeker.Seek(offset, whence)
	m.read = at
	return at, err
}

func (m *meter) show() {
	if m.bar == nil {
		if m.p.now().Sub(m.began) < barDelay || !term.IsTerminal(m.p.err.Fd()) {
			return
		}
		m.bar = progressbar.NewOptions64(m.size,
			progressbar.OptionSetWriter(m.p.err),
			progressbar.OptionSetDescription("importing"),
			progressbar.OptionShowBytes(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish())
	}
	m.bar.Set64(m.read)
}

// end takes the bar off the screen, so that what is said next stands on a line of its own.
func (m *meter) end() {
	if m.bar != nil {
		m.bar.Clear()
	}
}

// gauge shows how far a command is, where it takes longer than barDelay and somebody looks on.
type gauge struct {
	io.Writer // what is counted, nil where steps are
	p         *program
	what      string
	most      int64 // -1 where nobody knows
	written   int64
	began     time.Time
	bar       *progressbar.ProgressBar
}

// counted counts what is written.
func (p *program) counted(what string, to io.Writer) *gauge {
	return &gauge{Writer: to, p: p, what: what, most: -1, began: p.now()}
}

// countdown counts steps, of which there are some.
func (p *program) countdown(what string, steps int) *gauge {
	return &gauge{p: p, what: what, most: int64(steps), began: p.now()}
}

func (g *gauge) Write(b []byte) (int, error) {
	n, err := g.Writer.Write(b)
	g.add(int64(n))
	return n, err
}

func (g *gauge) step() { g.add(1) }

func (g *gauge) add(n int64) {
	g.written += n
	if g.bar == nil {
		if g.p.now().Sub(g.began) < barDelay || !term.IsTerminal(g.p.err.Fd()) {
			return
		}
		g.bar = progressbar.NewOptions64(g.most,
			progressbar.OptionSetWriter(g.p.err),
			progressbar.OptionSetDescription(g.what),
			progressbar.OptionShowBytes(g.most < 0),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish())
	}
	g.bar.Set64(g.written)
}

// end takes the bar off the screen.
func (g *gauge) end() {
	if g.bar != nil {
		g.bar.Clear()
		g.bar = nil
	}
}
