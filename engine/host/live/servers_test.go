package live

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// TestServersTold feeds in answers of three servers and checks the log: first nothing, then the changes.
func TestServersTold(t *testing.T) {
	type answers = map[int]*admin.Status // nil: out of reach
	says := func(role admin.Role, zxid int64) *admin.Status { return &admin.Status{Role: role, Zxid: zxid} }
	log := &logged{}
	cfg := Config{Root: "/run", Servers: []string{"a:1", "b:1", "c:1"}}.withDefaults()
	w := newWorld(context.Background(), cfg, []systems.Program{{}}, log)
	for i, addr := range cfg.Servers {
		w.servers = append(w.servers, &server{id: event.Server(i + 1), addr: addr})
	}
	for _, step := range []struct {
		what string
		says answers
		want string
	}{
		{"one has answered", answers{2: says(admin.Leads, 0x100000000)}, ""},
		{"another has", answers{1: says(admin.Follows, 0)}, ""},
		{"the last cannot be reached", answers{3: nil}, `
			server-1 server.started reached
			server-1 server.phase broadcast server-2 says-so
			server-2 server.started reached
			server-2 server.phase broadcast server-2 says-so
			server-2 txn.delivered 0x100000000 says-so
			server-3 server.stopped unreached`},
		{"nothing has changed", answers{1: says(admin.Follows, 0), 2: says(admin.Leads, 0x100000000), 3: nil}, ""},
		{"one has come and looks for the leader", answers{3: says(admin.Looks, 0)}, `
			server-3 server.started reached
			server-3 server.phase not-serving says-so`},
		{"it follows", answers{3: says(admin.Follows, 0x100000001)}, `
			server-3 server.phase broadcast server-2 says-so
			server-3 txn.delivered 0x100000001 says-so`},
		{"the leader is gone: nobody knows yet that they follow another", answers{2: nil}, `
			server-2 server.stopped unreached`},
		{"another leads, whom the third follows", answers{1: says(admin.Leads, 0x200000000)}, `
			server-1 server.phase broadcast server-1 says-so
			server-1 txn.delivered 0x200000000 says-so
			server-3 server.phase broadcast server-1 says-so`},
		{"the old one has not noticed", answers{2: says(admin.Leads, 0x100000005)}, `
			server-2 server.started reached
			server-2 server.phase broadcast server-2 says-so
			server-2 txn.delivered 0x100000005 says-so`},
		{"it has", answers{2: says(admin.Follows, 0x200000000)}, `
			server-2 server.phase broadcast server-1 says-so
			server-2 txn.delivered 0x200000000 says-so`},
		{"it may not say any more", answers{2: {Refused: true}}, `
			server-2 server.started reached
			zookeeper recipe.note left-roles`},
		{"nor may another, which is noted once", answers{3: {Refused: true}}, `
			server-3 server.started reached`},
		{"the leader begins to look for one", answers{1: says(admin.Looks, 0)}, `
			server-1 server.phase not-serving says-so`},
		{"it follows somebody who is not in the list, or does not say so", answers{1: says(admin.Follows, 0)}, `
			server-1 server.phase broadcast says-so`},
	} {
		*log = nil
		for n, status := range step.says {
			s := w.servers[n-1]
			s.asked, s.reached, s.status = true, status != nil, admin.Status{}
			if status != nil {
				s.status = *status
			}
		}
		w.Locked(w.logServers)
		var got []string
		for _, e := range *log {
			got = append(got, "\t\t\t"+brief(e))
		}
		if got := strings.Join(got, "\n"); got != strings.TrimPrefix(step.want, "\n") {
			t.Errorf("%s:\n%s\nwant:%s", step.what, got, step.want)
		}
	}
}

// brief formats an event without its number and its time.
func brief(e event.Event) string {
	words := []string{e.Actor.String(), e.Kind.String()}
	if e.Text != "" {
		words = append(words, e.Text)
	}
	if e.Peer != 0 {
		words = append(words, e.Peer.String())
	}
	if e.Zxid != 0 {
		words = append(words, fmt.Sprintf("%#x", e.Zxid))
	}
	return strings.Join(append(words, e.Reason.String()), " ")
}

// TestServerAt finds a server by the address that was dialled, exactly as typed.
func TestServerAt(t *testing.T) {
	w := newWorld(context.Background(), Config{}.withDefaults(), nil, &logged{})
	w.servers = []*server{{id: event.Server(1), addr: "zk.example:2181"}, {id: event.Server(2), addr: "[::1]:2181"}}
	for addr, want := range map[string]event.Actor{
		"zk.example:2181": event.Server(1), "[::1]:2181": event.Server(2), "other.example:2181": event.ZooKeeper,
	} {
		if got := w.serverAt(addr); got != want {
			t.Errorf("at %s there is %v, want %v", addr, got, want)
		}
	}
}
