package zab

import "math/bits"

// Set is a set of servers.
type Set uint16

// Has reports whether id is in s.
func (s Set) Has(id ID) bool { return s&(1<<id) != 0 }

// With returns s plus id.
func (s Set) With(id ID) Set { return s | 1<<id }

// Without returns s minus id.
func (s Set) Without(id ID) Set { return s &^ (1 << id) }

// Len returns the number of servers in s.
func (s Set) Len() int { return bits.OnesCount16(uint16(s)) }

// SetOf returns the set of those servers.
func SetOf(ids ...ID) (s Set) {
	for _, id := range ids {
		s = s.With(id)
	}
	return s
}

// Quorum returns how many of that many voters must agree, so that any two quorums share a voter.
func Quorum(voters int) int { return voters/2 + 1 }

// quorumVerifier knows which servers form a quorum.
type quorumVerifier struct {
	voters Set
	need   int
	all    bool // observers count too, by mistake
}

// quorumVerifier returns the ensemble's rule, with the flaws that change it.
func (c *Config) quorumVerifier() quorumVerifier {
	q := quorumVerifier{voters: SetOf(c.Voters...), need: Quorum(len(c.Voters)), all: c.Flaws.Has(CountsObservers)}
	if c.Flaws.Has(HalfIsEnough) {
		q.need = (len(c.Voters) + 1) / 2
	}
	return q
}

// contains reports whether those servers form a quorum.
func (q *quorumVerifier) contains(s Set) bool {
	if !q.all {
		s &= q.voters
	}
	return s.Len() >= q.need
}
