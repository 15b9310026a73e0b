package znode_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

var trusted = znode.Caller{Trusted: true}

// chaos generates transactions that often succeed and often fail, in every possible way.
type chaos struct {
	*rand.Rand
	nowMS int64
}

func newChaos(seed uint64) *chaos { return &chaos{Rand: rand.New(rand.NewPCG(seed, 1))} }

func (c *chaos) txn() znode.Txn {
	c.nowMS += c.Int64N(100)
	x := c.op(c.IntN(24))
	x.Session, x.Caller, x.TimeMS = 1+c.Int64N(3), c.caller(), c.nowMS
	return x
}

func (c *chaos) op(what int) znode.Txn {
	x := znode.Txn{Path: c.path(), Version: pick(c, []int32{-1, -1, -1, 0, 1, 2, -2})}
	switch what {
	case 0:
		x.Kind = znode.CloseSession
	case 1, 2:
		x.Kind, x.ACL = znode.SetACL, c.acl()
	case 3:
		x.Kind = znode.DeleteContainer
	case 4, 5, 6, 7:
		x.Kind = znode.Delete
	case 8, 9, 10:
		x.Kind, x.Data = znode.Set, c.data()
	case 11:
		x.Kind = znode.Check
	case 12, 13, 14, 15, 16:
		x.Kind = znode.Multi
		for range c.IntN(5) {
			x.Ops = append(x.Ops, c.op(4+c.IntN(8)+c.IntN(2)*12))
		}
	default:
		x.Kind = pick(c, []znode.Kind{znode.Create, znode.Create, znode.CreateContainer, znode.CreateTTL})
		x.Data, x.ACL, x.TTL = c.data(), c.acl(), pick(c, []int64{1, 1, 500, 500, 1 << 41, 0, -1})
		x.Mode = znode.ModeOf(pick(c, []int32{0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7}))
		if x.Kind == znode.CreateTTL && c.IntN(4) > 0 {
			x.Mode = zoo.PersistentTTL
		}
	}
	return x
}

func pick[T any](c *chaos, from []T) T { return from[c.IntN(len(from))] }

func (c *chaos) path() string {
	if c.IntN(10) == 0 {
		return pick(c, []string{"/zookeeper/quota/a", "/zookeeper/quota/a/zookeeper_limits",
			"/zookeeper/quota/a/zookeeper_stats"})
	}
	if c.IntN(8) == 0 {
		return pick(c, []string{"/a/x/", "/", "", "/zookeeper", "/nowhere/at/all", "/a/.", "no", "/a\x00"})
	}
	return pick(c, []string{"/a", "/a", "/b", "/a/x", "/a/y", "/b/x", "/a/x/deep", "/é", "/a/s0000000002", "/0000000003"})
}

func (c *chaos) data() []byte {
	return pick(c, [][]byte{nil, {}, []byte("some"), []byte("a little longer")})
}

func (c *chaos) acl() []zoo.ACL {
	bob := zoo.ACL{Perms: zoo.PermAll, Scheme: "digest", ID: "bob:fyVmFCwVbTJYrznoSu1koqYEYF0="}
	here := zoo.ACL{Perms: c.Int32N(32), Scheme: "ip", ID: "10.0.0.0/8"}
	return pick(c, [][]zoo.ACL{nil, zoo.OpenACL(), zoo.OpenACL(), zoo.OpenACL(), zoo.OpenACL(), zoo.OpenACL(),
		zoo.ReadACL(), {bob, here, bob}, {here},
		{{Perms: zoo.PermAll, Scheme: "auth"}}, {{Perms: zoo.PermAll, Scheme: "ip", ID: "::1"}}})
}

func (c *chaos) caller() znode.Caller {
	ids := []zoo.ID{{Scheme: "ip", ID: pick(c, []string{"10.1.2.3", "11.1.2.3", "0:0:0:0:0:0:0:1"})}}
	switch c.IntN(4) {
	case 0, 1:
		return trusted
	case 2:
		id, _ := znode.Authenticate("digest", []byte("bob:secret"), "")
		return znode.Caller{IDs: znode.AddID(ids, id)}
	}
	return znode.Caller{IDs: ids}
}

// dump returns everything readable below path.
func dump(tree *znode.Tree, path string) string {
	data, stat, _ := tree.Get(path, trusted)
	acl, _, _ := tree.GetACL(path, trusted)
	mode, _ := tree.Mode(path)
	s := fmt.Sprintf("%s %q %t %+v %v %d\n", path, data, data == nil, stat, acl, mode)
	for _, child := range below(tree, path) {
		s += dump(tree, child)
	}
	return s
}

// below returns the paths of the children.
func below(tree *znode.Tree, path string) []string {
	names, _ := tree.Children(path)
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = path + "/" + name
		if path == "/" {
			paths[i] = "/" + name
		}
	}
	return paths
}
