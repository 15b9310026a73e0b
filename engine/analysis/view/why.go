package view

import (
	"iter"
	"path"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Log is where Why and Chain look up the causes of events. History implements it.
type Log interface {
	// Lookup finds an event by its number.
	Lookup(event.Seq) (event.Event, bool)
	// Timeout returns a session's negotiated timeout, as far as the log tells it before the event; 0 if it doesn't.
	Timeout(session int64, before event.Seq) time.Duration
}

// Chain yields the event seq, its cause, the cause of that, and so on to one without a cause.
func Chain(log Log, seq event.Seq) iter.Seq[event.Event] {
	return func(yield func(event.Event) bool) {
		for {
			e, ok := log.Lookup(seq)
			if !ok || !yield(e) || e.Cause >= seq {
				return
			}
			seq = e.Cause
		}
	}
}

// reasonKey returns the key of a reason that an event gives itself.
func reasonKey(r event.Reason) string { return "reason." + r.String() }

//go:noinline
func because(key string, args ...sentence.Arg) sentence.Sentence {
	return sentence.Of("why."+key, args...)
}

// Why explains why e happened. It returns the zero Sentence if there is nothing to explain.
func Why(e event.Event, log Log) sentence.Sentence {
	by, _ := log.Lookup(e.Cause) // the zero Event if there is none
	if e.Actor.Kind() == event.AServer {
		if e.Kind == event.MsgSent || e.Kind == event.MsgReceived || e.Kind == event.MsgDropped {
			return because("server.message")
		}
		return whyEnsemble(e, by)
	}
	if e.Actor.Kind() == event.ANode {
		return whyNode(e)
	}
	if e.Peer.Kind() == event.ANode {
		return whyFar(e, by)
	}
	switch e.Kind {
	case event.TryFailed, event.ProcessStalled, event.ProcessMoves, event.ClientVanished:
		return whyProgram(e, by)
	case event.ClientStarted, event.RunStarted, event.RunEnded, event.RecipeNote, event.Disconnected, event.Reconnected:
		return sentence.Sentence{}
	case event.OpSent:
		return whySent(e, by, log)
	case event.OpDone:
		return whyDone(e, log)
	case event.TxnApplied:
		return whyApplied(e)
	case event.WatchSet, event.WatchRemoved:
		return whyWatch(e, by)
	case event.WatchFired:
		return whyFired(e, by)
	case event.WatchDelivered:
		if by.Kind == event.WatchFired {
			return Why(by, log)
		}
		return because("fired.unknown", sentence.Client(e.Actor), sentence.Path(e.Path))
	case event.ZnodeFound:
		return because("found")
	case event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted:
		return whyZnode(e, by)
	case event.RecipePhase:
		return whyPhase(e, by)
	case event.SessionLocated, event.SessionSilent, event.SessionHeard, event.WatchesAsked:
		return whySaid(e)
	case event.SessionCreated, event.SessionSeen, event.SessionExpired, event.SessionClosed:
		return whySession(e, by, log)
	case event.MsgSent, event.MsgReceived, event.MsgDropped:
		return whyMessage(e, by)
	case event.ServerStopped:
		return because("server.stopped")
	case event.ServerStarted:
		return because("server.back")
	case event.StoreWritten, event.StoreRefused:
		return whyStore(e)
	}
	return whyClient(e, by, log)
}

func whyClient(e, by event.Event, log Log) sentence.Sentence {
	switch e.Kind {
	case event.ClientExited:
		if e.Text != "" {
			return because("exited.error", sentence.Text(e.Text))
		}
		if by.Kind == event.ConnClosed { // an observer saw it from outside
			return because("exited.lost")
		}
		return because("exited")
	case event.ClientCrashed:
		return because("crashed", sentence.Text(by.Text))
	case event.ClientPaused:
		return because("paused", sentence.Text(by.Text))
	case event.ClientResumed:
		// A person may end a pause early.
		return because("resumed", sentence.Span(min(time.Duration(by.N), e.At-by.At)))
	case event.ClientBlocked:
		if by.Kind == event.OpDone && by.Op == event.Children {
			return because("blocked.child", sentence.Path(e.Path))
		}
		return because("blocked", sentence.Path(e.Path))
	case event.ConnOpened:
		if by.Kind == event.MsgSent && !createsSession(causeOf(by, log)) {
			return because("again", sentence.Client(e.Actor))
		}
		return because("connected", sentence.Client(e.Actor))
	case event.ConnClosed:
		return sentence.Of(reasonKey(e.Reason))
	case event.FaultInjected, event.ClockJumped:
		return because("fault")
	}
	return sentence.Sentence{}
}

func whySent(e, by event.Event, log Log) sentence.Sentence {
	switch {
	case e.Op == event.CloseSession:
		return because("op.close")
	case by.Kind == event.WatchDelivered && e.Op == event.Create:
		return because("op.retry", sentence.Path(by.Path))
	case by.Kind == event.WatchDelivered && !reads(e.Op):
		return because("op.next") // the event arrived while it did something else
	case by.Kind == event.WatchDelivered:
		return because("op.look", sentence.Path(by.Path))
	case by.Kind == event.ConnOpened && Why(by, log).Key == "why.again":
		return because("op.again")
	case by.Kind == event.ConnOpened:
		return because("op.begin")
	case by.Kind == event.RecipePhase && program.Phase(by.Text) == program.Released && e.Op == event.Delete:
		return because("op.leave", sentence.Path(e.Path))
	case by.Kind == event.RecipePhase && e.Op == event.Children && program.Phase(by.Text) == program.Waiting:
		return because("op.list", sentence.Path(e.Path))
	case by.Kind == event.RecipePhase && program.Phase(by.Text) == program.Waiting && causeOf(by,
		log).Kind == event.ConnOpened:
		return because("op.begin")
	case by.Kind == event.OpDone:
		return whyNext(e, by)
	}
	if e.Cause == 0 {
		return because("op.own")
	}
	return because("op.next")
}

// createsSession reports whether a client is welcomed because e created its session. In an ensemble, e delivers the
// transaction to the client's server.
func createsSession(e event.Event) bool {
	return e.Kind == event.SessionCreated || e.Kind == event.TxnDelivered
}

func causeOf(e event.Event, log Log) event.Event {
	by, _ := log.Lookup(e.Cause)
	return by
}

func reads(op event.Op) bool {
	return op == event.Exists || op == event.Get || op == event.Children || op == event.MultiRead
}

// whyNext explains a request that follows from the answer to another.
func whyNext(e, by event.Event) sentence.Sentence {
	switch zoo.Code(by.Code) {
	case zoo.ErrNodeExists:
		return because("op.taken", sentence.Path(by.Path))
	case zoo.ErrNoNode:
		return whyMissing(e, by)
	case zoo.ErrConnectionLoss:
		return because("op.unknown", request(by))
	}
	return because("next", request(by))
}

// whyMissing explains a request that follows the answer that there is no such znode.
func whyMissing(e, by event.Event) sentence.Sentence {
	switch {
	case by.Op == event.Create && e.Path == path.Dir(by.Path):
		return because("op.parent", sentence.Path(e.Path))
	case by.Op == event.Exists: // for Exists that is an answer, too
		return because("op.absent", sentence.Path(by.Path))
	case by.Op == event.Delete && e.Op != event.Delete:
		return because("op.gone", sentence.Path(by.Path))
	}
	return because("op.missing", sentence.Path(by.Path))
}

func whyDone(e event.Event, log Log) sentence.Sentence {
	switch zoo.Code(e.Code) {
	case zoo.OK:
		if took, ok := sinceSent(e, log); ok {
			return because("done", request(e), sentence.Span(took))
		}
		return because("done.reply", request(e))
	case zoo.ErrNodeExists:
		return because("done.exists", sentence.Path(e.Path))
	case zoo.ErrNoNode:
		return because("done.absent", sentence.Path(e.Path))
	case zoo.ErrConnectionLoss:
		return because("done.unknown", request(e))
	case zoo.ErrSessionExpired:
		return because("done.expired")
	}
	return because("done.error", request(e), sentence.Sentences(Refusal(e.Code)))
}

// chainMost is how many causes lie between a reply and its request, at most, with the servers of an ensemble between.
const chainMost = 16

// sinceSent returns how long before a reply its client sent the request.
func sinceSent(e event.Event, log Log) (time.Duration, bool) {
	n := 0
	for by := range Chain(log, e.Cause) {
		if by.Kind == event.OpSent {
			return e.At - by.At, by.Actor == e.Actor && by.Op == e.Op
		}
		if n++; n == chainMost {
			break
		}
	}
	return 0, false
}

// Refusal explains an error code of ZooKeeper.
func Refusal(code int32) sentence.Sentence { return sentence.Of("code." + strconv.Itoa(int(code))) }

func whyApplied(e event.Event) sentence.Sentence {
	if e.Code == 0 {
		return because("txn", sentence.Client(e.Peer), request(e))
	}
	return because("txn.failed", sentence.Client(e.Peer), request(e),
		sentence.Sentences(Refusal(e.Code)))
}

func request(e event.Event) sentence.Arg { return sentence.Request(e.Op, e.Path) }

func whyStore(e event.Event) sentence.Sentence {
	switch {
	case e.Kind == event.StoreRefused:
		return because("store.fenced", sentence.Number(e.N))
	case e.N > 0:
		return because("store.taken.fence", sentence.Number(e.N))
	}
	return because("store.taken")
}
