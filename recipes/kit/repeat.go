package kit

import (
	"errors"

	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Repeat goes through once as often as told. If the end of the session ends it, it says so.
func Repeat(c program.Process, p Params, once func() error) error {
	for range p.Rounds {
		if err := once(); err != nil {
			if errors.Is(err, zoo.ErrSessionExpired) {
				c.Phase(program.Lost, program.Subject{})
			}
			return err
		}
	}
	return nil
}
