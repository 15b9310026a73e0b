package sessions

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// adminServer sends requests to a server's AdminServer.
type adminServer struct {
	client *http.Client
	base   string // ends with a slash
}

// commands is the default path of an AdminServer's commands.
const commands = "/commands/"

// ParseAdmin parses the URL of an AdminServer, such as http://zk1:8080. The error is a sentence.
func ParseAdmin(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "" {
		return nil, sentence.Error("bad.admin-server")
	}
	if u.Path = strings.TrimSuffix(u.Path, "/") + "/"; u.Path == "/" {
		u.Path = commands
	}
	return u, nil
}

// newAdminServer returns an adminServer for a URL from ParseAdmin. It follows no redirection.
func newAdminServer(base *url.URL, secure *tls.Config) adminServer {
	return adminServer{base: base.String(), client: &http.Client{
		Transport:     &http.Transport{TLSClientConfig: secure, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// ask decodes a command's answer into a value. A field of the wrong type is an error.
func (a adminServer) ask(ctx context.Context, command string, into any) error {
	wrong := func(err error) error {
		return sentence.Wrap(err, "sessions.admin", sentence.Text(a.base), sentence.Text(command))
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, a.base+command, nil)
	if err != nil {
		return wrong(err)
	}
	response, err := a.client.Do(r)
	if err != nil {
		return wrong(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, MaxAnswer))
	switch {
	case err != nil:
		return wrong(err)
	case response.StatusCode != http.StatusOK:
		return sentence.Error("sessions.admin.status", sentence.Text(a.base), sentence.Text(command),
			sentence.Number(response.StatusCode))
	case len(body) == MaxAnswer:
		return sentence.Error("sessions.admin.long", sentence.Text(a.base), sentence.Text(command),
			sentence.Number(MaxAnswer>>20))
	}
	return a.read(command, body, into)
}

// read decodes an answer.
func (a adminServer) read(command string, body []byte, into any) error {
	var said struct {
		Command string
		Error   *string
	}
	if json.Unmarshal(body, &said) != nil || said.Command == "" || json.Unmarshal(body, into) != nil {
		return sentence.Error("sessions.admin.stranger", sentence.Text(a.base), sentence.Text(command))
	}
	if said.Error != nil {
		return sentence.Error("sessions.admin.refused", sentence.Text(a.base), sentence.Text(command),
			sentence.Text(plain(*said.Error, maxAddress)))
	}
	return nil
}

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
	err := a.ask(ctx, "connections", &said)
	return said.all(), err
}

func (s jsonConnections) all() (all []connection) {
	for _, c := range append(s.Plain, s.Secure...) {
		if c.Session == 0 || len(all) == MaxSessions {
			continue
		}
		all = append(all, connection{client: address(c.Client), session: c.Session, last: plain(c.Last, maxOperation),
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
	err := a.ask(ctx, "dump", &said)
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
	err := a.ask(ctx, "watch_summary", &said)
	return summary{watches: count(said.Watches), paths: count(said.Paths), sessions: count(said.Connections)}, err
}

type jsonMonitor struct {
	Version string `json:"version"`
	Watches int64  `json:"watch_count"`
}

func (a adminServer) watchCount(ctx context.Context) (watchCount, error) {
	var said jsonMonitor
	err := a.ask(ctx, "monitor", &said)
	return watchCount{count(said.Watches), old(said.Version)}, err
}

type jsonWatches struct {
	Paths map[string][]int64 `json:"path_to_session_ids"`
}

func (a adminServer) watches(ctx context.Context, most int) ([]Watch, bool, error) {
	var said jsonWatches
	err := a.ask(ctx, "watches_by_path", &said)
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
