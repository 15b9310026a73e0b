package sessions

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/observe/inquiry"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// The files of testdata are answers of two of three servers of Apache ZooKeeper 3.8. The leader's wall clock was
// then at 07:33:04, the other one at 42154.9 s.

func recorded(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// replays starts a server that gives recorded answers.
func replays(t *testing.T, name string) (addr string) {
	t.Helper()
	return serves(t, func(word string) string { return recorded(t, name+"."+word) })
}

// serves starts a server that answers words with answer.
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

// adminReplays starts an AdminServer that gives recorded answers.
func adminReplays(t *testing.T, name string) (url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		command, ok := strings.CutPrefix(r.URL.Path, "/commands/")
		text, err := os.ReadFile(filepath.Join("testdata", name+"."+filepath.Base(command)+".json"))
		if r.Method != http.MethodGet || !ok || err != nil {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(text)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestRecorded reads a real server's answers, from words and from its AdminServer.
func TestRecorded(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"leader": "{127.0.0.1:35530 200027b8b160000 PING 1795677896283 12s 11h42m34.817s 1ms 0 129 129} " +
			"{1 1 1} [{144117917713563648 /app/lock/n-0000000000}] false",
		"follower": "{127.0.0.1:48640 100027b8ad20000 PING 1795677896207 10s 11h42m32.294s 0s 0 162 162} " +
			"{1 1 1} [{72060323671179264 /app/nothing}] false",
	} {
		u, err := inquiry.ParseAdmin(adminReplays(t, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []monitor{fourLetterWords{addr: replays(t, name)}, adminServer{inquiry.NewAdminServer(u, nil)}} {
			got, err := said(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("%s: %T has\n%s, not\n%s", name, a, got, want)
			}
		}
	}
}

// said returns all answers except the dump.
func said(ctx context.Context, a monitor) (string, error) {
	conns, err := a.connections(ctx)
	if err != nil {
		return "", err
	}
	sum, err := a.summary(ctx)
	if err != nil {
		return "", err
	}
	watches, more, err := a.watches(ctx, MaxWatches)
	if err != nil {
		return "", err
	}
	text := ""
	for _, c := range conns {
		text += fmt.Sprintf("{%s %x %s %d %v %v %v %d %d %d} ", c.client, c.session, c.last, c.established, c.timeout,
			c.answered, c.took, c.outstanding, c.received, c.sent)
	}
	return text + fmt.Sprint(sum, watches, more), nil
}

// TestRecordedDump reads when sessions expire, from both kinds of dumps.
func TestRecordedDump(t *testing.T) {
	t.Parallel()
	leader := parseDump(recorded(t, "leader.dump"))
	var said jsonDump
	if err := json.Unmarshal([]byte(recorded(t, "leader.dump.json")), &said); err != nil {
		t.Fatal(err)
	}
	for what, d := range map[string]dumped{"words": leader, "json": said.all()} {
		var text []string
		for _, b := range d.buckets {
			text = append(text, fmt.Sprintf("%v %x", b.at-d.buckets[0].at, b.sessions))
		}
		const want = "0s []; 2s []; 4s []; 6s []; 8s [100027b8ad20000]; 12s "
		if got := strings.Join(text, "; "); !strings.HasPrefix(got, want) || len(d.buckets[5].sessions) != 2 {
			t.Errorf("by %s they expire %s, not %s", what, got, want)
		}
	}
	if first := leader.buckets[0].at; first != time.Duration(1795678386)*time.Second {
		t.Errorf("the first time is %v", first)
	}
	follower := parseDump(recorded(t, "follower.dump"))
	if got := slices.Sorted(maps.Values(follower.timeouts)); len(follower.buckets) > 0 ||
		!slices.Equal(got, []time.Duration{10 * time.Second, 12 * time.Second, 14 * time.Second}) {
		t.Errorf("a follower tells %+v", follower)
	}
}

// TestForms reads other versions' lines and other addresses.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"/[0:0:0:0:0:0:0:1]:40[1](queued=2,recved=3,sent=4,sid=0xffffffffffffffff,to=40000,lresp=9,llat=3)",
			"[0:0:0:0:0:0:0:1]:40 -1 2 6ms"},
		{"app-7.example/10.1.2.3:999[0](queued=0,sid=0x1,lresp=5,llat=9)", "10.1.2.3:999 1 0 -4ms"},
		{"/1.2.3.4:5[1](queued=-1,recved=x,sent=,sid=0x2,lresp=99999999999999999999)", "1.2.3.4:5 2 0 0s"},
		{"/1.2.3.4:5[0](queued=0,recved=1,sent=0)", ""},
		{"/1.2.3.4:5[1](sid=0xzz)", ""},
		{"/\x1b\u009b2J[1](sid=0x3", "2J 3 0 0s"},
	} {
		line, want, got := c[0], c[1], ""
		if c, ok := parseConnection(line); ok {
			got = fmt.Sprintf("%s %d %d %v", c.client, c.session, c.outstanding, c.heard())
		}
		if got != want {
			t.Errorf("%s is %q, not %q", line, got, want)
		}
	}
	long := "/" + strings.Repeat("a", maxPath)
	if all, more := parseWatches("/a\n\t0x1\n\t0x2\n"+long+"\n\t0x3\n\n/b\n\t0x4\nx\n\t0x5\n", 4); len(all) != 4 || more {
		t.Errorf("the watches are %v", all)
	}
	if all, more := parseWatches("/a\n\t0x1\n\t0x2\n", 1); len(all) != 1 || !more {
		t.Errorf("the watches are %v", all)
	}
}

// TestParseAdmin accepts only URLs of AdminServers.
func TestParseAdmin(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"http://zk1:8080": "http://zk1:8080/commands/", " https://zk1:8080/zk/cmd ": "https://zk1:8080/zk/cmd/",
		"http://[::1]:8080/commands/": "http://[::1]:8080/commands/",
		"zk1:8080":                    "", "ftp://zk1": "", "http://me:secret@zk1": "", "http://zk1/?x=1": "", "http://": "",
	} {
		got := ""
		if u, err := inquiry.ParseAdmin(text); err == nil {
			got = u.String()
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("the error has the password: %v", err)
		}
		if got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}

// TestTroubles checks that missing answers are reported with their reasons.
func TestTroubles(t *testing.T) {
	t.Parallel()
	refuses := serves(t, func(word string) string {
		if word == "cons" {
			return recorded(t, "leader.cons")
		}
		return word + " is not executed because it is not in the whitelist.\n"
	})
	idle := serves(t, func(string) string { return "This ZooKeeper instance is not currently serving requests\n" })
	long := serves(t, func(word string) string {
		return recorded(t, "leader.cons") + strings.Repeat(strings.Repeat("x", 999)+"\n", inquiry.MaxAnswer/1000+1)
	})
	strange := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch filepath.Base(r.URL.Path) {
		case "connections":
			http.Redirect(w, r, "/commands/dump", http.StatusFound)
		case "dump":
			fmt.Fprint(w, `{"command":"dump","error":"not today\u0007"}`)
		default:
			fmt.Fprint(w, `{"num_connections":"many"}`)
		}
	}))
	defer strange.Close()
	u, err := inquiry.ParseAdmin(strings.Replace(strange.URL, "127.0.0.1", "localhost", 1)) // its host matches no server
	if err != nil {
		t.Fatal(err)
	}
	p := New(Config{Servers: []string{refuses, idle, long, "127.0.0.1:1"}, Admin: []*url.URL{u}})
	r, err := p.Next(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	host := u.Host
	want := []string{
		"sessions.refused(%s, dump, " + inquiry.Whitelist + ")", "sessions.refused(%s, wchs, " + inquiry.Whitelist + ")",
		"sessions.not-serving(%s)",
		"sessions.cut(%s, cons, 16)", "sessions.cut(%s, dump, 16)", "sessions.cut(%s, wchs, 16)",
		"sessions.away(%s, cons, error.text(dial tcp 127.0.0.1:1: connect: connection refused))",
		"sessions.admin.status(%s, connections, 302)", "sessions.admin.refused(%s, dump, not today)",
		"sessions.admin.stranger(%s, watch_summary)",
	}
	n := 0
	for _, s := range r.Servers {
		for _, trouble := range s.Troubles {
			where := s.Addr
			if where == host {
				where = u.String()
			}
			if n == len(want) || trouble.String() != fmt.Sprintf(want[n], where) {
				t.Errorf("trouble %d is %v", n, trouble)
			}
			n++
		}
	}
	if n != len(want) || len(r.Sessions) != 1 || r.Sessions[0].Client != "127.0.0.1:35530" {
		t.Errorf("%d troubles, and it knows %+v", n, r.Sessions)
	}
	w, err := p.Watches(t.Context())
	if err != nil || w.Whole || len(w.Troubles) != 5 || w.All != nil {
		t.Errorf("of watches it knows %+v, %v", w, err)
	}
}

// FuzzParse feeds arbitrary text to every parser.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"cons", "dump", "wchs", "wchp", "connections.json", "dump.json",
		"watches_by_path.json"} {
		f.Add(recorded(f, "leader."+name))
		f.Add(recorded(f, "follower."+name))
	}
	f.Add("9 expire at Thu Nov 99 07:33:06 UTC 2026:\n0x1\n\t0x2\n")
	f.Fuzz(func(t *testing.T, text string) {
		all := parseCons(text)
		var conns jsonConnections
		if json.Unmarshal([]byte(text), &conns) == nil {
			all = append(all, conns.all()...)
		}
		for _, c := range all {
			if c.session == 0 || len(c.client) > maxAddress || strings.ContainsFunc(c.client+c.last, control) ||
				c.timeout < 0 || c.outstanding < 0 {
				t.Errorf("it reads %+v", c)
			}
		}
		dumps := []dumped{parseDump(text)}
		var dump jsonDump
		if json.Unmarshal([]byte(text), &dump) == nil {
			dumps = append(dumps, dump.all())
		}
		for _, d := range dumps {
			for _, b := range d.buckets {
				if b.at < 0 {
					t.Errorf("it reads %+v", b)
				}
			}
		}
		parseSummary(text)
		watches, _ := parseWatches(text, 3)
		var said jsonWatches
		if json.Unmarshal([]byte(text), &said) == nil {
			more, _ := said.all(3)
			watches = append(watches, more...)
		}
		for _, w := range watches {
			if w.Path[0] != '/' || len(w.Path) > 3*maxPath {
				t.Errorf("it reads %+v", w)
			}
		}
		if len(watches) > 6 {
			t.Errorf("it reads %d watches", len(watches))
		}
	})
}

func control(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }

// TestCountsLists counts child watches by the number of all watches, of which a persistent one of ours is two.
func TestCountsLists(t *testing.T) {
	others := []Watch{{1, "/a"}, {2, "/a"}, {9, "/"}}
	for name, c := range map[string]struct {
		said   admin.Figures
		mine   int64
		n      int
		unsure bool
	}{
		"none":             {admin.Figures{Told: true, Version: "3.8.0", Watches: 3}, 0, 0, false},
		"two":              {admin.Figures{Told: true, Version: "3.9.3", Watches: 5}, 0, 2, false},
		"two and our own":  {admin.Figures{Told: true, Version: "3.6.0", Watches: 6}, 9, 2, false},
		"an old server":    {admin.Figures{Told: true, Version: "3.5.9", Watches: 6}, 0, 3, false},
		"an old one, ours": {admin.Figures{Told: true, Version: "3.5.9", Watches: 6}, 9, 2, true},
		"fewer":            {admin.Figures{Told: true, Watches: 1}, 0, 0, false},
		"untold":           {admin.Figures{}, 0, 0, true},
	} {
		n, known := lists(c.said, others, func(s int64) bool { return s == c.mine })
		if n != c.n || known == c.unsure {
			t.Errorf("%s: %d, %v", name, n, known)
		}
	}
}
