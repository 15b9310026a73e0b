package locks

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/handover"
	"github.com/zkviz/zkviz/engine/naming"
	"github.com/zkviz/zkviz/engine/sentence"
)

// What is a trouble, for each beside what is usual for it. Without enough of a past, what stands here is all.
const (
	fewest = 3  // times that something has happened before one knows what is usual
	often  = 10 // times as long as usual is too long

	heldTooLong    = 5 * time.Minute // while others wait, of what is not known what is usual
	heldAtLeast    = 30 * time.Second
	waitsTooLong   = 5 * time.Minute
	vacantTooLong  = 10 * time.Second // a lead
	blockedTooLong = 10 * time.Second
	stuckTooLong   = 5 * time.Minute // an item at the front
	stuckAtLeast   = time.Minute
	stuckCame      = 10 // items, meanwhile

	leadsAMinute = 5  // changes of a lead
	turnsAMinute = 30 // of anything else, and
	moreTurns    = 4  // times as many as usual,
	usualAfter   = 10 * time.Minute

	growthMinutes = 10
	growsBy       = 50 // in that time, and to twice as many

	expiriesWithin = 10 * time.Minute
	expiries       = 3
	membersExpired = 2 // within a minute, and one in
	membersShare   = 5

	goneAfter = time.Hour // without a znode it's of no interest any more

	herd    = 3 // clients that watch one znode
	herdFor = 2 * time.Minute
)

// Alert is a trouble, and how bad it is: from 1, more is worse.
type Alert struct {
	Weight int
	sentence.Sentence
}

// Client is what is known of a session.
type Client struct {
	Addr    string        // host:port, empty if it is not known
	Silent  bool          // it's longer than usual that something was heard of it
	Quiet   time.Duration // since then; 0 if it is not known
	Timeout time.Duration // likewise
}

// Known is what is known besides znodes. What is nil is not.
type Known struct {
	Client func(session int64) Client
	// Watchers are the sessions that watch a znode, in the order of their numbers, as was so at AskedMS, in ms since 1970.
	// They are all if the answers were Whole. Nobody knows who watches lists of children.
	Watchers func(path string) []int64
	AskedMS  int64
	Whole    bool
	// Unread reports whether who holds what is at a path can't be told yet, since not all that's there has been read. It's
	// nil if all has.
	Unread func(path string) bool
}

// lacks reports whether it can't be told yet what one is.
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

// judged is a thing at a time.
type judged struct {
	*thing
	row  *Row
	now  int64
	over time.Duration // how long it has been followed
	list []Alert
}

func (j *judged) say(weight int, s sentence.Sentence) { j.list = append(j.list, Alert{weight, s}) }

func span(ms int64) sentence.Arg { return sentence.Sentences(Span(ms)) }

// Span says how long something takes, as exactly as one wants to know.
func Span(ms int64) sentence.Sentence {
	const second, minute, hour, day = 1000, 60_000, 3_600_000, 86_400_000
	switch ms = max(ms, 0); {
	case ms < second:
		return sentence.Of("span.ms", sentence.Number(ms))
	case ms < 2*minute:
		return sentence.Of("seconds", sentence.Number(ms/second))
	case ms < 2*hour:
		return sentence.Of("span.min", sentence.Number(ms/minute))
	case ms < 2*day:
		return sentence.Of("span.hours", sentence.Number(ms/hour), sentence.Number(ms%hour/minute))
	}
	return sentence.Of("span.days", sentence.Number(ms/day), sentence.Number(ms%day/hour))
}

func ms(d time.Duration) int64 { return d.Milliseconds() }

// alerts are its troubles.
func (j *judged) alerts(k Known) []Alert {
	j.deadlocked()
	j.vacancy()
	j.holding(k)
	j.wait()
	j.blind(k)
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
	if j.vacant == 0 || j.use != naming.Election || len(j.list) > 0 {
		return
	}
	if none := j.now - j.vacant; none > max(ms(vacantTooLong), often*j.gaps.usual()) {
		j.say(90, sentence.Of("trouble.vacant", span(none)))
	}
}

// blockedMS is since when the first in line has been that. If it was when the thing began to be followed, it's taken to
// have been that as long as it's there.
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

// herdSeen is a herd that servers have told of.
type herdSeen struct {
	ms int64 // when they were asked, since 1970; 0 if there was none
	n  int   // clients
	at string
}

// herds are those that there are. Once a lock has changed hands, or while a server doesn't answer, nobody knows who
// watches until the servers are asked again: the last herd is remembered for a while, with its age.
func (j *judged) herds(k Known) {
	seen := herdSeen{}
	for _, w := range j.row.Wakes {
		if w.Least >= herd && j.row.Waiting >= herd {
			j.say(30, sentence.Of("trouble.herd", sentence.Number(w.Least), sentence.Path(w.Of.Path)))
			seen = herdSeen{k.AskedMS, w.Least, w.Of.Path}
		}
	}
	switch known := j.row.Wakes != nil && k.Whole && j.row.Waiting >= herd; {
	case seen.ms != 0 || known:
		j.herd = seen
	case k.Watchers != nil && j.herd.ms != 0 && j.now-j.herd.ms < ms(herdFor):
		key := "trouble.herd.was"
		if _, there := j.of.Node(j.herd.at); there {
			key = "trouble.herd.before"
		}
		j.say(30, sentence.Of(key, sentence.Number(j.herd.n), sentence.Path(j.herd.at), span(j.now-j.herd.ms)))
	}
}

func (j *judged) held(h *Holder) {
	if c := h.Client; c.Silent {
		j.say(60, sentence.Of("trouble.quiet", session(h.Session), span(ms(c.Quiet)), span(ms(c.Timeout))))
	}
	held, usual := j.now-h.GotMS, j.holds.usual()
	switch {
	case j.row.Waiting == 0 || j.use == naming.Election || !j.use.Line():
	case usual > 0 && held > max(ms(heldAtLeast), often*usual):
		j.say(50, sentence.Of("trouble.held.usual", span(held), sentence.Number(j.row.Waiting), span(usual)))
	case usual == 0 && held > ms(heldTooLong):
		j.say(40, sentence.Of("trouble.held", span(held), sentence.Number(j.row.Waiting)))
	}
}

func session(id int64) sentence.Arg { return sentence.Text(SessionText(id)) }

func (j *judged) wait() {
	wait, long := j.row.LongestMS, max(ms(waitsTooLong), often*j.waits.usual())
	if j.use.Line() && j.use != naming.Election && len(j.list) == 0 && wait > long {
		j.say(20, sentence.Of("trouble.waits", span(wait)))
	}
}

// blind are those who wait and watch nothing in line, since they last had a reason to look.
func (j *judged) blind(k Known) {
	if !k.Whole || !j.use.Line() || j.row.Waiting == 0 || j.changedMS >= k.AskedMS {
		return
	}
	hold := j.of.Holding()
	var before []string
	n := 0
	for p, at := range j.of.Line() {
		watches := func(path string) bool { return k.watches(at.Session, path) }
		if !p.Inside && p.Doubt == "" && p.After >= 0 && at.Session != 0 {
			blind := !watches(before[p.After]) && !watches(before[0]) && !watches(j.path) &&
				!slices.ContainsFunc(hold, func(h handover.Hand) bool { return watches(h.Path) }) &&
				(!p.Reads || !j.watchesBehind(at, k))
			if j.noteBlind(at, blind, k); blind {
				n++
			}
		}
		before = append(before, at.Path)
	}
	if n > 0 {
		j.say(60, sentence.Of("trouble.blind", sentence.Number(n)))
	}
}

// watchesBehind reports whether a client watches any other in line, as one does that waits for a writer behind it.
func (j *judged) watchesBehind(n handover.Node, k Known) bool {
	for _, other := range j.of.Line() {
		if other.Path != n.Path && k.watches(n.Session, other.Path) {
			return true
		}
	}
	return false
}

// deadlocked are those who wait for one that waits for them.
func (j *judged) deadlocked() {
	for _, d := range j.row.deadlocks {
		j.say(80, sentence.Of("trouble.deadlock", session(d.who.Session), sentence.Path(d.behind.Path)))
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

// expiredSince counts the losses by expiry from a time on.
func (t *thing) expiredSince(ms int64) (n int) {
	for _, at := range t.expires {
		if at >= ms {
			n++
		}
	}
	return n
}

// holder is one who holds it, as far as it is known who that is.
func holder(h handover.Hand, k Known) Holder { return Holder{h, k.client(h.Session)} }
