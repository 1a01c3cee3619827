package composer

import (
	"os"
	"path/filepath"
)

// AttachPrefix begins a draft in which paths are completed.
const AttachPrefix = "/attach "

// Folder is what is known of the folder whose files complete a path.
type Folder struct {
	Of      string // as it was typed, "" for the one that winnow runs in
	Known   bool
	Entries []dirEntry
}

// dirEntry is a file or a folder.
type dirEntry struct {
	Name   string
	Folder bool
	Size   int64
}

// InFolder are the files and folders in a folder, none where it cannot be read.
func InFolder(dir string) []dirEntry {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil // What is typed is no folder yet.
	}
	var out []dirEntry
	for _, e := range list {
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		if err == nil && (info.IsDir() || info.Mode().IsRegular()) {
			out = append(out, dirEntry{e.Name(), info.IsDir(), info.Size()})
		}
	}
	return out
}
