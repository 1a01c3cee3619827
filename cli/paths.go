//go:build cgo

package cli

import (
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

// The names under the folders of the XDG base directory specification.
const (
	appFolder  = "winnow"
	configName = "config.toml"
	dbName     = "winnow.db"
	logName    = "log.jsonl"
	chosenName = "chosen.json"
)

// configPath is where the configuration file is, or would be: --config, WINNOW_CONFIG, then the
// user's configuration folder. named says that the user asked for this very file, which must exist
// then. On macOS ~/.config is looked at as well, because that is where terminal programs keep theirs.
func (p *program) configPath() (path string, named bool, err error) {
	if p.flags.config != "" {
		return p.flags.config, true, nil
	}
	if path = p.env("WINNOW_CONFIG"); path != "" {
		return path, true, nil
	}
	folder, err := p.folder("XDG_CONFIG_HOME", xdg.ConfigHome, "a configuration file", "--config or WINNOW_CONFIG")
	if err != nil {
		return "", false, err
	}
	path = filepath.Join(folder, appFolder, configName)
	if runtime.GOOS != "darwin" || p.env("XDG_CONFIG_HOME") != "" || exists(path) {
		return path, false, nil
	}
	if dotted := filepath.Join(p.env("HOME"), ".config", appFolder, configName); exists(dotted) {
		return dotted, false, nil
	}
	return path, false, nil
}

// dbPath is where the conversations are: --db, WINNOW_DB, [storage] path, then the user's data folder.
func (p *program) dbPath(c config.Config) (string, error) {
	for _, path := range []string{p.flags.db, p.env("WINNOW_DB")} {
		if path != "" {
			return filepath.Abs(path)
		}
	}
	if c.Storage.Path != "" {
		return p.expand(c.Storage.Path)
	}
	folder, err := p.folder("XDG_DATA_HOME", xdg.DataHome, "your conversations", "--db or WINNOW_DB")
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, appFolder, dbName), nil
}

// logPath is where --debug writes.
func (p *program) logPath() (string, error) {
	folder, err := p.folder("XDG_STATE_HOME", xdg.StateHome, "the log", "XDG_STATE_HOME")
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, appFolder, logName), nil
}

// memory is where choices made on the screen are kept for the next start, without the home folder nowhere.
func (p *program) memory(c config.Config) *remembered.Memory {
	folder, err := p.folder("XDG_STATE_HOME", xdg.StateHome, "your choices", "XDG_STATE_HOME")
	if err != nil {
		return nil
	}
	m := &remembered.Memory{File: filepath.Join(folder, appFolder, chosenName)}
	m.Set.Model = c.Model != "" || p.env("WINNOW_MODEL") != ""
	m.Set.Theme = c.UI.Theme != "auto"
	m.Set.Panel = c.UI.Panel != "auto"
	return m
}

// folder is one of the user's base folders. Without a home folder the library would answer with
// one under the root of the file system.
func (p *program) folder(variable, found, what, way string) (string, error) {
	if !filepath.IsAbs(p.env(variable)) && p.env("HOME") == "" && runtime.GOOS != "windows" {
		return "", fail(Failed, "cannot find a place for %s: HOME is not set. Set it, or name a file with %s", what,
			way)
	}
	return found, nil
}

// expand makes a path of the configuration file absolute; a leading ~ is the home folder.
func (p *program) expand(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || (rest != "" && rest[0] != '/' && rest[0] != filepath.Separator) {
		return filepath.Abs(path)
	}
	home, err := p.folder("HOME", p.env("HOME"), "your conversations", "--db or WINNOW_DB")
	if err != nil {
		return "", err
	}
	return filepath.Join(home, rest), nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
