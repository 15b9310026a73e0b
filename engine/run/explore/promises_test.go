package explore_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// TestWrongClientsAreFound gives correct recipes to a client that does one thing wrong. The rule about that finds
// each within that many seeds.
func TestWrongClientsAreFound(t *testing.T) {
	for _, m := range []struct {
		recipe, name, rule string
		within             int
		wrong              func(zoo.Client) zoo.Client
	}{
		{"configuration", "stops after its first look", promise.Current, 20,
			func(c zoo.Client) zoo.Client { return stopper{c} }},
		{"configuration", "takes a change whose answer was lost for done", promise.Current, 200,
			func(c zoo.Client) zoo.Client { return optimist{c} }},
		{"configuration", "reads once and never again", promise.Current, 20,
			func(c zoo.Client) zoo.Client { return &incurious{Client: c} }},
		{"publish-subscribe", "reads only the newest message", promise.EveryMessage, 50,
			func(c zoo.Client) zoo.Client { return &newestOnly{Client: c} }},
		{"publish-subscribe", "publishes again without a look", promise.EveryMessage, 200,
			func(c zoo.Client) zoo.Client { return repeater{c} }},
		{"publish-subscribe", "reads each message twice", promise.EveryMessage, 20,
			func(c zoo.Client) zoo.Client { return stutterer{c} }},
		{"publish-subscribe", "stops after its first message", promise.EveryMessage, 20,
			func(c zoo.Client) zoo.Client { return stopper{c} }},
		{"group-membership", "stops after one look", promise.Current, 20,
			func(c zoo.Client) zoo.Client { return stopper{c} }},
		{"group-membership", "goes home as soon as nobody is there any more", promise.Current, 2000,
			func(c zoo.Client) zoo.Client { return &hasty{Client: c} }},
		{"group-membership", "never joins", promise.Current, 20,
			func(c zoo.Client) zoo.Client { return absentee{c} }},
		{"group-membership", "counts those who have gone", promise.MembershipTrue, 50,
			func(c zoo.Client) zoo.Client { return mourner{c, make(map[string]bool)} }},
		{"two-phase-commit", "takes every vote for a yes", promise.VotesKept, 50,
			func(c zoo.Client) zoo.Client { return counter{c, "commit"} }},
		{"two-phase-commit", "takes every vote for a no", promise.VotesKept, 50,
			func(c zoo.Client) zoo.Client { return counter{c, "abort"} }},
		{"two-phase-commit", "commits whatever was decided", promise.VotesKept, 50,
			func(c zoo.Client) zoo.Client { return believer{c, ""} }},
		{"two-phase-commit", "commits, alone, whatever was decided", promise.Agreed, 50,
			func(c zoo.Client) zoo.Client { return believer{c, "client-2"} }},
		{"leader-latch", "never puts its name up", promise.Announced, 20,
			func(c zoo.Client) zoo.Client { return modest{c} }},
		{"naming", "never registers", promise.Announced, 20,
			func(c zoo.Client) zoo.Client { return absentee{c} }},
	} {
		r := named(t, m.recipe)
		right := r.Main
		r.Main = recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
			return untilEnough(right, only{m.wrong(c)}, p)
		})
		f := find(t, explore.Config{Recipe: r, Rules: []string{m.rule}, Seeds: m.within}).Found
		if f == nil {
			t.Errorf("%s that %s: not found in %d seeds", m.recipe, m.name, m.within)
			continue
		}
		t.Logf("%s that %s: seed %d: %s", m.recipe, m.name, f.Seed, f.Violation.Sentence)
	}
}

// enough is the panic by which a client stops its program.
type enough struct{}

func untilEnough(main func(systems.World, recipe.Params) error, w systems.World, p recipe.Params) (err error) {
	defer func() {
		if why := recover(); why != nil && why != (enough{}) {
			panic(why)
		}
	}()
	return main(w, p)
}

// stopper goes home when it has seen something.
type stopper struct{ zoo.Client }

func (c stopper) Phase(p program.Phase, s program.Subject) {
	c.Client.Phase(p, s)
	if p == program.Saw {
		panic(enough{})
	}
}

// hasty goes home when those that it has seen are gone.
type hasty struct {
	zoo.Client
	met bool
}

func (c *hasty) Phase(p program.Phase, s program.Subject) {
	c.Client.Phase(p, s)
	if p == program.Saw && s.Fence == 0 && c.met {
		panic(enough{})
	}
	c.met = c.met || p == program.Saw && s.Fence > 0
}

// optimist believes that every change succeeded.
type optimist struct{ zoo.Client }

func (c optimist) Set(path string, data []byte, version int32) (zoo.Stat, error) {
	stat, err := c.Client.Set(path, data, version)
	if kit.Unknown(err) {
		return zoo.Stat{Version: version + 1}, nil
	}
	return stat, err
}

// incurious goes home when it should read again.
type incurious struct {
	zoo.Client
	read bool
}

func (c *incurious) GetW(path string) ([]byte, zoo.Stat, zoo.Watch, error) {
	if c.read {
		panic(enough{})
	}
	text, stat, watch, err := c.Client.GetW(path)
	c.read = err == nil
	return text, stat, watch, err
}

// newestOnly sees only the last of the messages that it lists.
type newestOnly struct {
	zoo.Client
	newest int64
}

func (c *newestOnly) ChildrenW(path string) ([]string, zoo.Stat, zoo.Watch, error) {
	names, stat, watch, err := c.Client.ChildrenW(path)
	for _, name := range names {
		c.newest = max(c.newest, kit.Number(name)+1)
	}
	return names, stat, watch, err
}

func (c *newestOnly) Phase(p program.Phase, s program.Subject) {
	if p != program.Saw || s.Fence == c.newest {
		c.Client.Phase(p, s)
	}
}

// repeater asks again for as long as nobody answers.
type repeater struct{ zoo.Client }

func (c repeater) Create(path string, data []byte, mode zoo.CreateMode) (made string, err error) {
	err = kit.Insist(func() error {
		made, err = c.Client.Create(path, data, mode)
		return err
	})
	return made, err
}

// stutterer reports twice what it saw.
type stutterer struct{ zoo.Client }

func (c stutterer) Phase(p program.Phase, s program.Subject) {
	c.Client.Phase(p, s)
	if p == program.Saw {
		c.Client.Phase(p, s)
	}
}

// absentee only imagines the ephemeral znodes that others should see.
type absentee struct{ zoo.Client }

func (c absentee) Create(path string, data []byte, mode zoo.CreateMode) (string, error) {
	if mode == zoo.Ephemeral || strings.Contains(path, "/member-") {
		return path, nil
	}
	return c.Client.Create(path, data, mode)
}

// mourner lists everybody that it has ever seen.
type mourner struct {
	zoo.Client
	seen map[string]bool
}

func (c mourner) ChildrenW(path string) ([]string, zoo.Stat, zoo.Watch, error) {
	names, stat, watch, err := c.Client.ChildrenW(path)
	for _, name := range names {
		c.seen[name] = true
	}
	return slices.Sorted(maps.Keys(c.seen)), stat, watch, err
}

// counter reads the same in every vote.
type counter struct {
	zoo.Client
	says string
}

func (c counter) Get(path string) ([]byte, zoo.Stat, error) {
	text, stat, err := c.Client.Get(path)
	if err == nil && strings.Contains(path, "/vote-") {
		text = []byte(c.says)
	}
	return text, stat, err
}

// believer carries everything out, if it is the client who, or always if who is empty.
type believer struct {
	zoo.Client
	who string
}

func (c believer) Phase(p program.Phase, s program.Subject) {
	if p == program.Aborted && (c.who == "" || c.who == c.Name()) {
		p = program.Committed
	}
	c.Client.Phase(p, s)
}

// modest proclaims nothing.
type modest struct{ zoo.Client }

func (c modest) Multi(...zoo.Op) ([]zoo.OpResult, error) { return nil, nil }
