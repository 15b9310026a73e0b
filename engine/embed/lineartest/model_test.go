package lineartest

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/zkviz/zkviz/engine/zoo"
)

// kind is what an op asks for.
type kind string

const (
	create     kind = "create"
	sequential kind = "create sequential"
	set        kind = "set"
	remove     kind = "delete"
	get        kind = "get"
	list       kind = "list"
	swap       kind = "multi"  // check one znode's version, set another one, make a sequential one: all or nothing
	ending     kind = "ending" // of a session, with its ephemeral znodes
)

// op is one request to a family: a znode that stays, and its children.
type op struct {
	kind      kind
	family    int
	session   int64 // who asks
	name      string
	other     string // swap: the znode to set; name is the one to check
	data      string
	version   int32 // zoo.AnyVersion, or the one it must have
	ephemeral bool
	stale     bool // a read that may be of what was
}

// outcome is what the client learnt. Of an op whose answer was lost nothing is known: it may have been
// carried out at any time until its session was heard of again, or never.
type outcome struct {
	lost     bool
	code     zoo.Code
	name     string // that was made
	data     string
	version  int32
	owner    int64
	names    []string
	cversion int32
	zxid     int64 // the server's
}

func (o outcome) equal(p outcome) bool {
	return o.code == p.code && o.name == p.name && o.data == p.data && o.version == p.version &&
		o.owner == p.owner && o.cversion == p.cversion && slices.Equal(o.names, p.names)
}

type node struct {
	name, data string
	version    int32
	owner      int64
}

// family is the state of one. It is never changed, only replaced.
type family struct {
	made, gone int32 // how many children were, ever
	nodes      []node
	zxid       int64 // of the last answered op that has been carried out; the same wherever the same ones have been
}

func (f family) equal(g family) bool {
	return f.made == g.made && f.gone == g.gone && slices.Equal(f.nodes, g.nodes)
}

// hash is the same for equal families. Data is written once, so that versions and data need not both count.
func (f family) hash() uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, f.made, f.gone)
	for _, n := range f.nodes {
		_, _ = h.Write([]byte(n.data)) // of a hash never fails
	}
	return h.Sum64()
}

func (f family) find(name string) (int, bool) {
	return slices.BinarySearchFunc(f.nodes, name, func(n node, name string) int { return strings.Compare(n.name, name) })
}

func (f family) with(n node) family {
	i, _ := f.find(n.name)
	f.nodes = slices.Insert(slices.Clone(f.nodes), i, n)
	f.made++
	return f
}

func (f family) without(leaves func(node) bool) family {
	before := len(f.nodes)
	f.nodes = slices.DeleteFunc(slices.Clone(f.nodes), leaves)
	f.gone += int32(before - len(f.nodes))
	return f
}

func (f family) changed(i int, data string) family {
	f.nodes = slices.Clone(f.nodes)
	f.nodes[i].data = data
	f.nodes[i].version++
	return f
}

// do is ZooKeeper as a sequential program: what the op leads to, and what it answers.
func (f family) do(o op) (family, outcome) {
	owner := int64(0)
	if o.ephemeral {
		owner = o.session
	}
	i, there := f.find(o.name)
	switch o.kind {
	case create:
		if there {
			return f, outcome{code: zoo.ErrNodeExists}
		}
		return f.with(node{name: o.name, data: o.data, owner: owner}), outcome{name: o.name}
	case sequential:
		name := fmt.Sprintf("%s%010d", o.name, f.made)
		return f.with(node{name: name, data: o.data, owner: owner}), outcome{name: name}
	case list:
		answer := outcome{cversion: f.made + f.gone}
		for _, n := range f.nodes {
			answer.names = append(answer.names, n.name)
		}
		return f, answer
	case ending:
		return f.without(func(n node) bool { return n.owner == o.session }), outcome{}
	}
	switch {
	case !there:
		return f, outcome{code: zoo.ErrNoNode}
	case o.kind == get:
		n := f.nodes[i]
		return f, outcome{data: n.data, version: n.version, owner: n.owner}
	case o.version != zoo.AnyVersion && o.version != f.nodes[i].version:
		return f, outcome{code: zoo.ErrBadVersion}
	case o.kind == remove:
		return f.without(func(n node) bool { return n.name == o.name }), outcome{}
	case o.kind == set:
		return f.changed(i, o.data), outcome{version: f.nodes[i].version + 1}
	}
	return f.swap(o)
}

// swap is the rest of a multi whose check has passed.
func (f family) swap(o op) (family, outcome) {
	i, there := f.find(o.other)
	if !there {
		return f, outcome{code: zoo.ErrNoNode}
	}
	name := fmt.Sprintf("%s%010d", prefix, f.made)
	answer := outcome{name: name, version: f.nodes[i].version + 1}
	return f.changed(i, o.data).with(node{name: name, data: o.data}), answer
}

// after is the family after an op with that answer, and whether the op can come now: writes are carried out in the
// order of their zxids, and a read is of what its server had with the zxid of its answer. That follows from what
// ZooKeeper promises, and leaves few orders to be tried.
func (f family) after(o op, answer outcome) (family, bool) {
	switch {
	case answer.zxid == 0: // nobody knows
		return f, true
	case answer.zxid < f.zxid, o.writes() && answer.zxid == f.zxid:
		return f, false
	}
	f.zxid = answer.zxid
	return f, true
}

// model says that every op, reads too, took effect at one moment between its call and its return.
//
// ZooKeeper promises less of reads: that those of one session follow one order of the writes, perhaps from
// behind, and never go back. On an ensemble they may differ from what the newest write left: see history.widen. On one
// server they never do, so what is tested there is the stronger law, from which the weaker one follows.
func model() porcupine.NondeterministicModel {
	return porcupine.NondeterministicModel{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			var parts [][]porcupine.Operation
			for _, o := range history {
				f := o.Input.(op).family
				for len(parts) <= f {
					parts = append(parts, nil)
				}
				parts[f] = append(parts[f], o)
			}
			return parts
		},
		Init: func() []any { return []any{family{}} },
		Step: func(state, input, output any) []any {
			o, got := input.(op), output.(outcome)
			next, want := state.(family).do(o)
			if got.lost {
				return []any{state, next}
			}
			if next, inOrder := next.after(o, got); inOrder && got.equal(want) {
				return []any{next}
			}
			return nil
		},
		Equal:             func(a, b any) bool { return a.(family).equal(b.(family)) },
		Hash:              func(a any) uint64 { return a.(family).hash() },
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
		DescribeState:     func(state any) string { return fmt.Sprintf("%+v", state) },
	}
}
