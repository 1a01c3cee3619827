//go:build cgo

package cli

import (
	"errors"
	"io/fs"
	"os"
)

// why is what the system said of a file, without the call and the name that it was said of: the name may
// be one that the user never typed.
func why(err error) error {
	var one *fs.PathError
	var two *os.LinkError
	switch {
	case errors.As(err, &one):
		return one.Err
	case errors.As(err, &two):
		return two.Err
	}
	return err
}
