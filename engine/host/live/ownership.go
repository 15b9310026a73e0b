package live

import (
	"fmt"
	"strings"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// A run is removed only with proof that zkviz created it, and of its content only what zkviz created:
//
//   - the root and the holder have the run's mark in their data and in their ACLs, and one transaction created them:
//     they have the same czxid. One transaction removes both, so one of them alone is never ours to remove;
//   - every other znode has the run's mark in its ACL.
//
// A name proves nothing.

// ownership is what the root and its holder show about who created them.
type ownership struct {
	root, holder znodeState
	run          string // the root's path
}

// znodeState is the state of a znode when it was read, zero if it doesn't exist.
type znodeState struct {
	there bool
	acl   []zk.ACL // the run's ACL whose mark the znode has; nil if it has none
	data  string
	stat  zk.Stat // zero if it may not be read
}

// checkOwnership reads a run's root and holder.
func checkOwnership(conn *zk.Conn, root string) (o ownership, err error) {
	o.run = root
	if o.root, err = readState(conn, root, root); err == nil {
		o.holder, err = readState(conn, holder(root), root)
	}
	return o, err
}

func readState(conn *zk.Conn, path, root string) (znodeState, error) {
	acl, stat, err := conn.GetACL(path)
	switch admin.CodeOf(err) {
	case zoo.OK:
	case zoo.ErrNoNode:
		return znodeState{}, nil
	case zoo.ErrNoAuth:
		return znodeState{there: true}, nil
	default:
		return znodeState{}, fmt.Errorf("get the ACL of %s: %w", path, err)
	}
	l := znodeState{there: true, acl: markIn(acl, root), stat: *stat}
	data, again, err := conn.Get(path)
	switch code := admin.CodeOf(err); {
	case err == nil && again.Czxid == stat.Czxid:
		l.data, l.stat = string(data), *again
	case err == nil, code == zoo.ErrNoNode, code == zoo.ErrNoAuth: // it was replaced meanwhile, or is secret
		l.acl = nil
	default:
		return l, fmt.Errorf("get %s: %w", path, err)
	}
	return l, nil
}

// gone reports whether neither znode is left.
func (o ownership) gone() bool { return !o.root.there && !o.holder.there }

// proven reports whether zkviz created the run.
func (o ownership) proven() bool {
	return o.root.acl != nil && o.holder.acl != nil && o.root.stat.Czxid == o.holder.stat.Czxid &&
		o.root.data == dataOf(o.run) && (o.holder.data == dataOf(o.run) || o.abandoned())
}

// abandoned reports whether a sweep has declared the run dead.
func (o ownership) abandoned() bool { return o.holder.data == abandonedData(o.run) }

// unproven returns the znodes that look like a run's but aren't proven to be, each with the reason.
func (o ownership) unproven() (list []Leftover) {
	why := WhyUnproven
	if !o.root.claimsRun() && !o.holder.claimsRun() {
		why = WhyUnmarked
	}
	if o.root.there && (o.root.claimsRun() || o.holder.there) {
		list = append(list, Leftover{o.run, why})
	}
	if o.holder.there {
		list = append(list, Leftover{holder(o.run), why})
	}
	return list
}

// claimsRun reports whether the znode's ACL or data says that a run created it.
func (l znodeState) claimsRun() bool { return l.acl != nil || strings.HasPrefix(l.data, "zkviz/") }
