package admin

import (
	"strings"
	"testing"
)

// TestQuorumPorts reads what Apache ZooKeeper 3.5 to 3.9 store in /zookeeper/config.
func TestQuorumPorts(t *testing.T) {
	for config, want := range map[string]string{
		"server.1=10.0.0.1:2888:3888:participant;0.0.0.0:2181\nserver.2=zk2:2889:3888:observer\n" +
			"version=100000000": "10.0.0.1:2888 zk2:2889",
		"server.1=[2001:db8::1]:2888:3888;2181":                     "[2001:db8::1]:2888",
		"server.1=a:2888:3888|b:2889:3889:participant;0.0.0.0:2181": "a:2888 b:2889",
		"":                     "it is a single server",
		"version=0":            "it is a single server",
		"server.1=here\n":      "there is no quorum port in the line",
		"server.1=[::1\n":      "there is no quorum port in the line",
		"group.1=1:2:3\nx=y\n": "it is a single server",
	} {
		ports, err := quorumPorts(config)
		got := strings.Join(ports, " ")
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%q has %s, not %s", config, got, want)
		}
	}
}
