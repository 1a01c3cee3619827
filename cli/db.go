//go:build cgo

package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func (p *program) dbCommand() *cobra.Command {
	return group(&cobra.Command{Use: "db", Short: "The file that holds the conversations"},
		&cobra.Command{
			Use:   "path",
			Short: "Print where the conversations are",
			Args:  takes("no arguments", 0, 0),
			RunE: p.do(func(context.Context, []string) error {
				c, err := p.readConfig()
				if err != nil {
					return err
				}
				path, err := p.dbPath(c)
				if err == nil {
					fmt.Fprintln(p.out, path)
				}
				return err
			}),
		})
}
