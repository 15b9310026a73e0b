package recipes

import (
	"errors"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// latch is an election whose candidates go by the name of their program. The name outlives a session: when
// a program comes back, the znode of its previous session may be in the queue for a while yet.
type latch struct {
	queue string // the parent of the candidates
	sign  string // says who leads, for all to read
	name  string // of this program
}

// join queues up, unless this session is in the queue already.
func (l latch) join(c zoo.Client) (string, error) {
	for {
		me, err := l.find(c)
		if err != nil || me != "" {
			return me, err
		}
		path, err := c.Create(l.queue+"/"+l.name+"-", nil, zoo.EphemeralSequential)
		if !kit.Unknown(err) {
			return strings.TrimPrefix(path, l.queue+"/"), err
		}
		if err := kit.CatchUp(c, l.queue); err != nil {
			return "", err
		}
	}
}

// find looks for the candidate of this session. That it has the right name is not enough: its owner tells
// it from the one that a previous session left, which will vanish with that.
func (l latch) find(c zoo.Client) (string, error) {
	names, err := kit.List(c, l.queue)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, l.name+"-") {
			continue
		}
		stat, err := kit.StatOf(c, l.queue+"/"+name)
		if err == nil && stat.EphemeralOwner == c.SessionID() {
			return name, nil
		}
		if err != nil && !errors.Is(err, zoo.ErrNoNode) {
			return "", err
		}
	}
	return "", nil
}

// proclaim puts the leader's name up, if its znode is still there: both are one step.
func (l latch) proclaim(c zoo.Client, me string) error {
	for {
		_, err := c.Multi(
			zoo.CheckOp(l.queue+"/"+me, zoo.AnyVersion),
			zoo.SetOp(l.sign, []byte(l.name), zoo.AnyVersion),
		)
		switch {
		case errors.Is(err, zoo.ErrNoNode):
			return kit.ErrGone
		case !kit.Unknown(err):
			return err
		}
	}
}

func (l latch) lead(c zoo.Client, p recipe.Params) error {
	me, err := l.join(c)
	if err != nil {
		return err
	}
	mine := program.Subject{Path: l.queue + "/" + me, Fence: kit.Number(me)}
	c.Phase(program.Waiting, mine)
	for {
		ahead, err := kit.Ahead(c, l.queue, me)
		if err != nil {
			return err
		}
		if ahead == "" {
			break
		}
		if err := kit.WaitGone(c, l.queue+"/"+ahead, 0); err != nil {
			return err
		}
	}
	if err := l.proclaim(c, me); err != nil {
		return err
	}
	c.Phase(program.Leading, mine)
	if err := kit.Report(c, p.Hold); err != nil {
		return err
	}
	c.Phase(program.Released, mine)
	return kit.Remove(c, mine.Path) // the one behind takes over
}

// started is whose session a client is: two in a row are of one program, that was started twice.
func started(index int) string { return "program-" + strconv.Itoa((index+1)/2) }

var leaderLatchRecipe = recipe.Recipe{
	Kind: recipe.Right,
	Name: "leader-latch",
	Use:  recipe.ForElection,
	File: "leader_latch.go",
	Promises: []string{promise.TruthExclusion, promise.Order, promise.Announced, promise.Progress,
		promise.OneWakeup, promise.Clean},
	Limits:     []string{promise.BeliefExclusion},
	Sources:    []string{"Apache Curator, LeaderLatch", "CURATOR-604", "CURATOR-696", "KAFKA-1387"},
	MinClients: 2,
	Drawing:    event.Drawing{Stores: kit.NightlyReport(), Shows: event.ShowRoles},
	Role:       func(index, _ int) string { return started(index) },
	Parents:    func(root string) []string { return []string{root, root + "/queue", root + "/leader"} },
	Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		l := latch{queue: p.Root + "/queue", sign: p.Root + "/leader", name: started(p.Index)}
		return kit.Repeat(c, p, func(p recipe.Params) error { return l.lead(c, p) })
	}),
}
