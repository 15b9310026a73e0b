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

// quorum reports whether those servers form a quorum.
func (n *Node) quorum(s Set) bool {
	need := Quorum(len(n.cfg.Voters))
	if n.cfg.Flaws.Has(HalfIsEnough) {
		need = (len(n.cfg.Voters) + 1) / 2
	}
	if !n.cfg.Flaws.Has(CountsObservers) {
		s &= n.voters
	}
	return s.Len() >= need
}
