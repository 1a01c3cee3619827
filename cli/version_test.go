package cli

import (
	"runtime/debug"
	"testing"
)

func TestVersionNamesTheCommit(t *testing.T) {
	const commit = "7213752abcdef0123456789abcdef0123456789a"
	for _, c := range []struct {
		release, version, commit, modified, want string
	}{
		{"", "v0.3.0", commit, "false", "v0.3.0 (7213752abcde)"},
		{"", "v0.3.0", "", "", "v0.3.0"},
		{"", "v0.0.0-20261122222718-7213752abcde", commit, "false", "built from source (7213752abcde)"},
		{"", "v0.3.1-0.20261122222718-7213752abcde+dirty", commit, "true", "built from source (7213752abcde, changed)"},
		{"", "(devel)", "", "", "built from source"},
		{"v0.4.0", "v0.0.0-20261122222718-7213752abcde", commit, "false", "v0.4.0 (7213752abcde)"},
		{"v0.4.0", "", "", "", "v0.4.0"},
		{"", "", "", "", "built from source"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.version}}
		if c.commit != "" {
			info.Settings = []debug.BuildSetting{
				{Key: "vcs.revision", Value: c.commit}, {Key: "vcs.modified", Value: c.modified},
			}
		}
		if got := versionOf(c.release, info); got != c.want {
			t.Errorf("%s of commit %.12s: %q, want %q", c.version, c.commit, got, c.want)
		}
	}
}
