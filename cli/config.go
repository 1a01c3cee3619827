package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

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
		return c, fail(Usage, "%w", mistakes[0])
	}
	return c, fail(Usage, "%w (and %d more: winnow config check)", mistakes[0], len(mistakes)-1)
}

// decodeConfig reads the configuration and returns every mistake in it. A file that is not there is the defaults,
// unless the user named it.
func (p *program) decodeConfig() (config.Config, []error) {
	path, err := p.configPath()
	var doc []byte
	if err == nil { // Without a home folder there can be no file; the database says so where it matters.
		doc, err = os.ReadFile(path)
		if missing := errors.Is(err, fs.ErrNotExist); err != nil && (p.namedConfig() != "" || !missing) {
			return config.Defaults(), []error{
				fmt.Errorf("cannot read the configuration file %s: %w", path, fileCause(err)),
			}
		}
	}
	c, mistakes := config.Decode(path, doc)
	if len(mistakes) == 0 {
		if err := c.Override(p.env); err != nil {
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
		return fail(Usage, "%w", mistakes[n-1])
	}
	if exists(path) {
		fmt.Fprintf(p.out, "%s is valid.\n", path)
	} else {
		fmt.Fprintf(p.out, "There is no configuration file at %s: using the defaults.\n", path)
	}
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
		return fail(Failed, "cannot create the folder of the configuration file: %w", err)
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
func (p *program) personas() ([]ui.Persona, error) {
	folder, err := p.besideConfig("personas")
	if err != nil {
		return nil, err
	}
	files, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fail(Failed, "cannot read the personas: %w", err)
	}
	var all []ui.Persona
	var unread []error
	for _, f := range files {
		name := personaFile.FindStringSubmatch(f.Name())
		if name == nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			unread = append(unread, fail(Failed, "cannot read the persona %s: %w", name[1], err))
			continue
		}
		all = append(all, ui.Persona{Name: name[1], Text: promptText(text)})
	}
	return all, errors.Join(unread...)
}

// promptText is the system prompt in a file: its text without a byte order mark and the line ends at its end, which
// editors leave.
func promptText(file []byte) string {
	text := bytes.ReplaceAll(bytes.TrimPrefix(file, []byte("\xef\xbb\xbf")), []byte("\r\n"), []byte("\n"))
	return string(bytes.TrimRight(text, "\n"))
}
