package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"winnow/cli/config"
	"winnow/ui"
)

func (p *program) configCommand() *cobra.Command {
	return group("config", "Show, check or create the configuration file",
		p.pathCommand("Print the path of the configuration file", p.configPath),
		p.command("check", "Check the configuration file and report every mistake", p.checkConfig),
		p.command("init", "Create a configuration file with every key and its default", p.initConfig))
}

// readConfig reads the configuration: the file, and the environment over it.
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

// decodeConfig reads the configuration and returns every mistake in it. A file that is not there is the defaults,
// unless the user named it.
func (p *program) decodeConfig() (config.Config, []error) {
	path, err := p.configPath()
	var doc []byte
	if err == nil { // Without a home folder there can be no file; the database says so where it matters.
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

// checkConfig lists every mistake of the configuration, one a line.
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

// initConfig writes the example, and never over another file.
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

// personaFile is the name of a file that holds a persona: one word, so that a command can give it.
var personaFile = regexp.MustCompile(`^([^.\s]\S*)\.(?:md|txt)$`)

// personas reads the user's system prompts: each file NAME.md or NAME.txt of the folder personas beside the
// configuration file, by name. Without the folder there are none. The error names the files that cannot be read; the
// others are given all the same.
func (p *program) personas() (all []ui.Persona, unread error) {
	folder, err := p.besideConfig("personas")
	if err != nil {
		return nil, err
	}
	files, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fail(exitFailed, "cannot read the personas: %w", err)
	}
	for _, f := range files {
		name := personaFile.FindStringSubmatch(f.Name())
		if name == nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			unread = errors.Join(unread, fail(exitFailed, "cannot read the persona %s: %w", name[1], err))
			continue
		}
		// Editors leave a byte order mark, carriage returns and line ends at the end.
		text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), []byte("\r\n"), []byte("\n"))
		all = append(all, ui.Persona{Name: name[1], Text: string(bytes.TrimRight(text, "\n"))})
	}
	return all, unread
}

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
		return "", fail(exitFailed, "cannot find a place for %s: HOME is not set. Set it, or name a file with %s", name,
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
		return "", fail(exitFailed, "cannot find %s: HOME is not set", path)
	}
	return filepath.Join(p.env("HOME"), rest), nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// writeFile writes a new file that only the user can read, and never over another. It returns the file's size in bytes.
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

// fileCause is what the system said of a file, without the call and the name that it was said of: the name may be one
// that the user never typed.
func fileCause(err error) error {
	if path := new(fs.PathError); errors.As(err, &path) {
		return path.Err
	}
	return err
}
