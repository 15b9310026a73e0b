package etcdconform_test

import (
	"flag"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/stores/etcd"
	"github.com/zkviz/zkviz/engine/testing/etcdconform"
	"github.com/zkviz/zkviz/engine/testing/etcdtest"
	"github.com/zkviz/zkviz/engine/testing/versus"
)

var at = flag.String("etcd", "", "host:port of an etcd that nobody else uses, in place of one that is started")

// TestConforms plays scripts on the simulated etcd and on a real one.
func TestConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("conformance takes a while")
	}
	real := dial(t)
	simulated := &etcdconform.Simulated{}
	versus.Trial[etcdconform.Step]{
		Length: 60, Steps: 3000, Draw: etcdconform.Generate,
		Play: func(script []etcdconform.Step) (*versus.Difference, error) {
			return etcdconform.Play(script, simulated, real)
		},
	}.Run(t)
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
	if versus.Failing() {
		real.Patience = time.Second
	}
	return real
}

// TestLeaseEnds checks that a real lease ends, not too early, and that etcd then replies as the simulated one does.
func TestLeaseEnds(t *testing.T) {
	real := dial(t)
	ask := func(c etcd.Call) string {
		t.Helper()
		if err := real.Do(etcdconform.Step{Call: c}); err != nil {
			t.Fatal(err)
		}
		got, _, err := real.Take(0, false)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	do := func(c etcd.Call, want string) {
		t.Helper()
		if got := ask(c); got != want {
			t.Errorf("%s: %s, want %s", &c, got, want)
		}
	}
	put := etcd.Call{Then: []etcd.Op{{Kind: etcd.Put, Key: "/l/1", Lease: 1}}}
	var began time.Time
	for used := false; !used; { // on a slow machine a lease may end before it is used
		if err := real.Reset(); err != nil {
			t.Fatal(err)
		}
		began = time.Now()
		do(etcd.Call{Kind: etcd.Grant, TTL: 0}, "at 1, lease 1 for 1 s")
		if got := ask(put); got == "at 2, true, 0" {
			used = true
		} else if took := time.Since(began); took < time.Second {
			t.Fatalf("%s: %s after %s", &put, got, took)
		}
	}
	do(etcd.Call{Kind: etcd.Watch, Key: "/l/1", From: 3}, "at 2")
	if told, _, err := real.Take(0, true); told != "the deletion of /l/1" || err != nil {
		t.Errorf("told of %q, %v", told, err)
	}
	if took := time.Since(began); took < time.Second {
		t.Errorf("a lease of a second was over after %s", took)
	}
	do(etcd.Call{Kind: etcd.KeepAlive, Lease: 1}, "at 3, lease 1 for 0 s")
	do(put, "error "+string(etcd.ErrLeaseNotFound))
}
