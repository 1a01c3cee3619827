package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"winnow/cli/config"
)

func (p *program) configCommand() *cobra.Command {
	return group("config", "Show, check or create the configuration file",
		p.pathCommand("Print the path of the configuration file", p.configPath),
		p.command("check", "Check the configuration file and report every mistake", p.checkConfig),
		p.command("init", "Create a configuration file with every key and its default", p.initConfig))
}

// readConfig reads the configuration file and applies the environment. It returns the first mistake.
func (p *program) readConfig() (config.Config, error) {
	c, mistakes := p.decodeConfig()
	switch len(mistakes) {
	case 0:
		return c, nil
	case 1:
		return c, fail(exitUsage, "%w", mistakes[0])
	}
	return c, fail(exitUsage, "%w (and %d more: winnow config check)", mistakes[0], len(mistakes)-1)
}

// decodeConfig reads the configuration and returns every mistake. A missing file means the defaults, unless the user
// named it.
func (p *program) decodeConfig() (config.Config, []error) {
	path, err := p.configPath()
	var doc []byte
	if err == nil { // without a home folder there is no file; opening the database reports that
		doc, err = os.ReadFile(path)
		if err != nil && (p.namedConfig() != "" || !errors.Is(err, fs.ErrNotExist)) {
			err = fmt.Errorf("cannot read the configuration file %s: %w", path, fileCause(err))
			return config.Defaults(), []error{err}
		}
	}
	c, mistakes := config.Decode(path, doc)
	if len(mistakes) == 0 {
		if err := c.ApplyEnvironment(p.env); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	return c, mistakes
}

// checkConfig prints every mistake of the configuration, one per line.
func (p *program) checkConfig(context.Context, []string) error {
	path, err := p.configPath()
	if err != nil {
		return err
	}
	c, mistakes := p.decodeConfig()
	if n := len(mistakes); n > 0 {
		for _, m := range mistakes[:n-1] {
			p.reportError(m)
		}
		return fail(exitUsage, "%w", mistakes[n-1])
	}
	said := "%s is valid.\n"
	if !exists(path) {
		said = "There is no configuration file at %s: using the defaults.\n"
	}
	fmt.Fprintf(p.out, said, path)
	for _, v := range c.Environment {
		fmt.Fprintf(p.out, "%s comes from %s.\n", v.Key, v.Name)
	}
	return nil
}

// initConfig writes the example configuration. It does not overwrite a file.
func (p *program) initConfig(context.Context, []string) error {
	path, err := p.configPath()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fail(exitFailed, "cannot create the folder of the configuration file: %w", err)
	}
	_, err = p.writeFile(path, func(f io.Writer) error {
		_, err := f.Write(p.example)
		return err
	})
	if err == nil {
		fmt.Fprintf(p.out, "Wrote %s.\n", path)
	}
	return err
}

// appFolder is the name of winnow's folder in the XDG base directories.
const appFolder = "winnow"

// namedConfig returns the configuration file that the user named, which must exist; "" for none.
func (p *program) namedConfig() string { return cmp.Or(p.flags.config, p.env("WINNOW_CONFIG")) }

// configPath returns the path of the configuration file, which need not exist: --config, WINNOW_CONFIG, or the default.
func (p *program) configPath() (string, error) {
	if path := p.namedConfig(); path != "" {
		return path, nil
	}
	return p.inFolder("XDG_CONFIG_HOME", xdg.ConfigHome, "config.toml", "--config or WINNOW_CONFIG")
}

// besideConfig returns the path of a file or folder beside the configuration file.
func (p *program) besideConfig(name string) (string, error) {
	path, err := p.configPath()
	return filepath.Join(filepath.Dir(path), name), err
}

// dbPath returns the path of the database: --db, WINNOW_DB, or the default.
func (p *program) dbPath() (string, error) {
	if path := cmp.Or(p.flags.db, p.env("WINNOW_DB")); path != "" {
		return filepath.Abs(path)
	}
	return p.inFolder("XDG_DATA_HOME", xdg.DataHome, "winnow.db", "--db or WINNOW_DB")
}

// inFolder returns the path of a file in winnow's folder in an XDG base directory, which package xdg found. Without
// HOME it fails, because xdg would use a folder at the root of the file system. hint names the flag or variable to use
// instead.
func (p *program) inFolder(variable, found, name, hint string) (string, error) {
	if !filepath.IsAbs(p.env(variable)) && p.env("HOME") == "" && runtime.GOOS != "windows" {
		return "", fail(exitFailed, "cannot find a place for %s: HOME is not set. Set it, or name a file with %s", name,
			hint)
	}
	return filepath.Join(found, appFolder, name), nil
}

// expand makes a path from the configuration absolute. A leading ~ is the home folder.
func (p *program) expand(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || (rest != "" && rest[0] != '/' && rest[0] != filepath.Separator) {
		return filepath.Abs(path)
	}
	if p.env("HOME") == "" {
		return "", fail(exitFailed, "cannot find %s: HOME is not set", path)
	}
	return filepath.Join(p.env("HOME"), rest), nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// writeFile creates a file that only the user can read, and returns its size in bytes. It fails if the file exists.
func (p *program) writeFile(path string, write func(io.Writer) error) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return 0, fail(exitFailed, "%s already exists; choose another name", path)
	case err != nil:
		return 0, fail(exitFailed, "cannot write %s: %w", path, fileCause(err))
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

// fileCause returns the cause of a file error without the operation and the name, because the name may be one that the
// user never typed.
func fileCause(err error) error {
	if path := new(fs.PathError); errors.As(err, &path) {
		return path.Err
	}
	return err
}
