package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// tapRun is a running viz-server tap in front of a ZooKeeper.
type tapRun struct {
	t         *testing.T
	out, errs pages
	interrupt context.CancelFunc
	code      chan int
}

// pages holds output that can be read while it is written.
type pages struct {
	mu  sync.Mutex
	buf bytes.Buffer
	new chan struct{}
}

func (p *pages) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.new <- struct{}{}:
	default:
	}
	return p.buf.Write(b)
}

func (p *pages) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.String()
}

// until waits until the output matches a pattern, and returns the last group.
func (p *pages) until(t *testing.T, text string) string {
	t.Helper()
	late := time.After(10 * time.Minute)
	for {
		if m := regexp.MustCompile(text).FindStringSubmatch(p.text()); m != nil {
			return m[len(m)-1]
		}
		select {
		case <-p.new:
		case <-late:
			t.Fatalf("%q is not printed, but %s", text, p.text())
		}
	}
}

func startTap(t *testing.T, args ...string) *tapRun {
	t.Helper()
	zk, err := embed.Listen(embed.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = zk.Close() })
	return startTapOf(t, zk.Addr().String(), args...)
}

func startTapOf(t *testing.T, zk string, args ...string) *tapRun {
	t.Helper()
	ctx, interrupt := context.WithCancel(context.Background())
	x := &tapRun{t: t, interrupt: interrupt, code: make(chan int, 1)}
	x.out.new, x.errs.new = make(chan struct{}, 1), make(chan struct{}, 1)
	args = append([]string{"tap", "--zk", zk, "--listen", "127.0.0.1:0"}, args...)
	over := make(chan struct{})
	go func() {
		defer close(over)
		x.code <- execute(args, &terminal{ctx: ctx, out: &x.out, err: &x.errs})
	}()
	t.Cleanup(func() { interrupt(); <-over })
	return x
}

// stop interrupts like Ctrl-C.
func (x *tapRun) stop() {
	x.t.Helper()
	x.interrupt()
	if code := <-x.code; code != exitOK {
		x.t.Errorf("exit code %d, stderr: %s", code, x.errs.text())
	}
}

// client creates a znode through the tap, with a name and data that would control a terminal.
func (x *tapRun) client() {
	x.t.Helper()
	p, err := peer.Dial(x.errs.until(x.t, `connect to (127\.0\.0\.1:\d+) reach`),
		wire.ConnectRequest{TimeoutMS: 30_000, Password: []byte("sixteen secrets!")})
	if err != nil {
		x.t.Fatal(err)
	}
	create := wire.Request{Xid: 1, Op: wire.OpCreate, Path: "/job\x1b[2J", Data: []byte("\x1b[2Jdata"), ACL: zoo.OpenACL()}
	for range 2 {
		if _, _, err := p.Do(create); err != nil {
			x.t.Fatal(err)
		}
		create.Path = "/job"
	}
	_ = p.Close()
}

// TestTapTells prints a line for each client action, and figures at the end.
func TestTapTells(t *testing.T) {
	x := startTap(t)
	x.client()
	x.out.until(t, `session ends`)
	x.stop()
	for _, want := range []string{
		`connected to 127\.0\.0\.1:\d+, new session, timeout 30s`, `create /job: ok, `, `create /job.*: bad arguments, `,
		`closeSession: ok`, `sessions +1; 0 back`, `requests +3, 1 failed +half within `, `    create +2, 1 failed`,
	} {
		x.out.until(t, want)
	}
	if strings.Contains(x.out.text(), "\x1b") {
		t.Errorf("a znode's name controls the terminal: %q", x.out.text())
	}
}

// TestTapSessions checks servers' answers to an old session. A different session, as from ClickHouse Keeper, is a new
// one. No session is a refusal.
func TestTapSessions(t *testing.T) {
	for _, c := range []struct {
		json bool
		want []string
	}{
		{false, []string{`connected to \S+, new session, timeout 10s, though it asked for 0x11\n`,
			`0x11 .* refuses its session, which has ended\n`}},
		{true, []string{`"session":"0x12",[^\n]*"new":true,"wanted":"0x11"`, `"what":"refused",[^\n]*"session":"0x11"`}},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() { // until l is closed
			for _, session := range []int64{0x12, 0} {
				c, err := l.Accept()
				if err != nil {
					return
				}
				answer := &wire.ConnectResponse{Session: session, Password: make([]byte, 16)}
				if session != 0 {
					answer.TimeoutMS = 10_000
				}
				head := make([]byte, 4)
				_, _ = io.ReadFull(c, head)
				_, _ = io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint32(head)))
				_, _ = c.Write(wire.AppendFrame(nil, answer))
				_, _ = io.Copy(io.Discard, c)
				_ = c.Close()
			}
		}()
		var args []string
		if c.json {
			args = append(args, "--json")
		}
		x := startTapOf(t, l.Addr().String(), args...)
		for i := range c.want {
			p, err := peer.Dial(x.errs.until(t, `connect to (127\.0\.0\.1:\d+) reach`),
				wire.ConnectRequest{Session: 0x11, TimeoutMS: 10_000, Password: make([]byte, 16)})
			if err != nil && i == 0 {
				t.Fatal(err)
			}
			x.out.until(t, c.want[i])
			if p != nil {
				p.Abort()
			}
		}
		if strings.Contains(x.out.text(), "old session") {
			t.Errorf("it says %s", x.out.text())
		}
		x.stop()
	}
}

// TestTapAsJSON prints the same in JSON and saves a trace. Neither may contain a password.
func TestTapAsJSON(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace")
	x := startTap(t, "--json", "--trace", file)
	x.client()
	x.out.until(t, `"what":"ended"`)
	x.stop()
	ops := 0
	lines := strings.Split(strings.TrimSpace(x.out.text()), "\n")
	for _, line := range lines {
		var l tapLine
		if err := json.Unmarshal([]byte(line), &l); err != nil || l.Time.IsZero() {
			t.Errorf("%s: %v", line, err)
		}
		if l.What == "request" {
			ops++
		}
	}
	var sum tapFigures
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &sum); err != nil || sum.Requests != 3 || ops != 3 {
		t.Errorf("%d requests, the summary is %+v, %v", ops, sum, err)
	}
	saved, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(saved)+x.out.text(), "secrets") {
		t.Error("the password is out")
	}
	log, err := trace.Read(bytes.NewReader(saved))
	if err != nil || log.Header.Host != event.Tapped {
		t.Fatalf("host %q, %v", log.Header.Host, err)
	}
	made := false
	for _, e := range log.Events {
		made = made || e.Kind == event.ZnodeCreated && e.Path == "/job"
	}
	if !made {
		t.Errorf("the trace is %s", saved)
	}
	var out, errs bytes.Buffer
	if code := execute([]string{"check", file}, &terminal{ctx: t.Context(), out: &out, err: &errs}); code != exitOK ||
		!strings.Contains(out.String(), "through a tap") {
		t.Errorf("check ends with %d: %s%s", code, out.String(), errs.String())
	}
}

// TestTapEvery prints figures at intervals instead of actions, and serves a page.
func TestTapEvery(t *testing.T) {
	x := startTap(t, "--every", "100ms", "--addr", "127.0.0.1:0")
	url := x.errs.until(t, `The page: (http://\S+)`)
	x.client()
	x.out.until(t, `3 requests, half within `)
	if home := fetched(t, url); !strings.Contains(home, "What clients ask, and what fails") {
		t.Errorf("the first page is %s", home)
	}
	page, err := http.Get(url + "zoo")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(page.Body)
	_ = page.Body.Close()
	if err != nil || !strings.Contains(string(body), "See what your clients do") ||
		strings.Contains(string(body), `id="contenders"`) {
		t.Errorf("%v: %s", err, body)
	}
	x.stop()
	if strings.Contains(x.out.text(), "create /job") {
		t.Errorf("printed: %s", x.out.text())
	}
}

// TestTapRecords records a client before and after a restart. The page must list and serve both recordings.
func TestTapRecords(t *testing.T) {
	zk, err := embed.Listen(embed.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = zk.Close() })
	dir := filepath.Join(t.TempDir(), "records")
	x := startTapOf(t, zk.Addr().String(), "--record", dir, "--record-max", "68MB")
	x.holds("/first")
	x.stop()
	x = startTapOf(t, zk.Addr().String(), "--record", dir, "--addr", "127.0.0.1:0")
	x.holds("/second")
	url := x.errs.until(t, `The page: (http://\S+)`)
	var second bytes.Buffer
	if code := execute([]string{"tap", "--zk", zk.Addr().String(), "--listen", "127.0.0.1:0", "--record", dir},
		&terminal{ctx: t.Context(), out: io.Discard, err: &second}); code != exitTrouble ||
		!strings.Contains(second.String(), "another program records into") {
		t.Errorf("a second tap ends with %d: %s", code, second.String())
	}
	if body := fetched(t, url+"zoo"); !strings.Contains(body, `href="/live/records?path="`) {
		t.Errorf("the page leads to no recordings: %s", body)
	}
	var list string
	var files [][]string
	for len(files) < 2 && t.Context().Err() == nil { // events are recorded after they are forwarded
		list = fetched(t, url+"live/records")
		files = regexp.MustCompile(`href="/(api/record/[^"]+)"`).FindAllStringSubmatch(list, -1)
	}
	if len(files) != 2 || !strings.Contains(list, zk.Addr().String()) {
		t.Fatalf("the list: %s", list)
	}
	if !strings.Contains(fetched(t, url+files[1][1]), "/first/_c_") {
		t.Error("the page doesn't give the first recording")
	}
	x.stop()
	for i, lock := range []string{"/second", "/first"} {
		name := filepath.Join(dir, strings.TrimPrefix(files[i][1], "api/record/"))
		var out, errs bytes.Buffer
		if code := execute([]string{"check", name}, &terminal{ctx: t.Context(), out: &out, err: &errs}); code != exitOK ||
			!strings.Contains(out.String(), "through a tap") {
			t.Errorf("check ends with %d: %s%s", code, out.String(), errs.String())
		}
		log := heldIn(t, name)
		if !slices.Contains(log, "znode.created "+lock) || !slices.Contains(log, "znode.deleted "+lock) ||
			i == 1 && strings.Contains(strings.Join(log, " "), "/second") {
			t.Errorf("%s: %q", name, log)
		}
	}
}

// holds makes a go-zookeeper client hold a lock at path, and leave.
func (x *tapRun) holds(path string) {
	x.t.Helper()
	conn, _, err := zk.Connect([]string{x.errs.until(x.t, `connect to (127\.0\.0\.1:\d+) reach`)}, 40*time.Second,
		zk.WithLogger(log.New(io.Discard, "", 0)))
	if err != nil {
		x.t.Fatal(err)
	}
	defer conn.Close()
	lock := zk.NewLock(conn, path, zk.WorldACL(zk.PermAll))
	if err := lock.Lock(); err != nil {
		x.t.Fatal(err)
	}
	if err := lock.Unlock(); err != nil {
		x.t.Fatal(err)
	}
}

func fetched(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", url, answer.StatusCode, err)
	}
	return string(body)
}

// heldIn returns a trace's events of lock znodes, without their client-specific names.
func heldIn(t *testing.T, name string) (all []string) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	log, err := trace.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range log.Events {
		if e.Kind == event.ZnodeCreated || e.Kind == event.ZnodeDeleted {
			all = append(all, e.Kind.String()+" "+strings.TrimSuffix(path.Dir(e.Path), "/"))
		}
	}
	return all
}
