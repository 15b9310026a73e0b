package benchzk

import (
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestMeasure measures every cell for a very short time, on a server within this process.
func TestMeasure(t *testing.T) {
	ours, err := embed.Listen(embed.Config{MaxConnsPerAddr: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	servers := []*server{
		{name: "one", addr: ours.Addr().String(), pids: []int{os.Getpid()}, started: 1, idle: 1},
		{name: "itself", addr: ours.Addr().String(), pids: []int{os.Getpid()}, started: 10, idle: 3},
	}
	var out strings.Builder
	table := newReport(&out, servers)
	for _, c := range cells("", 100) {
		row, err := measure(servers[:1], c, options{rounds: 1, span: time.Millisecond})
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		table.add(c, append(row, row[0]))
	}
	if table.end() || !strings.Contains(out.String(), "missed: not 3× as fast") {
		t.Errorf("it is three times as fast as itself:\n%s", &out)
	}
	want := "0.10 of the start, 0.33 of the memory  missed: memory above 0.25 of theirs\n"
	if !strings.Contains(out.String(), want) {
		t.Errorf("what is measured once is not compared:\n%s", &out)
	}
	if p, err := servers[0].dial(); err != nil {
		t.Error(err)
	} else if r := children(t, p, base+"/0"); len(r) != 50 { // the slots for watches
		t.Errorf("%d znodes are left of one lane, not 50", len(r))
	}
}

// together is a lane that ends only when all other lanes are about to end.
type together struct {
	begun *sync.WaitGroup
	err   error
}

func (together) run(time.Time, []time.Duration) ([]time.Duration, error) { return nil, nil }

func (l together) end() error {
	l.begun.Done()
	l.begun.Wait()
	return l.err
}

// TestLanesEndTogether checks that no lane waits for another, and that an error names its server.
func TestLanesEndTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // synctest detects an endless wait
		var begun sync.WaitGroup
		begun.Add(4)
		fine, cut := together{&begun, nil}, together{&begun, io.EOF}
		err := closeAll([]*server{{name: "one"}, {name: "other"}}, [][]lane{{fine, fine}, {fine, cut}})
		if err == nil || err.Error() != "other: EOF" {
			t.Errorf("the lanes end with %v", err)
		}
	})
}

func TestVerdict(t *testing.T) {
	theirs := figures{rate: 100, p50: 10, p99: 20, cpu: 10}
	for _, c := range []struct {
		cell cell
		ours figures
		want string
	}{
		{cell{"get", 1, 1}, figures{rate: 300, p50: 10, cpu: 5}, "kept"},
		{cell{"get", 1, 1}, figures{rate: 299, p50: 10, cpu: 5}, "missed: not 3× as fast"},
		{cell{"get", 1, 50}, figures{rate: 100, p50: 10, cpu: 5}, "kept"},
		{cell{"get", 10, 1}, figures{rate: 99, p50: 11, cpu: 6}, "missed: not 1× as fast slower median CPU 0.60 of theirs"},
	} {
		if got := (&report{}).verdict(c.cell, c.ours, theirs); got != c.want {
			t.Errorf("%v: %+v is %q, want %q", c.cell, c.ours, got, c.want)
		}
	}
}

func children(t *testing.T, p *peer.Peer, path string) []string {
	t.Helper()
	resp, _, err := p.Do(wire.Request{Op: wire.OpGetChildren, Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	return resp.Children
}
