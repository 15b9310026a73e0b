package conform

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// known are the differences that are kept on purpose, by their names in DIFFERENCES.md, and how to tell a
// request that would show one. Generated scripts leave such requests out.
func known() map[string]func(*wire.Request, *Step) bool {
	return map[string]func(*wire.Request, *Step) bool{
		"bare-check":     func(r *wire.Request, _ *Step) bool { return r.Op == wire.OpCheck },
		"bad-ttl":        func(r *wire.Request, _ *Step) bool { return killsByTTL(r) },
		"bad-stats":      func(r *wire.Request, _ *Step) bool { return killsByStats(r) },
		"create-session": func(r *wire.Request, _ *Step) bool { return r.Op == wire.OpCreateSession },
		"root-quota":     func(r *wire.Request, _ *Step) bool { return killsByRootQuota(r) },
		"null-watch":     func(r *wire.Request, s *Step) bool { return r.Op == wire.OpAddWatch && startsWithNull(s.Bytes) },
	}
}

// startsWithNull reports whether the body of a request begins with null for a path.
func startsWithNull(body []byte) bool { return bytes.HasPrefix(body, []byte{0xff, 0xff, 0xff, 0xff}) }

// Known are the names of the differences that are kept on purpose.
func Known() []string { return slices.Sorted(maps.Keys(known())) }

// killsByTTL reports whether ZooKeeper 3.8.0 dies of the request: it does not look at the TTL of a createTTL
// with a mode without one, unless it is positive, and cannot apply it.
func killsByTTL(r *wire.Request) bool {
	if r.Op == wire.OpMulti {
		return slices.ContainsFunc(r.Ops, func(part wire.Request) bool { return killsByTTL(&part) })
	}
	return r.Op == wire.OpCreateTTL && !zoo.CreateMode(r.Flags).HasTTL() && r.TTL < 0
}

// killsByStats reports whether ZooKeeper 3.8.0 may die of the request: once the place where it counts for a
// quota holds what it cannot read, the next change that counts ends it.
func killsByStats(r *wire.Request) bool {
	switch r.Op {
	case wire.OpMulti:
		return slices.ContainsFunc(r.Ops, func(part wire.Request) bool { return killsByStats(&part) })
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL, wire.OpSetData:
		return strings.HasPrefix(r.Path, quotas) && strings.Contains(r.Path, statsName) && !isCount(r.Data)
	}
	return false
}

// killsByRootQuota reports whether ZooKeeper 3.8.0 may die of the request: it cannot take note of a quota for the
// root.
func killsByRootQuota(r *wire.Request) bool {
	switch r.Op {
	case wire.OpMulti:
		return slices.ContainsFunc(r.Ops, func(part wire.Request) bool { return killsByRootQuota(&part) })
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		return r.Path == strings.TrimSuffix(quotas, "/")+limitsName
	}
	return false
}

// Where quotas are, below the path that they are for.
const (
	quotas     = "/zookeeper/quota/"
	limitsName = "/zookeeper_limits"
	statsName  = "/zookeeper_stats"
)

// isCount reports whether data is what a quota counts with: "count=0,bytes=0".
func isCount(data []byte) bool {
	var count, bytes int32
	n, err := fmt.Sscanf(string(data), "count=%d,bytes=%d", &count, &bytes)
	return err == nil && n == 2 && string(data) == fmt.Sprintf("count=%d,bytes=%d", count, bytes)
}

// leftOut reports whether a step would show a known difference.
func leftOut(s *Step) bool {
	r := &s.Req
	if s.Kind == Raw {
		header := wire.Request{Op: r.Op, Xid: 1}
		body := header.Append(nil)[:8]
		r = new(wire.Request)
		_ = wire.DecodeRequest(append(body, s.Bytes...), r) // what cannot be read shows only by its operation
		r.Op = s.Req.Op
	}
	if s.Kind != Raw && s.Kind != Ask {
		return false
	}
	for _, shows := range known() {
		if shows(r, s) {
			return true
		}
	}
	return false
}
