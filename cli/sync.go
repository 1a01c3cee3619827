package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"winnow/cli/config"
	"winnow/cli/report"
	"winnow/session/store"
	"winnow/session/sync"
	"winnow/ui/theme"
)

func (p *program) syncCommand() *cobra.Command {
	var o sync.Options
	var status bool
	var newKey string
	c := p.withJSON(p.command("sync [DIR]", "Exchange the chats with your other machines through a folder",
		func(ctx context.Context, args []string) error {
			if newKey != "" {
				return p.newSyncKey(newKey)
			}
			c, err := p.readConfig()
			if err != nil {
				return err
			}
			if len(args) > 0 {
				c.Sync.Dir = args[0]
			}
			switch o.Dir, o.Key, err = p.syncFolder(c); {
			case err != nil:
				return err
			case o.Dir == "":
				return fail(exitUsage,
					"winnow sync needs a folder: name one, or set dir under [sync] in the configuration")
			case status:
				return p.withApp(ctx, purposeLook, func(a *app) error {
					r, err := sync.Status(ctx, a.store, o)
					if err != nil {
						return err
					}
					return p.show(report.SyncStatus(r))
				})
			}
			return p.withApp(ctx, purposeChange, func(a *app) error { return p.sync(ctx, a.store, o) })
		}))
	c.Long = "sync writes what is new here into the folder DIR, and merges what your other machines wrote there. " +
		"Another program keeps the folder the same on all machines: Syncthing, a cloud drive, rclone, git or a USB " +
		"stick. Without DIR, it uses dir under [sync] in the configuration."
	c.Example = "  winnow sync ~/Sync/winnow\n" +
		"  winnow sync --new-key ~/.config/winnow/sync.key"
	c.Flags().BoolVar(&status, "status", false, "show the machines and what waits, and change nothing")
	c.Flags().BoolVar(&o.Verify, "verify", false, "check the files of this machine, and write damaged ones again")
	c.Flags().StringVar(&o.Adopt, "adopt", "", "take over the files of the machine with this id, which is gone")
	c.Flags().StringVar(&newKey, "new-key", "", "make a key that encrypts, write it to this new file, and sync nothing")
	for _, other := range []string{"verify", "adopt", "new-key"} {
		c.MarkFlagsMutuallyExclusive("status", other)
	}
	return c
}

// newSyncKey creates a key file.
func (p *program) newSyncKey(file string) error {
	public, err := sync.NewKey(file)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fail(exitFailed, "%s already exists; a key is never overwritten", file)
	case err != nil:
		return fail(exitFailed, "cannot write %s: %w", file, fileCause(err))
	}
	fmt.Fprintf(p.out, "Wrote a key to %s. Its public key is %s.\n", file, public)
	fmt.Fprintln(p.err, "Set key under [sync] to this file, and copy it to your other machines, but not through the "+
		"synced folder. Without it, nobody can read what it encrypted.")
	return nil
}

// syncFolder returns the configured folder and key file of the sync, "" for none.
func (p *program) syncFolder(c config.Config) (dir, key string, err error) {
	if c.Sync.Dir != "" {
		dir, err = p.expand(c.Sync.Dir)
	}
	if c.Sync.Key != "" && err == nil {
		key, err = p.expand(c.Sync.Key)
	}
	return dir, key, err
}

// sync syncs once and prints the result.
func (p *program) sync(ctx context.Context, s *store.Store, o sync.Options) error {
	ctx, stop := untilStopped(ctx)
	defer stop()
	out, err := sync.Run(ctx, s, o)
	if err == nil && out.Purged > 0 {
		// The screen finishes purges at its start instead.
		if err = s.FinishPurge(ctx); errors.Is(err, store.ErrNotOverwritten) {
			err = nil
		}
	}
	for _, why := range out.Skipped {
		fmt.Fprintln(p.err, why)
	}
	if err != nil {
		return stoppedError(ctx, err, "stopped; the next sync continues from there")
	}
	return p.show(report.SyncResult(out))
}

// syncFunc returns a function that syncs as configured in [sync], or nil if sync is not configured or nothing is saved.
// The function returns the ids of the changed sessions, and an error for what could not be synced.
func (a *app) syncFunc() func(context.Context) (changed []string, err error) {
	if a.config.Sync.Dir == "" || a.flags.noSave || a.store.ReadOnly() {
		return nil
	}
	return func(ctx context.Context) ([]string, error) {
		dir, key, err := a.syncFolder(a.config)
		if err != nil {
			return nil, err
		}
		result, err := sync.Run(ctx, a.store, sync.Options{Dir: dir, Key: key})
		switch {
		case errors.Is(err, store.ErrSyncRunning):
			return nil, nil // the other sync does the work
		case err == nil && len(result.Skipped) > 0:
			err = errors.New(strings.Join(result.Skipped, " "))
		}
		return result.Changed, err
	}
}

// syncTimeout bounds how long winnow run and plain mode wait for a sync.
const syncTimeout = 2 * time.Second

// syncBriefly syncs for a limited time and returns why that failed, "" if it did not. The next sync continues. It does
// not wait for a network folder that hangs.
func (a *app) syncBriefly(ctx context.Context) string {
	do := a.syncFunc()
	if do == nil || ctx.Err() != nil {
		return ""
	}
	ctx, stop := context.WithTimeout(ctx, syncTimeout)
	defer stop()
	done := make(chan error, 1)
	go func() {
		_, err := do(ctx)
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil && ctx.Err() == nil {
			return theme.UpperFirst(theme.Sentence(err))
		}
	case <-ctx.Done():
	}
	return ""
}
