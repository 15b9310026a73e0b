package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// startServers starts an ensemble that ends with the test, and connects a client that survives the test's faults.
func startServers(t *testing.T, n int, cfg apache.Config) (*apache.Ensemble, *zk.Conn) {
	t.Helper()
	zktest.Need(t)
	cfg.HeapMB = 256
	cfg.Settings = append(cfg.Settings, "initLimit=150", "syncLimit=150") // ticks; servers wait for a busy machine
	e, err := apache.StartEnsemble(apache.EnsembleConfig{Servers: n, Direct: true, Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	conn, _, err := zk.Connect(strings.Split(e.ConnectString(), ","), apache.MaxSession, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return e, conn
}

// lockList is the page of locks and viz-server locks, for a server that has joined an ensemble or only reads it.
type lockList struct {
	t     *testing.T
	name  string
	url   string
	args  []string // those after viz-server locks
	lines chan string
}

func listLocks(t *testing.T, e *apache.Ensemble, joined bool) *lockList {
	t.Helper()
	l := &lockList{t: t, name: "read", args: []string{"--zk", e.ConnectString()}, lines: make(chan string, 1000)}
	if joined {
		l.name, l.args = "joined", append(l.args, "--observe-ensemble", strings.Join(e.Quorum(), ","))
	}
	ctx, interrupt := context.WithCancel(t.Context())
	printed, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- execute(append([]string{"serve", "--addr", "127.0.0.1:0"}, l.args...),
			&terminal{ctx: ctx, out: out, err: io.Discard})
		_ = out.Close()
	}()
	t.Cleanup(func() { interrupt(); <-code })
	lines := bufio.NewScanner(printed)
	for l.url == "" && lines.Scan() {
		if i := strings.Index(lines.Text(), "http://"); i >= 0 {
			l.url = lines.Text()[i:] + "/live/locks"
		}
	}
	go func() { _, _ = io.Copy(io.Discard, printed) }()
	return l
}

// follow runs viz-server locks --follow until the test ends.
func (l *lockList) follow() {
	ctx, interrupt := context.WithCancel(l.t.Context())
	code := make(chan int, 1)
	go func() {
		code <- execute(append([]string{"locks", "--follow"}, l.args...),
			&terminal{ctx: ctx, out: lineWriter{l.lines}, err: lineWriter{l.lines}})
		close(l.lines)
	}()
	l.t.Cleanup(func() { interrupt(); <-code })
}

// says waits until the command prints a text.
func (l *lockList) says(what string) {
	l.t.Helper()
	for said := ""; ; {
		select {
		case line, more := <-l.lines:
			if said += line; !more {
				l.t.Fatalf("%s, it has ended, and said %s", l.name, said)
			}
			if strings.Contains(line, what) {
				return
			}
		case <-l.t.Context().Done():
			l.t.Fatalf("%s, it doesn't say %q", l.name, what)
		}
	}
}

// shows waits until the page has a text, and returns the page's words.
func (l *lockList) shows(what string) string {
	l.t.Helper()
	for {
		_, body, _ := strings.Cut(fetch(l.t, l.url), `id="lock-state"`)
		body, _, _ = strings.Cut(body, `id="lock-news"`)
		if strings.Contains(html.UnescapeString(body), what) {
			return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(body, " "))), " ")
		}
		if l.t.Context().Err() != nil {
			l.t.Fatalf("%s, the page doesn't say %q: %s", l.name, what, body)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

var (
	tag     = regexp.MustCompile(`<[^>]*>`)
	heldFor = regexp.MustCompile(`for [^.]*? when last seen`)
	ago     = regexp.MustCompile(`when last seen, (.*?) ago`)
)

// TestLocksWithoutQuorum watches the locks of three servers, by page and command, joined and reading. The servers
// lose their quorum, then all stop, then return. Meanwhile the last known state is shown as such: ages stop, and
// silent clients raise no alerts.
func TestLocksWithoutQuorum(t *testing.T) {
	t.Parallel()
	e, conn := startServers(t, 3, apache.Config{Settings: []string{"localSessionsEnabled=true",
		"localSessionsUpgradingEnabled=true"}, Properties: []string{"readonlymode.enabled=true"}})
	acl := zk.WorldACL(zk.PermAll)
	if _, err := conn.Multi(&zk.CreateRequest{Path: "/l", Acl: acl}, &zk.CreateRequest{Path: "/q", Acl: acl},
		&zk.CreateRequest{Path: "/q/qn-0000000000", Acl: acl},
		&zk.CreateRequest{Path: "/q/qn-0000000001", Acl: acl}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := conn.Create("/l/lock-", nil, zk.FlagEphemeral|zk.FlagSequence, acl); err != nil {
			t.Fatal(err)
		}
	}
	lists := []*lockList{listLocks(t, e, true), listLocks(t, e, false)}
	for _, l := range lists {
		l.follow()
		l.says("/l ")
	}
	lists[0].shows("seen every transaction")
	lists[1].shows("has been reading")
	for _, l := range lists {
		if text := l.shows("2 of 2 shown; 0 in trouble"); strings.Contains(text, "last seen") {
			t.Errorf("%s, with a quorum the page says %s", l.name, text)
		}
	}

	e.Servers[0].Kill()
	e.Servers[1].Kill()
	lists[0].shows(": none of " + strings.Join(e.Quorum(), ", ") + " answers as a leader does " +
		"(connection refused): make sure that a majority of the servers is running")
	lists[0].says("ZooKeeper is out of reach")
	lists[1].shows("The servers have no quorum")
	lists[1].says("the servers have no quorum")
	for _, l := range lists {
		l.stands()
	}
	const noQuorum = `{"lacks":{"quorum":true,`
	var out, errs bytes.Buffer
	if code := execute(append([]string{"locks", "--json"}, lists[1].args...), &terminal{ctx: t.Context(), out: &out,
		err: &errs}); code != exitOK ||
		!strings.Contains(out.String(), `"as_of":"`) || !strings.Contains(out.String(), noQuorum) {
		t.Errorf("without a quorum, the command says %d, %s%s", code, out.String(), errs.String())
	}

	e.Servers[2].Kill()
	for _, l := range lists {
		l.shows("ZooKeeper is out of reach")
		l.stands()
		l.stage()
		var errs bytes.Buffer
		if code := execute(append([]string{"locks", "--fail-on", "quorum"}, l.args...), &terminal{ctx: t.Context(),
			out: &errs, err: &errs}); code != exitTrouble || !strings.Contains(errs.String(), "can't read ") {
			t.Errorf("%s, without servers the command says %d, %s", l.name, code, errs.String())
		}
	}
	lists[0].says("  ensemble  no server can be reached any more: ")
	lists[1].saysAll("ZooKeeper is out of reach since 2", "  ensemble  no server can be reached any more: ")
	for _, s := range e.Servers {
		if err := s.Launch(); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range lists {
		l.saysAll("ZooKeeper is in reach again", "  ensemble  a server can be reached again, after at most ")
		for strings.Contains(l.shows("2 of 2 shown; "), "last seen") {
		}
		if text := l.shows("2 of 2 shown; "); !strings.Contains(text, "2 items") {
			t.Errorf("%s, with a quorum again the page says %s", l.name, text)
		}
	}
}

// stage opens a lock's stage while the servers are out of reach.
func (l *lockList) stage() {
	l.t.Helper()
	for path, want := range map[string]string{"/l": `list of locks saw last, at.*Held by: 0x[0-9a-f]+.*last seen, .*In ` +
		`line: 1 `, "/none": `What was here before can't be shown`} {
		_, body, _ := strings.Cut(fetch(l.t, strings.Replace(l.url, "/locks", "?path="+path, 1)), `id="seen"`)
		body, _, _ = strings.Cut(body, `</section>`)
		text := strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(body, " "))), " ")
		if !regexp.MustCompile(want).MatchString(text) {
			l.t.Errorf("%s, the page of %s says %s", l.name, path, text)
		}
	}
}

// stands waits until the page's state is older, and checks that no lock has been held for longer meanwhile.
func (l *lockList) stands() {
	l.t.Helper()
	first := l.shows("when last seen, ")
	before := ago.FindStringSubmatch(first)
	for text := first; ; text = l.shows("when last seen, ") {
		if now := ago.FindStringSubmatch(text); now[1] == before[1] {
			continue
		}
		if was, is := heldFor.FindString(first), heldFor.FindString(text); was == "" || was != is {
			l.t.Errorf("%s, it was held %s, and then %s", l.name, was, is)
		}
		if !strings.Contains(text, "2 items when last seen") || strings.Contains(text, "may end soon") {
			l.t.Errorf("%s, the page says %s", l.name, text)
		}
		return
	}
}

// TestManyLocksJoined checks that a list of too many locks says how many are left out.
func TestManyLocksJoined(t *testing.T) {
	t.Parallel()
	e, conn := startServers(t, 1, apache.Config{Settings: []string{"standaloneEnabled=false"}})
	const more, each = 10, 500
	acl := zk.WorldACL(zk.PermAll)
	var ops []any
	for i := range locks.MaxThings + more {
		at := fmt.Sprintf("/l%d", i)
		ops = append(ops, &zk.CreateRequest{Path: at, Acl: acl},
			&zk.CreateRequest{Path: at + "/lock-0000000000", Flags: zk.FlagEphemeral, Acl: acl})
		if len(ops) == 2*each || i == locks.MaxThings+more-1 {
			if _, err := conn.Multi(ops...); err != nil {
				t.Fatal(err)
			}
			ops = ops[:0]
		}
	}
	l := listLocks(t, e, true)
	l.shows(fmt.Sprintf("%d of %[1]d shown; 0 in trouble, not counting what is left out: %d znodes, since there are too "+
		"many.", locks.MaxThings, more))
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"locks", "--json"}, fmt.Sprintf("\n{\"lacks\":{\"left\":%d}}\n", more)},
		{[]string{"locks"}, fmt.Sprintf("viz-server: %d znodes are left out, since there are too many\n", more)},
	} {
		var out, errs bytes.Buffer
		code := execute(append(c.args, l.args...), &terminal{ctx: t.Context(), out: &out, err: &errs})
		if text := out.String() + errs.String(); code != exitOK || !strings.Contains(text, c.says) {
			t.Errorf("%q: %d, and at the end %s", c.args, code, text[max(len(text)-500, 0):])
		}
	}
}
