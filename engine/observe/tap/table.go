package tap

import (
	"hash/maphash"
	"time"
)

// MaxRows is how many paths, and how many clients, have rows of their own. A row takes about 7 kB.
const MaxRows = 500

// table has a row for each of the busiest keys. What others do is counted in one row together. A key that gets clearly
// busier than the least busy one takes that one's place, whose counts go to the others. So all rows together always
// have every request. What counts for busy halves every forgetEvery.
type table[K comparable] struct {
	rows   map[K]*row
	others row
	seen   sketch
	seed   maphash.Seed
	least  uint32 // no row weighs less
	aged   time.Time
}

const forgetEvery = 10 * time.Minute

// row returns the row that counts a key.
func (t *table[K]) row(key K, now time.Time) *row {
	if t.rows == nil {
		*t = table[K]{rows: map[K]*row{}, seed: maphash.MakeSeed(), aged: now}
	}
	for now.Sub(t.aged) >= forgetEvery {
		t.age(now)
	}
	if r := t.rows[key]; r != nil {
		r.weight++
		return r
	}
	if len(t.rows) < MaxRows {
		return t.add(key, 1, now)
	}
	weight := t.seen.add(maphash.Comparable(t.seed, key))
	if !t.busier(weight) {
		return &t.others
	}
	idle := t.idlest()
	if t.least = t.rows[idle].weight; !t.busier(weight) {
		return &t.others
	}
	t.others.merge(t.rows[idle], turnOf(now))
	delete(t.rows, idle)
	return t.add(key, weight, now)
}

// busier reports whether a key is busier than the least busy row, by so much that equal ones don't take turns.
func (t *table[K]) busier(weight uint32) bool { return weight > t.least+t.least/4+1 }

func (t *table[K]) add(key K, weight uint32, now time.Time) *row {
	r := &row{since: now, at: turnOf(now), weight: weight}
	t.rows[key] = r
	return r
}

// idlest returns the key of a row with the least weight.
func (t *table[K]) idlest() (key K) {
	least := ^uint32(0)
	for k, r := range t.rows {
		if r.weight <= least {
			key, least = k, r.weight
		}
	}
	return key
}

// age halves all weights.
func (t *table[K]) age(now time.Time) {
	t.aged = t.aged.Add(forgetEvery)
	if now.Sub(t.aged) > 32*forgetEvery { // nothing would be left
		t.aged = now
		t.seen = sketch{}
	}
	for _, r := range t.rows {
		r.weight /= 2
	}
	for i := range t.seen {
		for j := range t.seen[i] {
			t.seen[i][j] /= 2
		}
	}
	t.least /= 2
}

func turnOf(now time.Time) turn { return turn(now.UnixNano() / int64(turnEvery)) }

// sketch estimates how often a key has come: never too low, and rarely too high.
type sketch [4][1 << 12]uint32

// add counts a key by its hash, and returns the estimate.
func (s *sketch) add(hash uint64) uint32 {
	least := ^uint32(0)
	for i := range s {
		at := &s[i][hash>>(12*i)%(1<<12)]
		*at++
		least = min(least, *at)
	}
	return least
}
