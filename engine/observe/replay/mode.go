package replay

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// modeOf returns how a znode was created, as far as the transaction tells. A sequential znode's number equals its
// parent's previous count of children.
func modeOf(p *wire.Txn) zoo.CreateMode {
	numbered := event.Number(p.Path) >= 0
	if n, ok := event.Sequence(p.Path); p.Cversion > 0 || p.Cversion < -1 {
		numbered = ok && int32(n) == p.Cversion-1
	}
	switch {
	case p.Op == wire.OpCreateContainer:
		return zoo.Container
	case p.Op == wire.OpCreateTTL && numbered:
		return zoo.PersistentSequentialTTL
	case p.Op == wire.OpCreateTTL:
		return zoo.PersistentTTL
	}
	return mode(p.Ephemeral, numbered)
}

// GuessMode guesses how a znode was created. A number at the end of its name counts as a sequence number, unless
// its parent hasn't had that many children. made is their count, or 0 if unknown.
func GuessMode(path string, ephemeral bool, made int64) zoo.CreateMode {
	n, ok := event.Sequence(path)
	return mode(ephemeral, ok && (made <= 0 || n < made))
}

func mode(ephemeral, numbered bool) zoo.CreateMode {
	m := zoo.Persistent
	if ephemeral {
		m = zoo.Ephemeral
	}
	if numbered {
		m |= zoo.PersistentSequential
	}
	return m
}
