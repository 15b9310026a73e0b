package web

import (
	"context"
	"encoding/json"
	"net/http"
)

// Addresses for operators. They aren't below the base path of the pages.
const (
	healthAt  = "/healthz"
	readyAt   = "/readyz"
	metricsAt = "/metrics"
)

// Readiness is the answer at /readyz. An unreachable cluster doesn't make the server unready, nor does NATS: the pages
// about it say so, and all others work without it.
type Readiness struct {
	Ready    bool   `json:"ready"`
	Stopping bool   `json:"stopping"`
	Stage    bool   `json:"stage"`             // this build contains the program for the browser
	Cluster  string `json:"cluster,omitempty"` // "reachable", "unreachable", "not known yet"; empty if there is none
	NATS     string `json:"nats,omitempty"`    // "connected", "not connected"; empty if no other servers are named
}

// readiness determines the server's state.
func (s *Server) readiness(ctx context.Context) Readiness {
	st := Readiness{Stopping: s.stop.Err() != nil, Stage: s.files.HasStage(), Cluster: s.pages.cluster.State(ctx)}
	if among, linked := s.pages.classes.Among(); among {
		st.NATS = map[bool]string{true: "connected", false: "not connected"}[linked]
	}
	st.Ready = st.Stage && !st.Stopping
	return st
}

// health adds the addresses that answer any client under any host name, because a supervisor knows no other.
func (s *Server) health(mux *http.ServeMux) {
	mux.HandleFunc("GET "+healthAt, func(w http.ResponseWriter, _ *http.Request) {
		setPlainHeaders(w, "text/plain; charset=utf-8")
		text := "ok\n"
		if among, linked := s.pages.classes.Among(); among && !linked {
			text += "no connection to NATS now: classes go on with what this server has\n"
		}
		for _, share := range s.shares {
			text += share.String() + "\n"
		}
		_, _ = w.Write([]byte(text))
	})
	mux.HandleFunc("GET "+readyAt, func(w http.ResponseWriter, r *http.Request) {
		st := s.readiness(r.Context())
		body, err := json.Marshal(st)
		if err != nil {
			s.refuse(w, err)
			return
		}
		setPlainHeaders(w, "application/json")
		if !st.Ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = w.Write(append(body, '\n'))
	})
}

// refuse answers an operator's request with an internal error.
func (s *Server) refuse(w http.ResponseWriter, err error) {
	s.log.Error("can't answer", "error", err)
	http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
}

// setPlainHeaders marks an answer that is no page and must not be cached.
func setPlainHeaders(w http.ResponseWriter, kind string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
}

// Operator returns the handler of metrics and health for operators. It has no authentication, so it must listen where
// only they can reach it.
func (s *Server) Operator() http.Handler {
	mux := http.NewServeMux()
	s.health(mux)
	mux.HandleFunc("GET "+metricsAt, func(w http.ResponseWriter, _ *http.Request) {
		setPlainHeaders(w, "")
		s.meters.serve(s, w)
	})
	return mux
}
