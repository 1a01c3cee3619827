package store

import (
	"context"
	"slices"
)

// SyncParted is a session that was continued on several machines side by side.
type SyncParted struct {
	Branches int
	Machines []string // the names of those that went on, in order
}

// Parted returns the sessions that were continued on several machines side by side, by their ids.
func (y *Sync) Parted(ctx context.Context) (map[string]SyncParted, error) {
	diverged, err := y.Diverged(ctx)
	if err != nil || len(diverged) == 0 {
		return nil, err
	}
	all := make(map[string]SyncParted, len(diverged))
	for id, others := range diverged {
		names := []string{others[0].Here}
		for _, d := range others {
			names = append(names, d.Machine)
		}
		slices.Sort(names)
		names = slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
		all[id] = SyncParted{Branches: len(others) + 1, Machines: names}
	}
	return all, nil
}
