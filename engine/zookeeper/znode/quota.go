package znode

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A client that creates /zookeeper/quota/a/zookeeper_limits makes ZooKeeper count the znodes from /a down, except
// below those that have limits of their own. The data of zookeeper_stats in the same folder holds the counts.
// ZooKeeper enforces limits only with enforceQuota, so the tree never refuses anything for them. See the ZooKeeper
// Quota's Guide.
const (
	quotaRoot  = "/zookeeper/quota"
	limitsName = "zookeeper_limits"
	statsName  = "zookeeper_stats"
)

// limits records limits that appeared or disappeared with a znode.
func (t *Tree) limits(path string, there bool) {
	if !strings.HasSuffix(path, "/"+limitsName) || !strings.HasPrefix(path, quotaRoot) {
		return
	}
	counted := strings.TrimSuffix(path[len(quotaRoot):], "/"+limitsName)
	counted = "/" + strings.TrimPrefix(counted, "/") // /zookeeper/quotaa also counts for /a
	switch {
	case counted == "/": // none for the root: a read of it would kill a ZooKeeper 3.8.0
	case !there:
		delete(t.counted, counted)
	case t.counted == nil:
		t.counted = map[string]bool{counted: true}
	default:
		t.counted[counted] = true
	}
}

// account adds to the counts of the quota that covers the path.
func (a *applier) account(path string, bytes, count int) {
	if len(a.counted) == 0 {
		return
	}
	for path != "" && !a.counted[path] {
		path, _ = cut(path)
	}
	n, ok := a.nodes[quotaRoot+path+"/"+statsName]
	if path == "" || !ok {
		return
	}
	s, ok := parseUsage(n.data)
	if !ok {
		return // a ZooKeeper 3.8.0 crashes here, unless the data was only too long
	}
	s["bytes"] += int64(bytes)
	s["count"] += int64(count)
	a.setUsage(n, s)
}

// recount computes the counts when their znode is created.
func (a *applier) recount(path string) {
	dir, name := cut(path)
	if name != statsName || !strings.HasPrefix(dir, quotaRoot) {
		return
	}
	s := usage{"bytes": 0, "count": 0}
	counted := dir[len(quotaRoot):]
	if n, ok := a.nodes[counted]; ok {
		s["bytes"] = n.belowBytes + int64(len(n.data))
		s["count"] = int64(n.below) + 1
	}
	a.setUsage(a.nodes[path], s)
}

// setUsage changes data without a new version or zxid and without firing a watch, as ZooKeeper does.
func (a *applier) setUsage(n *node, s usage) {
	a.onUndo(undo{was: Set, n: n, stat: n.stat, data: n.data})
	a.refill(n, s.data())
}

// usage holds the values of zookeeper_stats: count, bytes and any others that somebody wrote there.
type usage map[string]int64

// maxUsage is the maximum length of zookeeper_stats in bytes. Every write below the quota parses it, so a client that
// may write there could make those arbitrarily slow.
const maxUsage = 1 << 10

// parseUsage parses count=1,bytes=2=;more=3. A missing count or bytes is -1.
func parseUsage(data []byte) (usage, bool) {
	if len(data) > maxUsage {
		return nil, false
	}
	s := usage{"bytes": -1, "count": -1}
	for pair := range strings.FieldsFuncSeq(string(data), func(r rune) bool { return r == ',' || r == ';' }) {
		name, value, _ := strings.Cut(strings.TrimRight(pair, "="), "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return nil, false
		}
		s[name] = n
	}
	return s, data != nil
}

func (s usage) data() []byte {
	text := fmt.Appendf(nil, "count=%d,bytes=%d", s["count"], s["bytes"])
	between := "=;"
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if name != "count" && name != "bytes" {
			text = fmt.Appendf(text, "%s%s=%d", between, name, s[name])
			between = ";"
		}
	}
	return text
}
