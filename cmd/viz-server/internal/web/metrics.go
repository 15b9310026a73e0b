package web

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/record"
	"github.com/zkviz/zkviz/engine/run/owners"
)

// meters are the server's own metrics for Prometheus. No label contains an address, or a znode's name that isn't the
// operator's own.
type meters struct {
	set      *metrics.Set
	requests *atomic.Uint64 // sent by runs to real systems, without reads
	owners   *owners.Owners // nil without other servers
}

// latencies are the bounds of the histograms in seconds: from a cached page to the figures of a thousand clients.
var latencies = []float64{0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60}

// newMeters creates the metrics of s.
func newMeters(s *Server, cfg Config) *meters {
	m, live := &meters{set: metrics.NewSet(), requests: cfg.requests, owners: cfg.Owners}, cfg.Live
	gauge := func(name string, value func() float64) { m.set.NewGauge(name, value) }
	gauge(fmt.Sprintf("zkviz_build_info{version=%q,goversion=%q}", cfg.Version, runtime.Version()),
		func() float64 { return 1 })
	gauge("zkviz_viewers", func() float64 { return float64(s.runs.Stats().Viewers) })
	gauge("zkviz_rooms", func() float64 { return float64(s.runs.Stats().Rooms) })
	gauge("zkviz_rooms_bytes", func() float64 { return float64(s.runs.Stats().Bytes) })
	gauge("zkviz_classes", func() float64 { return float64(s.pages.classes.Stats().Classes) })
	gauge("zkviz_class_learners", func() float64 { return float64(s.pages.classes.Stats().Learners) })
	gauge("zkviz_class_pages", func() float64 { return float64(s.pages.classes.Stats().Pages) })
	gauge("zkviz_classes_owned", func() float64 { return float64(s.pages.classes.Stats().Owned) })
	gauge("zkviz_classes_relayed", func() float64 { return float64(s.pages.classes.Stats().Relayed) })
	if among, _ := s.pages.classes.Among(); among {
		gauge("zkviz_nats_connected", func() float64 { return float64(s.linked()) })
	}
	if live != nil {
		gauge("zkviz_observations_owned", func() float64 { return float64(live.Stats().Owned) })
		gauge("zkviz_observations_relayed", func() float64 { return float64(live.Stats().Relayed) })
	}
	gauge("zkviz_cluster_sessions",
		func() float64 { return float64(s.runs.Stats().Sessions + s.pages.cluster.Sessions()) })
	return m
}

// linked returns 1 if the other servers can be reached, and 0 if not.
func (s *Server) linked() int {
	if _, linked := s.pages.classes.Among(); linked {
		return 1
	}
	return 0
}

// writeRecords writes the metrics of recordings.
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
	var samples bytes.Buffer
	st := s.runs.Stats()
	metrics.WriteCounterUint64(&samples, "zkviz_events_sent_total", st.Events)
	metrics.WriteCounterUint64(&samples, "zkviz_cluster_requests_total", m.requests.Load()+s.pages.cluster.Reads())
	metrics.WriteCounterUint64(&samples, `zkviz_refused_total{by="room"}`, st.Refused)
	if m.owners != nil {
		metrics.WriteCounterUint64(&samples, "zkviz_owners_skipped_total", m.owners.Skipped())
	}
	if s.records != nil {
		writeRecords(&samples, s.records.Stats())
	}
	writeLocks(&samples, s.pages.cluster.Watches())
	writeShares(&samples, s.shares)
	if s.webhook != nil {
		writeWebhook(&samples, s.webhook.Stats())
	}
	m.set.WritePrometheus(&samples)
	metrics.WriteProcessMetrics(&samples)
	expose(w, samples.Bytes())
}

// countRefusal counts a rejected request by what rejected it.
func (m *meters) countRefusal(by string) {
	m.set.GetOrCreateCounter(fmt.Sprintf("zkviz_refused_total{by=%q}", by)).Inc()
}

// countAnswer counts an answer. The route is one of the server's own patterns, which limits the number of labels.
func (m *meters) countAnswer(route string, code int, took time.Duration) {
	m.set.GetOrCreateCounter(fmt.Sprintf(`zkviz_http_requests_total{route=%q,code="%d"}`, route, code)).Inc()
	if code == http.StatusSwitchingProtocols {
		return // it lasted as long as the page was open
	}
	m.set.GetOrCreatePrometheusHistogramExt(fmt.Sprintf("zkviz_http_request_duration_seconds{route=%q}", route),
		latencies).Update(took.Seconds())
}

// requestCounter is a sink that counts the requests of a run.
type requestCounter struct{ requests *atomic.Uint64 }

// Append counts e if it is a request.
func (c requestCounter) Append(e event.Event) {
	if e.Kind == event.OpSent {
		c.requests.Add(1)
	}
}

// withMetrics counts and logs the answers of next, at debug level. The log omits an address's query, because it may
// name znodes.
func (s *Server) withMetrics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		recorded := &statusRecorder{ResponseWriter: w, code: http.StatusOK}
		next.ServeHTTP(recorded, r)
		took, route := time.Since(start), s.route(r)
		s.meters.countAnswer(route, recorded.code, took)
		switch recorded.code {
		case http.StatusMisdirectedRequest, http.StatusForbidden, http.StatusMethodNotAllowed:
			s.meters.countRefusal("guard")
		case http.StatusUnauthorized:
			s.meters.countRefusal("sign-in")
		case http.StatusServiceUnavailable:
			s.meters.countRefusal("busy")
		}
		s.log.Debug("answered", "method", r.Method, "route", route, "code", recorded.code, "took", took.String(),
			"from", site.ClientOf(r))
	})
}

// route returns the pattern that matched a request, without language and base path, or "refused" if none did.
func (s *Server) route(r *http.Request) string {
	if r.Pattern == "" {
		return "refused"
	}
	pattern := strings.TrimPrefix(r.Pattern, s.base)
	if lang := site.LanguageOf(r); strings.HasPrefix(pattern, lang.To("/")) {
		pattern = lang.From(pattern)
	}
	return pattern
}

// statusRecorder is a ResponseWriter that remembers the status.
type statusRecorder struct {
	http.ResponseWriter
	code  int
	wrote bool
}

// WriteHeader remembers the first final status.
func (n *statusRecorder) WriteHeader(code int) {
	if !n.wrote {
		n.code, n.wrote = code, code >= http.StatusOK || code == http.StatusSwitchingProtocols
	}
	n.ResponseWriter.WriteHeader(code)
}

// Hijack supports websockets.
func (n *statusRecorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return http.NewResponseController(n.ResponseWriter).Hijack()
}

// Unwrap supports http.ResponseController.
func (n *statusRecorder) Unwrap() http.ResponseWriter { return n.ResponseWriter }
