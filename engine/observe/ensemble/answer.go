package ensemble

import (
	"context"
	"errors"
	"sync"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/inquiry"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// Answer is what one server says in one round.
type Answer struct {
	Addr    string // host:port
	Status  admin.Status
	Figures admin.Figures
	// Again is its zxid when it was asked once more, after another one had answered with a higher zxid; 0 if it
	// wasn't asked.
	Again int64
	Why   sentence.Sentence // why it says nothing about itself; zero if it does
	Away  bool              // it didn't answer at all
}

// target asks one server.
type target interface {
	status(context.Context) (admin.Status, error)
	Figures(context.Context) (admin.Figures, error)
}

// words asks by four-letter words.
type words struct {
	dial access.Dialer
	addr string
}

func (w words) status(ctx context.Context) (admin.Status, error) {
	s, err := admin.Ask(ctx, w.dial, w.addr)
	s.Connections = max(s.Connections-1, 0) // without the one that asks
	return s, err
}

func (w words) Figures(ctx context.Context) (admin.Figures, error) {
	return admin.AskFigures(ctx, w.dial, w.addr)
}

// adminServer asks through an AdminServer.
type adminServer struct{ *inquiry.AdminServer }

type jsonStats struct {
	Version string `json:"version"`
	Stats   struct {
		State       string  `json:"server_state"`
		Zxid        int64   `json:"last_processed_zxid"`
		Connections int64   `json:"num_alive_client_connections"`
		Outstanding int64   `json:"outstanding_requests"`
		Latency     float64 `json:"avg_latency"`
		MaxLatency  int64   `json:"max_latency"`
	} `json:"server_stats"`
}

func (a adminServer) status(ctx context.Context) (s admin.Status, err error) {
	var said jsonStats
	if err := a.Ask(ctx, "server_stats", &said); err != nil {
		if sentence.From(err).Key == inquiry.NotServing {
			return admin.Status{Role: admin.Looks}, nil
		}
		return s, err
	}
	s = admin.Status{Version: admin.ShortVersion(said.Version), Zxid: said.Stats.Zxid,
		Connections: max(said.Stats.Connections, 0), Outstanding: max(said.Stats.Outstanding, 0),
		LatencyMS: max(said.Stats.Latency, 0), MaxLatencyMS: max(said.Stats.MaxLatency, 0)}
	s.SetMode(said.Stats.State)
	return s, nil
}

// server is a server to ask.
type server struct {
	addr string
	by   target
	// why puts the reason into words why it says nothing, and tells whether it didn't answer at all.
	why func(error) (why sentence.Sentence, away bool)
}

func newServer(s inquiry.Server, dial access.Dialer) server {
	if s.Admin != nil {
		return server{s.Addr, adminServer{s.Admin}, func(err error) (sentence.Sentence, bool) {
			return sentence.From(err), errors.Unwrap(err) != nil
		}}
	}
	return server{s.Addr, words{dial, s.Addr}, func(err error) (sentence.Sentence, bool) {
		return sentence.Of("error.text", sentence.Text(inquiry.Plain(dial.Reason(err), maxReason))), true
	}}
}

// maxReason is how many bytes of a reason are kept.
const maxReason = 200

// round asks all servers at once. Then it asks those that serve for their figures, and first those that seem to be
// behind once more.
func round(ctx context.Context, servers []server) []Answer {
	all := make([]Answer, len(servers))
	each(servers, func(i int, s server) { all[i] = s.ask(ctx) })
	furthest := int64(0)
	for _, a := range all {
		furthest = max(furthest, a.Status.Zxid)
	}
	each(servers, func(i int, s server) {
		a := &all[i]
		if a.Why.Key != "" || a.Status.Mode == "" {
			return
		}
		leads := a.Status.Mode == admin.Leader || a.Status.Mode == admin.Standalone
		if !leads && a.Status.Zxid < furthest {
			within(ctx, func(ctx context.Context) {
				if again, err := s.by.status(ctx); err == nil && again.Mode == a.Status.Mode {
					a.Again = again.Zxid
				}
			})
		}
		within(ctx, func(ctx context.Context) { a.Figures, _ = s.by.Figures(ctx) }) // a refusal leaves them untold
	})
	return all
}

func (s server) ask(ctx context.Context) (a Answer) {
	a.Addr = s.addr
	within(ctx, func(ctx context.Context) {
		status, err := s.by.status(ctx)
		a.Status = status
		switch {
		case err != nil:
			a.Why, a.Away = s.why(err)
		case status.Refused:
			a.Why = inquiry.Refusal(s.addr, "srvr")
		case status.Mode == "" && status.Role != admin.Looks:
			a.Why = sentence.Of("ensemble.stranger")
		}
	})
	return a
}

func each(servers []server, do func(i int, s server)) {
	var all sync.WaitGroup
	for i, s := range servers {
		all.Go(func() { do(i, s) })
	}
	all.Wait()
}

func within(ctx context.Context, do func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	do(ctx)
}
