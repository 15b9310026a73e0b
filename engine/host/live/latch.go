package live

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// latch is what makes a removal safe from others who write to the same znodes. ZooKeeper deletes by path, on
// condition of a version that starts again from 0 when a znode is made again; so what was ours when it was
// looked at may be a stranger's when the delete arrives. What does tell is the parent: its sequential znodes are
// numbered by how many children were ever made in it.
//
// A latch is an ephemeral, sequential znode with a name of its own in the znode whose children are to be removed.
// Its number says how many children had been made by then. What deletes a child is one transaction that
//
//   - checks that the latch is there, hence that the znode around it is still the one that was looked at;
//   - makes another sequential znode, and deletes it by the name that it has if no child was made since.
//
// If either fails, nothing happens, and the removal looks again. So between the look at a child, which comes
// after the latch was made, and its delete nobody can have put another one into its place: there is no window.
// A znode that is itself to be removed with its latch is deleted by one transaction with it, which holds what is
// in its place to having the latch.
type latch struct {
	conn   *zk.Conn
	acl    []zk.ACL
	prefix string // its path up to the number
	number int64  // its own
	next   int64  // of the next sequential znode beside it
}

// errChanged says that somebody else has changed what is being removed: look again.
var errChanged = errors.New("somebody has changed it meanwhile")

// newLatch puts a latch into a znode of the run, which must be the one with that czxid. The ACL is that of what the
// run makes.
func newLatch(conn *zk.Conn, own []zk.ACL, root, at string, czxid int64) (*latch, error) {
	l := &latch{conn: conn, acl: own, prefix: at + "/zkviz-latch-" + newID() + "-"}
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
	// it is in a stranger's znode
	case err == nil || admin.CodeOf(err) == zoo.ErrNoNode || admin.CodeOf(err) == zoo.ErrNoAuth:
		return nil, errors.Join(errChanged, l.release())
	}
	return nil, fmt.Errorf("get the ACL of %s: %w", at, err)
}

func (l *latch) path() string { return l.numbered(l.number) }
func (l *latch) name() string { return path.Base(l.path()) }

func (l *latch) numbered(n int64) string { return fmt.Sprintf("%s%010d", l.prefix, n) }

// guarded carries out operations if no child was made beside the latch since it was, but by guarded itself. It
// returns errChanged if one was, or if the operations do not fit what is there.
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

// together carries out all of the operations or none. It returns errChanged if they do not fit what is there.
func together(conn *zk.Conn, ops ...any) error {
	_, err := conn.Multi(ops...)
	switch admin.CodeOf(err) {
	case zoo.ErrNoNode, zoo.ErrNotEmpty, zoo.ErrBadVersion:
		return errChanged
	}
	return err
}

// unlatch deletes the latch, as a part of a transaction.
func (l *latch) unlatch() any { return &zk.DeleteRequest{Path: l.path(), Version: -1} }

// release deletes the latch. Nobody else's can have its name.
func (l *latch) release() error {
	if err := l.conn.Delete(l.path(), -1); admin.CodeOf(err) != zoo.ErrNoNode {
		return err
	}
	return nil
}
