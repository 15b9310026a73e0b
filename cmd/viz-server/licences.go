package main

import (
	"io"

	"github.com/zkviz/zkviz/static"
)

// licencesCmd prints the licence texts of all linked code.
type licencesCmd struct{}

func (c *licencesCmd) Run(term *terminal) error {
	_, err := io.WriteString(term.out, static.Licences())
	return err
}
