package locks

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// What counts as trouble, compared with what is usual for each lock. For a lock without history, these fixed limits
// apply.
const (
	fewest = 3  // occurrences needed to know what is usual
	often  = 10 // this many times as long as usual is too long

	heldTooLong    = 5 * time.Minute // while others wait, if the usual time isn't known
	heldAtLeast    = 30 * time.Second
	waitsTooLong   = 5 * time.Minute
	vacantTooLong  = 10 * time.Second // for an election
	blockedTooLong = 10 * time.Second
	stuckTooLong   = 5 * time.Minute // for an item at the front
	stuckAtLeast   = time.Minute
	stuckCame      = 10 // items that came meanwhile

	leadsAMinute = 5  // changes of leader
	turnsAMinute = 30 // for anything else, and
	moreTurns    = 4  // this many times the usual,
	usualAfter   = 10 * time.Minute

	growthMinutes = 10
	growsBy       = 50 // within that time, and at least doubled

	expiriesWithin = 10 * time.Minute
	expiries       = 3
	membersExpired = 2 // within a minute, and one in
	membersShare   = 5

	goneAfter = time.Hour // without a znode it's no longer of interest

	seenFor = 10 * time.Minute // a herd, or clients without a watch, that servers reported
)

// Alert is a trouble and its weight: from 1, more is worse.
type Alert struct {
	Weight int
	sentence.Sentence
}

// Client is what is known about a session.
type Client struct {
	Addr    string        // host:port, empty if unknown
	Silent  bool          // it has been silent for longer than usual
	Quiet   time.Duration // how long it has been silent; 0 if unknown
	Timeout time.Duration // 0 if unknown
	// Unconnected means that none of the asked servers has a connection of it. It may have one to another server.
	Unconnected bool
	Server      string // to which it is connected, host:port; empty if unknown
	Listed      bool   // its last request, heartbeats aside, listed a znode's children
}

// Known is what is known in addition to znodes. Nil fields are unknown.
type Known struct {
	Client    func(session int64) Client
	ClientsMS int64 // when servers said what Client returns, in ms since 1970; 0 if unknown
	Watches
	// Unread reports whether the holders at a path can't be told yet, since not everything has been read. It is nil
	// once everything has.
	Unread func(path string) bool
}

// Watches is what servers said about watches.
type Watches struct {
	// Watchers returns the sessions that watch a znode, in numeric order, as of AskedMS, in ms since 1970; nil if that is
	// unknown. They are complete if the answers were Whole. Servers don't report whose watches on lists of children
	// there are, but Lists has the number at each server that counts them, by its host:port.
	Watchers func(path string) []int64
	AskedMS  int64
	Whole    bool
	Lists    map[string]int
}

// lookedMS returns since when, in ms since 1970, a client must have been in line for what servers said to tell what it
// watches: later ones may still have been looking.
func (k Known) lookedMS() int64 {
	at := k.AskedMS
	if k.ClientsMS != 0 {
		at = min(at, k.ClientsMS)
	}
	return at - handover.LookMS
}

// lacks reports whether it can't be told yet what a thing is.
func (k Known) lacks(t *thing) bool {
	return k.Unread != nil && (k.Unread(t.path) || t.alone && k.Unread(parent(t.path)))
}

// watches reports whether a client watches a znode.
func (k Known) watches(session int64, path string) bool {
	_, does := slices.BinarySearch(k.Watchers(path), session)
	return does
}

func (k Known) client(session int64) (c Client) {
	if k.Client != nil && session != 0 {
		c = k.Client(session)
	}
	return c
}

// judged is a thing at one time.
type judged struct {
	*thing
	row    *Row
	stands handover.Standing
	now    int64
	over   time.Duration // how long it has been followed
	list   []Alert
}

func (j *judged) say(weight int, s sentence.Sentence) { j.list = append(j.list, Alert{weight, s}) }

func span(ms int64) sentence.Arg { return sentence.Sentences(handover.Lapse(ms)) }

func ms(d time.Duration) int64 { return d.Milliseconds() }

// alerts returns its troubles.
func (j *judged) alerts(k Known) []Alert {
	j.deadlocked(k)
	j.vacancy()
	j.holding(k)
	j.wait()
	j.unwatching(k)
	j.items()
	j.growth()
	j.flapping()
	j.expiry()
	return j.list
}

func (j *judged) vacancy() {
	if n := j.first(); n.Path != "" && n.Session == 0 && j.use.Line() && j.row.Inside == 0 &&
		j.now-j.blockedMS() > ms(blockedTooLong) {
		j.say(70, sentence.Of("trouble.blocked", sentence.Path(n.Path)))
	}
	if h := j.kept(); h != nil && j.now-max(h.MadeMS, j.stands.First().MadeMS) > ms(blockedTooLong) {
		j.say(70, sentence.Of("trouble.blocked.kept", sentence.Path(h.Path)))
	}
	if j.vacant == 0 || j.use != naming.Election || len(j.list) > 0 {
		return
	}
	if none := j.now - j.vacant; none > max(ms(vacantTooLong), often*j.gaps.usual()) {
		j.say(90, sentence.Of("trouble.vacant", span(none)))
	}
}

// kept returns a holder without a session that keeps clients out, although such names usually have sessions; nil if
// there is none.
func (j *judged) kept() *handover.Contender {
	if j.stands.First() == nil {
		return nil
	}
	for _, i := range j.stands.Holding {
		if c := &j.stands.All[i]; c.Kept {
			return c
		}
	}
	return nil
}

// blockedMS returns since when the first in line has been first. If it was already first when the thing was first
// followed, that is since its znode was created.
func (j *judged) blockedMS() int64 {
	if j.frontMS <= j.beganMS {
		return j.first().MadeMS
	}
	return j.frontMS
}

func (j *judged) holding(k Known) {
	for i := range j.row.Holding {
		j.held(&j.row.Holding[i])
	}
	j.herds(k)
}

func (j *judged) held(h *Holder) {
	if c := h.Client; c.Silent {
		j.say(60, sentence.Of("trouble.quiet", client(&h.Node, c.Addr), span(ms(c.Quiet)), span(ms(c.Timeout))))
	}
	held, usual := j.now-h.GotMS, j.holds.usual()
	switch {
	case j.row.Waiting == 0 || j.use == naming.Election || !j.use.Line():
	case usual > 0 && held > max(ms(heldAtLeast), often*usual):
		j.say(50, sentence.Of("trouble.held.usual", span(held), sentence.Number(j.row.Waiting),
			sentence.Sentences(handover.Took(usual))))
	case usual == 0 && held > ms(heldTooLong):
		j.say(40, sentence.Of("trouble.held", span(held), sentence.Number(j.row.Waiting)))
	}
}

func session(id int64) sentence.Arg { return sentence.Text(handover.SessionText(id)) }

func (j *judged) wait() {
	wait, long := j.row.LongestMS, max(ms(waitsTooLong), often*j.waits.usual())
	if j.use.Line() && j.use != naming.Election && len(j.list) == 0 && wait > long {
		j.say(20, sentence.Of("trouble.waits", span(wait)))
	}
}

// deadlocked reports those that wait for one behind them in line, which can't get in before them.
func (j *judged) deadlocked(k Known) {
	for _, i := range j.stands.Waiting {
		if c := &j.stands.All[i]; c.After > i {
			j.say(80, sentence.Of("trouble.deadlock", client(&c.Node, k.client(c.Session).Addr),
				sentence.Path(j.stands.All[c.After].Path)))
		}
	}
}

func (j *judged) items() {
	if j.use != naming.Queue || j.front == "" || j.came < stuckCame {
		return
	}
	same, least := j.now-j.frontMS, ms(stuckTooLong)
	if usual := j.fronts.usual(); usual > 0 {
		least = max(ms(stuckAtLeast), often*usual)
	}
	if same > least {
		j.say(60, sentence.Of("trouble.stuck", span(same), sentence.Number(j.came)))
	}
}

func (j *judged) growth() {
	n, before := j.size(), j.length.before(j.now)
	if j.row.Growth < growsBy || j.use == naming.Election || n < 2*before {
		return
	}
	if j.use == naming.Queue {
		j.say(30, sentence.Of("trouble.grows.items", sentence.Number(n), sentence.Number(before),
			sentence.Number(growthMinutes)))
		return
	}
	j.say(30, sentence.Of("trouble.grows", sentence.Number(n), sentence.Number(before), sentence.Number(growthMinutes)))
}

func (j *judged) flapping() {
	n := j.row.Minute
	switch {
	case j.use.AtOnce():
	case j.use == naming.Election || j.alone:
		if n >= leadsAMinute {
			j.say(50, sentence.Of("trouble.flaps", sentence.Number(n)))
		}
	case j.over > usualAfter && n >= turnsAMinute:
		usual := (j.gots - int64(n)) / max(int64(j.over/time.Minute)-1, 1)
		if int64(n) >= moreTurns*max(usual, 1) {
			j.say(40, sentence.Of("trouble.flaps.usual", sentence.Number(n), sentence.Number(usual)))
		}
	}
}

func (j *judged) expiry() {
	if j.use == naming.Members {
		n := j.expired.minute(j.now)
		if n >= membersExpired && n*membersShare >= n+j.row.Inside {
			j.say(50, sentence.Of("trouble.members", sentence.Number(n), sentence.Number(j.row.Inside)))
		}
		return
	}
	if j.row.Expired >= expiries {
		j.say(40, sentence.Of("trouble.expired", sentence.Number(j.row.Expired),
			sentence.Number(int(expiriesWithin/time.Minute))))
	}
}

// expiredSince counts the losses by expiry since a time.
func (t *thing) expiredSince(ms int64) (n int) {
	for _, at := range t.expires {
		if at >= ms {
			n++
		}
	}
	return n
}

// holder returns a holder, with what is known about its client.
func holder(h handover.Hand, k Known) Holder { return Holder{h, k.client(h.Session)} }
