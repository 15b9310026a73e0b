package observe

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/wire/reader"
)

// The pause after no server could be observed. It doubles each time, so that servers which refuse us are not
// pestered. A random part of it keeps observers from coming all at once.
const (
	firstPause = 300 * time.Millisecond
	maxPause   = 10 * time.Second
)

// servers holds an ensemble's addresses, and which of them is observed.
type servers struct {
	addrs  []string
	access access.Dialer
	at     string // dialled last
	next   int    // index of the next one
	tries  int    // rounds without success
	errs   map[string]error
	mine   func(session int64) (gone func()) // nil if no caller needs to know
}

// announce reports a session of our own.
func (s *servers) announce(session int64) (gone func()) {
	if s.mine == nil {
		return func() {}
	}
	return s.mine(session)
}

// dial connects to a server: one that is part of its ensemble, or else one that is read-only. It keeps trying until
// there is one, and logs the reason.
func (s *servers) dial(ctx context.Context, o *observer) (*reader.Conn, error) {
	for {
		seen := o.last
		if s.tries > 1 {
			seen = 0 // it may be another ensemble by now
		}
		for _, readOnly := range []bool{false, true} {
			for range s.addrs {
				conn, err := s.try(ctx, reader.Config{ReadOnly: readOnly, Seen: seen})
				if err == nil {
					return conn, nil
				}
				if ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
			}
			if !s.refused() {
				break
			}
		}
		s.report(ctx, o)
		if err := s.pause(ctx); err != nil {
			return nil, err
		}
	}
}

// refused reports whether a server gives no session: without a quorum it may give a read-only one.
func (s *servers) refused() bool {
	for _, err := range s.errs {
		if errors.Is(err, reader.ErrNoSession) {
			return true
		}
	}
	return false
}

// try dials the next server.
func (s *servers) try(ctx context.Context, cfg reader.Config) (*reader.Conn, error) {
	s.at = s.addrs[s.next%len(s.addrs)]
	s.next++
	conn, err := s.open(ctx, s.at, cfg)
	if err != nil && ctx.Err() == nil {
		s.fail(err)
	}
	return conn, err
}

// open dials a server.
func (s *servers) open(ctx context.Context, addr string, cfg reader.Config) (*reader.Conn, error) {
	cfg.Dial = func(_ context.Context, addr string) (net.Conn, error) { return s.access.SessionWithin(addr, dialLimit) }
	return reader.Dial(ctx, addr, cfg)
}

// dialLimit bounds the time to connect.
const dialLimit = time.Second

// fail records why the server dialled last can't be observed.
func (s *servers) fail(err error) {
	if s.errs == nil {
		s.errs = map[string]error{}
	}
	s.errs[s.at] = err
}

// lost records the end of the connection that began at from. Unless this server worked, it asks the others before
// it reports that none serves us.
func (s *servers) lost(ctx context.Context, err error, from time.Time, o *observer) {
	s.fail(err)
	if o.works && time.Since(from) > firstPause<<min(s.tries, 10) {
		s.tries = 0
	}
	if o.works || len(s.errs) == len(s.addrs) {
		s.report(ctx, o)
	}
}

// report logs why there is no connection.
func (s *servers) report(ctx context.Context, o *observer) {
	why := make(map[string]string, len(s.errs))
	for addr, err := range s.errs {
		why[addr] = s.why(ctx, addr, err)
	}
	if len(why) > 0 && ctx.Err() == nil {
		o.outage.disconnected(joinReasons(why))
	}
}

// joinReasons joins the reasons why servers can't be observed, grouped by reason: a log has room for few words.
func joinReasons(why map[string]string) string {
	addrs := map[string][]string{}
	var reasons []string
	for _, addr := range slices.Sorted(maps.Keys(why)) {
		reason := why[addr]
		if addrs[reason] == nil {
			reasons = append(reasons, reason)
		}
		addrs[reason] = append(addrs[reason], addr)
	}
	for i, reason := range reasons {
		reasons[i] = strings.Join(addrs[reason], ", ") + ": " + reason
	}
	return strings.Join(reasons, "; ")
}

// whyLimit bounds the time to find out why a server gives no session.
const whyLimit = 3 * time.Second

// why explains why a server can't be observed.
func (s *servers) why(ctx context.Context, addr string, err error) string {
	if errors.Is(err, reader.ErrNoSession) || errors.Is(err, reader.ErrNotZooKeeper) {
		ctx, cancel := context.WithTimeout(ctx, whyLimit)
		defer cancel()
		if found := s.access.Why(ctx, addr); found != nil {
			err = found
		}
	}
	return s.access.Reason(err)
}

// pause waits before the next round, longer each time.
func (s *servers) pause(ctx context.Context) error {
	d := min(firstPause<<min(s.tries, 10), maxPause)
	s.tries++
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d/2 + rand.N(d/2)):
		return nil
	}
}

// quorum looks for a server that is part of its ensemble, and reports whether there is one.
func (s *servers) quorum(ctx context.Context, seen int64) bool {
	for i, addr := range s.addrs {
		conn, err := s.open(ctx, addr, reader.Config{Seen: seen})
		if err == nil {
			conn.Close()
			s.next = i
			return true
		}
	}
	return false
}
