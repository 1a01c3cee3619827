//go:build cgo

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"winnow/cli/config"
	"winnow/cli/report"
	"winnow/session/store"
	"winnow/session/sync"
	"winnow/ui/theme"
)

const syncHelp = "" +
	"sync writes what is new here into the folder DIR, and merges what your other machines wrote there. Another\n" +
	"program keeps the folder the same on all machines: Syncthing, a cloud drive, rclone, git or a USB stick.\n" +
	"winnow writes only files of its own below DIR, never a database, and no file is written by two machines.\n" +
	"Without DIR, it uses dir under [sync] in the configuration; with it, the chat syncs by itself, at the start,\n" +
	"after each turn and at the end."

func (p *program) syncCommand() *cobra.Command {
	var status, asJSON, verify bool
	var newKey, adopt string
	c := &cobra.Command{
		Use:   "sync [DIR]",
		Short: "Exchange the conversations with your other machines through a folder",
		Long:  syncHelp,
		Example: "  winnow sync ~/Sync/winnow\n" +
			"  winnow sync --status\n" +
			"  winnow sync --new-key ~/.config/winnow/sync.key",
		Args: takes("at most one argument, the folder", 0, 1),
		ValidArgsFunction: func(
			_ *cobra.Command, args []string, _ string,
		) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: p.do(func(ctx context.Context, args []string) error {
			switch {
			case newKey != "" && (status || asJSON || verify || len(args) > 0):
				return fail(Usage, "--new-key makes a key and does nothing else, so it cannot be used with a folder "+
					"or another flag")
			case newKey != "":
				return p.newSyncKey(newKey)
			case status && (verify || adopt != ""):
				return fail(Usage, "--status changes nothing, so it cannot be used with --verify or --adopt")
			}
			dir, o, err := p.syncWith(args)
			if err != nil {
				return err
			}
			o.Verify, o.Adopt = verify, adopt
			if status {
				return p.syncStatus(ctx, o, asJSON)
			}
			o.Dir = dir
			return p.sync(ctx, o, asJSON)
		}),
	}
	c.Flags().BoolVar(&status, "status", false, "show the machines and what waits, and change nothing")
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	c.Flags().BoolVar(&verify, "verify", false, "read the files of this machine again, and write those that are "+
		"damaged")
	c.Flags().StringVar(&adopt, "adopt", "", "take over the files of the machine with this id, which is gone")
	c.Flags().StringVar(&newKey, "new-key", "", "make a key that encrypts, write it to this new file, and sync nothing")
	return c
}

// newSyncKey makes a key file.
func (p *program) newSyncKey(file string) error {
	public, err := sync.NewKey(file)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fail(Failed, "%s already exists; a key is never overwritten", file)
	case err != nil:
		return fail(Failed, "cannot write %s: %w", file, fileCause(err))
	}
	fmt.Fprintf(p.out, "Wrote a key to %s. Its public key is %s.\n", file, public)
	fmt.Fprintf(p.err, "Set key under [sync] to this file, and copy it to your other machines, but not through the "+
		"synced folder. Without it, nobody can read what it encrypted.\n")
	return nil
}

// syncWith is the folder that the command line or the configuration names, and how to sync through it.
func (p *program) syncWith(args []string) (string, sync.Options, error) {
	c, err := p.readConfig()
	if err != nil {
		return "", sync.Options{}, err
	}
	if len(args) > 0 {
		if c.Sync.Dir, err = filepath.Abs(args[0]); err != nil {
			return "", sync.Options{}, err
		}
	}
	o, err := p.syncOptions(c)
	if err != nil {
		return "", o, err
	}
	if o.Dir == "" {
		return "", o, fail(Usage, "winnow sync needs a folder: name one, or set dir under [sync] in the configuration")
	}
	return o.Dir, o, nil
}

// syncOptions is how to sync as the configuration says. Dir is "" where it names no folder.
func (p *program) syncOptions(c config.Config) (sync.Options, error) {
	var o sync.Options
	if c.Sync.Dir == "" {
		return o, nil
	}
	var err error
	if o.Dir, err = p.expand(c.Sync.Dir); err != nil {
		return o, err
	}
	if c.Sync.Key != "" {
		o.Key, err = p.expand(c.Sync.Key)
	}
	return o, err
}

// sync syncs once.
func (p *program) sync(ctx context.Context, o sync.Options, asJSON bool) error {
	s, err := p.openStore(ctx, false)
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var bar *gauge
	now := ""
	o.Progress = func(doing string, done, total int) {
		if doing != now {
			bar.end()
			bar, now = p.countdown(doing, total), doing
		}
		bar.at(int64(done))
	}
	out, err := sync.Run(ctx, s, o)
	bar.end()
	if err == nil && out.Purged > 0 {
		// A chat waits with this for a quiet start.
		if err = s.FinishPurge(ctx); errors.Is(err, store.ErrNotOverwritten) {
			err = nil
		}
	}
	if err != nil && ctx.Err() != nil {
		return &failure{exit: stoppedBy(ctx), text: "stopped; the next sync continues from there", err: err}
	}
	if asJSON && err == nil {
		return report.WriteJSON(p.out, syncedObject(o.Dir, out))
	}
	for _, why := range out.Skipped {
		fmt.Fprintln(p.err, why)
	}
	if err != nil {
		return explainSync(err)
	}
	fmt.Fprintln(p.out, syncedSentence(out))
	return nil
}

// explainSync is the sentence for a sync that failed.
func explainSync(err error) error {
	if errors.Is(err, sync.ErrLocked) {
		return fail(Failed, "%w; key under [sync] names its file", err)
	}
	return err
}

// syncedSentence says what a sync did.
func syncedSentence(out sync.Result) string {
	var did []string
	if out.Sent > 0 {
		did = append(did, "sent "+theme.Plural(out.Sent, "message"))
	}
	if len(out.Changed) > out.Purged {
		did = append(did, fmt.Sprintf("received %s in %s", theme.Plural(out.Received, "message"),
			theme.Plural(len(out.Changed)-out.Purged, "session")))
	}
	text := "No new messages"
	if len(did) > 0 {
		text = theme.UpperFirst(strings.Join(did, ", "))
	}
	if len(out.From) > 0 {
		text += " from " + strings.Join(out.From, ", ")
	}
	text += "."
	if out.Purged > 0 {
		text += fmt.Sprintf(" Deleted %s that another machine purged.", theme.Plural(out.Purged, "session"))
	}
	if out.Saved > 0 {
		text += fmt.Sprintf(" Kept messages of a purged session that the machine which purged it did not have: %s.",
			theme.Plural(out.Saved, "recovered session"))
	}
	if out.Diverged > 0 {
		text += fmt.Sprintf(" Continued on two machines at once: %s, with a branch for each machine.",
			theme.Plural(out.Diverged, "session"))
	}
	return text
}

// syncedJSON is a sync in sync --json. It is a contract: fields are added, never renamed or removed.
type syncedJSON struct {
	Dir      string   `json:"dir"`
	Sent     int      `json:"sent"`     // messages that were written
	Received int      `json:"received"` // messages that were merged
	New      int      `json:"new"`      // sessions that they added
	Changed  []string `json:"changed"`  // the ids of all sessions of which something was merged
	Purged   int      `json:"purged"`   // sessions that another machine purged
	Diverged int      `json:"diverged"` // sessions that were continued on two machines at once
	Saved    int      `json:"saved"`    // sessions made of messages that the machine which purged theirs did not have
	From     []string `json:"from"`     // the names of the machines of which something was merged
	Skipped  []string `json:"skipped"`  // sentences about files that could not be read
}

func syncedObject(dir string, out sync.Result) syncedJSON {
	return syncedJSON{
		Dir: dir, Sent: out.Sent, Received: out.Received, New: out.Sessions,
		Changed: append([]string{}, out.Changed...), Purged: out.Purged,
		Diverged: out.Diverged, Saved: out.Saved, From: append([]string{}, out.From...),
		Skipped: append([]string{}, out.Skipped...),
	}
}

// statusJSON is sync --status --json. It is a contract: fields are added, never renamed or removed.
type statusJSON struct {
	Dir       string        `json:"dir"`
	Machine   string        `json:"machine"` // "" where this history was never synced
	Name      string        `json:"name"`    // of this machine
	Waiting   int           `json:"waiting"` // messages, requests and changes that are to be written
	Rewrite   int           `json:"rewrite"` // files of this machine that are to be written again
	Encrypted bool          `json:"encrypted"`
	Plain     int           `json:"plain"`    // files of all machines that are not encrypted, where this one's are
	Machines  []machineJSON `json:"machines"` // the others
	Ignored   []string      `json:"ignored"`  // files that are not winnow's, such as copies of files that conflicted
}

type machineJSON struct {
	Machine string     `json:"machine"`
	Name    string     `json:"name"` // "" where nothing of it was read
	Last    *time.Time `json:"last"` // when it wrote what was merged last, null where nothing was
	New     int        `json:"new"`  // files that are not merged yet
	Lost    int        `json:"lost"` // files that were merged and are gone
	Why     string     `json:"why"`  // why the first of them cannot be merged, "" where it can
}

func statusObject(r sync.StatusReport) statusJSON {
	out := statusJSON{
		Dir: r.Dir, Machine: r.Machine, Name: r.Name, Waiting: r.Waiting, Rewrite: r.Rewrite, Encrypted: r.Encrypted,
		Plain:    r.Plain,
		Machines: []machineJSON{}, Ignored: append([]string{}, r.Ignored...),
	}
	for _, m := range r.Machines {
		one := machineJSON{Machine: m.Machine, Name: m.Name, New: m.New, Lost: m.Lost, Why: m.Why}
		if !m.Last.IsZero() {
			last := m.Last.UTC()
			one.Last = &last
		}
		out.Machines = append(out.Machines, one)
	}
	return out
}

// syncStatus shows the machines and what waits.
func (p *program) syncStatus(ctx context.Context, o sync.Options, asJSON bool) error {
	s, err := p.openStore(ctx, true)
	if err != nil {
		return err
	}
	if s == nil {
		return fail(Failed, "there are no conversations yet; winnow sync begins with those of your other machines")
	}
	defer s.Close()
	r, err := sync.Status(ctx, s, o)
	if err != nil {
		return explainSync(err)
	}
	if asJSON {
		return report.WriteJSON(p.out, statusObject(r))
	}
	fmt.Fprintf(p.out, "%s: %s\n", r.Dir, waitingSentence(r))
	w := tabwriter.NewWriter(p.out, 0, 8, 2, ' ', 0)
	for _, m := range r.Machines {
		fmt.Fprintf(w, "%s\t%s\n", nameOf(m), machineSentence(m))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if n := len(r.Ignored); n > 0 {
		fmt.Fprintf(p.out, "%s in the folder are not winnow's and are ignored: %s\n", theme.Plural(n, "file"),
			firstOf(r.Ignored, 3))
	}
	return nil
}

// waitingSentence says what of this machine is not in the folder yet, and what of the others is not merged.
func waitingSentence(r sync.StatusReport) string {
	var waits []string
	switch {
	case r.Machine == "":
		waits = append(waits, "this machine was never synced")
	case r.Waiting > 0:
		waits = append(waits, theme.Plural(r.Waiting, "new row")+" of this machine to be written")
	case r.Rewrite > 0:
		waits = append(waits, theme.Plural(r.Rewrite, "file")+" of this machine to be written again")
	}
	if n := r.Lost; n > 0 {
		waits = append(waits, theme.Plural(n, "lost file")+" of other machines to be written again")
	}
	if n := r.Unmerged; n > 0 {
		waits = append(waits, theme.Plural(n, "file")+" of other machines to be merged")
	}
	text := cmp.Or(strings.Join(waits, "; "), "up to date")
	if r.Encrypted {
		text += ", encrypted"
	}
	if r.Plain > 0 {
		text += fmt.Sprintf(", but %s in plain text", theme.PluralOf(r.Plain, "file is", "files are"))
	}
	return text
}

// nameOf is how a machine is called.
func nameOf(m sync.MachineReport) string {
	if m.Name == "" {
		return m.Machine
	}
	return report.Line(m.Name)
}

// machineSentence says what is known of another machine.
func machineSentence(m sync.MachineReport) string {
	text := "nothing merged yet"
	if !m.Last.IsZero() {
		text = "last seen " + m.Last.Local().Format("2006-01-02 15:04")
	}
	if m.New > 0 {
		text += fmt.Sprintf(", %s to be merged", theme.Plural(m.New, "file"))
	}
	if m.Why != "" {
		text += ": " + m.Why
	}
	if m.Silent(time.Now()) {
		text += fmt.Sprintf("; if it is gone, winnow sync --adopt %s takes over its files", m.Machine)
	}
	return text
}

// firstOf lists some of the names.
func firstOf(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
}

// checkSync says how the history and the synced folder stand to each other.
func (p *program) checkSync(ctx context.Context, f *findings, s *store.Store, c config.Config) {
	o, err := p.syncOptions(c)
	if err == nil && o.Dir == "" {
		return
	}
	var r sync.StatusReport
	if err == nil {
		r, err = sync.Status(ctx, s, o)
	}
	if err != nil {
		f.wrong("sync", "%s", report.ErrorText(explainSync(err)))
		return
	}
	if probe, err := os.CreateTemp(o.Dir, ".winnow-doctor-*"); err != nil {
		f.wrong("sync", "cannot write in %s: %s", o.Dir, report.ErrorText(fileCause(err)))
	} else {
		probe.Close()
		os.Remove(probe.Name())
		f.good("sync", "%s: %s", r.Dir, waitingSentence(r))
	}
	for _, m := range r.Machines {
		if m.Why != "" {
			f.note("sync", "%s: %s", nameOf(m), machineSentence(m))
		} else {
			f.good("sync", "%s: %s", nameOf(m), machineSentence(m))
		}
	}
	if n := len(r.Ignored); n > 0 {
		f.note("sync", "%s in the folder ignored, which winnow did not write: %s", theme.Plural(n, "file"),
			firstOf(r.Ignored, 3))
	}
}
