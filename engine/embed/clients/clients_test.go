// Package clients is the test of the embedded server with the clients that people use: ZooKeeper's own two
// command lines, kazoo, Apache Curator and go-zookeeper. Each does real work, and a client of another kind
// looks at what came of it. All of them do the same on Apache ZooKeeper, at which they were written: what
// fails on both is wrong here, and what fails on one is a difference of the servers.
//
// CONTRIBUTING.md says how to add a client.
package clients

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/apache"
	"github.com/zkviz/zkviz/engine/embed"
	"github.com/zkviz/zkviz/engine/live/zktest"
)

// What both servers are set to. Sessions last 2 to 20 ticks on the embedded one. A session is long enough to outlive
// a machine that stands still for a while: a client whose server is silent for two thirds of it hangs up.
const (
	tick           = 3 * time.Second
	containerCheck = 100 * time.Millisecond
	session        = 20 * tick
)

// limit bounds what a client may take for all that it does, on a machine however slow.
const limit = 10 * time.Minute

// TestClients lets every client work on the embedded server, all at once, and the same on Apache ZooKeeper.
func TestClients(t *testing.T) {
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

// within ends after limit, and what runs by it is killed then.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}
