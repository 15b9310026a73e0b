package relay

import "time"

// NameOf returns the name under which servers share an observation.
func NameOf(o Observation) string { return nameOf(o) }

// Hurry has readers and those who offer wait this long for each other.
func (r *Relay) Hurry(goneAfter, quietFor time.Duration) {
	r.goneAfter, r.quietFor = goneAfter, quietFor
}
