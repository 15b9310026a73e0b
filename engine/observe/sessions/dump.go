package sessions

import (
	"strings"
	"time"
)

// dumped is what a server knows about its ensemble's sessions.
type dumped struct {
	timeouts map[int64]time.Duration // from a follower
	buckets  []bucket                // from a leader or a single server
}

// bucket is a time at which its sessions expire if they stay silent, on a clock of the server's; see clock.
type bucket struct {
	at       time.Duration
	sessions []int64
}

// tells reports whether it lists the existing sessions.
func (d dumped) tells() bool { return len(d.buckets) > 0 || len(d.timeouts) > 0 }

// parseDump parses the answer to dump, up to the owners of ephemerals. A leader or a single server lists each
// expiry time, on its wall clock, with the sessions in lines of their own. A follower has a line for each session
// with its timeout.
func parseDump(text string) (d dumped) {
	d.timeouts = map[int64]time.Duration{}
	room := MaxSessions
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "ephemeral nodes dump") || strings.HasPrefix(line, "Connections dump") || room == 0 {
			break
		}
		if _, date, ok := strings.Cut(line, " expire at "); ok {
			if at, ok := parseDate(strings.TrimSuffix(date, ":")); ok && len(d.buckets) < maxBuckets {
				d.buckets = append(d.buckets, bucket{at: at})
			}
			continue
		}
		name, timeout, isTimed := strings.Cut(line, "\t")
		session, ok := parseSession(name)
		switch {
		case !ok:
			continue
		case isTimed:
			d.timeouts[session] = milliseconds(whole(strings.TrimSuffix(timeout, "ms")))
		case len(d.buckets) > 0:
			last := &d.buckets[len(d.buckets)-1]
			last.sessions = append(last.sessions, session)
		}
		room--
	}
	return d
}

// parseDate parses Java's text for a Date, such as Thu Nov 26 07:25:08 UTC 2026. It returns the time since 1970 on
// that wall clock, because the letters for the zone are ambiguous.
func parseDate(s string) (time.Duration, bool) {
	fields := strings.Fields(s)
	if len(fields) != 6 {
		return 0, false
	}
	t, err := time.Parse("Jan 2 15:04:05 2006", strings.Join(append(fields[1:4:4], fields[5]), " "))
	if err != nil || t.Year() < 1970 || t.Year() > 2200 {
		return 0, false
	}
	return t.Sub(time.Unix(0, 0)), true
}
