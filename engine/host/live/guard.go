package live

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// guard makes a removal safe from others who write to the same znodes. ZooKeeper deletes by path, on condition of a
// version that starts again from 0 when a znode is recreated. So a znode that was ours when we looked may be a
// stranger's when the delete arrives. The parent shows the difference: it numbers its sequential znodes by how many
// children it ever had.
//
// A guard is an ephemeral, sequential znode with a unique name, placed in the znode whose children are to be
// removed. Its number says how many children had been created by then. A child is deleted in one transaction that
//
//   - checks that the guard exists, hence that its parent is still the znode that we looked at;
//   - creates another sequential znode, and deletes it under the name that it has if no child was created since.
//
// If either fails, nothing happens and the removal looks again. We look at a child after creating the guard, so
// nobody can have replaced it between the look and the delete: there is no window. If the parent itself is to be
// removed, one transaction deletes it together with its guard, and so only the znode that has the guard.
type guard struct {
	conn   *zk.Conn
	acl    []zk.ACL
	prefix string // its path without the number
	number int64  // the guard's number
	next   int64  // the number of the next sequential znode next to it
}

// errChanged reports that somebody else changed what is being removed: look again.
var errChanged = errors.New("somebody else has changed it in the meantime")

// newGuard creates a guard in a znode of the run, which must have the given czxid. own is the ACL for znodes that
// the run creates.
func newGuard(conn *zk.Conn, own []zk.ACL, root, at string, czxid int64) (*guard, error) {
	g := &guard{conn: conn, acl: own, prefix: at + "/zkviz-guard-" + real.NewID() + "-"}
	made, err := conn.Create(g.prefix, nil, zk.FlagEphemeral|zk.FlagSequence, g.acl)
	if admin.CodeOf(err) == zoo.ErrNoNode {
		return nil, errChanged
	}
	if err != nil {
		return nil, wrap("create a guard in", at, err)
	}
	if g.number, err = strconv.ParseInt(strings.TrimPrefix(made, g.prefix), 10, 32); err != nil {
		return nil, fmt.Errorf("create a guard in %s: %w", at, err)
	}
	g.next = g.number + 1
	acl, stat, err := conn.GetACL(at)
	switch {
	case err == nil && markIn(acl, root) != nil && stat.Czxid == czxid:
		return g, nil
	// the guard is in a stranger's znode
	case err == nil || admin.CodeOf(err) == zoo.ErrNoNode || admin.CodeOf(err) == zoo.ErrNoAuth:
		return nil, errors.Join(errChanged, g.release())
	}
	return nil, fmt.Errorf("get the ACL of %s: %w", at, err)
}

func (g *guard) path() string { return g.numbered(g.number) }
func (g *guard) name() string { return path.Base(g.path()) }

func (g *guard) numbered(n int64) string { return fmt.Sprintf("%s%010d", g.prefix, n) }

// do carries out operations if no child was created next to the guard since, except by do itself. It
// returns errChanged if one was, or if the operations don't fit the present tree.
func (g *guard) do(ops ...any) error {
	ops = append([]any{
		&zk.CheckVersionRequest{Path: g.path(), Version: -1},
		&zk.CreateRequest{Path: g.prefix, Acl: g.acl, Flags: zk.FlagSequence},
		&zk.DeleteRequest{Path: g.numbered(g.next), Version: -1},
	}, ops...)
	err := transact(g.conn, ops...)
	if err == nil {
		g.next++
	}
	return err
}

// transact carries out all of the operations or none. It returns errChanged if they don't fit the present tree.
func transact(conn *zk.Conn, ops ...any) error {
	_, err := conn.Multi(ops...)
	switch admin.CodeOf(err) {
	case zoo.ErrNoNode, zoo.ErrNotEmpty, zoo.ErrBadVersion:
		return errChanged
	}
	return err
}

// deletion returns the operation that deletes the guard, for a transaction.
func (g *guard) deletion() any { return &zk.DeleteRequest{Path: g.path(), Version: -1} }

// release deletes the guard. Nobody else can have a znode of that name.
func (g *guard) release() error {
	if err := g.conn.Delete(g.path(), -1); admin.CodeOf(err) != zoo.ErrNoNode {
		return err
	}
	return nil
}
