package admin_test

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// TestAskFigures checks AskFigures with the possible answers of a server, which receives mntr and nothing else.
func TestAskFigures(t *testing.T) {
	for _, c := range []struct {
		answer string
		want   admin.Figures
	}{
		{"zk_version\t3.8.0-x, built on 1\nzk_server_state\tleader\nzk_watch_count\t7\n" +
			"zk_global_sessions\t41\nzk_leader_uptime\t5588\nzk_uptime\t9999\n",
			admin.Figures{Told: true, Version: "3.8.0", Watches: 7, Sessions: 41, LeaderUptimeMS: 5588}},
		{"zk_server_state\tstandalone\nzk_global_sessions\t-1\n", admin.Figures{Told: true}},
		{"mntr is not executed because it is not in the whitelist.\n", admin.Figures{}},
		{"zk_server_state\tleader\n" + strings.Repeat("zk_x\t1\n", 200_000) + "zk_global_sessions\t41\n",
			admin.Figures{Told: true}},
		{"zk_server_state\tfollower\nzk_uptime\t9000\nzk_auth_failed_count\t2\nzk_p99_readlatency\t8\n" +
			"zk_max_readlatency\t52\nzk_cnt_readlatency\t289\nzk_sum_readlatency\t284\nzk_cnt_updatelatency\t14",
			// the last number may be cut
			admin.Figures{Told: true, Traffic: admin.Traffic{UptimeMS: 9000,
				Reads: admin.Served{N: 289, SumMS: 284, P99MS: 8, MaxMS: 52}, Failures: failed(admin.AuthFailed, 2)}}},
		{"", admin.Figures{}},
	} {
		addr, asked := serve(t, c.answer)
		if got, err := admin.AskFigures(t.Context(), access.Dialer{}, addr); err != nil || got != c.want {
			t.Errorf("of %.200q it makes %+v, %v", c.answer, got, err)
		}
		if got := <-asked; got != "mntr" {
			t.Errorf("it asks %q", got)
		}
	}
}

func failed(f admin.Failure, n int64) (all [10]int64) {
	all[f] = n
	return all
}
