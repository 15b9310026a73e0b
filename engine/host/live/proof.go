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

// proof holds the evidence, at a root and its holder, of who created them.
type proof struct {
	root, holder looked
	run          string // the root's path
}

// looked is the state of a znode at the look, zero if it doesn't exist.
type looked struct {
	there bool
	acl   []zk.ACL // the run's ACL whose mark the znode has; nil if it has none
	data  string
	stat  zk.Stat // zero if it may not be read
}

// prove looks at a run's root and holder.
func prove(conn *zk.Conn, root string) (p proof, err error) {
	p.run = root
	if p.root, err = look(conn, root, root); err == nil {
		p.holder, err = look(conn, holder(root), root)
	}
	return p, err
}

func look(conn *zk.Conn, path, root string) (looked, error) {
	acl, stat, err := conn.GetACL(path)
	switch admin.CodeOf(err) {
	case zoo.OK:
	case zoo.ErrNoNode:
		return looked{}, nil
	case zoo.ErrNoAuth:
		return looked{there: true}, nil
	default:
		return looked{}, fmt.Errorf("get the ACL of %s: %w", path, err)
	}
	l := looked{there: true, acl: markIn(acl, root), stat: *stat}
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
func (p proof) gone() bool { return !p.root.there && !p.holder.there }

// holds reports whether zkviz created the run.
func (p proof) holds() bool {
	return p.root.acl != nil && p.holder.acl != nil && p.root.stat.Czxid == p.holder.stat.Czxid &&
		p.root.data == dataOf(p.run) && (p.holder.data == dataOf(p.run) || p.abandoned())
}

// abandoned reports whether a sweep has declared the run dead.
func (p proof) abandoned() bool { return p.holder.data == abandonedData(p.run) }

// unproven returns the znodes that look like a run's but aren't proven to be, each with the reason.
func (p proof) unproven() (list []Left) {
	why := WhyUnproven
	if !p.root.claims() && !p.holder.claims() {
		why = WhyUnmarked
	}
	if p.root.there && (p.root.claims() || p.holder.there) {
		list = append(list, Left{p.run, why})
	}
	if p.holder.there {
		list = append(list, Left{holder(p.run), why})
	}
	return list
}

// claims reports whether the znode's ACL or data says that a run created it.
func (l looked) claims() bool { return l.acl != nil || strings.HasPrefix(l.data, "zkviz/") }
