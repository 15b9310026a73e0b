package class

// Presence is who is connected, and who follows. A learner may have several pages. Its zero value has nobody.
type Presence struct {
	pages map[string]page // by the page's name, which its server makes up
}

type page struct {
	learner int
	follows bool
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

// Of returns where each of so many learners is, the first one's first.
func (p *Presence) Of(learners int) []Where {
	all := make([]Where, learners)
	for i := range all {
		all[i] = Gone
	}
	for _, one := range p.pages {
		if one.learner < 1 || one.learner > learners {
			continue
		}
		at := &all[one.learner-1]
		if one.follows {
			*at = Here
		} else if *at == Gone {
			*at = Away
		}
	}
	return all
}
