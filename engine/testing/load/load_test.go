package load

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// patience limits anything that should happen at once.
const patience = 2 * time.Minute

// load runs the load that the options describe and prints the results. It reports whether memory and times stayed
// within bounds. The error is the first failure that no busy machine explains.
func load(o options, out io.Writer) (kept bool, err error) {
	server, err := startServer()
	if err != nil {
		return false, err
	}
	defer server.stop()
	empty, err := server.sample()
	if err != nil {
		return false, err
	}
	start := time.Now()
	w, err := gather(server.addr, o)
	if err != nil {
		return false, err
	}
	defer w.close()
	fmt.Fprintf(out, "%d sessions with %d watches, opened in %v\n", o.sessions, o.watches,
		time.Since(start).Round(time.Millisecond))
	heap, rss, err := w.last(server)
	if err != nil {
		return false, err
	}
	pongs, fired := w.counts()
	fmt.Fprintf(out, "for %v: %d pings answered, %d watch events, no session lost\n", o.span, pongs, fired)
	fmt.Fprintf(out, "heap, medians of the thirds: %v; empty %.1f MB\n", heap, float64(empty.heap)/(1<<20))
	fmt.Fprintf(out, "resident, likewise: %v; empty %.1f MB\n", rss, float64(empty.rss)/(1<<20))
	if err := w.settle(patience); err != nil {
		return false, err
	}
	fmt.Fprintln(out, "every session has seen the last of what it watches, and the server has all watches")
	kept = true
	if o.killed > 0 {
		if kept, err = o.kill(server.addr, out); err != nil {
			return false, err
		}
	}
	if heap.grew() || rss.grew() {
		fmt.Fprintln(out, "FAIL: the server's memory grew")
		kept = false
	}
	return kept, w.lost()
}

// last waits for the time to pass and checks sessions and memory at intervals.
func (w *swarm) last(server *child) (heap, rss flatness, err error) {
	var heaps, resident []int64
	looks := time.NewTicker(w.o.every)
	defer looks.Stop()
	for end := time.After(w.o.span); ; {
		select {
		case <-end:
			return thirds(heaps), thirds(resident), nil
		case err := <-w.wrote:
			return heap, rss, err
		case <-looks.C:
		}
		now, err := server.sample()
		if err = errors.Join(err, w.lost()); err != nil {
			return heap, rss, err
		}
		heaps, resident = append(heaps, now.heap), append(resident, now.rss)
	}
}

// kill drops connections, prints how long their ephemeral znodes lasted, and reports whether none was late.
func (o options) kill(addr string, out io.Writer) (kept bool, err error) {
	const timeout, tick = 4 * time.Second, 2 * time.Second // the server's
	b, err := kill(addr, o.killed, timeout, patience)
	if err != nil {
		return false, err
	}
	fmt.Fprintf(out,
		"%d connections dropped, of sessions of %v: their ephemeral znodes went %v to %v after the last request\n",
		o.killed, timeout, b.least.Round(time.Millisecond), b.most.Round(time.Millisecond))
	if b.least < timeout {
		return false, fmt.Errorf("an ephemeral znode went before its session's timeout of %v", timeout)
	}
	if late := b.most - timeout - tick; late > time.Second { // the margin for a busy machine
		fmt.Fprintf(out, "FAIL: an ephemeral znode went %v later than timeout and tick\n", late)
		return false, nil
	}
	return true, nil
}
