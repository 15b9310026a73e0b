package recipes

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
)

// transaction is carried out by all sites or by none. The sites vote, and the decision is one znode: anyone who
// creates it decides, everybody else finds it made. So a coordinator that dies holds nobody up.
type transaction struct {
	path     string // its children are a vote of each site, and the decision
	decision string
}

// verdict is a vote, or the decision.
type verdict string

const (
	commit verdict = "commit"
	abort  verdict = "abort"
)

const votes = "vote-"

// begin makes the transaction known.
func (t transaction) begin(c zoo.Client) error {
	return kit.Insist(func() error { return made(c.Create(t.path, nil, zoo.Persistent)) })
}

// vote is the site's own znode: nobody else may vote for it.
func (t transaction) vote(c zoo.Client, v verdict) error {
	return kit.Insist(func() error {
		return made(c.Create(t.path+"/"+votes+c.Name(), []byte(v), zoo.Persistent))
	})
}

// coordinate waits for all votes and decides. If some do not come, it decides without them.
func (t transaction) coordinate(c zoo.Client, sites int) (verdict, error) {
	for {
		names, _, more, err := c.ChildrenW(t.path)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return "", err
		}
		if voted := withPrefix(names, votes); len(voted) == sites {
			v, err := t.count(c, voted)
			if err != nil {
				return "", err
			}
			return t.decide(c, v)
		}
		if told, err := kit.WaitFor(c, more); !told || err != nil {
			return t.decideIf(c, abort, err)
		}
	}
}

// count is commit if every vote is.
func (t transaction) count(c zoo.Client, voted []string) (verdict, error) {
	for _, name := range voted {
		v, err := t.read(c, t.path+"/"+name)
		if v != commit || err != nil {
			return abort, err
		}
	}
	return commit, nil
}

// await waits for the decision. A site that waits in vain decides for all: it may, because nothing has been
// decided yet if its znode is the first.
func (t transaction) await(c zoo.Client) (verdict, error) {
	for {
		made, there, err := watchFor(c, t.decision)
		if err != nil {
			return "", err
		}
		if there {
			return t.read(c, t.decision)
		}
		if told, err := kit.WaitFor(c, made); !told || err != nil {
			return t.decideIf(c, abort, err)
		}
	}
}

// decide makes v the decision, unless there is one, and returns what was decided.
func (t transaction) decide(c zoo.Client, v verdict) (verdict, error) {
	err := kit.Insist(func() error { return made(c.Create(t.decision, []byte(v), zoo.Persistent)) })
	if err != nil {
		return "", err
	}
	return t.read(c, t.decision)
}

func (t transaction) decideIf(c zoo.Client, v verdict, err error) (verdict, error) {
	if err != nil {
		return "", err
	}
	return t.decide(c, v)
}

func (t transaction) read(c zoo.Client, path string) (verdict, error) {
	var text []byte
	err := kit.Insist(func() (err error) {
		text, _, err = c.Get(path)
		return err
	})
	return verdict(text), err
}

const (
	coordinator = "coordinator"
	site        = "site"
)

func commitRole(index, _ int) string {
	if index == 1 {
		return coordinator
	}
	return site
}

// refuses is every how many of its transactions a site votes against one.
const refuses = 5

// price returns what the sites sell at after their nth transaction, from 0 for none, if that is committed.
func price(n int) string { return "price " + strconv.Itoa(10*(n+1)) }

// useTwoPhaseCommit has the sites agree on one new price after the other.
func useTwoPhaseCommit(c zoo.Client, p recipe.Params) error {
	coordinates := commitRole(p.Index, p.Clients) == coordinator
	if !coordinates {
		if err := kit.Sell(c, price(0)); err != nil {
			return err
		}
	}
	for n := range p.Rounds {
		path := p.Root + "/transaction-" + strconv.Itoa(n+1)
		t := transaction{path: path, decision: path + "/decision"}
		var v verdict
		var err error
		if coordinates {
			if err = t.begin(c); err == nil {
				c.Phase(program.Waiting, program.Subject{Path: path})
				v, err = t.coordinate(c, p.Clients-1)
			}
		} else {
			v, err = t.takePart(c, p, n)
		}
		switch {
		case err != nil:
			return err
		case v == commit:
			c.Phase(program.Committed, program.Subject{Path: path})
			if coordinates {
				continue
			}
			if err := kit.Sell(c, price(n+1)); err != nil {
				return err
			}
		case v == abort:
			c.Phase(program.Aborted, program.Subject{Path: path})
		default:
			c.Phase(program.GaveUp, program.Subject{Path: path}) // the transaction never began
			return nil
		}
	}
	return nil
}

// takePart is a site's part in its nth transaction, from 0.
func (t transaction) takePart(c zoo.Client, p recipe.Params, nth int) (verdict, error) {
	began, there, err := watchFor(c, t.path)
	if err == nil && !there {
		there, err = kit.WaitFor(c, began)
	}
	if err != nil || !there {
		return "", err
	}
	if err := c.Work(p.Hold); err != nil {
		return "", err
	}
	v := commit
	if (p.Index+nth)%refuses == 0 {
		v = abort
	}
	if err := t.vote(c, v); err != nil {
		return "", err
	}
	c.Phase(program.Waiting, program.Subject{Path: t.path})
	return t.await(c)
}

var twoPhaseCommitRecipe = recipe.Recipe{
	Kind:       recipe.Right,
	Name:       "two-phase-commit",
	File:       "two_phase_commit.go",
	Promises:   []string{promise.Agreed, promise.VotesKept, promise.Progress, promise.Clean},
	Sources:    []string{"ZooKeeper documentation, Recipes and Solutions: Two-phased Commit"},
	MinClients: 2,
	Keeps:      []string{"transaction-"},
	Drawing:    event.Drawing{Stores: kit.Shelf()},
	Role:       commitRole,
	Parents:    recipe.JustRoot,
	Main:       recipe.OnZooKeeper(useTwoPhaseCommit),
}
