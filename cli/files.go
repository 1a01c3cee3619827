package cli

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/adrg/xdg"
)

// appFolder is winnow's folder in those of the XDG base directory specification.
const appFolder = "winnow"

// namedConfig is the configuration file that the user asked for, which must exist then; "" for none.
func (p *program) namedConfig() string { return cmp.Or(p.flags.config, p.env("WINNOW_CONFIG")) }

// configPath is where the configuration file is, or would be: --config, WINNOW_CONFIG, then the user's configuration
// folder.
func (p *program) configPath() (string, error) {
	if path := p.namedConfig(); path != "" {
		return path, nil
	}
	return p.inFolder("XDG_CONFIG_HOME", xdg.ConfigHome, "config.toml", "--config or WINNOW_CONFIG")
}

// besideConfig is a file or folder beside the configuration file.
func (p *program) besideConfig(name string) (string, error) {
	path, err := p.configPath()
	return filepath.Join(filepath.Dir(path), name), err
}

// dbPath is where the conversations are: --db, WINNOW_DB, then the user's data folder.
func (p *program) dbPath() (string, error) {
	if path := cmp.Or(p.flags.db, p.env("WINNOW_DB")); path != "" {
		return filepath.Abs(path)
	}
	return p.inFolder("XDG_DATA_HOME", xdg.DataHome, "winnow.db", "--db or WINNOW_DB")
}

// inFolder is a file in winnow's folder below one of the user's base folders, as the library found it. Without a home
// folder the library would answer with one under the root of the file system.
func (p *program) inFolder(variable, found, name, way string) (string, error) {
	if !filepath.IsAbs(p.env(variable)) && p.env("HOME") == "" && runtime.GOOS != "windows" {
		return "", fail(Failed, "cannot find a place for %s: HOME is not set. Set it, or name a file with %s", name,
			way)
	}
	return filepath.Join(found, appFolder, name), nil
}

// expand makes a path of the configuration file absolute; a leading ~ is the home folder.
func (p *program) expand(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || (rest != "" && rest[0] != '/' && rest[0] != filepath.Separator) {
		return filepath.Abs(path)
	}
	if p.env("HOME") == "" {
		return "", fail(Failed, "cannot find %s: HOME is not set", path)
	}
	return filepath.Join(p.env("HOME"), rest), nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// writeFile writes a new file that only the user can read, and never over another: then the error is fs.ErrExist. It
// returns the file's size in bytes.
func (p *program) writeFile(path string, write func(io.Writer) error) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return 0, fail(Failed, "%s already exists; choose another name", path)
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
	if err != nil {
		os.Remove(path)
	}
	return size, err
}

// fileCause is what the system said of a file, without the call and the name that it was said of: the name may be one
// that the user never typed.
func fileCause(err error) error {
	if path := new(fs.PathError); errors.As(err, &path) {
		return path.Err
	}
	return err
}
