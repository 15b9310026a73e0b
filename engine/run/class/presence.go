package class

import (
	"slices"
	"strings"
)

// Presence is who is connected, and who follows. A learner may have several pages, also at several servers. Its zero
// value has nobody.
type Presence struct {
	pages  map[string]page  // of this server, by the page's name, which it makes up
	others map[string]other // by the server's name
}

type page struct {
	learner int
	follows bool
}

// other is who is connected to another server, as that says.
type other struct {
	pages int
	where string // a letter for each learner, without the Gone ones at the end
}

// Where is where a learner is.
type Where byte

// Where a learner may be.
const (
	Gone Where = 'g' // no page is connected
	Away Where = 'a' // they have let go, and look at something else
	Here Where = 'h' // they follow
)

// Set says that a learner's page is connected, and whether it follows. It reports whether that is new.
func (p *Presence) Set(name string, learner int, follows bool) bool {
	now := page{learner, follows}
	if before, ok := p.pages[name]; ok && before == now {
		return false
	}
	if p.pages == nil {
		p.pages = map[string]page{}
	}
	p.pages[name] = now
	return true
}

// Drop says that a page isn't connected any more. It reports whether that is new.
func (p *Presence) Drop(name string) bool {
	_, ok := p.pages[name]
	delete(p.pages, name)
	return ok
}

// SetOther says who is connected to another server: how many pages, and a letter for each learner. It reports whether
// that is new.
func (p *Presence) SetOther(server string, pages int, where string) bool {
	now := other{pages, where}
	if p.others[server] == now {
		return false
	}
	if pages == 0 && where == "" {
		delete(p.others, server)
		return true
	}
	if p.others == nil {
		p.others = map[string]other{}
	}
	p.others[server] = now
	return true
}

// Elsewhere returns how many pages are connected to other servers.
func (p *Presence) Elsewhere() (pages int) {
	for _, o := range p.others {
		pages += o.pages
	}
	return pages
}

// Of returns where each of so many learners is, the first one's first.
func (p *Presence) Of(learners int) []Where {
	all := p.mine(learners)
	for _, o := range p.others {
		for i := range min(len(o.where), learners) {
			all[i] = all[i].and(Where(o.where[i]))
		}
	}
	return all
}

// Mine returns a letter for each of so many learners, by this server's pages alone.
func (p *Presence) Mine(learners int) string {
	all := p.mine(learners)
	return strings.TrimRight(string(all), string(rune(Gone)))
}

func (p *Presence) mine(learners int) []Where {
	all := slices.Repeat([]Where{Gone}, learners)
	for _, one := range p.pages {
		if one.learner < 1 || one.learner > learners {
			continue
		}
		where := Away
		if one.follows {
			where = Here
		}
		all[one.learner-1] = all[one.learner-1].and(where)
	}
	return all
}

// and returns where a learner is whose pages are at two places: what is more counts.
func (w Where) and(v Where) Where {
	switch {
	case w == Here || v == Here:
		return Here
	case w == Away || v == Away:
		return Away
	}
	return Gone
}
