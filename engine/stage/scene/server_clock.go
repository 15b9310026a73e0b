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
func (sv *servers) planSilences(i int, s *view.Server, r rect) (says string) {
	at, n := sv.at, len(sv.s.Servers)
	if sv.s.Ended {
		at = sv.s.At
	}
	inset, h := 8*sv.m.k, max(3, 4*sv.m.k)
	track := rect{r.x + inset, r.bottom() - 1, r.w - 2*inset, h}
	least := time.Duration(-1)
	for j := range n {
		clock, runs := sv.s.Silence(i+1, j+1, at)
		if !runs {
			continue
		}
		sv.moving = sv.moving || clock.Left > 0 && !sv.o.Still && !sv.s.Ended
		if !clock.Matters() {
			continue
		}
		bar, key := track, "scene.server.gives-up"
		if s.Leads(i + 1) {
			part := track.w / float64(n)
			bar, key = rect{track.x + float64(j)*part, track.y, part - 2, h}, "scene.server.drops"
		}
		*added(&sv.silences) = silencePlan{bar, 1 - clock.Part}
		other := sv.say("S").num(int64(j + 1)).label()
		said := sv.phrase(key, other, sv.seconds(clock.Left.Seconds()))
		from := len(sv.marks)
		sv.shows(SilenceMark, sv.say("server-").num(int64(i+1)).label(), other, bar)
		sv.saying(from, said)
		if least < 0 || clock.Left < least {
			least, says = clock.Left, said
		}
	}
	return says
}

// saySilence writes the words for a silence after a server's epoch, or in its place.
func (sv *servers) saySilence(p *serverPlan, epoch, says string, room float64) {
	a := p.epoch.face
	if both := sv.say(epoch, ", ", says).label(); a.width(both) <= room {
		p.epoch.text = both
		sv.moved(EpochMark, p.id, p.epoch.bounds())
	} else if a.width(says) <= room {
		p.epoch.text = says
		sv.moved(EpochMark, p.id, rect{}) // the epoch is not shown
	}
}

// behind reports whether the heartbeats of a client's server fail to reach the leader.
func (t *cast) behind(c *view.Client) bool {
	leader := t.s.LeaderNow()
	if leader == event.ZooKeeper || c.Server == 0 || c.Server == leader {
		return false
	}
	clock, runs := t.s.Silence(leader.Number(), c.Server.Number(), t.at)
	return runs && clock.Matters()
}
