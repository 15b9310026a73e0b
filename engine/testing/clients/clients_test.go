// Package clients tests the embedded server with widely used clients: ZooKeeper's own two command lines, kazoo,
// Apache Curator and go-zookeeper. Each does real work, and a client of another kind checks the result. All of them
// do the same on Apache ZooKeeper, for which they were written. A failure on both means a wrong test, and a failure
// on one means that the servers differ.
//
// docs/adding/client.md explains how to add a client.
package clients

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// The settings of both servers. Sessions last 2 to 20 ticks on the embedded one. A session must survive a machine
// that stalls for a while, since a client disconnects when its server is silent for two thirds of it.
const (
	tick           = 3 * time.Second
	containerCheck = 100 * time.Millisecond
	session        = 20 * tick
)

// limit bounds how long a client may take for all its work, even on a slow machine.
const limit = 10 * time.Minute

// TestClients runs every client against the embedded server, all at once, and then the same against Apache ZooKeeper.
func TestClients(t *testing.T) {
	if testing.Short() {
		t.Skip("clients in five languages take half a minute")
	}
	t.Parallel()
	programs := &curatorChecks{folder: t.TempDir()}
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		everyClient(t, startEmbedded(t), programs)
	})
	t.Run("Apache", func(t *testing.T) {
		if testing.Short() {
			t.Skip("it holds the tests, not the embedded server")
		}
		t.Parallel()
		everyClient(t, startApache(t), programs)
	})
}

func startEmbedded(t *testing.T) (addr string) {
	s, err := embed.Listen(embed.Config{Tick: tick, ContainerCheck: containerCheck, MaxConnsPerAddr: -1, Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.Addr().String()
}

func startApache(t *testing.T) (addr string) {
	zktest.Need(t)
	s, err := apache.Start(apache.Config{
		Tick:       tick,
		Settings:   []string{"extendedTypesEnabled=true"},
		Properties: []string{fmt.Sprintf("znode.container.checkIntervalMs=%d", containerCheck.Milliseconds())},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s.Addr
}

func everyClient(t *testing.T, addr string, programs *curatorChecks) {
	for _, client := range []struct {
		name string
		work func(t *testing.T, addr string)
	}{
		{"zkCli.sh", zkCli},
		{"cli_mt", cliMT},
		{"kazoo", kazoo},
		{"Curator", programs.run},
		{"go-zookeeper", goZookeeper},
		{"one queue", oneQueue},
	} {
		t.Run(client.name, func(t *testing.T) {
			t.Parallel()
			client.work(t, addr)
		})
	}
}

// within returns a context that ends after limit and kills the commands that use it.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}
