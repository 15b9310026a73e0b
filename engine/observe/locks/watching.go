package locks

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// herdSeen is a herd that servers reported.
type herdSeen struct {
	ms int64 // when they were asked, since 1970; 0 if there was none
	n  int   // number of clients
	at string
}

// herds reports the present herds. Once a lock has changed hands, or while a server doesn't answer, nobody knows
// who watches until the servers are asked again: the last herd is remembered for a while, with its age.
func (j *judged) herds(k Known) {
	seen := herdSeen{}
	for _, w := range j.row.Wakes {
		if w.Least >= handover.Herd && j.row.Waiting >= handover.Herd {
			j.say(30, sentence.Of("trouble.herd", sentence.Number(w.Least), sentence.Path(w.Of.Path)))
			seen = herdSeen{k.AskedMS, w.Least, w.Of.Path}
		}
	}
	switch known := j.row.Wakes != nil && k.Whole && j.row.Waiting >= handover.Herd; {
	case seen.ms != 0 || known:
		j.herd = seen
	case k.Watchers != nil && j.herd.ms != 0 && j.now-j.herd.ms < ms(seenFor):
		key := "trouble.herd.was"
		if _, there := j.of.Node(j.herd.at); there {
			key = "trouble.herd.before"
		}
		j.say(30, sentence.Of(key, sentence.Number(j.herd.n), sentence.Path(j.herd.at), span(j.now-j.herd.ms)))
	}
}

// unwatched counts those who waited without a watch on anything in line when servers were asked.
type unwatched struct {
	ms    int64 // when they were asked, since 1970
	blind int   // clients that nobody tells when their turn comes, unless they watch the list
	sure  bool  // they don't watch the list either
	lists int   // clients that last listed children, at a server that has as many child watches
}

// unwatching reports clients that wait without watching anything in line, since they last had a reason to look. What
// servers reported is remembered, like a herd.
func (j *judged) unwatching(k Known) {
	if k.Watchers == nil || !j.use.Line() || j.row.Waiting == 0 {
		return
	}
	if !k.Whole || j.changedMS > k.lookedMS() { // some may still have been looking
		if was := j.unseen; was.ms != 0 && j.now-was.ms < ms(seenFor) {
			j.sayUnwatched(was, ".before", span(j.now-was.ms))
		}
		return
	}
	j.unseen = j.unwatched(k)
	j.sayUnwatched(j.unseen, "")
}

// sayUnwatched says who waits without a watch. A suffix of the sentences' keys says how old that is.
func (j *judged) sayUnwatched(u unwatched, suffix string, age ...sentence.Arg) {
	say := func(weight int, key string, n int) {
		if suffix != "" {
			weight /= 2
		}
		j.say(weight, sentence.Of(key+suffix, append([]sentence.Arg{sentence.Number(n)}, age...)...))
	}
	switch {
	case u.blind > 0 && u.sure:
		say(60, "trouble.blind.sure", u.blind)
	case u.blind > 0:
		say(60, "trouble.blind", u.blind)
	}
	switch {
	case u.lists >= handover.Herd:
		say(30, "trouble.herd.list", u.lists)
	case u.lists > 0:
		say(10, "trouble.lists", u.lists)
	}
}

func (j *judged) unwatched(k Known) (u unwatched) {
	u = unwatched{ms: k.AskedMS, sure: true}
	left := map[string]int{} // child watches that others may have set, by server
	for _, i := range j.stands.Waiting {
		c := &j.stands.All[i]
		if c.After < 0 || c.Session == 0 || c.MadeMS > k.lookedMS() { // or it may still be looking
			continue
		}
		if j.watchesAhead(c, k) {
			j.noteBlind(c.Node, false)
			continue
		}
		client := k.client(c.Session)
		lists, counted := k.Lists[client.Server]
		listing := client.Listed && left[client.Server] < lists
		switch {
		case listing:
			left[client.Server]++
			u.lists++
		default:
			u.blind++
			u.sure = u.sure && counted && (lists == 0 || client.Listed)
		}
		j.noteBlind(c.Node, !listing)
	}
	return u
}

// watchesAhead reports whether a waiting client watches anything whose end or change may let it in.
func (j *judged) watchesAhead(c *handover.Contender, k Known) bool {
	watches, all := func(path string) bool { return k.watches(c.Session, path) }, j.stands.All
	return watches(all[c.After].Path) || watches(all[0].Path) || watches(j.path) ||
		slices.ContainsFunc(j.stands.Holding, func(h int) bool { return watches(all[h].Path) }) ||
		c.Reads && j.watchesAny(c, k)
}

// watchesAny reports whether a client watches anybody else in line, like one that waits for a writer behind it.
func (j *judged) watchesAny(c *handover.Contender, k Known) bool {
	return slices.ContainsFunc(j.stands.All, func(o handover.Contender) bool {
		return o.Path != c.Path && k.watches(c.Session, o.Path)
	})
}
