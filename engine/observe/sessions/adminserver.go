package sessions

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/observe/inquiry"
)

// adminServer asks a server through its AdminServer.
type adminServer struct{ *inquiry.AdminServer }

type jsonConnections struct {
	Plain  []jsonConnection `json:"connections"`
	Secure []jsonConnection `json:"secure_connections"`
}

type jsonConnection struct {
	Client      string `json:"remote_socket_address"`
	Session     int64  `json:"session_id"`
	Last        string `json:"last_operation"`
	Request     int64  `json:"last_cxid"`
	Established int64  `json:"established"`
	Timeout     int64  `json:"session_timeout"`
	Answered    int64  `json:"last_response_time"`
	Took        int64  `json:"last_latency"`
	Outstanding int64  `json:"outstanding_requests"`
	Received    int64  `json:"packets_received"`
	Sent        int64  `json:"packets_sent"`
}

func (a adminServer) connections(ctx context.Context) ([]connection, error) {
	var said jsonConnections
	err := a.Ask(ctx, "connections", &said)
	return said.all(), err
}

func (s jsonConnections) all() (all []connection) {
	for _, c := range append(s.Plain, s.Secure...) {
		if c.Session == 0 || len(all) == MaxSessions {
			continue
		}
		all = append(all, connection{client: address(c.Client), session: c.Session, last: inquiry.Plain(c.Last, maxOperation),
			cxid: c.Request, established: c.Established, timeout: milliseconds(c.Timeout), answered: milliseconds(c.Answered),
			took: milliseconds(c.Took), outstanding: count(c.Outstanding), received: c.Received, sent: c.Sent})
	}
	return all
}

type jsonDump struct {
	Expiry map[string][]int64 `json:"expiry_time_to_session_ids"` // ms, clock as in last_response_time; from a leader
}

func (a adminServer) dump(ctx context.Context) (dumped, error) {
	var said jsonDump
	err := a.Ask(ctx, "dump", &said)
	return said.all(), err
}

func (s jsonDump) all() (d dumped) {
	room := MaxSessions
	for _, at := range slices.Sorted(maps.Keys(s.Expiry)) {
		ms, err := strconv.ParseInt(at, 10, 64)
		if err != nil || len(d.buckets) == maxBuckets {
			continue
		}
		sessions := s.Expiry[at]
		sessions = sessions[:min(len(sessions), room)]
		room -= len(sessions)
		d.buckets = append(d.buckets, bucket{milliseconds(ms), sessions})
	}
	return d
}

type jsonSummary struct {
	Connections int64 `json:"num_connections"`
	Paths       int64 `json:"num_paths"`
	Watches     int64 `json:"num_total_watches"`
}

func (a adminServer) summary(ctx context.Context) (summary, error) {
	var said jsonSummary
	err := a.Ask(ctx, "watch_summary", &said)
	return summary{watches: count(said.Watches), paths: count(said.Paths), sessions: count(said.Connections)}, err
}

type jsonWatches struct {
	Paths map[string][]int64 `json:"path_to_session_ids"`
}

func (a adminServer) watches(ctx context.Context, most int) ([]Watch, bool, error) {
	var said jsonWatches
	err := a.Ask(ctx, "watches_by_path", &said)
	all, more := said.all(most)
	return all, more, err
}

func (s jsonWatches) all(most int) (all []Watch, more bool) {
	for _, path := range slices.Sorted(maps.Keys(s.Paths)) {
		if len(path) > maxPath || !strings.HasPrefix(path, "/") {
			continue
		}
		for _, session := range s.Paths[path] {
			if len(all) == most {
				return all, true
			}
			all = append(all, Watch{session, strings.ToValidUTF8(path, "\uFFFD")})
		}
	}
	return all, false
}
