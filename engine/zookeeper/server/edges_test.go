package server_test

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// TestSessionsExpireInOrder starts sessions with random timeouts that stay silent. Each expires at its deadline, older
// ones first, whether the host is on time or late.
func TestSessionsExpireInOrder(t *testing.T) {
	type due struct {
		at time.Duration
		id int64
	}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		var got, want []int64
		s := server.New(server.Config{Emit: func(e event.Event) event.Seq {
			if e.Kind == event.SessionExpired {
				got = append(got, e.Session)
			}
			return 0
		}})
		var plan []due
		for i := range 60 {
			now := time.Duration(i) * time.Duration(r.IntN(300)) * time.Millisecond
			link := &client{}
			link.conn = s.Connect(link, server.From{})
			link.conn.Greet(&wire.ConnectRequest{TimeoutMS: int32(r.IntN(60_000))}, now, 0)
			info := s.Sessions()[i]
			plan = append(plan, due{info.Deadline, info.ID})
		}
		slices.SortStableFunc(plan, func(a, b due) int { return cmp.Compare(a.at, b.at) })
		late := seed%2 == 0
		for i, d := range plan {
			want = append(want, d.id)
			if at, ok := s.NextTick(); !late && (!ok || at != d.at) && len(got) == i {
				t.Fatalf("seed %d: the next tick is at %v, %t, not at %v", seed, at, ok, d.at)
			}
			if !late {
				s.Tick(d.at - 1)
				if len(got) > i && plan[len(got)-1].at != d.at {
					t.Fatalf("seed %d: %d expired before their time", seed, len(got))
				}
				s.Tick(d.at)
			}
		}
		s.Tick(time.Hour)
		if _, ok := s.NextTick(); ok || !slices.Equal(got, want) {
			t.Fatalf("seed %d: they expired in the order\n%v, not\n%v", seed, got, want)
		}
	}
}

// TestTimeouts checks requested timeouts, granted ones and deadlines.
func TestTimeouts(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		cfg      server.Config
		ask      int32
		now      time.Duration
		get      int32
		deadline time.Duration
	}{
		{server.Config{}, 3999, 0, 4000, 6000 * ms},
		{server.Config{}, 4001, 0, 4001, 6000 * ms},
		{server.Config{}, 5999, 1, 5999, 6000 * ms},
		{server.Config{}, 6000, 0, 6000, 8000 * ms},
		{server.Config{}, 39_999, 1999 * ms, 39_999, 42_000 * ms},
		{server.Config{}, 40_001, 0, 40_000, 42_000 * ms},
		{server.Config{}, -1, 0, 4000, 6000 * ms},
		{server.Config{}, math.MaxInt32, 0, 40_000, 42_000 * ms},
		{server.Config{Tick: 100 * ms}, 1, 0, 200, 300 * ms},
		{server.Config{Tick: 100 * ms}, 5000, 50 * ms, 2000, 2100 * ms},
		{server.Config{Tick: 100 * ms, MaxTimeout: 30 * ms}, 20, 70 * ms, 30, 200 * ms},
		{server.Config{MaxTimeout: math.MaxInt64}, math.MaxInt32, 0, math.MaxInt32, 2_147_484_000 * ms},
	} {
		link := &end{p: &pure{t: t, s: server.New(c.cfg)}}
		link.conn = link.p.s.Connect(link, server.From{})
		link.conn.Greet(&wire.ConnectRequest{TimeoutMS: c.ask}, c.now, 0)
		info := link.p.s.Sessions()[0]
		if got := link.arrived[0].welcome.TimeoutMS; got != c.get || info.Deadline != c.deadline ||
			info.Timeout != time.Duration(c.get)*ms {
			t.Errorf("who asks for %d gets %d until %v, want %d until %v", c.ask, got, info.Deadline, c.get, c.deadline)
		}
	}
}

// TestShorterTimeout resumes a session with a shorter timeout. It ends earlier than planned.
func TestShorterTimeout(t *testing.T) {
	p := newPure(t)
	c, err := p.dial(wire.ConnectRequest{TimeoutMS: 40_000})
	if err != nil {
		t.Fatal(err)
	}
	heard, _ := c.heard()
	c.abort()
	w := heard[0].welcome
	if c, err = p.dial(wire.ConnectRequest{TimeoutMS: 4000, Session: w.Session, Password: w.Password}); err != nil {
		t.Fatal(err)
	}
	p.wait(5 * time.Second)
	if !p.s.Alive(w.Session) {
		t.Error("the session is over too early")
	}
	c.(*end).conn.Touch(p.now)
	if p.wait(2 * time.Second); !p.s.Alive(w.Session) {
		t.Error("a sign of life counts for nothing")
	}
	if p.wait(4 * time.Second); p.s.Alive(w.Session) {
		t.Error("the session outlives the timeout that it came back with")
	}
	c.(*end).conn.Touch(p.now)
	if c.(*end).conn.Greet(&wire.ConnectRequest{}, p.now, 0); p.s.NumSessions() != 0 {
		t.Error("a connection that is over is given a session")
	}
}

// TestLaterZxid accepts a client that has seen the last transaction, but not one that has seen a later one.
func TestLaterZxid(t *testing.T) {
	for ahead, want := range map[int64]event.Reason{-1: event.NoReason, 0: event.NoReason, 1: event.ConnZxidAhead} {
		s := server.New(server.Config{})
		enter(s).do(wire.Request{Op: wire.OpCreate, Path: "/a", ACL: zoo.OpenACL()})
		c := &client{}
		c.conn = s.Connect(c, server.From{})
		if c.conn.Greet(&wire.ConnectRequest{LastZxidSeen: s.Zxid() + ahead}, 0, 0); c.why != want {
			t.Errorf("who has seen the last zxid and %d more is closed for %v", ahead, c.why)
		}
	}
}

// TestManyIdentities authenticates as a dozen identities, too many to search one by one. The ACLs must accept each.
func TestManyIdentities(t *testing.T) {
	s := server.New(server.Config{})
	owner, c := enter(s), enter(s)
	for i := range 12 {
		path, secret := fmt.Sprintf("/n%d", i), fmt.Sprintf("u%d:p", i)
		id, _ := znode.Authenticate("digest", []byte(secret), "")
		owner.do(wire.Request{Op: wire.OpCreate, Path: path, ACL: []zoo.ACL{{Perms: zoo.PermAll, Scheme: "digest",
			ID: id.ID}}})
		if code := c.do(wire.Request{Op: wire.OpGetData, Path: path}); code != zoo.ErrNoAuth {
			t.Errorf("before it is shown: %v", code)
		}
		if code := c.do(wire.Request{Op: wire.OpAuth, Scheme: "digest", Auth: []byte(secret)}); code != zoo.OK {
			t.Fatal(code)
		}
		for j := range i + 1 {
			if code := c.do(wire.Request{Op: wire.OpGetData, Path: fmt.Sprintf("/n%d", j)}); code != zoo.OK {
				t.Errorf("with %d identities, as the one of number %d: %v", i+1, j, code)
			}
		}
	}
}

// TestSecrets authenticates without a secret, and with one that is not UTF-8.
func TestSecrets(t *testing.T) {
	s := server.New(server.Config{})
	c := enter(s)
	if code := c.do(wire.Request{Op: wire.OpAuth, Scheme: "digest", Auth: []byte("\xffx:y")}); code != zoo.OK {
		t.Error(code)
	}
	id, _ := znode.Authenticate("digest", []byte("\uFFFDx:y"), "")
	if ids := c.conn.IDs(); !slices.Contains(ids, id) {
		t.Errorf("the ids are %q, without %q", ids, id)
	}
	if code := c.do(wire.Request{Op: wire.OpAuth, Scheme: "digest"}); code != zoo.ErrAuthFailed ||
		c.why != event.ConnAuthFailed {
		t.Errorf("no secret: %v, closed for %q", code, c.why)
	}
}

// TestIdentityBounds checks the limits of identities and one beyond.
func TestIdentityBounds(t *testing.T) {
	show := func(limits server.Limits, secrets ...string) (why event.Reason) {
		c := enter(server.New(server.Config{Limits: limits}))
		for _, secret := range secrets {
			c.do(wire.Request{Op: wire.OpAuth, Scheme: "digest", Auth: []byte(secret)})
		}
		return c.why
	}
	first := len("ip") // an invalid address is empty
	secret := "user:password"
	for _, c := range []struct {
		limits  server.Limits
		secrets []string
		want    event.Reason
	}{
		{server.Limits{IDs: 1}, []string{"a:b"}, event.NoReason}, {server.Limits{IDs: 1}, []string{"a:b", "c:d"},
			event.ConnTooManyIDs},
		{server.Limits{IDs: 2}, []string{"a:b", "c:d"}, event.NoReason},
		{server.Limits{}, []string{"a:b", "c:d"}, event.NoReason},
		{server.Limits{IDBytes: first + len("digest") + len(secret)}, []string{secret}, event.NoReason},
		{server.Limits{IDBytes: first + len("digest") + len(secret) - 1}, []string{secret}, event.ConnTooManyIDs},
	} {
		if why := show(c.limits, c.secrets...); why != c.want {
			t.Errorf("%+v: after %q closed for %v, want %v", c.limits, c.secrets, why, c.want)
		}
	}
	// Existing identities count as stored: the address, and the hash of a secret.
	kept := len("ip"+"10.0.0.1") + len("digest"+"u:") + 28
	for most, want := range map[int]event.Reason{kept + len("digest"+"v:p"): event.NoReason,
		kept + len("digest"+"v:p") - 1: event.ConnTooManyIDs} {
		s := server.New(server.Config{Limits: server.Limits{IDBytes: most}})
		c := &client{}
		c.conn = s.Connect(c, server.From{Addr: netip.MustParseAddr("10.0.0.1")})
		c.conn.Greet(&wire.ConnectRequest{}, 0, 0)
		for _, secret := range []string{"u:p", "v:p"} {
			c.do(wire.Request{Op: wire.OpAuth, Scheme: "digest", Auth: []byte(secret)})
		}
		if c.why != want {
			t.Errorf("with room for %d bytes closed for %q, want %q", most, c.why, want)
		}
	}
}

// TestWhoHasASession loses and takes over connections and ends sessions. The session must know its connection.
func TestWhoHasASession(t *testing.T) {
	p := newPure(t)
	first, err := p.dial(wire.ConnectRequest{})
	if err != nil {
		t.Fatal(err)
	}
	heard, _ := first.heard()
	w := heard[0].welcome
	again := wire.ConnectRequest{Session: w.Session, Password: w.Password}
	second, err := p.dial(again)
	if err != nil {
		t.Fatal(err)
	}
	if _, open := first.heard(); open || p.s.Sessions()[0].Conn != second.(*end).conn {
		t.Error("who takes over does not have the session")
	}
	second.abort()
	if of := p.s.Sessions()[0].Conn; of != nil {
		t.Errorf("a lost connection still has the session")
	}
	wrong := again
	wrong.Password = []byte("another")
	if _, err := p.dial(wrong); err != nil {
		t.Fatal(err)
	}
	if p.s.Sessions()[0].Conn != nil {
		t.Error("with a wrong password one has the session")
	}
	if p.s.Expire(w.Session+1, p.now, 0) || !p.s.Alive(w.Session) {
		t.Error("a session that is not there was ended")
	}
	if !p.s.Expire(w.Session, p.now, 0) || p.s.Alive(w.Session) || p.s.Expire(w.Session, p.now, 0) {
		t.Error("a session does not end once")
	}
}

// TestRoomForWatches compares random limits and watches with a second implementation of the rule.
func TestRoomForWatches(t *testing.T) {
	refused := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		some := func(n int) int { return r.IntN(2) * (1 + r.IntN(n)) }
		l := server.Limits{Watches: some(40), WatchesPerConn: some(12), WatchBytes: some(400), WatchesKept: some(6)}
		s := server.New(server.Config{Limits: l})
		clients, mine, stands, bytes := []*client{enter(s), enter(s), enter(s)}, [3]int{}, map[string]bool{}, 0
		for range 80 {
			who, path := r.IntN(3), "/"+strings.Repeat("n", 1+r.IntN(20))
			q, times := wire.Request{Op: wire.OpExists, Path: path, Watch: true}, 1
			if r.IntN(4) == 0 {
				q, times = wire.Request{Op: wire.OpAddWatch, Path: path}, 2
			}
			if key := fmt.Sprint(who, path); stands[key] {
				continue
			}
			count, total := s.WatchSummary().All, bytes
			if modest := mine[who] < l.WatchesKept && len(path)*max(l.Watches, 1) <= l.WatchBytes; l.WatchesKept > 0 && !modest {
				if average := l.WatchBytes / max(l.Watches, 1); mine[who] >= l.WatchesKept || len(path) > average {
					count, total = count+l.Watches/4, total+l.WatchBytes/4
				}
			}
			fits := (l.Watches == 0 || count+1 <= l.Watches) && (l.WatchBytes == 0 || total+len(path) <= l.WatchBytes) &&
				(l.WatchesPerConn == 0 || mine[who]+1 <= l.WatchesPerConn)
			if got := clients[who].do(q) != zoo.ErrQuotaExceeded; got != fits {
				t.Fatalf("%+v, %d watches of %d bytes, %d of its own: room for one on %s is %t", l, s.WatchSummary().All, bytes,
					mine[who], path, got)
			}
			if !fits {
				refused++
				continue
			}
			stands[fmt.Sprint(who, path)] = true
			mine[who] += times
			bytes += times * len(path)
			if code := clients[who].do(q); code == zoo.ErrQuotaExceeded {
				t.Fatalf("what stands on %s is not set again", path)
			}
		}
	}
	if refused < 1000 {
		t.Errorf("only %d were refused", refused)
	}
}

// TestContainersGoOnTime checks that a container is deleted at the first multiple of the interval, and not before.
func TestContainersGoOnTime(t *testing.T) {
	p := &pure{t: t, s: server.New(server.Config{ContainerCheck: 3 * time.Second})}
	c, err := p.dial(wire.ConnectRequest{TimeoutMS: 40_000})
	if err != nil {
		t.Fatal(err)
	}
	p.now = time.Second
	for _, at := range []time.Duration{3 * time.Second, 6 * time.Second, 12 * time.Second} {
		for _, q := range []wire.Request{
			{Op: wire.OpCreateContainer, Path: "/c", Flags: 4, ACL: zoo.OpenACL()},
			{Op: wire.OpCreate, Path: "/c/k", ACL: zoo.OpenACL()},
			{Op: wire.OpDelete, Path: "/c/k", Version: -1},
		} {
			c.send(q)
		}
		if next, ok := p.s.NextTick(); next != at || !ok {
			t.Errorf("at %v the next tick is at %v, %t, not at %v", p.now, next, ok, at)
		}
		if p.s.Tick(at - 1); p.s.Tree().Mortals() != 1 {
			t.Errorf("before %v it is gone", at)
		}
		if p.s.Tick(at); p.s.Tree().Mortals() != 0 {
			t.Errorf("at %v it is still there", at)
		}
		p.now = at
		if at == 6*time.Second {
			p.now = 9 * time.Second // there was nothing to check
		}
	}
	if next, _ := p.s.NextTick(); next < 40*time.Second {
		t.Errorf("without containers the next tick is at %v", next)
	}
}

// TestExactReplySize checks that the sizes of replies to reads are exact.
func TestExactReplySize(t *testing.T) {
	s := server.New(server.Config{})
	link := &last{}
	c := s.Connect(link, server.From{Addr: netip.MustParseAddr("10.0.0.1")})
	c.Greet(&wire.ConnectRequest{TimeoutMS: 10_000}, 0, 0)
	acl := []zoo.ACL{{Perms: 31, Scheme: "world", ID: "anyone"}, {Perms: 1, Scheme: "ip", ID: "10.0.0.1/8"}}
	for _, q := range []wire.Request{
		{Op: wire.OpCreate, Path: "/a", Data: make([]byte, 321), ACL: acl},
		{Op: wire.OpCreate, Path: "/a/long-name", Data: []byte{}, ACL: zoo.OpenACL()},
		{Op: wire.OpCreate, Path: "/a/b", ACL: zoo.OpenACL(), Flags: 1},
		{Op: wire.OpCreate, Path: "/eph", ACL: zoo.OpenACL(), Flags: 1},
	} {
		if c.Handle(&q, 0, 0); link.reply.Code != zoo.OK {
			t.Fatal(link.reply.Code)
		}
	}
	for _, q := range []wire.Request{
		{Op: wire.OpGetData, Path: "/a"}, {Op: wire.OpGetData, Path: "/a/long-name"}, {Op: wire.OpGetChildren, Path: "/a"},
		{Op: wire.OpGetChildren, Path: "/a/b"}, {Op: wire.OpGetChildren2, Path: "/a"}, {Op: wire.OpGetACL, Path: "/a"},
		{Op: wire.OpGetACL, Path: "/a/b"},
		{Op: wire.OpGetEphemerals, Path: "/"}, {Op: wire.OpWhoAmI}, {Op: wire.OpMultiRead},
		{Op: wire.OpMultiRead, Ops: []wire.Request{{Op: wire.OpGetData, Path: "/a"}, {Op: wire.OpGetChildren, Path: "/a"}}},
	} {
		said := c.ReplySize(&q)
		if c.Handle(&q, 0, 0); link.reply.Code != zoo.OK {
			t.Fatal(q.Op, link.reply.Code)
		}
		if got := len(wire.AppendFrame(nil, &link.reply)); got != said {
			t.Errorf("the reply to %v %s has %d bytes, and %d were foretold", q.Op, q.Path, got, said)
		}
	}
	for _, pair := range []struct {
		a, b wire.Request
		same bool
	}{
		{wire.Request{Op: wire.OpGetData, Path: "/a"}, wire.Request{Op: wire.OpGetData, Path: "/a"}, true},
		{wire.Request{Op: wire.OpGetChildren, Path: "/a"}, wire.Request{Op: wire.OpGetChildren2, Path: "/a"}, true},
		{wire.Request{Op: wire.OpGetChildren, Path: "/a"}, wire.Request{Op: wire.OpGetChildren, Path: "/"}, false},
	} {
		if a, b := c.Shared(&pair.a), c.Shared(&pair.b); a == nil || b == nil || (a == b) != pair.same {
			t.Errorf("%v and %v share their memory: %t", pair.a.Op, pair.b.Op, a == b)
		}
	}
	for _, q := range []wire.Request{
		{Op: wire.OpGetData, Path: "/a/long-name"}, {Op: wire.OpGetData, Path: "/none"},
		{Op: wire.OpGetChildren, Path: "/a/b"}, {Op: wire.OpWhoAmI},
	} {
		if of := c.Shared(&q); of != nil {
			t.Errorf("%v %s shares %v", q.Op, q.Path, of)
		}
	}
}

// TestOperationsInTheLog checks the log's name for each operation of the protocol.
func TestOperationsInTheLog(t *testing.T) {
	want := map[string]string{
		"create2": "create", "createContainer": "create", "createTTL": "create", "deleteContainer": "delete",
		"getData": "get", "setData": "set",
		"getChildren": "children", "getChildren2": "children", "createSession": "connect", "setWatches2": "setWatches",
		"sasl":         "auth",
		"notification": "none", "error": "none",
	}
	for op := wire.Op(-300); op < 300; op++ {
		name := op.String()
		if other, ok := want[name]; ok {
			name = other
		} else if name[0] == '-' || name[0] <= '9' {
			name = "none"
		}
		if got := server.OpOf(op).String(); got != name {
			t.Errorf("%v is %s in the log, not %s", op, got, name)
		}
	}
}

// TestBeginSetWatches takes a few of many watches, and none if they all fit.
func TestBeginSetWatches(t *testing.T) {
	request := func() wire.Request {
		return wire.Request{Op: wire.OpSetWatches2, DataWatches: []string{"/zookeeper"}, ExistWatches: []string{"/b", "/c"},
			ChildWatches: []string{"/"}, PersistentWatches: []string{"/e"}, RecursiveWatches: []string{"/f", "/g"}}
	}
	for most, want := range map[int]string{
		7: "false 0 [/zookeeper][/b /c][/][/e][/f /g]", 6: "true 8 [][][][][/g]", 4: "true 4 [][][][/e][/f /g]",
		2:   "true 2 [][/c][/][/e][/f /g]",
		100: "false 0 [/zookeeper][/b /c][/][/e][/f /g]",
	} {
		s := server.New(server.Config{})
		c, q := enter(s), request()
		more := c.conn.BeginSetWatches(&q, most, 0, 0)
		got := fmt.Sprint(more, " ", s.WatchSummary().All, " ", q.DataWatches, q.ExistWatches, q.ChildWatches,
			q.PersistentWatches, q.RecursiveWatches)
		if strings.ReplaceAll(got, "] [", "][") != want {
			t.Errorf("at most %d: %s, want %s", most, got, want)
		}
	}
	s := server.New(server.Config{})
	c, q := enter(s), request()
	if q.Op = wire.OpPing; c.conn.BeginSetWatches(&q, 1, 0, 0) {
		t.Error("another request is taken for it")
	}
	q.Op = wire.OpSetWatches
	fresh := s.Connect(&client{}, server.From{})
	if fresh.BeginSetWatches(&q, 1, 0, 0) || s.WatchSummary().All != 0 {
		t.Error("who has no session sets watches")
	}
	if !c.conn.BeginSetWatches(&q, 1, 0, 0) || s.WatchSummary().All != 1 {
		t.Errorf("%d watches were set, not 1", s.WatchSummary().All)
	}
	c.conn.Lost(0, 0)
	if c.conn.BeginSetWatches(&q, 1, 0, 0) {
		t.Error("who is gone sets watches")
	}
}

// TestForget removes the watches of a closed connection, all at once or in portions.
func TestForget(t *testing.T) {
	for watches, want := range map[int][]int{0: {0}, 3: {0}, 4: {4, 1, 0}, 6: {6, 3, 0, 0}, 7: {7, 4, 1, 0}} {
		removed := 0
		s := server.New(server.Config{Portion: 3, Emit: func(e event.Event) event.Seq {
			if e.Kind == event.WatchRemoved {
				removed++
			}
			return 0
		}})
		c := enter(s)
		for i := range watches {
			c.do(wire.Request{Op: wire.OpExists, Path: fmt.Sprint("/w", i), Watch: true})
		}
		c.conn.Lost(0, 0)
		left := []int{s.WatchSummary().All}
		for more := left[0] > 0; more; {
			more = c.conn.Forget()
			left = append(left, s.WatchSummary().All)
		}
		if !slices.Equal(left, want) || removed != watches || c.conn.Forget() {
			t.Errorf("of %d watches are left %v, want %v; %d were said to be gone", watches, left, want, removed)
		}
		if len(s.Conns()) != 0 {
			t.Errorf("%d connections", len(s.Conns()))
		}
	}
}

// TestMake creates missing znodes of a path, notifies watchers, and stops at an error.
func TestMake(t *testing.T) {
	s := server.New(server.Config{EpochMS: 1000})
	c := enter(s)
	for _, path := range []string{"/a", "/a/b"} {
		c.do(wire.Request{Op: wire.OpExists, Path: path, Watch: true})
	}
	if code := s.Make("/a/b/c", 5*time.Millisecond, 0); code != zoo.OK || !slices.Equal(c.told, []string{"1/a", "1/a/b"}) {
		t.Errorf("%v, and told is %v", code, c.told)
	}
	zxid := s.Zxid()
	for path, want := range map[string]zoo.Code{"/": zoo.OK, "/a": zoo.OK, "/a/b/c": zoo.OK, "/a/./b": zoo.ErrBadArguments,
		"no": zoo.ErrBadArguments} {
		if code := s.Make(path, 0, 0); code != want {
			t.Errorf("%s: %v, want %v", path, code, want)
		}
	}
	if s.Zxid() != zxid+2 {
		t.Errorf("what is there takes zxids: %d", s.Zxid()-zxid)
	}
	for _, path := range []string{"/a", "/a/b", "/a/b/c"} {
		if stat, ok := s.Tree().Stat(path); !ok || stat.Ctime != 1005 || stat.EphemeralOwner != 0 {
			t.Errorf("%s: %+v, %t", path, stat, ok)
		}
	}
}

// craft returns a snapshot of numbers followed by a tree.
func craft(tree []byte, seed uint64, numbers ...int64) []byte {
	body := binary.AppendUvarint(nil, seed)
	for i, n := range numbers {
		if i == 1 { // number of sessions
			body = binary.AppendUvarint(body, uint64(n))
		} else {
			body = binary.AppendVarint(body, n)
		}
	}
	body = append(body, tree...)
	return append(binary.BigEndian.AppendUint32([]byte(server.SnapshotMagic), crc32.ChecksumIEEE(body)), body...)
}

// TestCraftedSnapshots restores snapshots that no server has saved.
func TestCraftedSnapshots(t *testing.T) {
	const magic = server.SnapshotMagic
	tree := znode.New().AppendTo(nil)
	for _, c := range []struct {
		name, want string
		snapshot   []byte
	}{
		{"only a head", "restore the server: the list of sessions is damaged", []byte(magic + "\x00\x00\x00\x00")},
		{"less than a head", "restore the server: this is no snapshot of this version", []byte(magic + "\x00\x00\x00")},
		{"a wrong checksum", "restore the server: the checksum is wrong: the snapshot is damaged or cut short",
			[]byte(magic + "\x00\x00\x00\x01")},
		{"only a seed", "restore the server: the list of sessions is damaged", craft(nil, 7)},
		{"no number of sessions", "restore the server: the list of sessions is damaged", craft(nil, 7, 5)},
		{"a session without an end", "restore the server: the list of sessions is damaged", craft(nil, 7, 5, 1, 9, 4000)},
		{"fewer sessions than are said", "restore the server: the list of sessions is damaged",
			craft(nil, 7, 5, 2, 9, 4000, 1)},
		{"session 0", "restore the server: the list of sessions is damaged", craft(tree, 7, 5, 1, 0, 4000, 1)},
		{"a client below 0", "restore the server: the list of sessions is damaged", craft(tree, 7, 5, 1, 9, 4000, -1)},
		{"a client without a number", "", craft(tree, 7, 5, 1, 9, 4000, 0)},
		{"no sessions", "", craft(tree, 7, 5, 0)},
	} {
		if _, err := server.Restore(server.Config{}, c.snapshot); err == nil && c.want != "" || err != nil &&
			err.Error() != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for want, number := range map[string]func() event.Actor{
		"9: client 20500, 40s until 42s; 144115188075855872: client 3, 4s until 6s; " +
			"144115188075855873: client 0, 10s until 12s; ": nil,
		"9: client 2, 40s until 42s; 144115188075855872: client 1, 4s until 6s; " +
			"144115188075855873: client 3, 10s until 12s; ": (&pure{}).number, // whatever the snapshot says
	} {
		s, err := server.Restore(server.Config{Number: number},
			craft(tree, 7, 5, 2, 1<<57, 1, 3, 9, math.MaxInt32, 20_500))
		if err != nil {
			t.Fatal(err)
		}
		enter(s)
		got := ""
		for _, info := range s.Sessions() {
			got += fmt.Sprintf("%d: client %d, %v until %v; ", info.ID, info.Actor, info.Timeout, info.Deadline)
		}
		if got != want {
			t.Errorf("got\n%q, want\n%q", got, want)
		}
	}
}
