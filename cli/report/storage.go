package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"winnow/session/store"
	"winnow/session/store/backup"
	"winnow/session/sync"
	"winnow/ui/theme"
)

// DatabaseCheck is the result of winnow db check.
type DatabaseCheck struct {
	Sound bool
	store.CheckResult
}

// Table writes what the database contains and what is damaged.
func (c DatabaseCheck) Table(p *Page) {
	p.Line("%s: schema %d, %s, %s, %s, %s", c.Path, c.Schema, theme.Size(int(c.Bytes)),
		theme.Plural(c.Sessions, "chat"), theme.Plural(c.Messages, "message"), theme.Plural(c.Requests, "request"))
	for _, f := range c.Faults {
		p.Line("%s", f)
	}
	if len(c.Damaged) > 0 {
		p.Line("%s differ from what was stored: %d", theme.Plural(len(c.Damaged), "message"), c.Damaged)
	}
	if c.Sound {
		p.Line("No damage found.")
	}
	if len(c.Lost) > 0 {
		p.Line("%s lost their text when the file was damaged earlier.", theme.Plural(len(c.Lost), "message"))
	}
	for _, file := range c.SetAside {
		p.Line("A damaged file that was recovered: %s", file)
	}
}

// BackupList is a list of backups, newest first.
type BackupList []backup.File

// Table writes a row for each backup.
func (b BackupList) Table(p *Page) {
	for _, f := range b {
		p.Row(f.Day.Format(time.DateOnly), theme.Size(int(f.Bytes)), f.Path)
	}
}

// SyncResult is the result of winnow sync.
type SyncResult sync.Result

// Table writes a summary, and a line for each unusual event.
func (out SyncResult) Table(p *Page) {
	var did []string
	if out.Sent > 0 {
		did = append(did, "sent "+theme.Plural(out.Sent, "message"))
	}
	if merged := len(out.Changed) - out.Purged; merged > 0 {
		did = append(did, fmt.Sprintf("received %s in %s from %s", theme.Plural(out.Received, "message"),
			theme.Plural(merged, "chat"), strings.Join(out.From, ", ")))
	}
	p.Line("%s.", theme.UpperFirst(cmp.Or(strings.Join(did, ", "), "no new messages")))
	for _, unusual := range []count{
		{"Deleted %s that another machine purged.", out.Purged},
		{"Kept messages of %s that the machine which purged it did not have.", out.Saved},
		{"Continued on two machines at once: %s, with a branch for each machine.", out.Diverged},
	} {
		if unusual.n > 0 {
			p.Line(unusual.what, theme.Plural(unusual.n, "chat"))
		}
	}
}

// SyncStatus is the result of winnow sync --status.
type SyncStatus sync.StatusReport

// Table writes what waits, and a row for each other machine.
func (r SyncStatus) Table(p *Page) {
	p.Line("%s: %s", r.Dir, r.WaitingText())
	for _, m := range r.Machines {
		p.Row(MachineName(m), MachineState(m))
	}
	if len(r.Ignored) > 0 {
		p.Line("%s in the folder are not winnow's and are ignored: %s", theme.Plural(len(r.Ignored), "file"),
			strings.Join(r.Ignored, ", "))
	}
}

// WaitingText says what this machine has not written yet and what it has not merged.
func (r SyncStatus) WaitingText() string {
	text := "up to date"
	if r.Machine == "" {
		text = "this machine was never synced"
	} else if r.Waiting+r.Rewrite+r.Lost+r.Unmerged > 0 {
		text = "waiting: " + nonZero(count{"rows to write", r.Waiting}, count{"files to write again", r.Rewrite},
			count{"lost files to write again", r.Lost}, count{"files to merge", r.Unmerged})
	}
	if r.Encrypted {
		text += "; encrypted"
	}
	if r.Plain > 0 {
		text += fmt.Sprintf(", but %s in plain text", theme.PluralOf(r.Plain, "file is", "files are"))
	}
	return text
}

// MachineName returns the host name of another machine, or else its id.
func MachineName(m sync.MachineReport) string { return ShortLine(cmp.Or(m.Name, m.Machine)) }

// MachineState says when another machine was last seen and what of it waits.
func MachineState(m sync.MachineReport) string {
	text := "nothing merged yet"
	if !m.Last.IsZero() {
		text = "last seen " + m.Last.Local().Format(minute)
	}
	if m.New > 0 {
		text += fmt.Sprintf(", %s to be merged", theme.Plural(m.New, "file"))
	}
	if m.Why != "" {
		text += ": " + m.Why
	}
	if m.Inactive(time.Now()) {
		text += fmt.Sprintf("; if it is gone, winnow sync --adopt %s takes over its files", m.Machine)
	}
	return text
}
