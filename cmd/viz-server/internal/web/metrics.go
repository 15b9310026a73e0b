package web

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/record"
)

// meters are what the server counts of itself, as Prometheus reads it. No name of a znode and no address is a label.
type meters struct {
	set      *metrics.Set
	requests *atomic.Uint64 // that runs have sent to real systems; what is only read isn't among them
}

// latencies are the bounds of the histograms, in seconds: from a kept page to the figures of a thousand clients.
var latencies = []float64{0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60}

// newMeters counts what s does. Version is that of the program.
func newMeters(s *Server, version string, requests *atomic.Uint64) *meters {
	m := &meters{set: metrics.NewSet(), requests: requests}
	gauge := func(name string, value func() float64) { m.set.NewGauge(name, value) }
	gauge(fmt.Sprintf("zkviz_build_info{version=%q,goversion=%q}", version, runtime.Version()),
		func() float64 { return 1 })
	gauge("zkviz_viewers", func() float64 { return float64(s.runs.Stats().Viewers) })
	gauge("zkviz_rooms", func() float64 { return float64(s.runs.Stats().Rooms) })
	gauge("zkviz_rooms_bytes", func() float64 { return float64(s.runs.Stats().Bytes) })
	gauge("zkviz_cluster_sessions", func() float64 { return float64(s.sessions()) })
	return m
}

// sessions is how many are open at clusters: of rooms, and of lists of locks.
func (s *Server) sessions() int {
	n := s.runs.Stats().Sessions
	for _, l := range s.site.followers {
		n += l.Sessions()
	}
	return n
}

// reads is how much has been read of clusters.
func (s *Server) reads() (n uint64) {
	if on := s.site.on.Budget; on != nil {
		n = on.Reads()
	}
	for i := range s.site.named {
		n += s.site.named[i].On.Budget.Reads()
	}
	return n
}

// writeRecords writes figures of what is recorded.
func writeRecords(w io.Writer, st record.Stats) {
	metrics.WriteGaugeUint64(w, "zkviz_record_segments", uint64(st.Segments))
	metrics.WriteGaugeUint64(w, "zkviz_record_segments_live", uint64(st.Live))
	metrics.WriteGaugeUint64(w, "zkviz_record_bytes", uint64(st.Bytes))
	metrics.WriteGaugeUint64(w, "zkviz_record_max_bytes", uint64(st.Max))
	metrics.WriteGaugeUint64(w, "zkviz_record_failing", uint64(st.Failing))
	metrics.WriteCounterUint64(w, "zkviz_record_events_total", st.Events)
	metrics.WriteCounterUint64(w, "zkviz_record_written_bytes_total", st.Written)
	metrics.WriteCounterUint64(w, "zkviz_record_lost_events_total", st.Lost)
	metrics.WriteCounterUint64(w, "zkviz_record_cut_total", st.Cut)
	metrics.WriteCounterUint64(w, "zkviz_record_removed_segments_total", st.Removed)
}

// serve answers /metrics.
func (m *meters) serve(s *Server, w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	st := s.runs.Stats()
	metrics.WriteCounterUint64(w, "zkviz_events_sent_total", st.Events)
	metrics.WriteCounterUint64(w, "zkviz_cluster_requests_total", m.requests.Load()+s.reads())
	metrics.WriteCounterUint64(w, `zkviz_refused_total{by="room"}`, st.Refused)
	if s.site.records != nil {
		writeRecords(w, s.site.records.Stats())
	}
	m.set.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
}

// refused counts a request that was not answered as its sender wished, by what has refused it.
func (m *meters) refused(by string) {
	m.set.GetOrCreateCounter(fmt.Sprintf("zkviz_refused_total{by=%q}", by)).Inc()
}

// answered counts an answer. The route is a pattern of the server's own, so that there are only so many.
func (m *meters) answered(route string, code int, took time.Duration) {
	m.set.GetOrCreateCounter(fmt.Sprintf(`zkviz_http_requests_total{route=%q,code="%d"}`, route, code)).Inc()
	if code == http.StatusSwitchingProtocols {
		return // it took as long as its page was open
	}
	m.set.GetOrCreatePrometheusHistogramExt(fmt.Sprintf("zkviz_http_request_duration_seconds{route=%q}", route),
		latencies).Update(took.Seconds())
}

// counting is a sink that counts the requests of a run.
type counting struct {
	event.Sink
	requests *atomic.Uint64
}

// Append counts e if it is a request, and passes it on.
func (c counting) Append(e event.Event) {
	if e.Kind == event.OpSent {
		c.requests.Add(1)
	}
	c.Sink.Append(e)
}

// measured counts what next answers, and logs it for those who look closely. The query of an address stays out of the
// log: it may name znodes.
func (s *Server) measured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		noted := &noting{ResponseWriter: w, code: http.StatusOK}
		next.ServeHTTP(noted, r)
		took, route := time.Since(begun), s.route(r)
		s.meters.answered(route, noted.code, took)
		switch noted.code {
		case http.StatusMisdirectedRequest, http.StatusForbidden, http.StatusMethodNotAllowed:
			s.meters.refused("guard")
		case http.StatusUnauthorized:
			s.meters.refused("sign-in")
		case http.StatusServiceUnavailable:
			s.meters.refused("busy")
		}
		s.log.Debug("answered", "method", r.Method, "route", route, "code", noted.code, "took", took.String(),
			"from", askerOf(r))
	})
}

// route is the pattern that a request was answered by, without language and base path: "refused" if it came to none.
func (s *Server) route(r *http.Request) string {
	if r.Pattern == "" {
		return "refused"
	}
	pattern := strings.TrimPrefix(r.Pattern, s.site.base)
	if lang := languageOf(r); strings.HasPrefix(pattern, lang.To("/")) {
		pattern = lang.From(pattern)
	}
	return pattern
}

// noting is a ResponseWriter that knows the status which was answered.
type noting struct {
	http.ResponseWriter
	code  int
	wrote bool
}

// WriteHeader notes the first status.
func (n *noting) WriteHeader(code int) {
	if !n.wrote {
		n.code, n.wrote = code, code >= http.StatusOK || code == http.StatusSwitchingProtocols
	}
	n.ResponseWriter.WriteHeader(code)
}

// Hijack is for websockets.
func (n *noting) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return http.NewResponseController(n.ResponseWriter).Hijack()
}

// Unwrap is for http.ResponseController.
func (n *noting) Unwrap() http.ResponseWriter { return n.ResponseWriter }
