package main

import (
	"slices"
	"strings"
	"testing"
)

// TestServers takes a list of servers as people write it.
func TestServers(t *testing.T) {
	c := clusterFlags{ZK: []string{"a:1", " b:2", "a:1", "[::1]:3 "}, ZKPath: "/zkviz"}
	if err := c.validate(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a:1", "b:2", "[::1]:3"}; !slices.Equal(c.ZK, want) {
		t.Errorf("the servers are %q, not %q", c.ZK, want)
	}
	for server, want := range map[string]string{
		"http://a:1": `"http://a:1" is not HOST:PORT`,
		"a:1/app":    "--zk alone, a:1, and the path to --zk-path, /app/zkviz",
		"::1:2181":   "or [::1]:2181",
		"":           "is not HOST:PORT",
	} {
		c := clusterFlags{ZK: []string{server}, ZKPath: "/zkviz"}
		if err := c.validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", server, err)
		}
	}
}
