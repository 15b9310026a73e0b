package conform

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// known are the differences that are kept on purpose, by their names in DIFFERENCES.md, with a test of whether a
// request would show one. Generated scripts don't have such requests.
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

// startsWithNull reports whether the body of a request begins with a null path.
func startsWithNull(body []byte) bool { return bytes.HasPrefix(body, []byte{0xff, 0xff, 0xff, 0xff}) }

// Known returns the names of the differences that are kept on purpose.
func Known() []string { return slices.Sorted(maps.Keys(known())) }

// killsByTTL reports whether the request crashes ZooKeeper 3.8.0: in a createTTL whose mode has no TTL it checks only a
// positive TTL, and it can't apply a negative one.
func killsByTTL(r *wire.Request) bool {
	if r.Op == wire.OpMulti {
		return slices.ContainsFunc(r.Ops, func(part wire.Request) bool { return killsByTTL(&part) })
	}
	return r.Op == wire.OpCreateTTL && !zoo.CreateMode(r.Flags).HasTTL() && r.TTL < 0
}

// killsByStats reports whether the request may crash ZooKeeper 3.8.0: if the znode of a quota's counts can't be parsed,
// the next change that counts crashes it.
func killsByStats(r *wire.Request) bool {
	switch r.Op {
	case wire.OpMulti:
		return slices.ContainsFunc(r.Ops, func(part wire.Request) bool { return killsByStats(&part) })
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL, wire.OpSetData:
		return strings.HasPrefix(r.Path, quotas) && strings.Contains(r.Path, statsName) && !isCount(r.Data)
	}
	return false
}

// killsByRootQuota reports whether the request may crash ZooKeeper 3.8.0: it can't handle a quota of the root.
func killsByRootQuota(r *wire.Request) bool {
	switch r.Op {
	case wire.OpMulti:
		return slices.ContainsFunc(r.Ops, func(part wire.Request) bool { return killsByRootQuota(&part) })
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		return r.Path == strings.TrimSuffix(quotas, "/")+limitsName
	}
	return false
}

// Where the quotas of a path are.
const (
	quotas     = "/zookeeper/quota/"
	limitsName = "/zookeeper_limits"
	statsName  = "/zookeeper_stats"
)

// isCount reports whether data has the form of a quota's counts: "count=0,bytes=0".
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
		_ = wire.DecodeRequest(append(body, s.Bytes...), r) // of one that can't be parsed only the operation matters
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
