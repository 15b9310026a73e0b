package shared_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// What a process is that a test starts: a variable says its role, others what the role needs.
const (
	roleVariable = "ZKVIZ_SHARED_ROLE"
	urlVariable  = "ZKVIZ_SHARED_URL"
	dirVariable  = "ZKVIZ_SHARED_DIR"
	portVariable = "ZKVIZ_SHARED_PORT"
	nameVariable = "ZKVIZ_SHARED_NAME"

	roleNATS   = "nats"
	roleMember = "member"
	roleInside = "inside"
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		os.Exit(m.Run())
	case roleNATS:
		port, err := strconv.Atoi(os.Getenv(portVariable))
		if err != nil {
			panic(err)
		}
		natstest.Main(os.Getenv(dirVariable), port)
	case roleMember:
		member()
	case roleInside:
		insideMain()
	}
}

// theLog is the name that all members want to own, and of their log.
const theLog = "herd"

// member is a server: it reads the log, and while it owns the name it appends as fast as it can. Each line of its
// output is an event.
func member() {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte() // until the test ends it
		cancel()
	}()
	b, err := shared.Open(ctx, shared.Config{URL: os.Getenv(urlVariable)})
	if err != nil {
		panic(err)
	}
	var tasks sync.WaitGroup
	tasks.Go(func() { sayLink(ctx, b) })
	tasks.Go(func() {
		log := must(b.Log(theLog))
		err := log.Read(ctx, 1, func(n uint64, data []byte) error {
			say("read", n, string(data))
			return nil
		})
		say("stopped", 0, err.Error())
	})
	log := must(b.Log(theLog))
	for turn := 0; ctx.Err() == nil; turn++ {
		if l, err := b.Own(ctx, theLog); err == nil {
			say("owns", l.Epoch(), "")
			lead(ctx, log, l, turn)
			l.Release(ctx)
		}
	}
	tasks.Wait()
	b.Close()
}

// lead appends until that fails.
func lead(ctx context.Context, log *shared.Log, l *shared.Lease, turn int) {
	last, err := log.Take(ctx, l.Epoch())
	for i := 0; err == nil; i++ {
		text := fmt.Sprintf("%s-%d-%d", os.Getenv(nameVariable), turn, i)
		if last, err = log.Append(ctx, l.Epoch(), last, []byte(text)); err == nil {
			say("appended", last, text)
		}
	}
	say("refused", l.Epoch(), err.Error())
}

func sayLink(ctx context.Context, b *shared.Bus) {
	for ctx.Err() == nil {
		up, changed := b.Link()
		say("link", 0, map[bool]string{true: "up", false: "down"}[up])
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

var saying sync.Mutex

func say(verb string, n uint64, text string) {
	saying.Lock()
	defer saying.Unlock()
	fmt.Println(verb, n, text)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// line is an event of a process.
type line struct {
	verb string
	n    uint64
	text string
}

// process is one that a test has started.
type process struct {
	t     testing.TB
	cmd   *exec.Cmd
	stdin interface{ Close() error }
	over  chan struct{}

	mu    sync.Mutex
	lines []line
	more  chan struct{} // closed when a line comes
}

func start(t testing.TB, role string, variables ...string) *process {
	t.Helper()
	p := &process{
		t: t, cmd: exec.Command(must(os.Executable())), over: make(chan struct{}), more: make(chan struct{}),
	}
	p.cmd.Env = append(append(os.Environ(), roleVariable+"="+role), variables...)
	p.cmd.Stderr = os.Stderr
	p.stdin = must(p.cmd.StdinPipe())
	out := must(p.cmd.StdoutPipe())
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.over)
		for s := bufio.NewScanner(out); s.Scan(); {
			p.heard(s.Text())
		}
		_ = p.cmd.Wait() // it may have been killed
	}()
	t.Cleanup(p.kill)
	return p
}

func (p *process) heard(text string) {
	words := strings.SplitN(text, " ", 3)
	l := line{verb: words[0], text: text}
	if len(words) == 3 {
		l.n, _ = strconv.ParseUint(words[1], 10, 64)
		l.text = words[2]
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, l)
	close(p.more)
	p.more = make(chan struct{})
}

// signal sends a signal to the process, which must be running.
func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may be over
	<-p.over
}

// stop lets the process end by itself.
func (p *process) stop(ctx context.Context) {
	p.t.Helper()
	_ = p.stdin.Close()
	select {
	case <-p.over:
	case <-ctx.Done():
		p.t.Fatal("it doesn't stop")
	}
}

// all returns what the process has said.
func (p *process) all() []line {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines[:len(p.lines):len(p.lines)]
}

// await waits until the process has said, behind its first lines, as many lines with a verb as wanted, and returns how
// many lines it has said then.
func (p *process) await(ctx context.Context, behind int, verb string, wanted int) int {
	p.t.Helper()
	n, err := p.until(ctx, behind, verb, wanted)
	if err != nil {
		p.t.Fatalf("waiting for %q: %v; the last lines are %v", verb, err, tailOf(p.all()))
	}
	return n
}

func (p *process) until(ctx context.Context, behind int, verb string, wanted int) (int, error) {
	for {
		p.mu.Lock()
		lines, more := p.lines, p.more
		p.mu.Unlock()
		left := wanted
		for i := behind; i < len(lines); i++ {
			if lines[i].verb+" "+lines[i].text == verb || lines[i].verb == verb {
				if left--; left == 0 {
					return i + 1, nil
				}
			}
		}
		select {
		case <-more:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

func tailOf(lines []line) []line { return lines[max(0, len(lines)-10):] }

// nats is a NATS in a process of its own.
type nats struct {
	*process
	dir  string
	port int
}

func startNATS(t testing.TB, ctx context.Context, dir string, port int) *nats {
	t.Helper()
	n := &nats{dir: dir, port: port}
	n.process = start(t, roleNATS, dirVariable+"="+dir, portVariable+"="+strconv.Itoa(port))
	n.await(ctx, 0, strings.Fields(natstest.Ready)[0], 1)
	return n
}

func (n *nats) url() string { return natstest.URL(n.port) }

// herd is three members with one NATS.
type herd struct {
	t       testing.TB
	ctx     context.Context
	nats    *nats
	members []*process
}

func newHerd(t testing.TB, port int) *herd {
	t.Helper()
	h := &herd{t: t, ctx: patient(t)}
	h.nats = startNATS(t, h.ctx, t.TempDir(), port)
	for _, name := range []string{"a", "b", "c"} {
		h.add(name)
	}
	for _, m := range h.members {
		m.await(h.ctx, 0, "link up", 1)
	}
	return h
}

// add starts another member.
func (h *herd) add(name string) {
	h.members = append(h.members, start(h.t, roleMember, urlVariable+"="+h.nats.url(), nameVariable+"="+name))
}

// owner waits until one of the members appends, behind the lines that each had said, and returns it.
func (h *herd) owner(behind map[*process]int, wanted int) *process {
	h.t.Helper()
	ctx, cancel := context.WithCancel(h.ctx)
	defer cancel()
	first := make(chan *process)
	for _, m := range h.members {
		go func() {
			_, err := m.until(ctx, behind[m], "appended", wanted)
			if err != nil {
				m = nil
			}
			first <- m
		}()
	}
	var found *process
	for range h.members {
		if m := <-first; m != nil && found == nil {
			found = m
			cancel()
		}
	}
	if found == nil {
		h.t.Fatal("nobody appends")
	}
	return found
}

// now returns how many lines each member has said.
func (h *herd) now() map[*process]int {
	said := map[*process]int{}
	for _, m := range h.members {
		said[m] = len(m.all())
	}
	return said
}

func (h *herd) without(gone *process) *herd {
	left := *h
	left.members = nil
	for _, m := range h.members {
		if m != gone {
			left.members = append(left.members, m)
		}
	}
	return &left
}
