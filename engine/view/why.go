package view

import (
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Log is where Why and Chain find what an event comes from. History is one.
type Log interface {
	// Lookup finds an event by its number.
	Lookup(event.Seq) (event.Event, bool)
	// Timeout is what was negotiated for a session, as far as was said before the event; 0 if nothing was.
	Timeout(session int64, before event.Seq) time.Duration
}

// Chain is the event seq, its cause, the cause of that, and so on to one that nothing caused.
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

// ReasonKeys are all keys that Why returns, sorted, each with the number of its arguments. Each phase and each reason
// that an event gives itself has one.
func ReasonKeys() []ReasonKey {
	keys := slices.Clone(reasonKeys[:])
	for r := event.ByOp; r < event.LeftNothing; r++ {
		keys = append(keys, ReasonKey{Key: reasonKey(r)})
	}
	for _, p := range zoo.Phases() {
		r := whyPhase(event.Event{Text: string(p)}, event.Event{})
		keys = append(keys, ReasonKey{r.Key, len(r.Args)})
	}
	slices.SortFunc(keys, func(a, b ReasonKey) int { return strings.Compare(a.Key, b.Key) })
	return keys
}

// reasonKey is the key of a reason that an event gives itself.
func reasonKey(r event.Reason) string { return "reason." + r.String() }

// ReasonKey is a key and how many arguments come with it.
type ReasonKey struct {
	Key  string
	Args int
}

// The comments are the English sentences in short.
var reasonKeys = [...]ReasonKey{
	{"why.again", 1},               // {0} is back in time: its session goes on
	{"why.blocked", 1},             // nothing to do until ZooKeeper tells of {0}
	{"why.blocked.child", 1},       // nothing to do until ZooKeeper tells that the children of {0} change
	{"why.changed", 1},             // {0} set new data
	{"why.changed.unknown", 0},     // an observer is not told who did it
	{"why.connect", 1},             // {0} needs a connection
	{"why.connected", 1},           // ZooKeeper gave {0} a session
	{"why.crashed", 1},             // the fault: {0}
	{"why.created", 1},             // {0} asked for it
	{"why.created.ephemeral", 1},   // {0} made it: it lives as long as {0}'s session
	{"why.created.setup", 0},       // it was there before anyone began
	{"why.deleted", 1},             // {0} asked for it
	{"why.deleted.closed", 1},      // it was ephemeral, and {0}'s session was closed
	{"why.deleted.expired", 1},     // it was ephemeral, and {0}'s session expired
	{"why.deleted.timer", 0},       // an empty container, or a TTL that is over
	{"why.deleted.unknown", 0},     // an observer is not told who did it
	{"why.done", 1},                // ZooKeeper answered {0}
	{"why.done.absent", 1},         // {0} is not there
	{"why.done.error", 2},          // ZooKeeper refused {0}: {1}
	{"why.done.exists", 1},         // somebody else has made {0}
	{"why.done.expired", 0},        // the session is over, and only now it learns of it
	{"why.done.unknown", 1},        // the connection broke before the answer: {0} was done or not
	{"why.dropped", 0},             // nobody was there to receive it
	{"why.exited", 0},              // it has done all it had to
	{"why.exited.error", 1},        // {0}
	{"why.expired.crashed", 2},     // {0} crashed: no heartbeat for its timeout of {1}
	{"why.expired.cut", 2},         // the link to {0} is cut: nothing was heard of it for its timeout of {1}
	{"why.expired.fault", 2},       // the fault: {1}
	{"why.expired.paused", 2},      // {0} stands still: no heartbeat for its timeout of {1}
	{"why.expired.silent", 2},      // nothing was heard of {0} for its timeout of {1}
	{"why.fault", 0},               // done on purpose, to see what follows
	{"why.fired.changed", 3},       // {0} watched {1}, and {2} changed it
	{"why.fired.child.closed", 4},  // {0} watched {1}'s children; {2} went when {3} closed its session
	{"why.fired.child.created", 4}, // {0} watched {1}'s children; {3} added {2}
	{"why.fired.child.deleted", 4}, // {0} watched {1}'s children; {3} deleted {2}
	{"why.fired.child.expired", 4}, // {0} watched {1}'s children; {2} went when {3}'s session expired
	{"why.fired.child.unknown", 2}, // {0} watched {1}'s children, and they changed
	{"why.fired.closed", 3},        // {0} watched {1}, which went when {2} closed its session
	{"why.fired.created", 3},       // {0} watched for {1}, and {2} created it
	{"why.fired.deleted", 3},       // {0} watched {1}, and {2} deleted it
	{"why.fired.expired", 3},       // {0} watched {1}, which went when {2}'s session expired
	{"why.fired.missed", 2},        // {1} changed while {0} was away
	{"why.fired.unknown", 2},       // {0} watched {1}, and it changed
	{"why.found", 0},               // an observer has come upon it
	{"why.next", 1},                // {0} is answered: this is the recipe's next step
	{"why.op.absent", 1},           // {0} is not there: it goes on
	{"why.op.again", 0},            // it is connected again and goes on
	{"why.op.begin", 0},            // it is connected and begins
	{"why.op.close", 0},            // it is done and ends its session
	{"why.op.gone", 1},             // {0} was gone already: it goes on
	{"why.op.leave", 1},            // it leaves: without {0} the next one can come in
	{"why.op.list", 1},             // it has joined: now it looks who is there
	{"why.op.look", 1},             // it was told that {0} changed, not what is there now: it looks
	{"why.op.missing", 1},          // {0} was gone already: it tries again
	{"why.op.next", 0},             // this is the recipe's next step
	{"why.op.own", 0},              // its program wants it, for reasons of its own
	{"why.op.parent", 1},           // {0} must be there first: it makes it
	{"why.op.retry", 1},            // {0} is gone: it tries to be the one who makes it
	{"why.op.taken", 1},            // {0} is taken: it asks to be told when that changes
	{"why.op.unknown", 1},          // whether {0} was done is unknown: it finds out
	{"why.paused", 1},              // the fault: {0}
	{"why.phase.alone.first", 1},   // it looked: {0} has the smallest number
	{"why.phase.alone.made", 1},    // its create of {0} succeeded: nobody else's can
	{"why.phase.queued", 1},        // it has made {0}: that is its place in the queue
	{"why.ping", 0},                // a sign of life, or the session expires
	{"why.pong", 0},                // the answer to a sign of life
	{"why.received", 0},            // it arrived
	{"why.reply", 2},               // {0} asked: {1}
	{"why.resumed", 1},             // its pause of {0} is over
	{"why.server.back", 0},         // it is back, with all that it had committed
	{"why.server.stopped", 0},      // done on purpose: nobody gets an answer until it is back
	{"why.session", 1},             // {0} connected for the first time
	{"why.session.before", 1},      // the log begins with it: {0} had it already
	{"why.session.closed", 1},      // {0} asked for it
	{"why.session.seen", 1},        // all that an observer knows: {0} owns something
	{"why.session.unseen", 1},      // all that an observer knows: {0} owns nothing any more
	{"why.store.fenced", 1},        // a write with a greater fencing number came before: {0} is too small
	{"why.store.taken", 0},         // the store takes what comes
	{"why.store.taken.fence", 1},   // no greater fencing number than {0} has come yet
	{"why.txn", 2},                 // {0} asked: {1}
	{"why.txn.failed", 3},          // {0} asked: {1}; ZooKeeper refused ({2}), and that costs a proposal too
	{"why.watch.again", 2},         // {0} is back on a new connection and sets its watch on {1} again
	{"why.watch.child", 2},         // {0} wants to be told when the children of {1} change
	{"why.watch.data", 2},          // {0} wants to be told when {1} changes or goes
	{"why.watch.exist", 2},         // {0} wants to be told when {1} appears
	{"why.watch.gone", 1},          // watches go with the connection: {0}'s is no more
	{"why.watch.hidden", 2},        // {0} may not read {1}, and is not told of it
	{"why.watch.persistent", 2},    // {0} wants to be told of every change of {1}
	{"why.watch.recursive", 2},     // {0} wants to be told of every change of {1} and of all below
	{"why.watch.unset", 1},         // {0} asked for it
}

func because(key string, args ...sentence.Arg) sentence.Sentence {
	return sentence.Of("why."+key, args...)
}

// Why says why e happened. The zero Sentence says nothing, because there is nothing to say.
func Why(e event.Event, log Log) sentence.Sentence {
	by, _ := log.Lookup(e.Cause) // the zero Event if there is none
	switch e.Kind {
	case event.ClientStarted, event.RunStarted, event.RunEnded, event.RecipeNote, event.Disconnected, event.Reconnected:
		return sentence.Sentence{}
	case event.OpSent:
		return whySent(e, by, log)
	case event.OpDone:
		return whyDone(e)
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
		return whyZnode(e)
	case event.RecipePhase:
		return whyPhase(e, by)
	case event.SessionCreated, event.SessionExpired, event.SessionClosed:
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
		return because("exited")
	case event.ClientCrashed:
		return because("crashed", sentence.Text(by.Text))
	case event.ClientPaused:
		return because("paused", sentence.Text(by.Text))
	case event.ClientResumed:
		return because("resumed", sentence.Span(time.Duration(by.N)))
	case event.ClientBlocked:
		if by.Kind == event.OpDone && by.Op == event.Children {
			return because("blocked.child", sentence.Path(e.Path))
		}
		return because("blocked", sentence.Path(e.Path))
	case event.ConnOpened:
		if welcome, _ := log.Lookup(by.Cause); by.Kind == event.MsgSent && welcome.Kind != event.SessionCreated {
			return because("again", sentence.Client(e.Actor))
		}
		return because("connected", sentence.Client(e.Actor))
	case event.ConnClosed:
		return sentence.Of(reasonKey(e.Reason))
	case event.FaultInjected:
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
		return because("op.next") // it was told while it did something else
	case by.Kind == event.WatchDelivered:
		return because("op.look", sentence.Path(by.Path))
	case by.Kind == event.ConnOpened && Why(by, log).Key == "why.again":
		return because("op.again")
	case by.Kind == event.ConnOpened:
		return because("op.begin")
	case by.Kind == event.RecipePhase && zoo.Phase(by.Text) == zoo.Released && e.Op == event.Delete:
		return because("op.leave", sentence.Path(e.Path))
	case by.Kind == event.RecipePhase && e.Op == event.Children:
		return because("op.list", sentence.Path(e.Path))
	case by.Kind == event.RecipePhase && zoo.Phase(by.Text) == zoo.Waiting && causeOf(by, log).Kind == event.ConnOpened:
		return because("op.begin")
	case by.Kind == event.OpDone:
		return whyNext(e, by)
	}
	if e.Cause == 0 {
		return because("op.own")
	}
	return because("op.next")
}

func causeOf(e event.Event, log Log) event.Event {
	by, _ := log.Lookup(e.Cause)
	return by
}

func reads(op event.Op) bool {
	return op == event.Exists || op == event.Get || op == event.Children || op == event.MultiRead
}

// whyNext is for a request that follows from the answer to another.
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

// whyMissing is for a request that follows from the answer that there is no such znode.
func whyMissing(e, by event.Event) sentence.Sentence {
	switch {
	case by.Op == event.Create && e.Path == path.Dir(by.Path):
		return because("op.parent", sentence.Path(e.Path))
	case by.Op == event.Exists: // that is an answer, too
		return because("op.absent", sentence.Path(by.Path))
	case by.Op == event.Delete && e.Op != event.Delete:
		return because("op.gone", sentence.Path(by.Path))
	}
	return because("op.missing", sentence.Path(by.Path))
}

func whyDone(e event.Event) sentence.Sentence {
	switch zoo.Code(e.Code) {
	case zoo.OK:
		return because("done", request(e))
	case zoo.ErrNodeExists:
		return because("done.exists", sentence.Path(e.Path))
	case zoo.ErrNoNode:
		return because("done.absent", sentence.Path(e.Path))
	case zoo.ErrConnectionLoss:
		return because("done.unknown", request(e))
	case zoo.ErrSessionExpired:
		return because("done.expired")
	}
	return because("done.error", request(e), sentence.Sentences([]sentence.Sentence{Refusal(e.Code)}))
}

// Refusal says what an error code of ZooKeeper means.
func Refusal(code int32) sentence.Sentence { return sentence.Of("code." + strconv.Itoa(int(code))) }

func whyApplied(e event.Event) sentence.Sentence {
	if e.Code == 0 {
		return because("txn", sentence.Client(e.Peer), request(e))
	}
	return because("txn.failed", sentence.Client(e.Peer), request(e),
		sentence.Sentences([]sentence.Sentence{Refusal(e.Code)}))
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
