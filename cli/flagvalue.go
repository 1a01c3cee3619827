//go:build cgo

package cli

import (
	"errors"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// kinds are the values of flags that are not any text, in words.
var kinds = map[string]string{
	"bool":     "true or false",
	"int":      "a whole number",
	"int64":    "a whole number",
	"intSlice": "whole numbers",
}

// explainFlag says what a flag takes where it was given something else: the flag package would quote
// the function that could not read it.
func explainFlag(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	flag := invalid.GetFlag()
	takes, known := kinds[flag.Value.Type()]
	if !known {
		return err
	}
	if errors.Is(err, strconv.ErrRange) {
		return fail(Usage, "--%s is %s; that is too large a number", flag.Name, invalid.GetValue())
	}
	return fail(Usage, "--%s is %q; it takes %s", flag.Name, invalid.GetValue(), takes)
}

// emptyFlag refuses a flag that says where or which and then names nothing: behind it mostly stands a
// variable of a script that is not set, and the default would be the user's own history.
func emptyFlag(c *cobra.Command) error {
	var err error
	c.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && f.Value.String() == "" && slices.Contains([]string{"config", "db", "model", "persona", "prompt", "session"}, f.Name) {
			err = fail(Usage, "--%s is empty; it takes a value", f.Name)
		}
	})
	return err
}
