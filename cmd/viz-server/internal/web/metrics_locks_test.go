package web_test

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// TestMetricsAsk checks that nobody reads a cluster until somebody scrapes, and that figures follow once it is read.
func TestMetricsAsk(t *testing.T) {
	t.Parallel()
	zk, err := embed.Listen(embed.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = zk.Close() }) // it keeps nothing
	s := webtest.NewServer(t, web.Config{ZK: []string{zk.Addr().String()}, ReadOnly: true,
		MetricsPaths: []web.ClusterPath{{Path: `/a"b\`}}})
	webtest.Start(t, s)
	first := webtest.Scrape(s)
	for _, want := range []string{"zkviz_locks_seen{cluster=\"\"} 0\n", "zkviz_cluster_requests_total 0\n"} {
		if !strings.Contains(first, want) || strings.Contains(first, "zkviz_locks_in_trouble") {
			t.Errorf("at first the metrics lack %s:\n%s", want, first)
		}
	}
	for _, want := range []string{"zkviz_locks_seen{cluster=\"\"} 1\n", "zkviz_cluster_sessions 1\n",
		`zkviz_locks_in_trouble{cluster="",path="/",kind="waits"} 0` + "\n",
		`zkviz_locks_in_trouble{cluster="",path="/a\"b\\",kind="waits"} 0` + "\n"} {
		has := func(text string) bool { return strings.Contains(text, want) }
		if text := scrapeUntil(s, has); !has(text) {
			t.Errorf("the metrics lack %s:\n%s", want, text)
		}
	}
}
