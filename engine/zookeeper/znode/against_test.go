package znode_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// slow is a simple, slow tree: a map of paths that a failed transaction restores from a copy. It has no quotas.
type slow struct {
	limits znode.Limits
	noTTL  bool
	zxid   int64
	timeMS int64
	births int
	nodes  map[string]leaf
	told   []string
}

// leaf is a znode without anything that other znodes imply.
type leaf struct {
	data    []byte
	acl     []zoo.ACL // nil is open to all
	stat    zoo.Stat
	mode    zoo.CreateMode
	ttl     int64
	creates int32
	born    int
}

func newSlow(limits znode.Limits, noTTL bool) *slow {
	s := &slow{limits: limits, noTTL: noTTL, nodes: map[string]leaf{}}
	for _, path := range []string{"/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota"} {
		s.nodes[path] = leaf{data: []byte{}} // none of them counts as created
	}
	config := s.nodes["/zookeeper/config"]
	config.acl, config.stat.Aversion = zoo.ReadACL(), -1
	s.nodes["/zookeeper/config"] = config
	return s
}

func parentOf(path string) string { return path[:max(1, strings.LastIndexByte(path, '/'))] }

// kids returns the sorted names below a path.
func (s *slow) kids(path string) []string {
	var names []string
	for p := range s.nodes {
		if p != "/" && parentOf(p) == path {
			names = append(names, p[strings.LastIndexByte(p, '/')+1:])
		}
	}
	slices.Sort(names)
	return names
}

func (s *slow) stat(path string) zoo.Stat {
	n := s.nodes[path]
	st, kids := n.stat, int32(len(s.kids(path)))
	st.NumChildren, st.DataLength, st.Cversion = kids, int32(len(n.data)), n.creates+(n.creates-kids)
	return st
}

// held returns the bytes that count: paths, data, and for each ACL entry 40 and its scheme and ID.
func (s *slow) held() (bytes int64) {
	for path, n := range s.nodes {
		bytes += int64(len(path) + len(n.data))
		for _, e := range n.acl {
			bytes += int64(40 + len(e.Scheme) + len(e.ID))
		}
	}
	return bytes
}

// owned returns the ephemerals of a session, in order of creation.
func (s *slow) owned(session int64) []string {
	var paths []string
	for path, n := range s.nodes {
		if session != 0 && n.stat.EphemeralOwner == session {
			paths = append(paths, path)
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Compare(s.nodes[a].born, s.nodes[b].born) })
	return paths
}

func (s *slow) tell(typ zoo.EventType, path string, n leaf, data []byte, above []zoo.ACL) {
	s.told = append(s.told, fmt.Sprintf("%v", znode.Change{Type: typ, Path: path, Mode: n.mode,
		Owner: n.stat.EphemeralOwner, Data: data,
		ACL: n.acl, Above: above}))
}

// apply returns a transaction's result and changes as text.
func (s *slow) apply(x znode.Txn) string {
	s.zxid++
	s.timeMS, s.told = x.TimeMS, nil
	r := znode.Result{Zxid: s.zxid}
	before := maps.Clone(s.nodes)
	switch x.Kind {
	case znode.Failed, znode.OpenSession:
	case znode.CloseSession:
		for _, path := range s.owned(x.Session) {
			s.remove(path)
		}
	case znode.Multi:
		r.Ops, r.Code = s.multi(x)
	default:
		r.Path, r.Stat, r.Code = s.one(x)
	}
	if r.Code != zoo.OK {
		s.nodes, s.told = before, nil
	}
	return fmt.Sprintf("%+v %q", r, s.told)
}

func (s *slow) multi(x znode.Txn) ([]zoo.OpResult, zoo.Code) {
	for _, op := range x.Ops {
		switch op.Kind {
		case znode.Create, znode.CreateContainer, znode.CreateTTL, znode.Delete, znode.Set, znode.Check:
		default:
			return nil, zoo.ErrMarshalling
		}
	}
	results := make([]zoo.OpResult, len(x.Ops))
	for i, op := range x.Ops {
		op.Session, op.Caller = x.Session, x.Caller
		switch isCreate := op.Kind == znode.Create || op.Kind == znode.CreateContainer || op.Kind == znode.CreateTTL; {
		case isCreate && op.Mode.HasTTL() && op.Kind != znode.CreateTTL:
			return nil, zoo.ErrMarshalling
		case isCreate && op.Mode == zoo.Container:
			op.Kind = znode.CreateContainer
		case isCreate && !op.Mode.HasTTL():
			op.Kind = znode.Create
		}
		path, stat, code := s.one(op)
		if code == zoo.OK {
			results[i] = zoo.OpResult{Path: path, Stat: stat}
			continue
		}
		results = make([]zoo.OpResult, len(x.Ops))
		for later := i + 1; later < len(results); later++ {
			results[later].Code = zoo.ErrRuntimeInconsistency
		}
		results[i].Code = code
		return results, code
	}
	return results, zoo.OK
}

func (s *slow) one(x znode.Txn) (string, zoo.Stat, zoo.Code) {
	switch x.Kind {
	case znode.Create, znode.CreateContainer, znode.CreateTTL:
		return s.create(x)
	case znode.Delete, znode.DeleteContainer:
		return "", zoo.Stat{}, s.delete(x)
	}
	acl, code := []zoo.ACL(nil), zoo.OK
	if !sound(x.Path) {
		return "", zoo.Stat{}, zoo.ErrBadArguments
	}
	if x.Kind == znode.SetACL {
		if acl, code = s.settle(x); code != zoo.OK {
			return "", zoo.Stat{}, code
		}
	}
	n, ok := s.nodes[x.Path]
	perm := map[znode.Kind]int32{znode.Set: zoo.PermWrite, znode.SetACL: zoo.PermAdmin, znode.Check: zoo.PermRead}[x.Kind]
	version := n.stat.Version
	if x.Kind == znode.SetACL {
		version = n.stat.Aversion
	}
	switch {
	case !ok:
		return "", zoo.Stat{}, zoo.ErrNoNode
	case !allows(n.acl, perm, x.Caller):
		return "", zoo.Stat{}, zoo.ErrNoAuth
	case x.Version != -1 && x.Version != version:
		return "", zoo.Stat{}, zoo.ErrBadVersion
	case x.Kind == znode.Check:
		return "", zoo.Stat{}, zoo.OK
	}
	before := s.held()
	if x.Kind == znode.Set {
		n.data, n.stat.Mzxid, n.stat.Mtime, n.stat.Version = x.Data, s.zxid, s.timeMS, n.stat.Version+1
		s.tell(zoo.NodeDataChanged, x.Path, n, x.Data, nil)
	} else {
		n.acl, n.stat.Aversion = acl, n.stat.Aversion+1
	}
	s.nodes[x.Path] = n
	if held := s.held(); s.limits.Bytes > 0 && held > before && held > s.limits.Bytes {
		return "", zoo.Stat{}, zoo.ErrQuotaExceeded
	}
	return "", s.stat(x.Path), zoo.OK
}

func (s *slow) create(x znode.Txn) (string, zoo.Stat, zoo.Code) {
	fail := func(code zoo.Code) (string, zoo.Stat, zoo.Code) { return "", zoo.Stat{}, code }
	switch ttl := x.Kind == znode.CreateTTL; {
	case x.Mode > 6, !x.Mode.HasTTL() && ttl:
		return fail(zoo.ErrBadArguments)
	case x.Mode.HasTTL() && s.noTTL:
		return fail(zoo.ErrUnimplemented)
	case x.Mode.HasTTL() && (!ttl || x.TTL < 1 || x.TTL >= 1<<40):
		return fail(zoo.ErrBadArguments)
	case !strings.Contains(x.Path, "/"), strings.Contains(x.Path, "\x00"):
		return fail(zoo.ErrBadArguments)
	}
	acl, code := s.settle(x)
	if code != zoo.OK {
		return fail(code)
	}
	above := parentOf(x.Path)
	parent, ok := s.nodes[above]
	if !ok {
		return fail(zoo.ErrNoNode)
	}
	if !allows(parent.acl, zoo.PermCreate, x.Caller) {
		return fail(zoo.ErrNoAuth)
	}
	path := x.Path
	if x.Mode.IsSequential() {
		path = fmt.Sprintf("%s%010d", path, parent.creates)
	}
	_, taken := s.nodes[path]
	switch {
	case !sound(path):
		return fail(zoo.ErrBadArguments)
	case taken:
		return fail(zoo.ErrNodeExists)
	case parent.stat.EphemeralOwner != 0:
		return fail(zoo.ErrNoChildrenForEphemeral)
	}
	s.births++
	n := leaf{data: x.Data, acl: acl, mode: x.Mode, born: s.births}
	n.stat = zoo.Stat{Czxid: s.zxid, Mzxid: s.zxid, Pzxid: s.zxid, Ctime: s.timeMS, Mtime: s.timeMS}
	switch {
	case x.Kind == znode.CreateContainer:
		n.mode = zoo.Container
	case x.Mode == zoo.Container:
		n.mode = zoo.Persistent
	case x.Kind == znode.CreateTTL:
		n.ttl = x.TTL
	case x.Mode.IsEphemeral():
		n.stat.EphemeralOwner = x.Session
	}
	parent.creates++
	parent.stat.Pzxid = s.zxid
	s.nodes[above], s.nodes[path] = parent, n
	if s.beyond(path, n) {
		return fail(zoo.ErrQuotaExceeded)
	}
	s.tell(zoo.NodeCreated, path, n, x.Data, parent.acl)
	return path, s.stat(path), zoo.OK
}

// beyond reports whether the tree, including a new znode, exceeds its limits.
func (s *slow) beyond(path string, n leaf) bool {
	l := s.limits
	return l.Nodes > 0 && len(s.nodes) > l.Nodes || l.Bytes > 0 && s.held() > l.Bytes || l.Depth > 0 &&
		strings.Count(path, "/") > l.Depth ||
		l.Owned > 0 && n.stat.EphemeralOwner != 0 && len(s.owned(n.stat.EphemeralOwner)) > l.Owned
}

func (s *slow) delete(x znode.Txn) zoo.Code {
	switch x.Path {
	case "/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config":
		return zoo.ErrBadArguments
	}
	if !strings.Contains(x.Path, "/") || strings.Contains(x.Path, "\x00") {
		return zoo.ErrBadArguments
	}
	n, ok := s.nodes[x.Path]
	if x.Kind == znode.Delete {
		switch parent, there := s.nodes[parentOf(x.Path)]; {
		case !there:
			return zoo.ErrNoNode
		case !allows(parent.acl, zoo.PermDelete, x.Caller):
			return zoo.ErrNoAuth
		case ok && x.Version != -1 && x.Version != n.stat.Version:
			return zoo.ErrBadVersion
		}
	}
	switch {
	case !ok:
		return zoo.ErrNoNode
	case x.Kind == znode.DeleteContainer && n.stat.EphemeralOwner != 0:
		return zoo.ErrBadVersion
	case len(s.kids(x.Path)) > 0:
		return zoo.ErrNotEmpty
	}
	s.remove(x.Path)
	return zoo.OK
}

func (s *slow) remove(path string) {
	n, above := s.nodes[path], s.nodes[parentOf(path)]
	delete(s.nodes, path)
	above.stat.Pzxid = s.zxid
	s.nodes[parentOf(path)] = above
	s.tell(zoo.NodeDeleted, path, n, nil, above.acl)
}

// sound reports whether a path is valid.
func sound(path string) bool {
	if path == "/" {
		return true
	}
	for i, part := range strings.Split(path, "/") {
		if (i == 0) != (part == "") || part == "." || part == ".." {
			return false
		}
	}
	return path != "" && !strings.Contains(path, "\x00")
}

// settle returns the ACL to store for a requested one.
func (s *slow) settle(x znode.Txn) ([]zoo.ACL, zoo.Code) {
	open := len(x.ACL) == 0 && x.Caller.Trusted || len(x.ACL) == 1 && x.ACL[0] == zoo.OpenACL()[0]
	switch most := s.limits.ACL; {
	case open:
		return nil, zoo.OK
	case most > 0 && len(x.ACL) > most, len(x.ACL) == 0:
		return nil, zoo.ErrInvalidACL
	}
	kept := []zoo.ACL{}
	for i, e := range x.ACL {
		if slices.Contains(x.ACL[:i], e) {
			continue
		}
		entries := []zoo.ACL{e}
		switch e.Scheme {
		case "world":
		case "auth":
			entries = nil
			for _, id := range x.Caller.IDs {
				if id.Scheme == "digest" {
					entries = append(entries, zoo.ACL{Perms: e.Perms, Scheme: "digest", ID: id.ID})
				}
			}
			if len(entries) == 0 {
				return nil, zoo.ErrInvalidACL
			}
		case "digest":
		case "ip":
			if _, ok := net(e.ID); !ok {
				return nil, zoo.ErrInvalidACL
			}
		}
		kept = append(kept, entries...)
	}
	return kept, zoo.OK
}

func net(id string) (netip.Prefix, bool) {
	if !strings.Contains(id, "/") {
		id += "/32"
	}
	p, err := netip.ParsePrefix(id)
	return p, err == nil && p.Addr().Is4()
}

func allows(acl []zoo.ACL, perm int32, c znode.Caller) bool {
	if acl == nil || c.Trusted {
		return true
	}
	for _, e := range acl {
		is := e.Scheme == "world"
		for _, id := range c.IDs {
			switch {
			case id.Scheme != e.Scheme:
			case id.Scheme == "digest":
				is = is || id.ID == e.ID
			case id.Scheme == "ip":
				p, _ := net(e.ID)
				addr, err := netip.ParseAddr(id.ID)
				is = is || err == nil && p.Contains(addr)
			}
		}
		if is && e.Perms&perm != 0 {
			return true
		}
	}
	return false
}

// TestAgainstASlowTree applies random transactions to both trees, and compares every answer, every change and all
// later reads.
func TestAgainstASlowTree(t *testing.T) {
	said := map[zoo.Code]int{}
	seeds := uint64(60)
	if testing.Short() {
		seeds = 12
	}
	for seed := range seeds {
		c := newChaos(seed)
		var limits znode.Limits
		if seed%3 == 0 {
			limits = znode.Limits{Nodes: 7 + c.IntN(5), Owned: 1 + c.IntN(3), Bytes: 250 + c.Int64N(300), ACL: 1 + c.IntN(3),
				Depth: 2 + c.IntN(2)}
		}
		tree, s := znode.New(), newSlow(limits, seed%5 == 0)
		tree.Limits, tree.NoTTL = limits, seed%5 == 0
		for step := range 120 {
			x := c.txn()
			if strings.Contains(fmt.Sprint(x), "/zookeeper/quota/") {
				continue
			}
			if x.Kind == znode.CloseSession && c.IntN(3) > 0 {
				x.Kind = pick(c, []znode.Kind{znode.Failed, znode.OpenSession})
			}
			if c.IntN(10) == 0 { // chance alone rarely makes them match
				x.Version = s.nodes[x.Path].stat.Version
			}
			x.Caller = known(x.Caller, step)
			r, changes := tree.Apply(x, []znode.Change{})
			said[r.Code]++
			var told []string
			for _, change := range changes {
				told = append(told, fmt.Sprintf("%v", change))
			}
			if got, want := fmt.Sprintf("%+v %q", r, told), s.apply(x); got != want {
				t.Fatalf("seed %d, step %d: %+v\ngot  %s\nwant %s", seed, step, x, got, want)
			}
			compareReads(t, fmt.Sprintf("seed %d, step %d: %+v", seed, step, x), tree, s, c)
		}
	}
	for _, code := range []zoo.Code{zoo.OK, zoo.ErrMarshalling, zoo.ErrUnimplemented, zoo.ErrBadArguments, zoo.ErrNoNode,
		zoo.ErrNoAuth,
		zoo.ErrBadVersion, zoo.ErrNoChildrenForEphemeral, zoo.ErrNodeExists, zoo.ErrNotEmpty, zoo.ErrInvalidACL,
		zoo.ErrQuotaExceeded} {
		if said[code] < 5 {
			t.Errorf("%v was answered %d times", code, said[code])
		}
	}
}

// known gives every other caller its IDs as a set too, which must make no difference.
func known(c znode.Caller, step int) znode.Caller {
	if step%2 == 0 {
		return c
	}
	c.Known = map[zoo.ID]struct{}{}
	for _, id := range c.IDs {
		c.Known[id] = struct{}{}
	}
	return c
}

// compareReads compares what the trees show to several callers, and their counts.
func compareReads(t *testing.T, where string, tree *znode.Tree, s *slow, c *chaos) {
	t.Helper()
	var got, want strings.Builder
	paths := append(slices.Sorted(maps.Keys(s.nodes)), "/none", "no", "/a\x00")
	for _, caller := range []znode.Caller{trusted, known(c.caller(), c.IntN(2))} {
		for _, path := range paths {
			if acl := s.nodes[path].acl; caller.Sees(acl) != allows(acl, zoo.PermRead, caller) {
				t.Fatalf("%s: %+v sees %v: %t", where, caller, acl, caller.Sees(acl))
			}
			data, stat, code := tree.Get(path, caller)
			names, _, listed := tree.List(path, caller)
			exists, found := tree.Exists(path)
			below, counted := tree.AllChildrenNumber(path, caller)
			fmt.Fprintf(&got, "%s: %q %t %+v %v %v %v %+v %v %d %v %+v\n", path, data, data == nil, stat, code, names, listed,
				exists, found, below,
				counted, tree.Sizes(path))
			s.read(&want, path, caller)
		}
	}
	nodes, chars, ephemerals, mortals := len(s.nodes)+1, 0, 0, 0
	var due []string
	for path, n := range s.nodes {
		chars += utf8.RuneCountInString(path) + len(n.data)
		if n.stat.EphemeralOwner != 0 {
			ephemerals++
		}
		over := n.mode == zoo.Container && n.creates > 0 || n.ttl > 0 && n.stat.Mtime+n.ttl < c.nowMS
		if n.mode == zoo.Container || n.ttl > 0 {
			mortals++
			if over && len(s.kids(path)) == 0 {
				due = append(due, path)
			}
		}
	}
	slices.Sort(due)
	fmt.Fprintln(&want, s.zxid, nodes, chars, ephemerals, mortals, s.held(), due)
	var named []string
	for _, x := range tree.Due(c.nowMS) {
		named = append(named, x.Path)
		if x.Kind != znode.DeleteContainer || !x.Caller.Trusted || x.TimeMS != c.nowMS || !tree.IsDue(x, c.nowMS) {
			t.Fatalf("%s: due is %+v", where, x)
		}
	}
	fmt.Fprintln(&got, tree.Zxid(), tree.NodeCount(), tree.DataSize(), tree.EphemeralCount(), tree.Mortals(), tree.Held(),
		named)
	for session := range int64(4) {
		count, bytes := tree.EphemeralSizes(session)
		fmt.Fprintln(&got, tree.Ephemerals(session), count, bytes, tree.Owned(session), tree.GetEphemerals(session, "/a"))
		mine := s.owned(session)
		fmt.Fprintln(&want, mine, len(mine), len(strings.Join(mine, "")), len(mine),
			slices.DeleteFunc(slices.Clone(mine), func(p string) bool { return !strings.HasPrefix(p, "/a") }))
	}
	lines := strings.Split(want.String(), "\n")
	for i, line := range strings.Split(got.String(), "\n") {
		if line != lines[i] {
			t.Fatalf("%s\ngot  %s\nwant %s", where, line, lines[i])
		}
	}
}

// read writes what a caller may see at a path.
func (s *slow) read(to *strings.Builder, path string, caller znode.Caller) {
	n, ok := s.nodes[path]
	stat, code, found, below := s.stat(path), zoo.OK, zoo.OK, 0
	data, names, kids := n.data, s.kids(path), s.kids(path)
	for p := range s.nodes {
		if strings.HasPrefix(p, strings.TrimSuffix(path, "/")+"/") && p != path {
			below++
		}
	}
	switch {
	case !ok:
		code, found = zoo.ErrNoNode, zoo.ErrNoNode
		if strings.Contains(path, "\x00") {
			found = zoo.ErrBadArguments
		}
	case !allows(n.acl, zoo.PermRead, caller):
		code = zoo.ErrNoAuth
	}
	size := znode.Sizes{Data: len(n.data), Children: len(kids), NameBytes: len(strings.Join(kids, "")), ACL: n.acl}
	seen := stat
	if code != zoo.OK {
		data, names, below, seen = nil, nil, 0, zoo.Stat{}
	}
	if found != zoo.OK {
		stat = zoo.Stat{}
	}
	fmt.Fprintf(to, "%s: %q %t %+v %v %v %v %+v %v %d %v %+v\n", path, data, data == nil, seen, code, names, code, stat,
		found, below, code, size)
}
