// Package servers starts the servers that engine/conform compares: Apache ZooKeeper and the embedded one,
// with settings that make them comparable and quick.
package servers

import (
	"time"

	"github.com/zkviz/zkviz/engine/apache"
	"github.com/zkviz/zkviz/engine/conform"
)

// Tick is both servers' tickTime: small, since scripts wait for sessions to expire.
const Tick = 20 * time.Millisecond

// never is how often servers look for containers that are due unless a script is about that: what
// a timer does comes at no certain place among what clients do.
const never = time.Hour

// Named is the server of a name: zookeeper, embedded, or that at an address.
func Named(name string) conform.Target { return named(name, never) }

func named(name string, check time.Duration) conform.Target {
	switch name {
	case "zookeeper":
		return ZooKeeper(check)
	case "embedded":
		return Embedded(check)
	}
	return conform.Target{Addr: name}
}

// ZooKeeper is the real one, which looks for containers that are due once in check.
func ZooKeeper(check time.Duration) conform.Target {
	return conform.Target{Start: func() (string, func(), error) {
		s, err := apache.Start(apache.Config{
			Tick:       Tick,
			Settings:   []string{"extendedTypesEnabled=true"},
			Properties: []string{"znode.container.checkIntervalMs=" + millis(check)},
		})
		if err != nil {
			return "", nil, err
		}
		return s.Addr, s.Close, nil
	}}
}
