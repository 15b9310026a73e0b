package cluster_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stores/etcd"
	"github.com/zkviz/zkviz/engine/stores/etcd/wire"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/testing/etcdtest"
	"github.com/zkviz/zkviz/recipes"
)

// ofEtcd makes a call to an etcd, and returns the answer in readable form.
func ofEtcd(t *testing.T, addr string, c etcd.Call) string {
	t.Helper()
	a, err := wire.Parse(addr)
	if err != nil {
		t.Fatal(err)
	}
	k, err := a.Dial(context.Background(), (&net.Dialer{}).DialContext) // also after the test
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	if err := k.Send(etcd.Request(&c)); err != nil {
		t.Fatal(err)
	}
	r, _, err := k.Receive()
	if err != nil {
		t.Fatal(err)
	}
	return r.Text
}

// left returns the first key at an etcd with that prefix.
func left(t *testing.T, addr, prefix string) string {
	t.Helper()
	return ofEtcd(t, addr, etcd.Call{Then: []etcd.Op{{Kind: etcd.Get, Key: prefix, Pick: etcd.FirstCreated}}})
}

// TestEtcdRecipes runs the catalogue's etcd recipes on a real one: the correct ones keep their promises, and
// nothing is left behind.
func TestEtcdRecipes(t *testing.T) {
	t.Parallel()
	s := etcdtest.Start(t)
	for _, r := range recipes.All() {
		if event.HasZooKeeper(r.Systems) || r.Systems[0].Kind != event.EtcdSystem {
			continue
		}
		log := play(t, on(t, event.EtcdSystem, s.Addr()), run.Scenario{Recipe: r.Name, Clients: max(3, r.MinClients),
			Rounds: 2, SessionTimeout: 20 * time.Second, Hold: 30 * time.Millisecond})
		if v := verdict(log).Violations; r.Kind != recipe.Pitfall && len(v) > 0 {
			t.Errorf("%s: broken: %+v", r.Name, v)
		}
	}
	if key := left(t, s.Addr(), "/"); key != "(none)" {
		t.Errorf("left behind: %s", key)
	}
}

// TestFrozenOnEtcd freezes a holder for longer than its lease: two believe that they are inside, and only one is.
// It also freezes a waiting client, which doesn't get in.
func TestFrozenOnEtcd(t *testing.T) {
	t.Parallel()
	s := etcdtest.Start(t)
	log := whileFrozen(t, on(t, event.EtcdSystem, s.Addr()), run.Scenario{Recipe: "etcd-mutex", Clients: 2,
		SessionTimeout: 3 * time.Second, Hold: 1500 * time.Millisecond}, 3)
	var broken []string
	for _, v := range verdict(log).Violations {
		broken = append(broken, v.Rule)
	}
	if !slices.Equal(broken, []string{promise.BeliefExclusion}) {
		t.Errorf("broken are %q", broken)
	}

	log = whenSo(t, on(t, event.EtcdSystem, s.Addr()), run.Scenario{Recipe: "etcd-mutex", Clients: 3,
		SessionTimeout: 3 * time.Second, Hold: 6 * time.Second, Stagger: 3 * time.Second},
		fault.Fault{Kind: fault.Pause, Client: 2, For: 15 * time.Second}, func() func(event.Event) bool {
			inside, waits := false, false
			return func(e event.Event) bool {
				inside = inside || e.Actor != 2 && isHolding(e)
				waits = waits || e.Actor == 2 && e.Kind == event.RecipePhase && program.Phase(e.Text) == program.Waiting
				return inside && waits
			}
		})
	for _, v := range verdict(log).Violations {
		t.Errorf("broken: %+v", v)
	}
	for _, e := range log.Events {
		if e.Actor == 2 && e.Kind == event.RecipePhase && program.Phase(e.Text) == program.Holding {
			t.Errorf("client-2 got in at %s", e.At)
		}
	}
}

// TestFaultsOnEtcd tries each fault on a client of a real etcd. A lease outlives its client for longer than a run
// waits before it says that nobody comes any more.
func TestFaultsOnEtcd(t *testing.T) {
	t.Parallel()
	s := etcdtest.Start(t)
	for _, text := range []string{
		"crash client-1 at 700ms", "vanish client-1 at 700ms", "stall client-1 at 700ms for 1s", "drop client-2 at 900ms",
		"cut client-2 at 900ms for 5s", "delay client-1 at 100ms for 1s", "pause client-1 at 700ms for 50ms",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			log := play(t, on(t, event.EtcdSystem, s.Addr()), run.Scenario{Recipe: "etcd-mutex", Clients: 3,
				SessionTimeout: 6 * time.Second, Hold: time.Second, Faults: faults(t, text)})
			if last := log.Events[len(log.Events)-1]; last.Reason != event.EndAllDone {
				t.Errorf("it ended because of %v", last.Reason)
			}
			for _, v := range verdict(log).Violations {
				if v.Rule == promise.TruthExclusion || v.Rule == promise.Fenced {
					t.Errorf("%+v", v)
				}
			}
		})
	}
	t.Cleanup(func() {
		if key := left(t, s.Addr(), "/"); key != "(none)" {
			t.Errorf("left behind: %s", key)
		}
	})
}

// TestDeadRunsAreSweptAtEtcd: the next run removes what a dead run left; other keys stay.
func TestDeadRunsAreSweptAtEtcd(t *testing.T) {
	t.Parallel()
	s := etcdtest.Start(t)
	stays := []string{real.Roots + "abc/lock", "/zkviz/run-", "lock", "/zkviz/else"}
	for _, key := range append(stays, real.Roots+"abcdefgh23/lock") {
		ofEtcd(t, s.Addr(), etcd.Call{Then: []etcd.Op{{Kind: etcd.Put, Key: key, Value: "x"}}})
	}
	play(t, on(t, event.EtcdSystem, s.Addr()), run.Scenario{Recipe: "etcd-mutex", Clients: 1, Hold: time.Millisecond})
	for _, key := range stays {
		if left(t, s.Addr(), key) == "(none)" {
			t.Errorf("%s is gone", key)
		}
	}
	if key := left(t, s.Addr(), real.Roots+"abcdefgh23"); key != "(none)" {
		t.Errorf("there still is %s", key)
	}
}

// TestRefusedOnEtcd checks the error for what can't run there. It never contains a password.
func TestRefusedOnEtcd(t *testing.T) {
	t.Parallel()
	guarded := etcdtest.Start(t)
	for _, c := range [][2]string{
		{"/v3/auth/user/add", `{"name":"root","password":"open-sesame"}`},
		{"/v3/auth/user/grant", `{"user":"root","role":"root"}`}, {"/v3/auth/enable", `{}`},
	} {
		resp, err := http.Post("http://"+guarded.Addr()+c[0], "application/json", strings.NewReader(c[1]))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", c[0], resp.Status)
		}
	}
	says := func(text string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }))
		t.Cleanup(s.Close)
		return strings.TrimPrefix(s.URL, "http://")
	}
	old, other := says(`{"etcdserver":"3.3.9"}`), says("hello")
	for _, c := range []struct{ address, recipe, fault, want string }{
		{guarded.Addr(), "etcd-mutex", "", "wants a user and a password"},
		{"http://root:wrong-word@" + guarded.Addr(), "etcd-mutex", "", "refuses the user or the password"},
		{old, "etcd-mutex", "", "version 3.3.9, which is too old"},
		{other, "etcd-mutex", "", "does not answer as an etcd does"},
		{"127.0.0.1:1", "etcd-mutex", "", "cannot reach etcd at 127.0.0.1:1"},
		{"http://root:open-sesame@" + guarded.Addr(), "redis-fenced", "", "bad.elsewhere.none"},
		{"http://root:open-sesame@" + guarded.Addr(), "etcd-mutex", "restart node-1 at 1s for 1s", "refused.node"},
		{"http://root:open-sesame@" + guarded.Addr(), "etcd-mutex", "", ""},
	} {
		at := on(t, event.EtcdSystem, c.address)
		sc := run.Scenario{Recipe: c.recipe, Clients: 1, Hold: time.Millisecond}
		if c.fault != "" {
			sc.Faults = faults(t, c.fault)
		}
		err := at.Run(t.Context(), at.Place(sc.WithDefaults()), &event.Log{}, nil)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(fmt.Sprint(err), c.want)) {
			t.Errorf("%s on %s: %v, want %q", c.recipe, c.address, err, c.want)
		}
		if err != nil && (strings.Contains(err.Error(), "sesame") || strings.Contains(err.Error(), "wrong-word")) {
			t.Errorf("the password is in %v", err)
		}
	}
}

// TestCostOnEtcd counts what 50 contenders take: no more requests for each acquisition than on the simulator,
// except those about leases, and at most one wakeup for each release, in the order of the queue.
func TestCostOnEtcd(t *testing.T) {
	t.Parallel()
	const contenders = 50
	log := play(t, on(t, event.EtcdSystem, etcdtest.Start(t).Addr()), run.Scenario{Recipe: "etcd-mutex",
		Clients: contenders, SessionTimeout: time.Minute, Hold: 20 * time.Millisecond, Stagger: time.Millisecond})
	requests, wakeups, inside, out := 0, 0, 0, 0
	last := int64(0)
	for _, e := range log.Events {
		switch {
		case e.Kind == event.OpSent && e.Op == event.Command && e.Path != "":
			requests++
		case e.Kind == event.PushDelivered:
			wakeups++
		case e.Kind == event.RecipePhase && program.Phase(e.Text) == program.Holding:
			inside++
			if e.N < last {
				out++
			}
			last = e.N
		}
	}
	t.Logf("%.1f requests for each acquisition, %d wakeups, %d out of order", float64(requests)/contenders, wakeups, out)
	// A client that comes when nobody is inside takes fewer.
	if inside != contenders || requests > 6*contenders || wakeups >= contenders || out > 0 {
		t.Errorf("%d acquisitions, %d requests, %d wakeups, %d out of order", inside, requests, wakeups, out)
	}
}
