package lessons

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// ensemble holds the measures about an ensemble's servers.
var ensemble = map[string]measure{
	"servers": plainly(func(r *Run) string { return countAt(len(r.End.Ensemble.Servers), len(r.End.Ensemble.Servers)-1) }),

	// leads is the n-th server to lead; epochs counts the epochs with a leader.
	"leads":  ofPlace(func(r *Run, n int) string { return serverName(r.at(r.of(event.LeaderActivated).nth(n)).Actor) }),
	"epochs": count(func(r *Run) int { return r.of(event.LeaderActivated).count() }),

	// The first write for which a client gets an answer: how many servers, the leader included, have acknowledged
	// it when it is committed, and how many messages between servers it takes.
	"acks-when-committed": ofClient(func(r *Run, client int) string {
		zxid := r.firstWrite(client)
		committed := r.of(event.TxnCommitted).where(ofZxid(zxid)).first()
		acks := r.of(event.MsgReceived).op(event.Ack).where(ofZxid(zxid)).before(committed).count()
		own := r.synced(zxid).before(committed).where(func(e event.Event) bool { return e.Actor == r.at(committed).Actor })
		return countAt(acks+min(own.count(), 1), committed)
	}),
	// on-disk-when-answered counts the servers that have the first answered write on disk when the client gets the
	// answer.
	"on-disk-when-answered": ofClient(func(r *Run, client int) string {
		answered := r.answeredWrites(client).first()
		disks := map[event.Actor]bool{}
		for _, e := range r.synced(r.firstWrite(client)).before(answered).events() {
			disks[e.Actor] = true
		}
		if len(r.End.Ensemble.Servers) == 0 {
			return ""
		}
		return countAt(len(disks), answered)
	}),

	// answered-without tells whether some client gets an answer to a write before a server has it on disk.
	"answered-without": numbered(aServer, func(r *Run, n int) string {
		own := r.of(event.LogSynced).where(func(e event.Event) bool { return e.Actor == event.Server(n) })
		answered := r.of(event.OpDone).where(func(e event.Event) bool { return e.Code == 0 && writes(e.Op) })
		if n > len(r.End.Ensemble.Servers) || answered.count() == 0 {
			return ""
		}
		for _, i := range answered.in {
			if last := r.at(own.before(i).last()); last.Zxid < r.at(i).Zxid {
				return yes
			}
		}
		return no
	}),
	messagesForWrite: ofClient(func(r *Run, client int) string {
		zxid := r.firstWrite(client)
		return countAt(r.messages(zxid), r.of(event.TxnProposed).where(ofZxid(zxid)).first())
	}),

	// moves-to is the server of a client's second connection; waits-to-move counts the whole seconds between the two.
	"moves-to": ofClient(func(r *Run, client int) string {
		return serverName(r.at(r.of(event.ConnOpened).by(client).nth(2)).Peer)
	}),
	"waits-to-move": ofClient(func(r *Run, client int) string {
		return r.secondsBetween(r.of(event.ConnClosed).by(client).first(), r.of(event.ConnOpened).by(client).nth(2))
	}),

	// sync-choice is how a leader last brings a server up to date.
	"sync-choice": numbered(aServer, func(r *Run, n int) string {
		chosen := r.of(event.SyncChosen).where(func(e event.Event) bool { return e.Peer == event.Server(n) }).last()
		if chosen == nowhere {
			return ""
		}
		return r.at(chosen).Op.String()
	}),

	// ever-done tells whether a client's first unanswered write is ever carried out.
	"ever-done": ofClient(func(r *Run, client int) string {
		lost := r.of(event.OpDone).by(client).where(func(e event.Event) bool {
			return e.Code == int32(zoo.ErrConnectionLoss) && writes(e.Op)
		}).first()
		sent := r.of(event.OpSent).by(client).op(r.at(lost).Op).before(lost).last()
		next := r.of(event.OpSent).by(client).op(r.at(lost).Op).after(lost).first()
		done := r.of(event.TxnApplied).by(client).op(r.at(lost).Op).after(sent)
		if next != nowhere {
			done = done.before(next)
		}
		return yesNo(done.count() > 0, lost)
	}),
}

const messagesForWrite = "messages-for-write"

// serverName returns a server's name on the stage, empty for nobody.
func serverName(a event.Actor) string {
	if a.Kind() != event.AServer {
		return ""
	}
	return "S" + strconv.Itoa(a.Number())
}

// answeredWrites returns the answers that a client gets to successful writes.
func (x *index) answeredWrites(client int) places {
	return x.of(event.OpDone).by(client).where(func(e event.Event) bool { return e.Code == 0 && writes(e.Op) })
}

// firstWrite returns the zxid of a client's first answered write, 0 if there is none.
func (x *index) firstWrite(client int) int64 { return x.at(x.answeredWrites(client).first()).Zxid }

// messages returns how many messages between servers a write took.
func (x *index) messages(zxid int64) (n int) {
	var costs view.Costs
	for _, e := range x.events {
		costs.Apply(e)
		if cost, counted := costs.Write(zxid); counted {
			n = cost.Messages
		}
	}
	return n
}

// synced returns the moments at which servers have a transaction on disk.
func (x *index) synced(zxid int64) places {
	return x.of(event.LogSynced).where(func(e event.Event) bool { return zxid > 0 && e.Zxid >= zxid })
}

func ofZxid(zxid int64) func(event.Event) bool {
	return func(e event.Event) bool { return zxid > 0 && e.Zxid == zxid }
}

// writes reports whether an operation is a recipe's write.
func writes(op event.Op) bool {
	return op == event.Create || op == event.Set || op == event.Delete || op == event.Multi
}
