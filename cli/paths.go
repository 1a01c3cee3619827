package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/adrg/xdg"

	"winnow/cli/config"
	"winnow/ui/remembered"
)

// appFolder is winnow's folder in those of the XDG base directory specification.
const appFolder = "winnow"

// configPath is where the configuration file is, or would be: --config, WINNOW_CONFIG, then the user's configuration
// folder. named says that the user asked for this very file, which must exist then.
func (p *program) configPath() (path string, named bool, err error) {
	if path = cmp.Or(p.flags.config, p.env("WINNOW_CONFIG")); path != "" {
		return path, true, nil
	}
	path, err = p.inFolder("XDG_CONFIG_HOME", xdg.ConfigHome, "config.toml", "--config or WINNOW_CONFIG")
	return path, false, err
}

// besideConfig is a file or folder beside the configuration file.
func (p *program) besideConfig(name string) (string, error) {
	path, _, err := p.configPath()
	return filepath.Join(filepath.Dir(path), name), err
}

// dbPath is where the conversations are: --db, WINNOW_DB, then the user's data folder.
func (p *program) dbPath() (string, error) {
	if path := cmp.Or(p.flags.db, p.env("WINNOW_DB")); path != "" {
		return filepath.Abs(path)
	}
	return p.inFolder("XDG_DATA_HOME", xdg.DataHome, "winnow.db", "--db or WINNOW_DB")
}

// memory is where choices made on the screen are kept for the next start, without the home folder nowhere.
func (p *program) memory(c config.Config) *remembered.Memory {
	file, err := p.inFolder("XDG_STATE_HOME", xdg.StateHome, "chosen.json", "XDG_STATE_HOME")
	if err != nil {
		return nil
	}
	m := &remembered.Memory{File: file}
	m.Set.Model, m.Set.Theme = c.Model != "", c.UI.Theme != "auto"
	return m
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
