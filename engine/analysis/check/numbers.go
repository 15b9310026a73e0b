package check

import "math"

// numbers is a set of numbers, kept as separate runs. Its zero value is empty.
type numbers struct{ runs treap[*run] }

type run struct{ from, to int64 }

// at returns the last run that begins at n or before, nil if there is none.
func (s *numbers) at(n int64) *run { return s.runs.last(func(r *run) bool { return r.from <= n }) }

func (s *numbers) has(n int64) bool {
	r := s.at(n)
	return r != nil && r.to >= n
}

func (s *numbers) add(n int64) {
	left := s.at(n)
	if left != nil && left.to >= n {
		return
	}
	var right *run
	if n < math.MaxInt64 {
		if right = s.at(n + 1); right != nil && right.from <= n {
			right = nil
		}
	}
	joins := left != nil && left.to == n-1
	switch {
	case joins && right != nil:
		left.to = right.to
		s.runs.remove(func(r *run) bool { return r.from <= n })
	case joins:
		left.to = n
	case right != nil:
		right.from = n
	default:
		s.runs.insert(&run{n, n}, 0, func(r *run) bool { return r.from < n })
	}
}

// after returns the lowest number greater than n, if there is one.
func (s *numbers) after(n int64) (least int64, ok bool) {
	if r := s.at(n); r != nil && r.to > n {
		return n + 1, true
	}
	if r := s.runs.first(func(r *run) bool { return r.from <= n }); r != nil {
		return r.from, true
	}
	return 0, false
}

// without returns the lowest number of s that t lacks, 0 if t has them all. All numbers are greater than 0.
func (s *numbers) without(t *numbers) (lacks int64) {
	s.runs.each(func(r *run) bool {
		from := r.from
		if has := t.at(from); has != nil && has.to >= from {
			from = has.to + 1
		}
		if from <= r.to {
			lacks = from
		}
		return lacks == 0
	})
	return lacks
}
