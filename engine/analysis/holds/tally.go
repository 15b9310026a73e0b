package holds

// mostTally is how many lengths a Tally keeps of each kind.
const mostTally = 100_000

// Tally collects lengths of holds and waits, the last mostTally of each. Its zero value has none.
type Tally struct{ held, waited lengths }

// lengths are the last lengths of time, in ms.
type lengths struct {
	ms   []int64
	next int // to be replaced, once there are mostTally
}

func (l *lengths) add(ms int64) {
	if len(l.ms) < mostTally {
		l.ms = append(l.ms, ms)
		return
	}
	l.ms[l.next] = ms
	l.next = (l.next + 1) % mostTally
}

// Add adds a hold that has ended.
func (t *Tally) Add(h *Hold) {
	if ms, known := h.HeldMS(0); known {
		t.held.add(ms)
	}
	if ms, known := h.WaitedMS(); known {
		t.waited.add(ms)
	}
}

// Usual returns what is usual of those that it has. Nothing may be added any more.
func (t *Tally) Usual() Usual { return Usual{RangeOf(t.held.ms), RangeOf(t.waited.ms)} }
