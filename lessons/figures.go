package lessons

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/event"
)

// figures holds counts of a whole run.
var figures = map[string]measure{
	"clients":            count(func(r *Run) int { return len(r.End.Clients) }),
	"session-seconds":    count(func(r *Run) int { return int(r.Log.Header.SessionTimeout.Seconds()) }),
	"requests":           count(func(r *Run) int { return r.Report.Figures.Requests }),
	"polls":              count(func(r *Run) int { return r.Report.Figures.Polls }),
	"watches-set":        count(func(r *Run) int { return r.Report.Figures.WatchesSet }),
	"acquisitions":       count(func(r *Run) int { return r.Report.Figures.Acquisitions }),
	"wakeups":            count(func(r *Run) int { return r.End.Clients.Woken() }),
	"wakeups-by-release": count(func(r *Run) int { return r.Report.Figures.ByRelease }),
	"wakeups-by-arrival": count(func(r *Run) int { return r.Report.Figures.ByArrival }),
	"wakeups-wasted":     count(func(r *Run) int { return r.Report.Figures.Wasted }),
	"failed-creates":     count(func(r *Run) int { return r.failed(event.Create).count() }),
	"failed-deletes":     count(func(r *Run) int { return r.failed(event.Delete).count() }),
	"failed-sets":        count(func(r *Run) int { return r.failed(event.Set).count() }),

	// One release: the n-th deletion, or end of a session, that removed a znode.
	"woken-by-release":  release(func(woken, _ int) int { return woken }),
	"wasted-by-release": release(func(_, wasted int) int { return wasted }),
	"let-in-by-release": release(func(woken, wasted int) int { return woken - wasted }),

	// answered-while-stopped counts the requests answered while the server was stopped for the first time.
	"answered-while-stopped": count(func(r *Run) int {
		from := r.of(event.ServerStopped).first()
		if from == nowhere {
			return 0
		}
		answered := r.of(event.OpDone).after(from).where(func(e event.Event) bool { return e.Code == 0 })
		if to := r.of(event.ServerStarted).after(from).first(); to != nowhere {
			answered = answered.before(to)
		}
		return answered.count()
	}),

	// refused-costs-zxid tells whether a refused create takes a zxid.
	"refused-costs-zxid": plainly(func(r *Run) string {
		refused := r.failed(event.Create).first()
		return yesNo(r.at(refused).Zxid > 0, refused)
	}),
}

// failed returns the writes that ZooKeeper refused.
func (x *index) failed(op event.Op) places {
	return x.of(event.TxnApplied).op(op).where(func(e event.Event) bool { return e.Code != 0 })
}

func release(figure func(woken, wasted int) int) measure {
	return ofPlace(func(r *Run, n int) string {
		if n > len(r.End.Wakeups.Releases) {
			return ""
		}
		h := r.End.Wakeups.Releases[n-1]
		return strconv.Itoa(figure(h.Woken, h.Wasted))
	})
}
