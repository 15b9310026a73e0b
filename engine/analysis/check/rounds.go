package check

// rounds counts, for each round from 1, the clients that are busy with it. Operations take time logarithmic in the
// number of rounds (a Fenwick tree of the differences between neighbours).
type rounds struct{ sums []int }

// add adds to the rounds from after+1 to upTo.
func (r *rounds) add(after, upTo, by int) {
	if after < upTo {
		r.step(after+1, by)
		r.step(upTo+1, -by)
	}
}

// at returns the count of a round.
func (r *rounds) at(round int) (n int) {
	for round = min(round, len(r.sums)); round > 0; round -= round & -round {
		n += r.sums[round-1]
	}
	return n
}

func (r *rounds) step(round, by int) {
	for len(r.sums) < round {
		next := len(r.sums) + 1
		r.sums = append(r.sums, r.at(next-1)-r.at(next-next&-next))
	}
	for ; round <= len(r.sums); round += round & -round {
		r.sums[round-1] += by
	}
}
