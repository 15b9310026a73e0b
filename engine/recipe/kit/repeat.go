package kit

import (
	"errors"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
)

// Repeat calls once for each round, with that round's Params. If the session ends, it reports the lock as
// lost.
func Repeat(c program.Process, p recipe.Params, once func(recipe.Params) error) error {
	for n := range p.Rounds {
		this, err := p.Round(c, n)
		if err == nil {
			err = once(this)
		}
		if err != nil {
			if errors.Is(err, zoo.ErrSessionExpired) {
				c.Phase(program.Lost, program.Subject{})
			}
			return err
		}
	}
	return nil
}
