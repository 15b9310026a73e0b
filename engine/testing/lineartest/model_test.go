package lineartest

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// kind is the operation of an op.
type kind string

const (
	create     kind = "create"
	sequential kind = "create sequential"
	set        kind = "set"
	remove     kind = "delete"
	get        kind = "get"
	list       kind = "list"
	swap       kind = "multi"  // check one znode's version, set another one, create a sequential one: all or nothing
	ending     kind = "ending" // the end of a session, with its ephemeral znodes
)

// op is one request to a family: a permanent znode and its children.
type op struct {
	kind      kind
	family    int
	session   int64 // the session that asks
	name      string
	other     string // swap: the znode to set; name is the one to check
	data      string
	version   int32 // zoo.AnyVersion, or the version it must have
	ephemeral bool
	stale     bool // a read that may see an old state
}

// outcome is what the client learnt. An op without an answer may have been carried out at any time until its
// session had another answer, or never.
type outcome struct {
	lost     bool
	code     zoo.Code
	name     string // the created name
	data     string
	version  int32
	owner    int64
	names    []string
	cversion int32
	zxid     int64 // from the server
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

// family is the state of one family. It is never changed, only replaced.
type family struct {
	made, gone int32 // how many children were ever created and deleted
	nodes      []node
	zxid       int64 // of the last answered op; it only depends on which ops were carried out
}

func (f family) equal(g family) bool {
	return f.made == g.made && f.gone == g.gone && slices.Equal(f.nodes, g.nodes)
}

// hash returns the same for equal families. Every write has its own data, so versions don't have to count as well.
func (f family) hash() uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, f.made, f.gone)
	for _, n := range f.nodes {
		_, _ = h.Write([]byte(n.data)) // a hash never fails
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

// do is ZooKeeper as a sequential program: it returns the op's result and its answer.
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

// swap carries out the rest of a multi whose check has passed.
func (f family) swap(o op) (family, outcome) {
	i, there := f.find(o.other)
	if !there {
		return f, outcome{code: zoo.ErrNoNode}
	}
	name := fmt.Sprintf("%s%010d", prefix, f.made)
	answer := outcome{name: name, version: f.nodes[i].version + 1}
	return f.changed(i, o.data).with(node{name: name, data: o.data}), answer
}

// after returns the family after an op with that answer, and whether the op can come now. Writes happen in the
// order of their zxids, and a read sees its server's state at the zxid of its answer. ZooKeeper guarantees that,
// and it leaves few orders to try.
func (f family) after(o op, answer outcome) (family, bool) {
	switch {
	case answer.zxid == 0: // unknown
		return f, true
	case answer.zxid < f.zxid, o.writes() && answer.zxid == f.zxid:
		return f, false
	}
	f.zxid = answer.zxid
	return f, true
}

// model requires that every op, reads included, took effect at one moment between its call and its return.
//
// ZooKeeper promises less for reads: those of one session follow one order of the writes, possibly late, and never
// go back. In an ensemble they may miss the newest write: see history.widen. On one server they never do, so there
// the test checks the stronger law, which implies the weaker one.
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
