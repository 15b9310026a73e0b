package fault_test

import (
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/fault"
)

// TestSystemFaults: what is done in runs on other systems is written and read, and refused where it cannot be.
func TestSystemFaults(t *testing.T) {
	elsewhere := fault.Scope{Clients: 3, Nodes: 2}
	zookeeper := fault.Scope{Clients: 3, Servers: 1}
	for s, want := range map[string]fault.Fault{
		"stall client-1 at 2s for 15s": {Kind: fault.Stall, Client: 1, At: 2 * time.Second, For: 15 * time.Second},
		"vanish client-3 at 2s":        {Kind: fault.Vanish, Client: 3, At: 2 * time.Second},
		"restart node-1 at 1s for 2s":  {Kind: fault.RestartNode, Node: 1, At: time.Second, For: 2 * time.Second},
		"lag node-1 at 0s for 5s":      {Kind: fault.Lag, Node: 1, For: 5 * time.Second},
		"failover node-2 at 1s":        {Kind: fault.Failover, Node: 2, At: time.Second},
		"jump node-2 at 1s by 10s":     {Kind: fault.Jump, Node: 2, At: time.Second, For: 10 * time.Second},
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
		"jump node-1 at 1s for 10s":   `"for 10s" is not`,
		"stall client-1 at 1s by 10s": `"by 10s" is not`,
		"lag node-0 at 1s for 1s":     `"node-0" is not a node`,
		"lag node-21 at 1s for 1s":    `"node-21" is not a node`,
		"failover client-1 at 1s":     `not done to`,
		"crash node-1 at 1s":          `not done to`,
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
