package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/run/cluster"
)

// TestAlertFlags checks which flags about alerts are refused, and that no refusal shows a secret.
func TestAlertFlags(t *testing.T) {
	zk, named := []string{"zk:2181"}, []web.Named{{Name: "east", On: cluster.Cluster{Servers: []string{"e:2181"}}}}
	many := make([]string, maxMetricsPaths+1)
	for i := range many {
		many[i] = fmt.Sprintf("/l%d", i)
	}
	for _, c := range []struct {
		zk      []string
		named   []web.Named
		webhook string
		metrics bool
		paths   []string
		want    string // an error, or the paths
	}{
		{nil, nil, "", false, nil, "[]"},
		{zk, nil, "https://hooks.example.com/" + planted, true, nil, "[]"},
		{nil, named, "https://hooks.example.com/", false, nil, "[]"},
		{zk, named, "", true, []string{"/app/leader", "east:/jobs", "/app/leader"}, "[{ /app/leader} {east /jobs}]"},
		{zk, nil, "", true, many[1:], fmt.Sprintf("%v", pathsOf(many[1:]))},
		{zk, nil, "", true, many, "--metrics-paths: 25 paths; the most is 24"},
		{nil, nil, "https://a/" + planted, false, nil, "--webhook: name a ZooKeeper to watch"},
		{zk, nil, planted, false, nil, "--webhook: it is not an address like"},
		{zk, nil, "", false, []string{"/a"}, "--metrics-paths: say where to serve metrics, with --metrics-addr"},
		{zk, nil, "", true, []string{"a"}, "--metrics-paths: "}, {zk, nil, "", true, []string{"/a\n"}, "--metrics-paths: "},
		{zk, nil, "", true, []string{"west:/a"}, `--metrics-paths: no cluster in --clusters is called "west"`},
		{nil, named, "", true, []string{"/a"}, `--metrics-paths: "/a" belongs to --zk, which names no ZooKeeper`},
	} {
		cfg := web.Config{ZK: c.zk, Named: c.named, Log: loggingFlags{}.logger(io.Discard)}
		f := alertFlags{webhookFlag{c.webhook}, c.paths}
		got := ""
		if err := f.configure(&cfg, c.metrics); err != nil {
			got = err.Error()
		} else if got = fmt.Sprint(cfg.MetricsPaths); (cfg.Webhook != nil) != (c.webhook != "") {
			t.Errorf("%+v: the webhook is %v", c, cfg.Webhook)
		}
		if !strings.HasPrefix(got, c.want) || strings.Contains(got, planted) {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// pathsOf returns the paths as those of the cluster without a name.
func pathsOf(paths []string) (all []web.ClusterPath) {
	for _, p := range slices.Clone(paths) {
		all = append(all, web.ClusterPath{Path: p})
	}
	return all
}
