package recipes

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// election is a queue of candidates: the one with the smallest number leads, and each other watches the one
// just ahead, so that the end of the leader wakes its successor alone.
type election struct{ dir string }

// stand returns when the client is the leader.
func (e election) stand(c zoo.Client) (program.Subject, error) {
	me, err := kit.Join(c, e.dir, "candidate-")
	if err != nil {
		return program.Subject{}, err
	}
	mine := program.Subject{Path: e.dir + "/" + me, Fence: kit.Number(me)}
	c.Phase(program.Waiting, mine)
	for {
		ahead, err := kit.Ahead(c, e.dir, me)
		if err != nil || ahead == "" {
			return mine, err
		}
		if err := kit.WaitGone(c, e.dir+"/"+ahead, 0); err != nil {
			return mine, err
		}
		// Another candidate may have gone, not the leader: look again.
	}
}

// lead leads for a term, or until the client learns that its session, and so its leadership, is over.
func (e election) lead(c zoo.Client, p recipe.Params) error {
	mine, err := e.stand(c)
	if err != nil {
		return err
	}
	c.Phase(program.Leading, mine)
	if err := kit.Report(c, p.Hold); err != nil {
		return err
	}
	c.Phase(program.Released, mine)
	return kit.Remove(c, mine.Path)
}

var leaderElectionRecipe = recipe.Recipe{
	Kind:     recipe.Right,
	Name:     "leader-election",
	Use:      recipe.ForElection,
	File:     "leader_election.go",
	Promises: []string{promise.TruthExclusion, promise.Order, promise.Progress, promise.OneWakeup, promise.Clean},
	Limits:   []string{promise.BeliefExclusion},
	Sources: []string{"ZooKeeper documentation, Recipes and Solutions: Leader Election",
		"Apache Curator, LeaderSelector"},
	MinClients: 1,
	Drawing:    event.Drawing{Kind: event.DrawQueue, Stores: kit.NightlyReport()},
	Parents:    recipe.JustRoot,
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.Repeat(c, p, func(p recipe.Params) error { return election{p.Root}.lead(c, p) })
	}),
}
