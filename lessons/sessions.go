package lessons

import (
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// sessions holds the measures about crashes, pauses, expired sessions and lost connections.
var sessions = map[string]measure{
	// outlives-crash counts the whole seconds for which a client's session outlives the client's crash.
	"outlives-crash": ofClient(func(r *Run, client int) string {
		crashed, expired := r.of(event.ClientCrashed).by(client).first(), r.expiryOf(client)
		if expired < crashed {
			return ""
		}
		return r.secondsBetween(crashed, expired)
	}),

	// knows-when-expired tells whether a client knows that its session has expired before anybody else gets in;
	// believes-too-long counts the whole seconds until it does.
	"knows-when-expired": ofClient(func(r *Run, client int) string {
		expired := r.expiryOf(client)
		lost, next := r.reports(program.Lost).by(client).after(expired).first(), r.gotIn().after(expired).first()
		return yesNo(r.at(lost).At < r.at(next).At, lost, next)
	}),
	"believes-too-long": ofClient(func(r *Run, client int) string {
		expired := r.expiryOf(client)
		return r.secondsBetween(expired, r.reports(program.Lost).by(client).after(expired).first())
	}),

	// goes-on-when-resumed tells whether a client keeps its earlier belief for a while after its pause.
	"goes-on-when-resumed": ofClient(func(r *Run, client int) string {
		resumed := r.of(event.ClientResumed).by(client).first()
		next := r.of(event.RecipePhase).by(client).after(resumed).first()
		return yesNo(r.at(next).At > r.at(resumed).At, next)
	}),

	// reports-when-resumed is a client's first report after its pause.
	"reports-when-resumed": ofClient(func(r *Run, client int) string {
		resumed := r.of(event.ClientResumed).by(client).first()
		return r.at(r.of(event.RecipePhase).by(client).after(resumed).first()).Text
	}),

	// in-while-paused is the first client to get in while a client is paused, and before a server stops.
	"in-while-paused": ofClient(func(r *Run, client int) string {
		paused := r.of(event.ClientPaused).by(client).first()
		resumed := r.of(event.ClientResumed).by(client).after(paused).first()
		end := resumed
		if stopped := r.of(event.ServerStopped).after(paused).before(resumed).first(); stopped != nowhere {
			end = stopped
		}
		next := r.gotIn().after(paused).before(end).first()
		switch {
		case resumed == nowhere:
			return ""
		case next == nowhere:
			return nobody
		}
		return r.client(next)
	}),

	// told-while-paused counts the watch events sent to a client while it is paused.
	"told-while-paused": ofClient(func(r *Run, client int) string {
		paused := r.of(event.ClientPaused).by(client).first()
		resumed := r.of(event.ClientResumed).by(client).after(paused).first()
		return countAt(r.of(event.WatchFired).by(client).after(paused).before(resumed).count(), resumed)
	}),

	// carried-out tells whether a client's first request without an answer had been carried out.
	"carried-out": ofClient(func(r *Run, client int) string {
		lost := r.of(event.OpDone).by(client).where(func(e event.Event) bool {
			return e.Code == int32(zoo.ErrConnectionLoss)
		}).first()
		op := r.at(lost).Op
		sent := r.of(event.OpSent).by(client).op(op).before(lost).last()
		applied := r.of(event.TxnApplied).by(client).op(op).before(lost).where(func(e event.Event) bool {
			return e.Code == 0
		}).last()
		return yesNo(applied > sent, lost)
	}),

	// comes-back tells whether a client that has lost its connection gets another before its session ends.
	"comes-back": ofClient(func(r *Run, client int) string {
		closed := r.of(event.ConnClosed).by(client).first()
		next := r.of(event.ConnOpened, event.SessionExpired).by(client).after(closed).first()
		return yesNo(r.at(next).Kind == event.ConnOpened, next)
	}),
}

func (x *index) expiryOf(client int) int { return x.of(event.SessionExpired).by(client).first() }

// secondsBetween returns the whole seconds between two events.
func (x *index) secondsBetween(from, to int) string {
	if from == nowhere || to == nowhere {
		return ""
	}
	d := x.at(to).At - x.at(from).At
	return fmt.Sprint(int(d.Round(time.Second).Seconds()))
}
