package kit

import (
	"cmp"
	"errors"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Repeat calls once for each round, with that round's Params. If the session ends, it reports the lock as
// lost.
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

// Round waits until round n, from 0, is to begin, and returns its Params. Without Visits it begins at
// once.
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
