package kit

import (
	"errors"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
)

// WaitFor awaits one of the watches with Patience. It returns false if none fired.
func WaitFor(c zoo.Client, watches ...zoo.Watch) (bool, error) {
	_, err := c.Await(recipe.Patience, watches...)
	if errors.Is(err, zoo.ErrTimeout) {
		return false, nil
	}
	return err == nil, err
}

// IsMine reports whether the ephemeral znode exists and belongs to this session.
func IsMine(c zoo.Client, path string) (bool, error) {
	for {
		there, stat, err := c.Exists(path)
		if !Unknown(err) {
			return there && stat.EphemeralOwner == c.SessionID(), err
		}
	}
}
