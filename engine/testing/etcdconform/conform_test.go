package etcdconform_test

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/stores/etcd"
	"github.com/zkviz/zkviz/engine/testing/etcdconform"
	"github.com/zkviz/zkviz/engine/testing/etcdtest"
)

var (
	commands = flag.Int("commands", 3_000, "how many calls are made of both")
	failing  = flag.Bool("failing", false, "a difference is expected: report the first, and wait only briefly")
	at       = flag.String("etcd", "", "host:port of an etcd that nobody else uses, in place of one that is started")
)

// steps is the length of a script. A short one is easy to read, a long one reaches more states.
const steps = 60

// TestConforms plays scripts on the simulated etcd and on a real one.
func TestConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("conformance takes a while")
	}
	real := dial(t)
	simulated := &etcdconform.Simulated{}
	for seed := uint64(1); int(seed)*steps <= *commands; seed++ {
		script := etcdconform.Generate(seed, steps)
		d, err := etcdconform.Play(script, simulated, real)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if d == nil {
			continue
		}
		if *failing {
			t.Fatalf("seed %d: %v", seed, d)
		}
		first := d
		if script, d, err = etcdconform.Shrink(script, simulated, real); err != nil {
			t.Fatal(err)
		}
		if d == nil {
			t.Fatalf("seed %d: not again: %v", seed, first)
		}
		var lines []string
		for _, s := range script {
			lines = append(lines, s.String())
		}
		t.Fatalf("seed %d: %v\n%s", seed, d, strings.Join(lines, "\n"))
	}
}

func dial(t *testing.T) *etcdconform.Real {
	t.Helper()
	addr := *at
	if addr == "" {
		addr = etcdtest.Start(t).Addr()
	}
	real, err := etcdconform.Dial(t.Context(), addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(real.Close)
	if *failing {
		real.Patience = time.Second
	}
	return real
}

// TestLeaseEnds checks that a real lease ends, not too early, and that etcd then replies as the simulated one does.
func TestLeaseEnds(t *testing.T) {
	real := dial(t)
	if err := real.Reset(); err != nil {
		t.Fatal(err)
	}
	do := func(c etcd.Call, want string) {
		t.Helper()
		if got, err := real.Do(etcdconform.Step{Call: c}); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", &c, got, err, want)
		}
	}
	began := time.Now()
	do(etcd.Call{Kind: etcd.Grant, TTL: 0}, "at 1, lease 1 for 1 s")
	do(etcd.Call{Then: []etcd.Op{{Kind: etcd.Put, Key: "/l/1", Lease: 1}}}, "at 2, true, 0")
	do(etcd.Call{Kind: etcd.Watch, Key: "/l/1", From: 3}, "at 2")
	if key, err := real.Told(0, true); key != "/l/1" || err != nil {
		t.Errorf("told of %q, %v", key, err)
	}
	if took := time.Since(began); took < time.Second {
		t.Errorf("a lease of a second was over after %s", took)
	}
	do(etcd.Call{Kind: etcd.KeepAlive, Lease: 1}, "at 3, lease 1 for 0 s")
	do(etcd.Call{Then: []etcd.Op{{Kind: etcd.Put, Key: "/l/1", Lease: 1}}}, "error "+string(etcd.ErrLeaseNotFound))
}
