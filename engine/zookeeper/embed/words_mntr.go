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
func (ws *words) mntr(_ *conn, w *bytes.Buffer) {
	files := openFiles() // asks the system, so it comes before the lock
	ws.s.mu.Lock()
	defer ws.s.mu.Unlock()
	tree, t, counts := ws.s.core.Tree(), &ws.s.stats.tally, ws.s.core.WatchSummary()
	line := func(key string, value any) { fmt.Fprintf(w, "zk_%s\t%v\n", key, value) }
	line("version", version())
	line("server_state", ws.s.mode())
	line("ephemerals_count", tree.EphemeralCount())
	line("num_alive_connections", ws.s.conns.open())
	line("avg_latency", decimal(t.average()))
	line("outstanding_requests", ws.s.budgets.waiting())
	line("znode_count", tree.NodeCount())
	line("global_sessions", ws.s.core.NumSessions())
	line("last_client_response_size", ws.s.stats.sizes.last)
	line("packets_sent", t.sent)
	line("packets_received", t.received)
	line("max_client_response_size", ws.s.stats.sizes.most)
	line("connection_drop_probability", "0.0")
	line("watch_count", counts.All)
	line("auth_failed_count", ws.s.stats.noAuth)
	line("min_latency", t.latency.least.Milliseconds())
	if most := maxFiles(); most > 0 {
		line("max_file_descriptor_count", most)
	}
	line("approximate_data_size", tree.DataSize())
	if files > 0 {
		line("open_file_descriptor_count", files)
	}
	line("local_sessions", 0)
	line("uptime", ws.s.since().Milliseconds())
	line("max_latency", t.latency.most.Milliseconds())
	line("min_client_response_size", ws.s.stats.sizes.least)
	line("large_requests_rejected", ws.s.stats.large)
	line("connection_rejected", ws.s.stats.rejected)
	line("sessionless_connections_expired", ws.s.stats.silent)
	line("connection_drop_count", ws.s.cuts.Load())
	line("bytes_received_count", ws.s.stats.bytes)
	line("request_throttle_wait_count", ws.s.budgets.throttled.Load())
	line("connection_request_count", ws.s.stats.greeted)
	line("response_bytes", ws.s.stats.sizes.sum)
	line("snap_count", ws.s.stats.saved)
	line("sum_node_created_watch_count", ws.s.stats.fired[zoo.NodeCreated])
	line("sum_node_deleted_watch_count", ws.s.stats.fired[zoo.NodeDeleted])
	line("sum_node_children_watch_count", ws.s.stats.fired[zoo.NodeChildrenChanged])
	line("sum_node_changed_watch_count", ws.s.stats.fired[zoo.NodeDataChanged])
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
