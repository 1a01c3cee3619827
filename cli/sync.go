package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	gosync "sync"
	"time"

	"github.com/spf13/cobra"

	"winnow/cli/config"
	"winnow/cli/report"
	"winnow/session"
	"winnow/session/store"
	"winnow/session/sync"
	"winnow/ui/theme"
)

func (p *program) syncCommand() *cobra.Command {
	var o sync.Options
	var status bool
	var newKey string
	c := p.command("sync [DIR]", "Exchange the conversations with your other machines through a folder",
		func(ctx context.Context, args []string) error {
			if newKey != "" {
				return p.newSyncKey(newKey)
			}
			c, err := p.readConfig()
			if err != nil {
				return err
			}
			if len(args) > 0 {
				if c.Sync.Dir, err = filepath.Abs(args[0]); err != nil {
					return err
				}
			}
			named, err := p.syncOptions(c)
			switch {
			case err != nil:
				return err
			case named.Dir == "":
				return fail(Usage, "winnow sync needs a folder: name one, or set dir under [sync] in the configuration")
			}
			o.Dir, o.Key = named.Dir, named.Key
			return p.withStore(ctx, status, func(s *store.Store) error {
				if !status {
					return p.sync(ctx, s, o)
				}
				r, err := sync.Status(ctx, s, o)
				if err != nil {
					return explainSync(err)
				}
				return p.show(syncState(r))
			})
		})
	c.Long = "sync writes what is new here into the folder DIR, and merges what your other machines wrote there. " +
		"Another\n" +
		"program keeps the folder the same on all machines: Syncthing, a cloud drive, rclone, git or a USB stick.\n" +
		"winnow writes only files of its own below DIR, never a database, and no file is written by two machines.\n" +
		"Without DIR, it uses dir under [sync] in the configuration; with it, the chat syncs by itself, at the " +
		"start,\n" +
		"after each turn and at the end."
	c.Example = "  winnow sync ~/Sync/winnow\n" +
		"  winnow sync --status\n" +
		"  winnow sync --new-key ~/.config/winnow/sync.key"
	addFlag(c, &status, "status", "", "show the machines and what waits, and change nothing")
	addFlag(c, &o.Verify, "verify", "", "read the files of this machine again, and write those that are damaged")
	addFlag(c, &o.Adopt, "adopt", "", "take over the files of the machine with this id, which is gone")
	addFlag(c, &newKey, "new-key", "", "make a key that encrypts, write it to this new file, and sync nothing")
	p.jsonFlag(c)
	for _, other := range []string{"verify", "adopt", "new-key"} {
		apart(c, "status", other)
	}
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
	fmt.Fprintln(p.err, "Set key under [sync] to this file, and copy it to your other machines, but not through the "+
		"synced folder. Without it, nobody can read what it encrypted.")
	return nil
}

// syncOptions is how to sync as the configuration says. Dir is "" where it names no folder.
func (p *program) syncOptions(c config.Config) (o sync.Options, err error) {
	if c.Sync.Dir != "" {
		o.Dir, err = p.expand(c.Sync.Dir)
	}
	if c.Sync.Key != "" && err == nil {
		o.Key, err = p.expand(c.Sync.Key)
	}
	return o, err
}

// sync syncs once.
func (p *program) sync(ctx context.Context, s *store.Store, o sync.Options) error {
	ctx, stop := untilStopped(ctx)
	defer stop()
	var bar *gauge
	now := ""
	o.Progress = func(doing string, done, total int) {
		if doing != now {
			bar.end()
			bar, now = &gauge{p: p, what: doing, total: int64(total), began: p.now()}, doing
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
	for _, why := range out.Skipped {
		fmt.Fprintln(p.err, why)
	}
	if err != nil {
		return stopped(ctx, explainSync(err), "stopped; the next sync continues from there")
	}
	return p.show(synced(out))
}

// explainSync is the sentence for a sync that failed.
func explainSync(err error) error {
	if errors.Is(err, sync.ErrLocked) {
		return fail(Failed, "%w; key under [sync] names its file", err)
	}
	return err
}

// synced is what a sync did.
type synced sync.Result

// Table says it in a line.
func (out synced) Table(page *report.Page) {
	var did []string
	if out.Sent > 0 {
		did = append(did, "sent "+theme.Plural(out.Sent, "message"))
	}
	if len(out.Changed) > out.Purged {
		did = append(did, fmt.Sprintf("received %s in %s", theme.Plural(out.Received, "message"),
			theme.Plural(len(out.Changed)-out.Purged, "session")))
	}
	text := theme.UpperFirst(cmp.Or(strings.Join(did, ", "), "no new messages"))
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
	page.Line("%s", text)
}

// syncState is how a synced folder and the history stand to each other.
type syncState sync.StatusReport

// Table writes what waits, and a line for each other machine.
func (r syncState) Table(page *report.Page) {
	page.Line("%s: %s", r.Dir, r.waiting())
	for _, m := range r.Machines {
		page.Row(nameOf(m), machineSentence(m))
	}
	if len(r.Ignored) > 0 {
		page.Line("%s in the folder are not winnow's and are ignored: %s", theme.Plural(len(r.Ignored), "file"),
			strings.Join(r.Ignored, ", "))
	}
}

// waiting says what of this machine is not in the folder yet, and what of the others is not merged.
func (r syncState) waiting() string {
	var waits []string
	switch {
	case r.Machine == "":
		waits = append(waits, "this machine was never synced")
	case r.Waiting > 0:
		waits = append(waits, theme.Plural(r.Waiting, "new row")+" of this machine to be written")
	case r.Rewrite > 0:
		waits = append(waits, theme.Plural(r.Rewrite, "file")+" of this machine to be written again")
	}
	if r.Lost > 0 {
		waits = append(waits, theme.Plural(r.Lost, "lost file")+" of other machines to be written again")
	}
	if r.Unmerged > 0 {
		waits = append(waits, theme.Plural(r.Unmerged, "file")+" of other machines to be merged")
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
func nameOf(m sync.MachineReport) string { return report.Line(cmp.Or(m.Name, m.Machine)) }

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

// exchange is what syncs the history with other machines as [sync] says; nil where that is not set, or nothing is
// saved. What it returns names the sessions that changed, and as an error what could not be done, each reason once.
func (k *conversation) exchange() func(context.Context) (changed []string, err error) {
	if k.config.Sync.Dir == "" || k.p.flags.noSave || k.store.ReadOnly() {
		return nil
	}
	var mu gosync.Mutex
	var said []string // about segments that could not be read the last time
	return func(ctx context.Context) ([]string, error) {
		o, err := k.p.syncOptions(k.config)
		if err != nil {
			return nil, err
		}
		result, err := sync.Run(ctx, k.store, o)
		switch {
		case errors.Is(err, store.ErrSyncRunning):
			return nil, nil // what there is to do is done there, or the next time
		case err != nil:
			return result.Changed, explainSync(err)
		}
		mu.Lock()
		defer mu.Unlock()
		known := func(why string) bool { return slices.Contains(said, why) }
		news := slices.DeleteFunc(slices.Clone(result.Skipped), known)
		if said = result.Skipped; len(news) == 0 {
			return result.Changed, nil
		}
		return result.Changed, errors.New(strings.Join(news, " "))
	}
}

// runSyncTime bounds how long winnow run waits for what is exchanged with other machines.
const runSyncTime = 2 * time.Second

// exchangeOnce syncs behind a turn of winnow run, for a while, and returns why that failed; what is left is done the
// next time.
func (k *conversation) exchangeOnce(ctx context.Context, s *session.Session) error {
	do := k.exchange()
	if do == nil || ctx.Err() != nil || s.Info().ID == "" {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, runSyncTime)
	defer stop()
	if _, err := do(ctx); ctx.Err() == nil {
		return err
	}
	return nil
}
