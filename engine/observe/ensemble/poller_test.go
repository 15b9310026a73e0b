package ensemble

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/observe/inquiry"
	"github.com/zkviz/zkviz/engine/testing/golden"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// The files of testdata are answers of three servers of Apache ZooKeeper 3.8, in five situations: all serve; the leader
// has just been killed; another one leads; a follower was killed, too; and all serve again. A server without a file was
// dead. The answers to mntr end after 60 lines.

// serves starts a server that answers words.
func serves(t *testing.T, answer func(word string) string) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				word := make([]byte, 4)
				if _, err := io.ReadFull(conn, word); err == nil {
					_, _ = io.WriteString(conn, answer(string(word))) // the client may have disconnected
				}
			}()
		}
	}()
	return l.Addr().String()
}

// recorded answers words as server n did in a situation; false if it was dead.
func recorded(situation, n string) (answer func(word string) string, alive bool) {
	file := func(word string) ([]byte, error) {
		return os.ReadFile(filepath.Join("testdata", situation+"."+n+"."+word))
	}
	_, err := file("srvr")
	return func(word string) string {
		text, err := file(word)
		if err != nil {
			return word + " is not executed because it is not in the whitelist.\n"
		}
		return string(text)
	}, err == nil
}

// TestRecordedGolden asks servers that answer as real ones did.
func TestRecordedGolden(t *testing.T) {
	s := tell(t)
	for i, situation := range []string{"all", "election", "changed", "lost", "back"} {
		var servers []server
		for _, n := range []string{"1", "2", "3"} {
			answer, alive := recorded(situation, n)
			addr := "127.0.0.1:1"
			if alive {
				addr = serves(t, answer)
			}
			one := newServer(inquiry.Server{Addr: addr}, access.Dialer{})
			one.addr = "zk" + n + ":2181"
			servers = append(servers, one)
		}
		s.round(situation, time.Duration(i)*5*time.Second, round(t.Context(), servers)...)
	}
	if s.state.Connections != 0 {
		t.Errorf("it counts %d connections besides its own", s.state.Connections)
	}
	golden.Compare(t, "testdata/recorded.txt", s.text.String())
}

// adminReplays starts an AdminServer that answers as a real one did.
func adminReplays(t *testing.T, name string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := os.ReadFile(filepath.Join("testdata", name+"."+filepath.Base(r.URL.Path)+".json"))
		if err != nil {
			http.Error(w, "HTTP ERROR 500", http.StatusInternalServerError)
			return
		}
		_, _ = w.Write(text)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestRecordedAdminServers asks AdminServers that answer as real ones did, and one that is none.
func TestRecordedAdminServers(t *testing.T) {
	var servers []server
	for _, name := range []string{"all.1", "lost.2", "all.3", "none"} {
		u, err := inquiry.ParseAdmin(adminReplays(t, name))
		if err != nil {
			t.Fatal(err)
		}
		one := newServer(inquiry.Server{Addr: name, Admin: inquiry.NewAdminServer(u, nil)}, access.Dialer{})
		servers = append(servers, one)
	}
	s := Fold(State{}, round(t.Context(), servers), Heard{}, startMS)
	got := tell(t).words(s.Says())
	if want := "all.3 leads since " + Clock(s.LeaderSince.MS, startMS) + " (epoch 1), all.1 follows, " +
		"lost.2 looks for a leader, none doesn't say what it does · " +
		"0 sessions · latency 22.5 ms, at most 94 ms · nothing outstanding"; got != want {
		t.Errorf("it says\n%s\nnot\n%s", got, want)
	}
	if none := s.Servers[3]; none.Why.Key != "sessions.admin.status" || none.Away {
		t.Errorf("of no AdminServer it says %+v", none)
	}
	if one := s.Servers[0]; one.Zxid != 0x100000005 || one.Version != "3.8.0" || s.LeaderSince.AtLeast {
		t.Errorf("it knows %+v, and the leader since %+v", one, s.LeaderSince)
	}
}

// TestStrangers asks programs that aren't ZooKeeper: none makes the state say anything false, or much.
func TestStrangers(t *testing.T) {
	for name, answer := range map[string]string{
		"silence": "",
		"noise":   strings.Repeat("\x00\xff\x1b[2J", 1<<20),
		"lies":    "Mode: <script>\nZxid: 0x" + strings.Repeat("f", 99) + "\n",
		"refusal": "srvr is not executed because it is not in the whitelist.\n",
	} {
		one := newServer(inquiry.Server{Addr: serves(t, func(string) string { return answer })}, access.Dialer{})
		s := Fold(State{}, round(t.Context(), []server{one}), Heard{}, startMS)
		if got := s.Servers[0]; s.Quorum != Unknown || got.Mode != "" || got.Version != "" || got.Why.Key == "" || got.Away {
			t.Errorf("of %s it makes %+v", name, s)
		}
		if said := s.Says().String(); len(said) > 300 || strings.ContainsAny(said, "\x00\x1b<") {
			t.Errorf("of %s it says %q", name, said)
		}
	}
}

// answering is a target with prepared answers, which counts what it is asked.
type answering struct {
	states  []admin.Status
	asked   atomic.Int64
	figured atomic.Int64
}

func (a *answering) status(context.Context) (admin.Status, error) {
	i := a.asked.Add(1) - 1
	return a.states[min(int(i), len(a.states)-1)], nil
}

func (a *answering) Figures(context.Context) (admin.Figures, error) {
	a.figured.Add(1)
	return admin.Figures{}, nil
}

// TestBehind asks a server again that seems to be behind: only what it lacks then, too, counts. All are asked for
// its figures, and nobody else is.
func TestBehind(t *testing.T) {
	leader := &answering{states: []admin.Status{answer("", admin.Leader, 100).Status}}
	quick := &answering{states: []admin.Status{answer("", follower, 90).Status, answer("", follower, 104).Status}}
	slow := &answering{states: []admin.Status{answer("", follower, 90).Status, answer("", follower, 93).Status}}
	servers := []server{{addr: zk1, by: leader}, {addr: zk2, by: quick}, {addr: zk3, by: slow}}
	s := Fold(State{}, round(t.Context(), servers), Heard{}, startMS)
	if s.Servers[0].Behind != 0 || s.Servers[1].Behind != 0 || s.Servers[2].Behind != 7 {
		t.Errorf("they are behind by %d, %d and %d", s.Servers[0].Behind, s.Servers[1].Behind, s.Servers[2].Behind)
	}
	if leader.asked.Load() != 1 || leader.figured.Load() != 1 || quick.figured.Load()+slow.figured.Load() != 2 {
		t.Error("they aren't asked what they should be")
	}
}

// TestPoller checks that many callers cause no more questions than one, and that nobody is asked without one.
func TestPoller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := &answering{states: []admin.Status{answer("", admin.Leader, 100).Status}}
		p := New(nil, access.Dialer{}, 0)
		p.servers = []server{{addr: zk1, by: one}}
		time.Sleep(time.Hour)
		for range 10 {
			for range 100 {
				go func() { _, _ = p.Next(t.Context(), 0) }()
			}
			synctest.Wait()
			time.Sleep(askEvery)
		}
		if n := one.asked.Load(); n != 10 || p.Latest().Number != 10 {
			t.Errorf("in ten rounds it is asked %d times, and there are %d states", n, p.Latest().Number)
		}
		s, err := p.Next(t.Context(), 10)
		if err != nil || s.Number != 11 {
			t.Errorf("the next state is %d, %v", s.Number, err)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if _, err := p.Next(ctx, 99); err == nil {
			t.Error("it answers who has left")
		}
	})
}
