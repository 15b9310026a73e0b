package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// The clocks of an ensemble: a bar on a server's edge runs out until the server gives up another one that it doesn't
// hear from, its leader or a follower.

// silencePlan is such a bar: its track, and the part that is left.
type silencePlan struct {
	rect
	left float64
}

// planSilences plans the bars of server i, and returns the words for the one that runs out first, or "". On a leader,
// each other server has its place, in order.
func (l *Layout) planSilences(i int, s *view.Server, r rect) (says string) {
	at, n := l.at, len(l.s.Servers)
	if l.s.Ended {
		at = l.s.At
	}
	inset, h := 8*l.m.k, max(3, 4*l.m.k)
	track := rect{r.x + inset, r.bottom() - 1, r.w - 2*inset, h}
	least := time.Duration(-1)
	for j := range n {
		clock, runs := l.s.Silence(i+1, j+1, at)
		if !runs {
			continue
		}
		l.p.Moving = l.p.Moving || clock.Left > 0 && !l.o.Still && !l.s.Ended
		if !clock.Matters() {
			continue
		}
		bar, key := track, "scene.server.gives-up"
		if s.Leads(i + 1) {
			part := track.w / float64(n)
			bar, key = rect{track.x + float64(j)*part, track.y, part - 2, h}, "scene.server.drops"
		}
		*added(&l.p.silences) = silencePlan{bar, 1 - clock.Part}
		other := l.say("S").num(int64(j + 1)).label()
		said := l.phrase(key, other, l.seconds(clock.Left.Seconds()))
		from := len(l.p.marks)
		l.shows(SilenceMark, l.say("server-").num(int64(i+1)).label(), other, bar)
		l.saying(from, said)
		if least < 0 || clock.Left < least {
			least, says = clock.Left, said
		}
	}
	return says
}

// saySilence writes the words for a silence after a server's epoch, or in its place.
func (l *Layout) saySilence(p *serverPlan, epoch, says string, room float64) {
	a := p.epoch.face
	if both := l.say(epoch, ", ", says).label(); a.width(both) <= room {
		p.epoch.text = both
		l.moved(EpochMark, p.id, p.epoch.bounds())
	} else if a.width(says) <= room {
		p.epoch.text = says
		l.moved(EpochMark, p.id, rect{}) // the epoch is not shown
	}
}

// behind reports whether the heartbeats of a client's server fail to reach the leader.
func (l *Layout) behind(c *view.Client) bool {
	leader := l.s.LeaderNow()
	if leader == event.ZooKeeper || c.Server == 0 || c.Server == leader {
		return false
	}
	clock, runs := l.s.Silence(leader.Number(), c.Server.Number(), l.at)
	return runs && clock.Matters()
}
