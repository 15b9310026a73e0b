package web

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// family is what Prometheus is told about metrics with one name.
type family struct{ name, kind, help string }

// families lists all of the server's own metrics, in the order in which they are shown.
var families = []family{
	{"zkviz_build_info", "gauge", "The build that runs. Always 1."},
	{"zkviz_viewers", "gauge", "Open pages that watch a run or a cluster."},
	{"zkviz_rooms", "gauge", "Runs and observations in memory."},
	{"zkviz_rooms_bytes", "gauge", "Memory of these runs and observations, in bytes."},
	{"zkviz_classes", "gauge", "Classes that aren't over."},
	{"zkviz_class_learners", "gauge", "Learners who have joined these classes."},
	{"zkviz_class_pages", "gauge", "Open pages of learners and teachers."},
	{"zkviz_classes_owned", "gauge", "Classes about which this server decides."},
	{"zkviz_classes_relayed", "gauge", "Classes about which another server decides."},
	{"zkviz_nats_connected", "gauge", "1 if NATS can be reached, else 0."},
	{"zkviz_observations_owned", "gauge", "Observations that this server makes for all that share them."},
	{"zkviz_observations_relayed", "gauge", "Observations that this server gets from another one."},
	{"zkviz_owners_skipped_total", "counter", "Changes that the picture of our own servers leaves out."},
	{"zkviz_ensemble_joined", "gauge", "1 if this server joins the ensemble for all that share it."},
	{"zkviz_ensemble_stands_by", "gauge", "1 if this server gets the ensemble's transactions from another one."},
	{"zkviz_events_sent_total", "counter", "Events sent to pages."},
	{"zkviz_refused_total", "counter", "Refused requests, by what refused them."},
	{"zkviz_http_requests_total", "counter", "Answered requests, by route and status code."},
	{"zkviz_http_request_duration_seconds", "histogram", "How long answers took, by route, in seconds."},
	{"zkviz_cluster_sessions", "gauge", "Sessions that zkviz has open on clusters."},
	{"zkviz_cluster_requests_total", "counter", "Requests that zkviz sent to clusters."},
	{"zkviz_locks_seen", "gauge", "1 if zkviz sees a cluster's locks now, else 0: it's out of reach, has no quorum, " +
		"or is still being read. At 0 there are no other figures of its locks."},
	{"zkviz_locks_left_out", "gauge", "1 if there may be locks that zkviz doesn't see, because of ACLs or limits."},
	{"zkviz_locks_in_trouble", "gauge", "Locks at the path and below it with such a trouble. A kind that zkviz has no " +
		"way to see is left out."},
	{"zkviz_locks_held", "gauge", "Locks at the path and below it that somebody holds, by use."},
	{"zkviz_locks_waiting", "gauge", "Clients that wait for locks at the path and below it, by use. Candidates " +
		"of elections wait, too."},
	{"zkviz_locks_longest_hold_seconds", "gauge", "The longest present hold, by use, as far as zkviz has seen it."},
	{"zkviz_locks_oldest_waiter_seconds", "gauge", "How long the first in line has waited where that's most, by use."},
	{"zkviz_locks_handovers_total", "counter", "Changes of holders that zkviz saw, by use."},
	{"zkviz_locks_expiries_total", "counter", "Losses because the session of a holder or member expired, by use. zkviz " +
		"knows that only as an observer of the ensemble."},
	{"zkviz_ensemble_quorum", "gauge", "1 if a server says that a quorum serves clients, 0 if none is in sight. Left " +
		"out while nobody says."},
	{"zkviz_ensemble_leader_changes_total", "counter", "How often zkviz saw another server lead, or the same one again " +
		"in a new epoch."},
	{"zkviz_ensemble_servers_away", "gauge", "Servers that don't answer."},
	{"zkviz_ensemble_behind_transactions", "gauge", "Transactions that the server which is furthest behind lacks, at " +
		"least."},
	{"zkviz_ensemble_sessions", "gauge", "Sessions of the whole ensemble, if its leader tells."},
	{"zkviz_ensemble_connections", "gauge", "Connections of clients to the servers that answer."},
	{"zkviz_ensemble_outstanding_requests", "gauge", "Requests that wait at the servers that answer."},
	{"zkviz_ensemble_latency_seconds", "gauge", "The greatest of the servers' average latencies since their start or " +
		"reset."},
	{"zkviz_webhook_sent_total", "counter", "Messages that the webhook took."},
	{"zkviz_webhook_failures_total", "counter", "Tries to send a message that failed."},
	{"zkviz_webhook_dropped_total", "counter", "Messages that the webhook will never get."},
	{"zkviz_webhook_queued", "gauge", "Messages that wait for the webhook."},
	{"zkviz_record_segments", "gauge", "Files of recordings."},
	{"zkviz_record_segments_live", "gauge", "Files that recordings are being written to."},
	{"zkviz_record_bytes", "gauge", "Disk space that recordings take, in bytes."},
	{"zkviz_record_max_bytes", "gauge", "Disk space that recordings may take, in bytes."},
	{"zkviz_record_failing", "gauge", "Recordings that can't be written now."},
	{"zkviz_record_events_total", "counter", "Recorded events."},
	{"zkviz_record_written_bytes_total", "counter", "Recorded bytes."},
	{"zkviz_record_lost_events_total", "counter", "Observed events that no recording has."},
	{"zkviz_record_cut_total", "counter", "Recordings that were cut off."},
	{"zkviz_record_removed_segments_total", "counter", "Old files that made room."},
}

// familyKinds has the kind of each family, by its name.
var familyKinds = func() map[string]string {
	kinds := make(map[string]string, len(families))
	for _, f := range families {
		kinds[f.name] = f.kind
	}
	return kinds
}()

// familyOf returns the name of the family that a sample belongs to.
func familyOf(sample string) string {
	name := sample
	if i := strings.IndexAny(sample, "{ "); i >= 0 {
		name = sample[:i]
	}
	for _, suffix := range [...]string{"_bucket", "_sum", "_count"} {
		if of, cut := strings.CutSuffix(name, suffix); cut && familyKinds[of] == "histogram" {
			return of
		}
	}
	return name
}

// expose writes samples in Prometheus's text format: all of a family together, with what they mean. Samples of others,
// such as Go's, follow as they are.
func expose(w io.Writer, samples []byte) {
	of, others := map[string][]byte{}, []byte(nil)
	for line := range bytes.Lines(samples) {
		name := familyOf(string(line))
		if familyKinds[name] != "" {
			of[name] = append(of[name], line...)
		} else {
			others = append(others, line...)
		}
	}
	for _, f := range families {
		if len(of[f.name]) > 0 {
			fmt.Fprintf(w, "# HELP %[1]s %[2]s\n# TYPE %[1]s %[3]s\n%[4]s", f.name, f.help, f.kind, of[f.name])
		}
	}
	_, _ = w.Write(others)
}

// labelEscapes escapes a label's value.
var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// label returns a label with its value escaped.
func label(name, value string) string {
	return name + `="` + labelEscapes.Replace(strings.ToValidUTF8(value, "\uFFFD")) + `"`
}
