package pitfalls

import (
	"errors"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// releaseByAnyone deletes the lock without asking whose it is. When the answer to its own release is lost it
// deletes once more, and what it deletes then may be the lock of the next one, who is inside.
type releaseByAnyone struct{ path string }

func (l releaseByAnyone) Lock(c zoo.Client) (program.Subject, error) {
	c.Phase(program.Waiting, program.Subject{})
	for {
		_, err := c.Create(l.path, []byte(c.Name()), zoo.Ephemeral)
		if err == nil {
			return program.Subject{Path: l.path}, nil
		}
		if !errors.Is(err, zoo.ErrNodeExists) && !kit.Unknown(err) {
			return program.Subject{}, err
		}
		_, stat, gone, err := c.GetW(l.path)
		switch {
		case errors.Is(err, zoo.ErrNoNode) || kit.Unknown(err):
			continue
		case err != nil:
			return program.Subject{}, err
		case stat.EphemeralOwner == c.SessionID():
			return program.Subject{Path: l.path}, nil
		}
		if _, err := c.Await(0, gone); err != nil {
			return program.Subject{}, err
		}
	}
}

func (l releaseByAnyone) Unlock(c zoo.Client, _ program.Subject) error {
	err := c.Delete(l.path, zoo.AnyVersion)
	for kit.Unknown(err) {
		err = c.Delete(l.path, zoo.AnyVersion) // to be sure
	}
	if errors.Is(err, zoo.ErrNoNode) {
		return nil
	}
	return err
}

var releaseByAnyoneRecipe = recipe.Recipe{
	Kind:        recipe.Pitfall,
	Name:        "release-by-anyone",
	Cure:        "unique-lock",
	Use:         recipe.ForLock,
	File:        Dir + "release_by_anyone.go",
	Promises:    []string{promise.TruthExclusion},
	Sources:     []string{"CURATOR-678", "A Japanese article on locks: GET, then DEL"},
	FoundWithin: 500,
	Seen:        "clients=3&hold=8s&session-timeout=6s&latency=400ms&jitter=20ms&stagger=1s&fault=drop+client-1+at+5s",
	MinClients:  3,
	Drawing:     event.Drawing{Stores: kit.Printer()},
	Parents:     recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.UseLock(c, releaseByAnyone{p.Root + "/lock"}, p)
	}),
}
