package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/schollz/progressbar/v3"

	"winnow/session/transfer"
)

// writeFile writes a file that only the user can read. One that is there is overwritten only where force is set, and
// then when the new one is whole. It returns the file's size in bytes.
func (p *program) writeFile(path string, force bool, write func(io.Writer) error) (size int64, err error) {
	var f *os.File
	if force {
		f, err = os.CreateTemp(filepath.Dir(path), ".winnow-*")
	} else {
		f, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return 0, &failure{exit: Failed, text: path + " already exists; --force overwrites it", err: fs.ErrExist}
	case err != nil:
		return 0, fail(Failed, "cannot write %s: %w", path, fileCause(err))
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<18)
	err = errors.Join(write(out), out.Flush())
	size, _ = f.Seek(0, io.SeekCurrent)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err == nil && force {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return size, err
}

// fileCause is what the system said of a file, without the call and the name that it was said of: the name may be one
// that the user never typed.
func fileCause(err error) error {
	var one *fs.PathError
	var two *os.LinkError
	switch {
	case errors.As(err, &one):
		return one.Err
	case errors.As(err, &two):
		return two.Err
	}
	return err
}

// promptText is the system prompt in a file: its text without a byte order mark and the line ends at its end, which
// editors leave.
func promptText(file []byte) string {
	text := bytes.ReplaceAll(bytes.TrimPrefix(file, []byte("\xef\xbb\xbf")), []byte("\r\n"), []byte("\n"))
	return string(bytes.TrimRight(text, "\n"))
}

// barDelay is how long a command may take before it shows how far it is.
const barDelay = time.Second

// gauge shows how far a command is as a bar on standard error, where it takes longer than barDelay and somebody looks
// on.
type gauge struct {
	p     *program
	what  string
	total int64 // -1 where nobody knows
	bytes bool  // bytes are counted, steps otherwise
	done  int64
	began time.Time
	bar   *progressbar.ProgressBar // nil until there is one
}

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
