package strict

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzCheck sees to it that every body gets an answer, and that a refusal says all that one has to.
func FuzzCheck(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, body := range a.Files {
			f.Add(body.Data)
		}
	}
	all := profiles()
	f.Fuzz(func(t *testing.T, body []byte) {
		for name, p := range all {
			err := Check(p, body)
			if err == nil {
				continue
			}
			var r *Refusal
			if !errors.As(err, &r) || r.Rule == "" || r.Text == "" || r.Status < 400 || r.Index < -1 {
				t.Errorf("%s: %q gets %#v", name, body, err)
			}
		}
	})
}
