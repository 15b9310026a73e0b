package main

import (
	"io"

	"github.com/zkviz/zkviz/static"
)

// licencesCmd prints what the licences of all that is linked want to be printed.
type licencesCmd struct{}

func (c *licencesCmd) Run(term *terminal) error {
	_, err := io.WriteString(term.out, static.Licences())
	return err
}
