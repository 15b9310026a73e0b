package kit

import (
	"cmp"
	"errors"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Repeat goes through once as often as told, each time with what holds for it. If the end of the session ends it, it
// says so.
func Repeat(c program.Process, p Params, once func(Params) error) error {
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

// Round waits until round n, from 0, is to begin, and returns what holds for it. Where nobody has said when a client
// comes, that is at once.
func (p Params) Round(c program.Process, n int) (Params, error) {
	if n >= len(p.Visits) {
		return p, nil
	}
	v := p.Visits[n]
	p.Hold = cmp.Or(v.For, p.Hold)
	if early := v.At - c.Now(); early > 0 {
		return p, c.Sleep(early)
	}
	return p, nil
}
