package web

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Where those who run the server ask it how it is: beside the pages, and not below their path.
const (
	healthAt  = "/healthz"
	readyAt   = "/readyz"
	metricsAt = "/metrics"
)

// readyWithin is how long the answer to whether the server is ready may wait for what is known of the cluster.
const readyWithin = 200 * time.Millisecond

// Readiness is the answer at /readyz. What other servers are like is said, and keeps none from being ready: the pages
// about them say what is wrong, and all others work without.
type Readiness struct {
	Ready    bool   `json:"ready"`
	Stopping bool   `json:"stopping"`
	Stage    bool   `json:"stage"`             // the program for the browser is in this build
	Cluster  string `json:"cluster,omitempty"` // "reachable", "unreachable", "not known yet"; empty if none is named
}

// readiness finds out how the server is.
func (s *Server) readiness(ctx context.Context) Readiness {
	st := Readiness{Stopping: s.stop.Err() != nil, Stage: s.site.files.hasStage()}
	st.Ready = st.Stage && !st.Stopping
	if s.site.servers != "" {
		st.Cluster = s.site.prober.state(ctx)
	}
	return st
}

// state is whether the cluster can be reached, as far as it is known soon.
func (p *prober) state(ctx context.Context) string {
	known := make(chan error, 1)
	go func() { known <- p.reach(context.WithoutCancel(ctx)) }() // ends within lookTimeout
	soon := time.NewTimer(readyWithin)
	defer soon.Stop()
	select {
	case err := <-known:
		if err != nil {
			return "unreachable"
		}
		return "reachable"
	case <-soon.C:
		return "not known yet"
	}
}

// health adds what is answered to anybody who can reach the server, by whatever name: a supervisor has no other.
func (s *Server) health(mux *http.ServeMux) {
	mux.HandleFunc("GET "+healthAt, func(w http.ResponseWriter, _ *http.Request) {
		plainly(w, "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok\n"))
	})
	mux.HandleFunc("GET "+readyAt, func(w http.ResponseWriter, r *http.Request) {
		st := s.readiness(r.Context())
		body, err := json.Marshal(st)
		if err != nil {
			s.refuse(w, err)
			return
		}
		plainly(w, "application/json")
		if !st.Ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = w.Write(append(body, '\n'))
	})
}

// refuse answers one who runs the server that something failed.
func (s *Server) refuse(w http.ResponseWriter, err error) {
	s.log.Error("can't answer", "error", err)
	http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
}

// plainly marks an answer that is no page and good for this moment alone.
func plainly(w http.ResponseWriter, kind string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
}

// Operator answers those who run the server: with its metrics, and how it is. It asks nobody who they are, so it is to
// listen where they alone can reach it.
func (s *Server) Operator() http.Handler {
	mux := http.NewServeMux()
	s.health(mux)
	mux.HandleFunc("GET "+metricsAt, func(w http.ResponseWriter, _ *http.Request) {
		plainly(w, "")
		s.meters.serve(s, w)
	})
	return mux
}
