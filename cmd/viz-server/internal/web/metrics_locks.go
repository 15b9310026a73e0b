package web

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/alarm"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// writeLocks writes what the watches have seen. Asking them makes them look, within the budget of the cluster's reads;
// what isn't known yet, or no longer, is left out. Paths and clusters in labels are the operator's own words, never
// names that a cluster sent.
func writeLocks(w io.Writer, watches []*alarm.Watch) {
	for _, watch := range watches {
		cluster := label("cluster", watch.Cluster())
		s, seen := watch.State()
		sample(w, "zkviz_locks_seen", cluster, flag(seen))
		writeEnsemble(w, watch, cluster)
		if !seen {
			continue
		}
		sample(w, "zkviz_locks_left_out", cluster, flag(s.LeftOut))
		for i := range s.Tallies {
			writeTally(w, cluster+","+label("path", s.Tallies[i].Path), &s.Tallies[i], s)
		}
	}
}

// writeTally writes the figures of a path.
func writeTally(w io.Writer, labels string, t *locks.Tally, s alarm.State) {
	for _, k := range locks.Kinds() {
		if n := t.Troubles[k]; n > 0 || s.Knows(k) {
			sample(w, "zkviz_locks_in_trouble", labels+","+label("kind", string(k)), float64(n))
		}
	}
	for _, use := range slices.Sorted(maps.Keys(t.Uses)) {
		f, of := t.Uses[use], labels+","+label("use", useWord(use))
		if locks.Holdable(use) {
			sample(w, "zkviz_locks_held", of, float64(f.Held))
			sample(w, "zkviz_locks_waiting", of, float64(f.Waiting))
			sample(w, "zkviz_locks_longest_hold_seconds", of, float64(f.HeldMS)/1000)
			sample(w, "zkviz_locks_oldest_waiter_seconds", of, float64(f.WaitingMS)/1000)
		}
		if locks.Holdable(use) && !use.AtOnce() {
			sample(w, "zkviz_locks_handovers_total", of, float64(f.Turned))
		}
		if s.Reasons && use != naming.Queue {
			sample(w, "zkviz_locks_expiries_total", of, float64(f.Expired))
		}
	}
}

// useWord returns the word for a use.
func useWord(u naming.Use) string {
	if u == naming.Unknown {
		return "unknown"
	}
	return string(u)
}

// writeWebhook writes what the webhook has done.
func writeWebhook(w io.Writer, st alarm.WebhookStats) {
	sample(w, "zkviz_webhook_sent_total", "", float64(st.Sent))
	sample(w, "zkviz_webhook_failures_total", "", float64(st.Failures))
	sample(w, "zkviz_webhook_dropped_total", "", float64(st.Dropped))
	sample(w, "zkviz_webhook_queued", "", float64(st.Queued))
}

// sample writes one sample.
func sample(w io.Writer, name, labels string, value float64) {
	if labels != "" {
		labels = "{" + labels + "}"
	}
	fmt.Fprintf(w, "%s%s %v\n", name, labels, value)
}

// flag returns 1 if something is so, else 0.
func flag(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
