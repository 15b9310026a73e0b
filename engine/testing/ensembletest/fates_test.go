package ensembletest

import (
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// fates checks the fate of an unanswered write, depending on which servers have logged it when the leader dies.
func fates(l *lab) {
	for _, x := range []struct {
		what string
		do   func(l *lab) (path string)
		kept bool
	}{
		{"a quorum has it, and nobody was told", func(l *lab) string {
			old := l.leader()
			p, q := l.client(l.follower(true)), l.create()
			if err := p.Send(q); err != nil {
				l.giveUp("a write: %v", err)
			}
			l.until("a quorum", func() bool {
				n := 0
				for _, server := range l.all()[:l.voters] {
					if l.logged(server, q.Path) {
						n++
					}
				}
				return n > l.voters/2
			})
			p.Abort()
			l.crash(old)
			l.awaitLeader(old)
			l.start(old)
			return q.Path
		}, true},
		{"the leader alone has it, and is among those that elect", func(l *lab) string {
			old := l.leader()
			path := l.loneTail(old)
			for _, n := range l.without(old) {
				l.crash(n)
			}
			_ = l.settled()
			l.start(old)
			l.start(l.without(old)[0])
			l.awaitServing(old)
			l.start(l.without(old)[1])
			return path
		}, true},
		{"the leader alone has it, and is not", func(l *lab) string {
			old := l.leader()
			path := l.loneTail(old)
			l.awaitLeader(old)
			l.start(old)
			return path
		}, false},
		{"nobody has it", func(l *lab) string {
			f := l.follower(true)
			p, q := l.client(f), l.create()
			l.level(p)
			l.isolate(f)
			if err := p.Send(q); err != nil {
				l.giveUp("a write: %v", err)
			}
			l.powerOff(f)
			l.heal()
			l.start(f)
			return q.Path
		}, false},
	} {
		l.steady(func() {
			l.begin()
			path := x.do(l)
			l.begin()
			for _, n := range l.all() {
				r, _, err := l.client(n).Do(wire.Request{Op: wire.OpExists, Path: path})
				if kept := r.Code == zoo.OK; err != nil || kept != x.kept {
					l.wrongf("%s: server %d has it: %t (%v), want %t", x.what, n, kept, err, x.kept)
				}
			}
		})
	}
}
