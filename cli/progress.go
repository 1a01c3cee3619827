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
