package check

import (
	"maps"
	"path"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// votesKept compares what was decided with the votes. A transaction's votes and its decision are znodes below it
// that say commit or abort. Each client has one vote, except the one that decides.
type votesKept struct {
	looks   looks
	clients int // 0 if the header doesn't say
	ballots map[string]*ballot
	sure    []event.Actor // at the end, those whose votes the log shows, if they voted
}

type ballot struct {
	votes     map[event.Actor]vote
	decision  vote
	looked    int64 // the zxid of the decider's last list of votes
	committed event.Event
}

// vote is a znode that says commit or abort.
type vote struct {
	who  event.Actor
	text string
	zxid int64
	at   time.Duration
	seq  event.Seq
}

const (
	votedFor     = "commit"
	votedAgainst = "abort"
	decision     = "decision" // the name of its znode
)

func newVotesKept(clients int) *votesKept {
	return &votesKept{looks: make(looks), clients: clients, ballots: make(map[string]*ballot)}
}

func (*votesKept) reads() []event.Kind {
	return []event.Kind{
		event.OpDone, event.ZnodeCreated, event.RecipePhase, event.RunEnded,
	}
}

func (k *votesKept) append(c *Checker, e event.Event) {
	k.looks.append(e)
	switch {
	case e.Kind == event.ZnodeCreated && (e.Text == votedFor || e.Text == votedAgainst):
		k.vote(e)
	case e.Kind == event.RecipePhase && program.Phase(e.Text) == program.Committed:
		if b := k.ballot(e.Path); b != nil && b.committed.Seq == 0 {
			b.committed = e
		}
	case promise.Over(e):
		k.sure = k.whoIsSure(c)
		for _, path := range slices.Sorted(maps.Keys(k.ballots)) {
			k.count(c, path, k.ballots[path])
		}
	}
}

// ballot returns a transaction's ballot, made if it is new; nil beyond mostOutcomes.
func (k *votesKept) ballot(path string) *ballot {
	b := k.ballots[path]
	if b == nil && len(k.ballots) < maxOutcomes {
		b = &ballot{votes: make(map[event.Actor]vote)}
		k.ballots[path] = b
	}
	return b
}

func (k *votesKept) vote(e event.Event) {
	tx := path.Dir(e.Path)
	b := k.ballot(tx)
	v := vote{e.Peer, e.Text, e.Zxid, e.At, e.Seq}
	switch {
	case b == nil:
	case name(e.Path) == decision:
		b.decision, b.looked = v, 0
		if l := k.looks[e.Peer]; l != nil && l[1].path == tx {
			b.looked = l[1].zxid
		}
	default:
		b.votes[e.Peer] = v
	}
}

// count judges a transaction at the end: a live host may learn of a vote after the decision.
func (k *votesKept) count(c *Checker, path string, b *ballot) {
	made := b.decision
	switch {
	case made.text == votedFor:
		k.mayCommit(c, path, b)
	case b.committed.Seq != 0:
		b.undecided(c, path)
	case made.text == votedAgainst && b.votes[made.who].seq == 0: // a site that has waited in vain may decide so
		k.mayAbort(c, path, b)
	}
}

// undecided blames a client that carried out the transaction although it was not decided.
func (b *ballot) undecided(c *Checker, path string) {
	e, made := b.committed, b.decision
	v := broken(promise.VotesKept, e, []event.Actor{e.Actor}, sentence.Of("broken.votes-kept.undecided",
		sentence.Client(e.Actor), sentence.Path(path), sentence.Time(e.At)))
	switch {
	case made.text == votedAgainst && made.who == e.Actor:
		v.Sentence.Key, v.Sentence.Args = "broken.votes-kept.itself", append(v.Sentence.Args, sentence.Time(made.at))
	case made.text == votedAgainst:
		v.Clients = append(v.Clients, made.who)
		v.Sentence.Key = "broken.votes-kept.against"
		v.Sentence.Args = append(v.Sentence.Args, sentence.Time(made.at), sentence.Client(made.who))
	case c.late: // the log may have missed the decision
		return
	}
	c.violate(v)
}

// mayCommit looks for a site that didn't vote for it.
func (k *votesKept) mayCommit(c *Checker, path string, b *ballot) {
	made, a := b.decision, k.notFor(b)
	if a == 0 {
		return
	}
	v := b.votes[a]
	why := "broken.votes-kept.late"
	switch {
	case v.text == votedAgainst:
		why = "broken.votes-kept.no"
	case v.seq == 0:
		why = "broken.votes-kept.never"
	}
	c.violate(promise.Violation{
		Rule: promise.VotesKept, At: max(made.at, v.at), Seq: max(made.seq, v.seq), Clients: []event.Actor{made.who, a},
		Sentence: sentence.Of(why,
			sentence.Client(made.who), sentence.Path(path), sentence.Time(made.at), sentence.Client(a), sentence.Time(v.at)),
	})
}

// notFor returns the first client that didn't vote for it in time, 0 if all did.
func (k *votesKept) notFor(b *ballot) (first event.Actor) {
	for a, v := range b.votes {
		late := v.zxid > b.decision.zxid && a != b.decision.who && k.clients > 0
		if a != event.ZooKeeper && (v.text == votedAgainst || late) && (first == 0 || a < first) {
			first = a
		}
	}
	if k.clients == 0 {
		return first
	}
	for _, a := range k.sure {
		if first > 0 && a > first {
			break
		}
		if _, voted := b.votes[a]; !voted && a != b.decision.who {
			return a
		}
	}
	return first
}

func (k *votesKept) whoIsSure(c *Checker) (sure []event.Actor) {
	for a := event.Actor(1); int(a) <= max(k.clients, len(c.clients)); a++ {
		if !c.unsure(a) {
			sure = append(sure, a)
		}
	}
	return sure
}

// mayAbort checks whether the decider knew that everybody was for it.
func (k *votesKept) mayAbort(c *Checker, path string, b *ballot) {
	made := b.decision
	if k.clients == 0 || len(b.votes) < k.clients-1 {
		return
	}
	for _, v := range b.votes {
		if v.text != votedFor || v.zxid > b.looked {
			return
		}
	}
	c.violate(promise.Violation{
		Rule: promise.VotesKept, At: made.at, Seq: made.seq, Clients: []event.Actor{made.who},
		Sentence: sentence.Of("broken.votes-kept.aborted",
			sentence.Client(made.who), sentence.Path(path), sentence.Time(made.at)),
	})
}
