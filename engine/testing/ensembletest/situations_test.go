package ensembletest

// situations lists ten situations in which a server comes back.
var situations = []struct {
	what string
	do   func(l *lab) (who int)
	want string
}{
	{"it lacks nothing", func(l *lab) int {
		f := l.follower(true)
		l.level(l.client(l.leader()))
		l.bounce(f, func() {})
		return f
	}, "DIFF"},
	{"it lacks three", func(l *lab) int {
		f, p := l.follower(true), l.client(l.leader())
		l.level(p)
		l.bounce(f, func() { l.write(p, 3) })
		return f
	}, "DIFF + 3"},
	{"it lacks more than the leader has at hand, but not more than a file of its log", func(l *lab) int {
		f, p := l.follower(true), l.client(l.leader())
		l.level(p)
		l.bounce(f, func() { l.fill(600) })
		return f
	}, "DIFF + many"},
	{"it lacks more than the leader has at hand, in two files of its log", func(l *lab) int {
		f, p := l.follower(true), l.client(l.leader())
		l.level(p)
		l.bounce(f, func() {
			l.fill(300)
			others := l.without(f)
			for _, n := range others {
				l.crash(n)
			}
			_ = l.settled()
			for _, n := range others {
				l.start(n)
			}
			for _, n := range others {
				l.awaitServing(n)
			}
			l.fill(300)
		})
		return f
	}, "SNAP"},
	{"it led, and lacks nothing", func(l *lab) int {
		old := l.leader()
		l.level(l.client(old))
		l.bounce(old, func() { l.awaitLeader(old) })
		return old
	}, "DIFF"},
	{"it led, and lacks two of the next epoch", func(l *lab) int {
		old := l.leader()
		l.level(l.client(old))
		l.bounce(old, func() {
			p := l.client(l.awaitLeader(old)) // its session counts as a transaction too
			l.write(p, 1)
		})
		return old
	}, "DIFF + 2"},
	{"it led, and has one that nobody else has", func(l *lab) int {
		old := l.leader()
		l.level(l.client(l.follower(true)))
		l.loneTail(old)
		l.bounce(old, func() { l.awaitLeader(old) })
		return old
	}, "TRUNC"},
	{"it led, and has one that nobody else has, of an epoch that is over", func(l *lab) int {
		old := l.leader()
		l.level(l.client(l.follower(true)))
		l.loneTail(old)
		l.bounce(old, func() { l.client(l.awaitLeader(old)) })
		return old
	}, "SNAP"},
	{"the others have one that it lacks, and that was never committed", func(l *lab) int {
		old := l.leader()
		f := l.follower(false)
		l.level(l.client(l.follower(true)))
		l.loneTail(old)
		for _, n := range l.without(old) {
			l.crash(n)
		}
		_ = l.settled()
		l.start(old)
		l.start(l.without(old)[0])
		l.awaitServing(old)
		l.start(f)
		l.awaitServing(f)
		return f
	}, "DIFF + 1"},
	{"all have ended, and begin again", func(l *lab) int {
		l.beginAgain()
		return l.follower(true)
	}, "DIFF"},
}
