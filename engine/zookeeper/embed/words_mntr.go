package embed

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// mntr shows the server's figures, a key and a value a line. It has those of ZooKeeper's that mean something for a
// server without a log on disk, in ZooKeeper's order.
func (s *Server) mntr(_ *conn, w *bytes.Buffer) {
	files := openFiles() // asks the system, so it comes before the lock
	s.mu.Lock()
	defer s.mu.Unlock()
	tree, t, counts := s.core.Tree(), &s.stats.tally, s.core.WatchSummary()
	line := func(key string, value any) { fmt.Fprintf(w, "zk_%s\t%v\n", key, value) }
	line("version", version())
	line("server_state", s.mode())
	line("ephemerals_count", tree.EphemeralCount())
	line("num_alive_connections", s.alive())
	line("avg_latency", decimal(t.average()))
	line("outstanding_requests", s.replies.waiting()+s.huge.waiting()+s.requests.waiting()+s.hugeRequests.waiting())
	line("znode_count", tree.NodeCount())
	line("global_sessions", s.core.NumSessions())
	line("last_client_response_size", s.sizes.last)
	line("packets_sent", t.sent)
	line("packets_received", t.received)
	line("max_client_response_size", s.sizes.most)
	line("connection_drop_probability", "0.0")
	line("watch_count", counts.All)
	line("auth_failed_count", s.noAuth)
	line("min_latency", t.least.Milliseconds())
	if most := maxFiles(); most > 0 {
		line("max_file_descriptor_count", most)
	}
	line("approximate_data_size", tree.DataSize())
	if files > 0 {
		line("open_file_descriptor_count", files)
	}
	line("local_sessions", 0)
	line("uptime", s.since().Milliseconds())
	line("max_latency", t.most.Milliseconds())
	line("min_client_response_size", s.sizes.least)
	line("large_requests_rejected", s.large)
	line("connection_rejected", s.rejected)
	line("sessionless_connections_expired", s.silent)
	line("connection_drop_count", s.cuts.Load())
	line("bytes_received_count", s.bytes)
	line("request_throttle_wait_count", s.throttled.Load())
	line("connection_request_count", s.greeted)
	line("response_bytes", s.sizes.sum)
	line("snap_count", s.saved)
	line("sum_node_created_watch_count", s.fired[zoo.NodeCreated])
	line("sum_node_deleted_watch_count", s.fired[zoo.NodeDeleted])
	line("sum_node_children_watch_count", s.fired[zoo.NodeChildrenChanged])
	line("sum_node_changed_watch_count", s.fired[zoo.NodeDataChanged])
}

// decimal formats a number with up to four decimals, as Java does.
func decimal(f float64) string {
	text := strings.TrimRight(strconv.FormatFloat(f, 'f', 4, 64), "0")
	if strings.HasSuffix(text, ".") {
		text += "0"
	}
	return text
}

// openFiles counts the process's open files, or returns 0 where the system doesn't tell.
func openFiles() int {
	dir, err := os.Open("/proc/self/fd")
	if err != nil {
		return 0
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return 0
	}
	return len(names) - 1
}
