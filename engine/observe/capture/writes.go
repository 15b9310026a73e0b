package capture

import (
	"iter"
	"path"

	"github.com/zkviz/zkviz/engine/event"
)

// writes holds the unanswered writes by their znodes, since of thousands under way few conflict.
type writes struct {
	all       requests
	at, under map[string]requests // by their znodes, and by those znodes' parents
	closes    requests            // they concern whatever their session owns by then
}

type requests map[*Request]struct{}

func newWrites() writes {
	return writes{all: requests{}, at: map[string]requests{}, under: map[string]requests{}, closes: requests{}}
}

func (s *writes) has(r *Request) bool {
	_, has := s.all[r]
	return has
}

func (s *writes) add(r *Request) {
	s.all[r] = struct{}{}
	if r.Op == event.CloseSession {
		s.closes[r] = struct{}{}
	}
	for _, o := range r.Parts {
		put(s.at, o.Path, r)
		put(s.under, path.Dir(o.Path), r)
	}
}

func (s *writes) remove(r *Request) {
	delete(s.all, r)
	delete(s.closes, r)
	for _, o := range r.Parts {
		take(s.at, o.Path, r)
		take(s.under, path.Dir(o.Path), r)
	}
}

func put(in map[string]requests, key string, r *Request) {
	if in[key] == nil {
		in[key] = requests{}
	}
	in[key][r] = struct{}{}
}

func take(in map[string]requests, key string, r *Request) {
	delete(in[key], r)
	if len(in[key]) == 0 {
		delete(in, key)
	}
}

// near yields the writes that may concern a znode or its children, some of them several times.
func (s *writes) near(znode string) iter.Seq[*Request] {
	return each(s.at[znode], s.under[znode], s.closes)
}

// beside yields the writes that may concern the znodes of a write, their parents or their children, some of them
// several times.
func (s *writes) beside(r *Request) iter.Seq[*Request] {
	return func(yield func(*Request) bool) {
		for _, znode := range r.paths() {
			for other := range each(s.at[znode], s.under[znode], s.at[path.Dir(znode)]) {
				if !yield(other) {
					return
				}
			}
		}
		each(s.closes)(yield)
	}
}

func each(sets ...requests) iter.Seq[*Request] {
	return func(yield func(*Request) bool) {
		for _, set := range sets {
			for r := range set {
				if !yield(r) {
					return
				}
			}
		}
	}
}
