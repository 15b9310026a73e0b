package feed

import "sync"

// maxReports is how many outcomes may wait to be reported. Later ones replace the oldest.
const maxReports = 16

// reports hands outcomes to Config.Report in order. Those who have one never wait for it: a reader of the program's
// output may be slow, or gone.
type reports struct {
	to      func(why error)
	mu      sync.Mutex
	waiting []error
	news    chan struct{} // has room for one
}

func newReports(to func(why error)) *reports {
	return &reports{to: to, news: make(chan struct{}, 1)}
}

// put adds an outcome.
func (r *reports) put(why error) {
	if r.to == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting[max(len(r.waiting)+1-maxReports, 0):], why)
	select {
	case r.news <- struct{}{}:
	default:
	}
}

// run reports until over closes, and then what still waits.
func (r *reports) run(over <-chan struct{}) {
	for open := true; open; {
		select {
		case <-over:
			open = false
		case <-r.news:
		}
		r.mu.Lock()
		all := r.waiting
		r.waiting = nil
		r.mu.Unlock()
		for _, why := range all {
			r.to(why)
		}
	}
}
