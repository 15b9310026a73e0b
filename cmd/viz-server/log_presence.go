package main

import (
	"fmt"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// presence looks for the requested znode and sessions in the files. One that appears nowhere is probably misspelt.
type presence struct {
	below    string
	sessions []int64
	started  bool
	gap      replay.Gap
	found    bool // the znode or one below it exists
	seen     map[int64]bool
}

func newPresence(below string, sessions []int64) *presence {
	n := &presence{below: below, sessions: sessions, found: below == "/", seen: map[int64]bool{}}
	for _, id := range sessions {
		n.seen[id] = false
	}
	return n
}

// take takes a transaction, its facts and the state after it.
func (n *presence) take(s *replay.State, t *wire.Txn, facts []replay.Fact) {
	n.see(t.Session)
	for i := range facts {
		f := &facts[i]
		n.found = n.found || f.Path == n.below || strings.HasPrefix(f.Path, n.below+"/")
		n.see(f.Went.Owner)
	}
	if n.started && s.Gap() == n.gap {
		return
	}
	n.started, n.gap = true, s.Gap() // and a snapshot has shown what existed
	for _, node := range s.Below(n.below) {
		n.found = true
		n.see(node.Owner)
	}
	for _, id := range n.sessions {
		if s.Timeout(id) != 0 {
			n.see(id)
		}
	}
}

func (n *presence) see(session int64) {
	if seen, requested := n.seen[session]; requested && !seen {
		n.seen[session] = true
	}
}

// check returns an error if one of them appears nowhere.
func (n *presence) check() error {
	if !n.found {
		return fmt.Errorf("--below %q: these files name no such znode; leave out --below to print everything", n.below)
	}
	for _, id := range n.sessions {
		if !n.seen[id] {
			return fmt.Errorf("--session %s: these files name no such session; --kind %s prints the sessions "+
				"that were opened",
				handover.SessionText(id), event.SessionCreated)
		}
	}
	return nil
}
