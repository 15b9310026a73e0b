package shared

import "time"

// instant is a moment on both of a machine's clocks: one that nobody sets, but that may stand still while the machine
// sleeps, and the time of day, which somebody may set.
type instant struct {
	running, ofDay time.Duration
}

var processStart = time.Now()

func now() instant {
	t := time.Now()
	return instant{running: t.Sub(processStart), ofDay: time.Duration(t.UnixNano())}
}

// since returns how much time has passed for certain or perhaps: the more of what the two clocks say.
func (i instant) since(then instant) time.Duration {
	return max(i.running-then.running, i.ofDay-then.ofDay)
}

// holds reports whether a lease whose last stored value was sent then can be believed in at i.
func (i instant) holds(then instant, lease time.Duration) bool {
	return i.since(then) < believed(lease)
}
