package live_test

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/live"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// stranger creates znodes that zkviz must not touch, and checks them.
type stranger struct {
	t     *testing.T
	c     *zk.Conn
	mine  map[string]state
	order []string
}

// state is everything about a znode that must not change.
type state struct {
	data string
	stat zk.Stat
	acl  string
}

// onlyMe is an ACL that denies everyone else everything.
var onlyMe = zk.DigestACL(zk.PermAll, "stranger", "secret")

func newStranger(t *testing.T, srv *zktest.Server) *stranger {
	t.Helper()
	s := &stranger{t: t, c: direct(t, srv), mine: map[string]state{}}
	if err := s.c.AddAuth("digest", []byte("stranger:secret")); err != nil {
		t.Fatal(err)
	}
	return s
}

// plant creates a znode. seal records its state.
func (s *stranger) plant(path, data string, flags int32, acl []zk.ACL) string {
	s.t.Helper()
	made, err := s.c.Create(path, []byte(data), flags, acl)
	if err != nil {
		s.t.Fatalf("plant %q: %v", path, err)
	}
	s.mine[made] = state{}
	s.order = append(s.order, made)
	return made
}

func (s *stranger) read(path string) (state, error) {
	data, stat, err := s.c.Get(path)
	if err != nil {
		return state{}, err
	}
	acl, _, err := s.c.GetACL(path)
	return state{string(data), *stat, fmt.Sprint(acl)}, err
}

// seal records the state of every znode.
func (s *stranger) seal() {
	s.t.Helper()
	for path := range s.mine {
		now, err := s.read(path)
		if err != nil {
			s.t.Fatalf("seal %q: %v", path, err)
		}
		s.mine[path] = now
	}
}

// intact fails if any znode has changed.
func (s *stranger) intact(after string) {
	s.t.Helper()
	for _, path := range s.order {
		if now, err := s.read(path); err != nil {
			s.t.Errorf("after %s: %q: %v", after, path, err)
		} else if now != s.mine[path] {
			s.t.Errorf("after %s: %q is %+v and was %+v", after, path, now, s.mine[path])
		}
	}
}

// alone fails if anything named after root is left, except the stranger's znodes and their parents.
func (s *stranger) alone(root, after string) {
	s.t.Helper()
	var walk func(at string)
	walk = func(at string) {
		above := func(p string) bool { return p == at || strings.HasPrefix(p, at+"/") }
		kept := at == root || at == root+"-clients" // as long as either exists
		if !kept && !slices.ContainsFunc(s.order, above) {
			s.t.Errorf("after %s: %q was left behind", after, at)
		}
		names, _, err := s.c.Children(at)
		if err != nil && err != zk.ErrNoNode {
			s.t.Fatal(err)
		}
		for _, name := range names {
			walk(at + "/" + name)
		}
	}
	walk(root)
	walk(root + "-clients")
}

// leave deletes the stranger's znodes whose paths begin with below.
func (s *stranger) leave(below string) {
	s.t.Helper()
	for _, path := range slices.Backward(s.order) {
		if strings.HasPrefix(path, below) {
			if err := s.c.Delete(path, -1); err != nil {
				s.t.Fatalf("delete %q: %v", path, err)
			}
			delete(s.mine, path)
		}
	}
	s.order = slices.DeleteFunc(s.order, func(path string) bool { return strings.HasPrefix(path, below) })
}

// hostile lists odd names that ZooKeeper accepts.
var hostile = []string{"run-\u202eabcdefghij", "<script>", "-- '\"; rm", "run-aaaaaaaaaa-clients-clients",
	"run-aaaaaaaaaa ", strings.Repeat("long", 200)}

// marked returns copies of the data and the ACL of a run's root.
func marked(id string) (string, []zk.ACL) {
	return "zkviz/1 " + id, append(zk.WorldACL(zk.PermAll), zk.ACL{Perms: zk.PermRead, Scheme: "digest", ID: "zkviz:" +
		id})
}

// settleBeside creates znodes next to runs that look like runs. It returns those that should be reported.
func (s *stranger) settleBeside(base string) (suspect []string) {
	numbers := s.plant(base+"/run-2026112201", "", 0, anyone)
	s.plant(numbers+"/results", "months of work", 0, anyone)
	s.plant(base+"/run-2026112202", "", 0, anyone)
	s.plant(base+"/run-abcdefghij", "", 0, anyone)
	s.plant(base+"/run-abcdefghij/results", "", 0, anyone)
	s.plant(base+"/run-bbbbbbbbbb", "data", 0, anyone)
	for range 3 {
		s.plant(base+"/run-", "", zk.FlagSequence, anyone)
	}
	s.plant(base+"/run-eeeeeeeeee", "", zk.FlagEphemeral, anyone)
	s.plant(base+"/run-pppppppppp", "", 0, onlyMe)
	s.plant(base+"/run-pppppppppp/in", "", 0, onlyMe)
	ours := s.plant(base+"/ours", "made by zkviz", 0, anyone)
	s.plant(ours+"/theirs", "", 0, anyone)
	for _, name := range hostile {
		s.plant(base+"/"+name, name, 0, anyone)
	}
	pair := func(id, data string, acl []zk.ACL) {
		root := s.plant(base+"/"+id, data, 0, acl)
		s.plant(root+"/lock-0000000001", "", 0, acl)
		suspect = append(suspect, root, s.plant(root+"-clients", data, 0, acl))
	}
	pair("run-cccccccccc", "", anyone)
	pair("run-dddddddddd", "", onlyMe)
	data, acl := marked("run-ffffffffff")
	pair("run-ffffffffff", data, anyone)
	data, acl = marked("run-gggggggggg")
	pair("run-gggggggggg", data, acl)
	data, acl = marked("run-hhhhhhhhhh")
	pair("run-iiiiiiiiii", data, acl) // of another run
	suspect = append(suspect, s.plant(base+"/run-hhhhhhhhhh", data, 0, acl))
	data, acl = marked("run-jjjjjjjjjj")
	suspect = append(suspect,
		s.plant(base+"/run-jjjjjjjjjj-clients", data, 0, acl), s.plant(base+"/run-kkkkkkkkkk-clients", "", 0, anyone))
	data, acl = marked("run-llllllllll") // one transaction made it, but the ACL is missing
	for _, path := range []string{base + "/run-llllllllll", base + "/run-llllllllll-clients"} {
		s.mine[path], s.order, suspect = state{}, append(s.order, path), append(suspect, path)
	}
	must(s.c.Multi(&zk.CreateRequest{Path: base + "/run-llllllllll", Data: []byte(data), Acl: anyone},
		&zk.CreateRequest{Path: base + "/run-llllllllll-clients", Data: []byte(data), Acl: anyone}))
	return suspect
}

// settleInside creates znodes inside a furnished run, one of them in place of the run's own. It returns the top ones.
func (s *stranger) settleInside(root string) (top []string) {
	s.t.Helper()
	if err := s.c.Delete(root+"/taken", -1); err != nil {
		s.t.Fatal(err)
	}
	top = append(top, s.plant(root+"/taken", "theirs", 0, anyone))
	foreign := s.plant(root+"/foreign", "", 0, anyone)
	top = append(top, foreign)
	s.plant(foreign+"/child", "months of work", 0, anyone)
	data, acl := marked("run-zzzzzzzzzz")
	top = append(top,
		s.plant(root+"/queue/foreign", "", 0, anyone),
		s.plant(root+"/queue/deep/x/foreign", "", 0, anyone),
		s.plant(root+"/many/n-", "", zk.FlagSequence, anyone),
		s.plant(root+"/ephemeral", "", zk.FlagEphemeral, anyone),
		s.plant(root+"/parent/of/secret", "", 0, onlyMe),
		s.plant(root+"/copied", "zkviz/1 "+path.Base(root), 0, anyone),
		s.plant(root+"/another-run", data, 0, acl),
		s.plant(root+"-clients/foreign", "", 0, anyone))
	for _, name := range hostile {
		top = append(top, s.plant(root+"/"+name, "", 0, anyone))
	}
	s.seal()
	return top
}

// leftAre fails if the reported znodes aren't the expected ones. A report is cut short, so the comparison is too.
func leftAre(t *testing.T, left live.Leftovers, want []string) {
	t.Helper()
	var got []string
	for _, z := range left.Znodes {
		if got = append(got, z.Path); !slices.Contains(want, z.Path) {
			t.Errorf("%s is reported", z)
		}
		if line := z.String(); strings.ContainsRune(line, '\u202e') || len(line) > 500 {
			t.Errorf("a report is %q", line)
		}
	}
	if len(got)+left.More != len(want) || len(got) > live.MaxLeft {
		t.Errorf("%d and %d more are reported, not %d: %q", len(got), left.More, len(want), got)
	}
}

// TestForeign plants znodes of every look next to runs, inside a live one and inside a killed one. Whatever zkviz
// does, they must stay unchanged, and nothing must remain of the runs except parents of foreign znodes.
func TestForeign(t *testing.T) {
	t.Parallel()
	for name, start := range servers {
		t.Run(name, func(t *testing.T) { t.Parallel(); foreign(t, start(t)) })
	}
}

// servers lists the servers on which runs must behave alike.
var servers = map[string]func(*testing.T) *zktest.Server{
	"Apache":   func(t *testing.T) *zktest.Server { return zktest.Start(t) },
	"embedded": startEmbedded,
}

func startEmbedded(t *testing.T) *zktest.Server {
	s, err := embed.Listen(embed.Config{Addr: "127.0.0.1:0", Tick: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // it keeps nothing
	return &zktest.Server{Server: &apache.Server{Addr: s.Addr().String()}}
}

func foreign(t *testing.T, srv *zktest.Server) {
	s := newStranger(t, srv)
	must(s.c.Create(base, []byte("made by zkviz"), 0, anyone))
	suspect := s.settleBeside(base)
	s.seal()

	cfg, list := byHand(unhurried, furnish)
	inside := make(chan []string, 1)
	r := &recorder{on: func(e event.Event) {
		if e.Kind == event.RecipeNote {
			inside <- s.settleInside(cfg.Root)
		}
	}}
	list[0].Main = systems.OnZooKeeper(func(c zoo.Client) error { return furnish(c, cfg.Root) })
	cfg.Parents = []string{cfg.Root + "/parent/of"}
	var left live.Leftovers
	cfg.Report = func(l live.Leftovers) { left = l }
	if err := runLive(t, srv, cfg, list, r, nil); err != nil {
		t.Error(err)
	}
	s.intact("a run")
	s.alone(cfg.Root, "a run")
	top := <-inside
	leftAre(t, left, top)

	killed, clean := live.NewRoot(base), live.NewRoot(base)
	killThis, killThat := doomed(t, srv, killed), doomed(t, srv, clean)
	top = append(top, s.settleInside(killed)...)
	sweepNow(t, srv, base)
	s.intact("a sweep beside a run")
	if there, _, err := s.c.Exists(clean + "/many/n-0000000099"); err != nil || !there {
		t.Errorf("a run that goes on was swept: %v", err)
	}
	killThis()
	killThat()
	for end := time.Now().Add(longest); ; time.Sleep(100 * time.Millisecond) {
		left = sweepNow(t, srv, base)
		_, stat, err := s.c.Exists(killed + "/many")
		there, _, err2 := s.c.Exists(clean)
		if err == nil && err2 == nil && stat.NumChildren == 1 && !there {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("killed runs were not swept: %v, %v", err, err2)
		}
	}
	s.intact("the sweep of killed runs")
	s.alone(killed, "the sweep of killed runs")
	absent(t, srv, clean)
	leftAre(t, sweepNow(t, srv, base), append(suspect, top...))
	s.intact("another sweep")

	s.leave(cfg.Root)
	s.leave(killed)
	leftAre(t, sweepNow(t, srv, base), suspect)
	absent(t, srv, cfg.Root)
	absent(t, srv, killed)
	s.intact("the last sweep")
}

// TestNoDigests runs and sweeps on a server that refuses digests in ACLs.
func TestNoDigests(t *testing.T) {
	t.Parallel()
	zktest.Need(t)
	server,
		err := apache.Start(apache.Config{Properties: []string{"zookeeper.DigestAuthenticationProvider.enabled=false"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	srv := &zktest.Server{Server: server}
	s := &stranger{t: t, c: direct(t, srv), mine: map[string]state{}}
	ended, killed := live.NewRoot(base), live.NewRoot(base)
	for root, run := range map[string]func(){
		ended: func() {
			cfg, list := byHand(unhurried, nil)
			cfg.Root, list[0].Main = ended, systems.OnZooKeeper(func(c zoo.Client) error {
				if err := furnish(c, ended); err != nil {
					return err
				}
				s.plant(ended+"/many/theirs", "", 0, anyone)
				return nil
			})
			if err := runLive(t, srv, cfg, list, &recorder{}, nil); err != nil {
				t.Error(err)
			}
		},
		killed: func() {
			kill := doomed(t, srv, killed)
			s.plant(killed+"/many/theirs", "", 0, anyone)
			kill()
			for end := time.Now().Add(longest); ; time.Sleep(100 * time.Millisecond) {
				sweepNow(t, srv, base)
				if _, stat, err := s.c.Exists(killed + "/many"); err == nil && stat.NumChildren == 1 {
					break
				}
				if time.Now().After(end) {
					t.Fatal("the killed run was not swept")
				}
			}
		},
	} {
		run()
		s.alone(root, "a run")
		if there, _, err := s.c.Exists(root + "/many/theirs"); err != nil || !there {
			t.Errorf("%s/many/theirs is gone: %v", root, err)
		}
		s.leave(root)
		sweepNow(t, srv, base)
		absent(t, srv, root)
	}
}

// sweepNow sweeps, and does it again if the connection was lost.
func sweepNow(t *testing.T, srv *zktest.Server, base string) (left live.Leftovers) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	for {
		err := live.SweepNow(ctx, live.Base{Servers: []string{srv.Addr}, Path: base,
			Report: func(l live.Leftovers) { left = l }})
		if err == nil {
			return left
		}
		if t.Log(err); ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

// TestBusyStranger creates one znode after the other, next to a run or inside it, while the run is removed. Those
// next to it don't delay the removal. Those inside do, but not forever. None may be lost.
func TestBusyStranger(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	for name, inside := range map[string]bool{"beside": false, "inside": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := direct(t, srv)
			base := base + "-" + name
			must(c.Create(base, []byte("made by zkviz"), 0, anyone))
			cfg, list := byHand(unhurried, nil)
			cfg.Root = live.NewRoot(base)
			list[0].Main = systems.OnZooKeeper(func(c zoo.Client) error { return furnish(c, cfg.Root) })
			at := base + "/theirs-"
			if inside {
				at = cfg.Root + "/queue/theirs-"
			}
			ready, stop, stopped := make(chan struct{}), make(chan struct{}), make(chan struct{})
			var made []string
			go func() {
				defer close(stopped)
				for {
					path, err := c.Create(at, nil, zk.FlagSequence, anyone)
					if err == nil {
						if made = append(made, path); len(made) == 1 {
							close(ready)
						}
					}
					select {
					case <-stop:
						return
					default:
					}
				}
			}()
			r := &recorder{on: func(e event.Event) {
				if e.Kind == event.RecipeNote {
					<-ready
				}
			}}
			err := runLive(t, srv, cfg, list, r, nil)
			close(stop)
			<-stopped
			if err != nil && !(inside && strings.Contains(err.Error(), "somebody else keeps changing it")) {
				t.Error(err)
			}
			names, _, err := c.Children(parentOf(at))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range made {
				if !slices.Contains(names, path[len(parentOf(at))+1:]) {
					t.Errorf("%s is gone", path)
				}
			}
			t.Logf("the stranger made %d", len(made))
			if inside {
				sweepNow(t, srv, base)
				names, _, err := c.Children(cfg.Root)
				if err != nil || !slices.Equal(names, []string{"queue"}) {
					t.Errorf("there is %q left; %v", names, err)
				}
				return
			}
			absent(t, srv, cfg.Root)
		})
	}
}
