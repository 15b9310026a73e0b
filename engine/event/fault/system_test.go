package fault_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// TestSystemFaults checks that faults on other systems parse, and are refused where they are impossible.
func TestSystemFaults(t *testing.T) {
	elsewhere := fault.Scope{Clients: 3, Nodes: 2}
	zookeeper := fault.Scope{Clients: 3, Servers: 1}
	for s, want := range map[string]fault.Fault{
		"stall client-1 at 2s for 15s":  {Kind: fault.Stall, Client: 1, At: 2 * time.Second, For: 15 * time.Second},
		"vanish client-3 at 2s":         {Kind: fault.Vanish, Client: 3, At: 2 * time.Second},
		"restart node-1 at 1s for 2s":   {Kind: fault.RestartNode, Node: 1, At: time.Second, For: 2 * time.Second},
		"lag node-1 at 0s for 5s":       {Kind: fault.Lag, Node: 1, For: 5 * time.Second},
		"failover node-2 at 1s":         {Kind: fault.Failover, Node: 2, At: time.Second},
		"jump node-2 at 1s by 10s":      {Kind: fault.Jump, Node: 2, At: time.Second, For: 10 * time.Second},
		"jump node-1 at 2s by -3s":      {Kind: fault.Jump, Node: 1, At: 2 * time.Second, For: -3 * time.Second},
		"jump node-1 at 2s by -24h0m0s": {Kind: fault.Jump, Node: 1, At: 2 * time.Second, For: -fault.MaxAt},
	} {
		got, err := fault.Parse(s)
		if err != nil || got != want || got.String() != s {
			t.Errorf("%q is read as %+v, %v, and written as %q", s, got, err, got)
		}
		if err := got.Validate(elsewhere); err != nil {
			t.Error(err)
		}
		if err := got.Validate(zookeeper); err == nil || !strings.Contains(said(err), "other systems than ZooKeeper") {
			t.Errorf("%q on ZooKeeper alone: %v", s, err)
		}
	}
	for s, want := range map[string]string{
		"jump node-1 at 1s for 10s":    `"for 10s" is not 'by' and a time`,
		"jump node-1 at 1s by 0s":      `"by 0s" is not 'by' and a time`,
		"jump node-1 at 1s by 25h":     `"by 25h" is not 'by' and a time`,
		"jump node-1 at 1s by -24h1ns": `"by -24h1ns" is not 'by' and a time`,
		"jump node-1 at 1s":            "jump needs 'by' and how much",
		"stall client-1 at 1s by 10s":  `"by 10s" is not 'for'`,
		"stall client-1 at 1s for -1s": `"for -1s" is not 'for'`,
		"lag node-1 at 1s":             "lag needs 'for' and how long",
		"failover node-1 at 1s for 1s": "failover takes no 'for'",
		"lag node-0 at 1s for 1s":      `"node-0" is not a node`,
		"lag node-21 at 1s for 1s":     `"node-21" is not a node`,
		"failover client-1 at 1s":      `not done to`,
		"crash node-1 at 1s":           `not done to`,
	} {
		if got, err := fault.Parse(s); err == nil || !strings.Contains(said(err), want) {
			t.Errorf("%q: %+v, %v, want %q", s, got, err, want)
		}
	}
	for s, want := range map[string]string{
		"lag node-3 at 1s for 1s":      "no node-3 among 2 nodes",
		"expire client-1 at 1s":        "this run has no ZooKeeper",
		"restart server at 1s for 1s":  "this run has no ZooKeeper",
		"crash server-1 at 1s":         "this run has no ZooKeeper",
		"vanish client-4 at 1s":        "no client-4 among 3 clients",
		"stall client-1 at 1s for 1ns": "",
	} {
		f, err := fault.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Validate(elsewhere); (err == nil) != (want == "") || err != nil && !strings.Contains(said(err), want) {
			t.Errorf("%q: %v, want %q", s, err, want)
		}
	}
}

// TestSystemFaultsThatCannotBe checks that Validate refuses invalid faults that were not parsed.
func TestSystemFaultsThatCannotBe(t *testing.T) {
	for want, f := range map[string]fault.Fault{
		"it is done to a node, not to a client": {Kind: fault.Failover, Node: 1, Client: 1},
		"there is no node-0 among 2 nodes":      {Kind: fault.Failover},
		"its times are 0s to 24h0m0s":           {Kind: fault.Jump, Node: 1, For: -fault.MaxAt - 1},
		"it lasts 0s":                           {Kind: fault.Jump, Node: 1},
	} {
		if err := f.Validate(fault.Scope{Clients: 3, Nodes: 2}); err == nil || !strings.HasSuffix(said(err), want) {
			t.Errorf("%+v: %v, want %q", f, err, want)
		}
	}
}

// TestWhereKindsAre checks that each kind is possible exactly where it says, on one sort of system or on both.
func TestWhereKindsAre(t *testing.T) {
	zookeeper := fault.Scope{Clients: 1, Servers: 3}
	others := fault.Scope{Clients: 1, Nodes: 1}
	both := fault.Scope{Clients: 1, Servers: 3, Nodes: 1}
	for k := fault.Crash; k <= fault.Jump; k++ {
		f := some(k)
		for _, c := range []struct {
			in  fault.Scope
			can bool
		}{
			{zookeeper, k.Where() != fault.OnOthers}, {others, k.Where() != fault.OnZooKeeper}, {both, true},
		} {
			if err := f.Validate(c.in); (err == nil) != c.can {
				t.Errorf("%q in a run with %+v: %v", f, c.in, err)
			}
		}
		if slices.Contains(fault.SystemKinds(), k) != (k.Where() != fault.OnZooKeeper) {
			t.Errorf("%q can be done where %q, but the list of such kinds is %v", f, k.Where(), fault.SystemKinds())
		}
		if ensemble := slices.Contains(fault.EnsembleKinds(), k); ensemble && k.Where() != fault.OnZooKeeper {
			t.Errorf("%q can be done where %q", f, k.Where())
		}
		if got, err := fault.Parse(f.String()); err != nil || got != f {
			t.Errorf("%q is read as %+v, %v", f, got, err)
		}
	}
}

// some returns a fault of the kind.
func some(k fault.Kind) fault.Fault {
	f := fault.Fault{Kind: k, At: time.Second}
	switch k.Target() {
	case fault.ToClient:
		f.Client = 1
	case fault.ToOneServer:
		f.Server = 1
	case fault.ToSides:
		f.A, f.B = 1<<1, 1<<2
	case fault.ToClientAt:
		f.Client, f.Server = 1, 1
	case fault.ToNode:
		f.Node = 1
	case fault.ToMessage:
		f.Message = fault.Message{Op: event.Ack, Nth: 1, From: event.Server(1), To: event.Server(2)}
	}
	if k.Lasts() {
		f.For = time.Second
	}
	return f
}

// TestParseSaysHowItIsWrittenForNodes checks that an error about another system, or in a run on one, shows the form
// and the kinds for such systems.
func TestParseSaysHowItIsWrittenForNodes(t *testing.T) {
	on := fault.Scope{Servers: 1}
	with := fault.Scope{Servers: 1, Nodes: 1}
	alone := fault.Scope{Nodes: 1}
	for _, c := range []struct {
		text         string
		in           fault.Scope
		want, absent string
	}{
		{"hug client-1 at 1s", alone, "(crash, pause, cut, drop, delay, stall, vanish; pause, cut, delay, stall take 'for')",
			"expire"},
		{"hug client-1 at 1s", alone, "'restart node-1 at 2s for 1s' (restart, lag, failover; restart, lag take 'for')",
			"server"},
		{"hug client-1 at 1s", alone, "'jump node-1 at 2s by 10s'", "server"},
		{"", alone, "node-1", "server"},
		{"lag node-1 at 1s", on, "node-1", "server"},
		{"stall client-1 at 1s", on, "node-1", "server"},
		{"jump at 1s by 1s", on, "node-1", "server"},
		{"jump server at 1s for 1s", on, "'jump server at 2s by -5s'", "node-1"},
		{"jump server-1 at 1s for 1s", on, "restart server-1", "node-1"},
		{"vanish client-1 at 1s for 1s", with, "expire", "server"},
		{"hug client-1 at 1s", on, "restart server", "node-1"},
		{"crash server-1 at 1s for 1s", alone, "restart server-1", "node-1"},
	} {
		_, err := fault.ParseAll([]string{c.text}, c.in)
		if err == nil || !strings.Contains(said(err), c.want) || strings.Contains(said(err), c.absent) {
			t.Errorf("%q in a run with %+v: %v, want %q and not %q", c.text, c.in, err, c.want, c.absent)
		}
	}
}

// TestWithTime checks that the time goes before the duration or amount.
func TestWithTime(t *testing.T) {
	for text, want := range map[string]string{
		"stall client-1 for 2s":       "stall client-1 at 1s for 2s",
		"jump node-1 by -2s":          "jump node-1 at 1s by -2s",
		"failover node-1":             "failover node-1 at 1s",
		"jump node-1 at 3s by -2s":    "jump node-1 at 3s by -2s",
		"jump":                        "jump",
		"cut client-1 from server-2 ": "cut client-1 from server-2 at 1s",
	} {
		if got := fault.WithTime(text, time.Second); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
