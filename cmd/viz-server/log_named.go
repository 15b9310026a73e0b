package main

import (
	"fmt"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// named looks for the requested znode and sessions in the files. One that appears nowhere is probably misspelt.
type named struct {
	below    string
	sessions []int64
	begun    bool
	gap      replay.Gap
	there    bool // the znode or one below it exists
	heard    map[int64]bool
}

func newNamed(below string, sessions []int64) *named {
	n := &named{below: below, sessions: sessions, there: below == "/", heard: map[int64]bool{}}
	for _, id := range sessions {
		n.heard[id] = false
	}
	return n
}

// take takes a transaction, its facts and the state after it.
func (n *named) take(s *replay.State, t *wire.Txn, facts []replay.Fact) {
	n.hear(t.Session)
	for i := range facts {
		f := &facts[i]
		n.there = n.there || f.Path == n.below || strings.HasPrefix(f.Path, n.below+"/")
		n.hear(f.Went.Owner)
	}
	if n.begun && s.Gap() == n.gap {
		return
	}
	n.begun, n.gap = true, s.Gap() // and a snapshot has shown what existed
	for _, node := range s.Below(n.below) {
		n.there = true
		n.hear(node.Owner)
	}
	for _, id := range n.sessions {
		if s.Timeout(id) != 0 {
			n.hear(id)
		}
	}
}

func (n *named) hear(session int64) {
	if heard, asked := n.heard[session]; asked && !heard {
		n.heard[session] = true
	}
}

// check returns an error if one of them appears nowhere.
func (n *named) check() error {
	if !n.there {
		return fmt.Errorf("--below %q: these files name no such znode; leave out --below to print everything", n.below)
	}
	for _, id := range n.sessions {
		if !n.heard[id] {
			return fmt.Errorf("--session %s: these files name no such session; --kind %s prints the sessions "+
				"that were opened",
				handover.SessionText(id), event.SessionCreated)
		}
	}
	return nil
}
