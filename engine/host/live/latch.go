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

// latch makes a removal safe from others who write to the same znodes. ZooKeeper deletes by path, on condition of a
// version that starts again from 0 when a znode is recreated. So a znode that was ours when we looked may be a
// stranger's when the delete arrives. The parent shows the difference: it numbers its sequential znodes by how many
// children it ever had.
//
// A latch is an ephemeral, sequential znode with a unique name, placed in the znode whose children are to be
// removed. Its number says how many children had been created by then. A child is deleted in one transaction that
//
//   - checks that the latch exists, hence that its parent is still the znode that we looked at;
//   - creates another sequential znode, and deletes it under the name that it has if no child was created since.
//
// If either fails, nothing happens and the removal looks again. We look at a child after creating the latch, so
// nobody can have replaced it between the look and the delete: there is no window. If the parent itself is to be
// removed, one transaction deletes it together with its latch, and so only the znode that has the latch.
type latch struct {
	conn   *zk.Conn
	acl    []zk.ACL
	prefix string // its path without the number
	number int64  // the latch's number
	next   int64  // the number of the next sequential znode next to it
}

// errChanged reports that somebody else changed what is being removed: look again.
var errChanged = errors.New("somebody has changed it meanwhile")

// newLatch creates a latch in a znode of the run, which must have the given czxid. own is the ACL for znodes that
// the run creates.
func newLatch(conn *zk.Conn, own []zk.ACL, root, at string, czxid int64) (*latch, error) {
	l := &latch{conn: conn, acl: own, prefix: at + "/zkviz-latch-" + real.NewID() + "-"}
	made, err := conn.Create(l.prefix, nil, zk.FlagEphemeral|zk.FlagSequence, l.acl)
	if admin.CodeOf(err) == zoo.ErrNoNode {
		return nil, errChanged
	}
	if err != nil {
		return nil, wrap("create a latch in", at, err)
	}
	if l.number, err = strconv.ParseInt(strings.TrimPrefix(made, l.prefix), 10, 32); err != nil {
		return nil, fmt.Errorf("create a latch in %s: %w", at, err)
	}
	l.next = l.number + 1
	acl, stat, err := conn.GetACL(at)
	switch {
	case err == nil && markIn(acl, root) != nil && stat.Czxid == czxid:
		return l, nil
	// the latch is in a stranger's znode
	case err == nil || admin.CodeOf(err) == zoo.ErrNoNode || admin.CodeOf(err) == zoo.ErrNoAuth:
		return nil, errors.Join(errChanged, l.release())
	}
	return nil, fmt.Errorf("get the ACL of %s: %w", at, err)
}

func (l *latch) path() string { return l.numbered(l.number) }
func (l *latch) name() string { return path.Base(l.path()) }

func (l *latch) numbered(n int64) string { return fmt.Sprintf("%s%010d", l.prefix, n) }

// guarded carries out operations if no child was created next to the latch since, except by guarded itself. It
// returns errChanged if one was, or if the operations don't fit the present tree.
func (l *latch) guarded(ops ...any) error {
	ops = append([]any{
		&zk.CheckVersionRequest{Path: l.path(), Version: -1},
		&zk.CreateRequest{Path: l.prefix, Acl: l.acl, Flags: zk.FlagSequence},
		&zk.DeleteRequest{Path: l.numbered(l.next), Version: -1},
	}, ops...)
	err := together(l.conn, ops...)
	if err == nil {
		l.next++
	}
	return err
}

// together carries out all of the operations or none. It returns errChanged if they don't fit the present tree.
func together(conn *zk.Conn, ops ...any) error {
	_, err := conn.Multi(ops...)
	switch admin.CodeOf(err) {
	case zoo.ErrNoNode, zoo.ErrNotEmpty, zoo.ErrBadVersion:
		return errChanged
	}
	return err
}

// unlatch returns the operation that deletes the latch, for a transaction.
func (l *latch) unlatch() any { return &zk.DeleteRequest{Path: l.path(), Version: -1} }

// release deletes the latch. Nobody else can have a znode of that name.
func (l *latch) release() error {
	if err := l.conn.Delete(l.path(), -1); admin.CodeOf(err) != zoo.ErrNoNode {
		return err
	}
	return nil
}
