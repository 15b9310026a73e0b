package replay

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// modeOf is how a znode was made, as far as the transaction tells: a sequential one has the number of children that its
// parent had had.
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

// GuessMode is how a znode was probably made, by what can be seen of it later: a number at the end of its name is taken
// for that of a sequential one, unless its parent has not had as many children; made is how many, 0 if that's unknown.
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
