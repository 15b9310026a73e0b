package znode

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Anyone who creates /zookeeper/quota/a/zookeeper_limits has the znodes from /a downwards counted, up to those that
// have limits of their own, in the data of zookeeper_stats beside it. ZooKeeper enforces limits only where
// enforceQuota is set, so that nothing here is ever refused. See the ZooKeeper Quota's Guide.
const (
	quotaRoot  = "/zookeeper/quota"
	limitsName = "zookeeper_limits"
	statsName  = "zookeeper_stats"
)

// limits takes note of limits that came or went with a znode.
func (t *Tree) limits(path string, there bool) {
	if !strings.HasSuffix(path, "/"+limitsName) || !strings.HasPrefix(path, quotaRoot) {
		return
	}
	counted := strings.TrimSuffix(path[len(quotaRoot):], "/"+limitsName)
	counted = "/" + strings.TrimPrefix(counted, "/") // what is below /zookeeper/quotaa is for /a, too
	switch {
	case counted == "/": // the root has none: a ZooKeeper 3.8.0 of which it is asked ends
	case !there:
		delete(t.counted, counted)
	case t.counted == nil:
		t.counted = map[string]bool{counted: true}
	default:
		t.counted[counted] = true
	}
}

// account adds to the figures of what the path belongs to.
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
		return // a ZooKeeper 3.8.0 ends here, unless it was only long
	}
	s["bytes"] += int64(bytes)
	s["count"] += int64(count)
	a.setUsage(n, s)
}

// recount finds the figures anew when the znode for them is made.
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

// setUsage changes data without a version, a zxid or a watch's noticing, as ZooKeeper does.
func (a *applier) setUsage(n *node, s usage) {
	a.onUndo(undo{was: Set, n: n, stat: n.stat, data: n.data})
	a.refill(n, s.data())
}

// usage is what zookeeper_stats says: count and bytes, and what else somebody has written there.
type usage map[string]int64

// maxUsage is the longest zookeeper_stats in bytes that is read: each write below the quota reads it, and anyone who
// may write there could make that as slow as they like.
const maxUsage = 1 << 10

// parseUsage reads count=1,bytes=2=;more=3. What is not said is -1.
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
