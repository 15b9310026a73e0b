package conform

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// guess is the tree as a generator assumes it to be. It may be wrong: it serves to make enough requests succeed. It
// ignores ACLs.
type guess struct {
	nodes map[string]*guessed
	order []string // paths of nodes, in the order of creation
	gone  []string // some that were deleted
}

type guessed struct {
	version, aversion, creates, kids int32
	owner                            string // the connection of an ephemeral
}

func newGuess() *guess {
	g := &guess{nodes: map[string]*guessed{}}
	g.nodes["/"] = &guessed{}
	return g
}

func (g *guess) create(name, owner string, mode zoo.CreateMode) string {
	dir := path.Dir(name)
	if strings.HasSuffix(name, "/") {
		dir = strings.TrimSuffix(name, "/")
	}
	parent, ok := g.nodes[dir]
	if !ok || parent.owner != "" || !strings.HasPrefix(name, "/") {
		return name
	}
	if mode.IsSequential() {
		name += fmt.Sprintf("%010d", parent.creates)
	}
	if _, taken := g.nodes[name]; taken {
		return name
	}
	n := &guessed{}
	if mode.IsEphemeral() {
		n.owner = owner
	}
	g.nodes[name] = n
	g.order = append(g.order, name)
	parent.creates++
	parent.kids++
	return name
}

func (g *guess) delete(name string) {
	n, ok := g.nodes[name]
	if !ok || n.kids > 0 || name == "/" {
		return
	}
	delete(g.nodes, name)
	g.order = slices.DeleteFunc(g.order, func(s string) bool { return s == name })
	if g.gone = append(g.gone, name); len(g.gone) > 20 {
		g.gone = g.gone[1:]
	}
	if parent, ok := g.nodes[path.Dir(name)]; ok {
		parent.kids--
	}
}

// end deletes the ephemerals of a session.
func (g *guess) end(owner string) {
	for _, name := range slices.Clone(g.order) {
		if g.nodes[name].owner == owner {
			g.delete(name)
		}
	}
}

func (g *guess) any(rng *rand.Rand) string {
	if len(g.order) == 0 {
		return "/"
	}
	return g.order[rng.IntN(len(g.order))]
}

// leaf returns a node, most often one without children.
func (g *guess) leaf(rng *rand.Rand) string {
	name := g.any(rng)
	for range 8 {
		if n := g.nodes[name]; n != nil && n.kids == 0 {
			break
		}
		name = g.any(rng)
	}
	return name
}
