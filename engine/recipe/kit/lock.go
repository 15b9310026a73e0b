package kit

import (
	"errors"

	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
)

// Locker is a lock as its users see it. C is their program's view: a session of ZooKeeper, or the whole world.
type Locker[C program.Process] interface {
	Lock(c C) (program.Subject, error)
	Unlock(c C, held program.Subject) error
}

// UseLock demonstrates a lock: lock, print, unlock, as often as told.
func UseLock[C program.Process](c C, l Locker[C], p recipe.Params) error {
	return Repeat(c, p, func(p recipe.Params) error { return UseLockOnce(c, l, p) })
}

// UseLockOnce locks, prints and unlocks.
func UseLockOnce[C program.Process](c C, l Locker[C], p recipe.Params) error {
	held, err := l.Lock(c)
	if err != nil {
		return err
	}
	c.Phase(program.Holding, held)
	if err := Print(c, p.Hold); err != nil {
		return err
	}
	// A client is out before the next gets the lock, not after.
	c.Phase(program.Released, held)
	return l.Unlock(c, held)
}

// Unknown reports whether the connection was lost before the answer came: the call may have been carried out or not,
// and the caller should find out.
func Unknown(err error) bool {
	return errors.Is(err, zoo.ErrConnectionLoss) || errors.Is(err, program.ErrLost)
}

// Remove deletes a znode that belongs to this session alone. It asks again until the znode is known to be gone.
func Remove(c zoo.Client, path string) error {
	for {
		err := c.Delete(path, zoo.AnyVersion)
		switch {
		case errors.Is(err, zoo.ErrNoNode):
			return nil
		case !Unknown(err):
			return err
		}
	}
}
