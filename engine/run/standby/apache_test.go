package standby_test

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/run/standby"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/natstest"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// steady has long limits, so that a busy machine ends no follower.
var steady = apache.EnsembleConfig{Servers: 3, Direct: true, Config: apache.Config{
	Settings: []string{"initLimit=300", "syncLimit=300"}, Properties: []string{"zookeeper.commitLogCount=1000000"}}}

// TestApache checks with servers of Apache that their leader has one observer, and that a server which stands by shows
// what they have logged, each transaction once, also those of the time without an observer.
func TestApache(t *testing.T) {
	if testing.Short() {
		t.Skip("starts three servers")
	}
	zktest.Need(t)
	e, err := apache.StartEnsemble(steady)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	conn, _, err := zk.Connect(strings.Split(e.ConnectString(), ","), apache.MaxSession, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.AddAuth("digest", []byte("alice:secret")); err != nil {
		t.Fatal(err)
	}
	write := func(path string, acl []zk.ACL) (zxid int64) {
		if _, err := conn.Create(path, []byte("old"), 0, acl); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			s, err := conn.Set(path, []byte("new"), -1)
			if err != nil {
				t.Fatal(err)
			}
			zxid = s.Mzxid
		}
		return zxid
	}
	zxid := write("/before", zk.WorldACL(zk.PermAll))
	n := natstest.Start(t)
	links, all := []*natstest.Relay{}, []*server{}
	for range 2 {
		link := n.Relay(t)
		bus := open(t, link.URL(), shared.LeaseFor)
		s := &server{t: t, servers: e.Quorum(), standby: standby.New(standby.Config{Bus: func() *shared.Bus { return bus },
			Ensemble: "apache", Log: slog.New(slog.DiscardHandler)})}
		s.follow()
		links, all = append(links, link), append(all, s)
	}
	reach := func(s *server) { s.until(func() bool { return s.isReady && s.zxid >= zxid }) }
	reach(all[0])
	reach(all[1])
	observers := func() string {
		for _, line := range strings.Split(e.Servers[e.Leader()-1].Word("mntr"), "\n") {
			if of, is := strings.CutPrefix(line, "zk_synced_observers\t"); is {
				return of
			}
		}
		return "unknown"
	}
	if got := observers(); got != "1" {
		t.Errorf("the leader has %s observers", got)
	}
	owner, other := awaitOwner(t, all...)
	zxid = write("/during", zk.DigestACL(zk.PermAll, "alice", "secret"))
	reach(other)
	var writing sync.WaitGroup
	writing.Go(func() { zxid = write("/while", zk.WorldACL(zk.PermAll)) })
	links[slices.Index(all, owner)].Cut() // nobody hears that it leaves, as if it were killed
	owner.stop()
	writing.Wait()
	zxid = write("/after", zk.WorldACL(zk.PermAll))
	reach(other)
	if got := observers(); got != "1" {
		t.Errorf("the leader has %s observers afterwards", got)
	}
	other.mu.Lock()
	defer other.mu.Unlock()
	if len(other.wrong) > 0 || other.begins != 1 {
		t.Errorf("it began %d times: %v", other.begins, other.wrong)
	}
	leader := e.Servers[e.Leader()-1]
	leader.Kill() // so that all it has written is on disk
	files, err := past.Find(leader.Files())
	if err != nil {
		t.Fatal(err)
	}
	var logged []int64
	err = files.Read(t.Context(), "/", func(past.Trouble) {}, func(_ *replay.State, x *wire.Txn, _ []replay.Fact) error {
		if x.Zxid > other.from && x.Zxid <= zxid {
			logged = append(logged, x.Zxid)
		}
		return nil
	})
	shown := slices.DeleteFunc(slices.Clone(other.zxids), func(x int64) bool { return x > zxid })
	if err != nil || len(logged) < 300 || !slices.Equal(logged, shown) {
		t.Errorf("%d are logged, %d shown: %v", len(logged), len(shown), err)
	}
	if x := other.state.Node("/while"); x == nil || x.Text != "new" {
		t.Errorf("/while is %+v", x)
	}
	if x := other.state.Node("/during"); x == nil || x.Text != "" || !x.Secret {
		t.Errorf("what ACLs hide is %+v", x)
	}
	t.Logf("%d transactions, each once", len(shown))
}
