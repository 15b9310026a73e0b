// Package servers starts the servers that engine/testing/conform compares: Apache ZooKeeper and the embedded one,
// with settings that make them comparable and fast.
package servers

import (
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/testing/apache"
	"github.com/zkviz/zkviz/engine/testing/conform"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// Tick is both servers' tickTime: short, as scripts wait for sessions to expire.
const Tick = 20 * time.Millisecond

// settings are the settings that a script may need.
type settings struct {
	check           time.Duration // how often the server looks for expired containers and TTLs
	noExtendedTypes bool          // the server rejects TTLs
}

// never is how often servers look for expired containers unless a script is about that: the order of a timer's changes
// and those of clients depends on chance.
const never = time.Hour

// Named returns the server of a name: zookeeper, embedded, or the one at an address.
func Named(name string) conform.Target { return named(name, settings{check: never}) }

func named(name string, with settings) conform.Target {
	switch name {
	case "zookeeper":
		return conform.Target{Start: with.zookeeper}
	case "embedded":
		return conform.Target{Start: with.embedded}
	}
	return conform.Target{Addr: name}
}

// zookeeper starts the real server.
func (with settings) zookeeper() (addr string, end func(), err error) {
	s, err := apache.Start(apache.Config{
		Tick:       Tick,
		Settings:   []string{"extendedTypesEnabled=" + strconv.FormatBool(!with.noExtendedTypes)},
		Properties: []string{"znode.container.checkIntervalMs=" + strconv.FormatInt(with.check.Milliseconds(), 10)},
	})
	if err != nil {
		return "", nil, err
	}
	return s.Addr, s.Close, nil
}

// embedded starts the embedded server in this process.
func (with settings) embedded() (addr string, end func(), err error) {
	s, err := embed.Listen(embed.Config{
		Tick: Tick, MaxTimeout: apache.MaxSession, MaxConnsPerAddr: -1, Seed: 1,
		ContainerCheck: with.check, NoExtendedTypes: with.noExtendedTypes,
	})
	if err != nil {
		return "", nil, err
	}
	return s.Addr().String(), func() { _ = s.Close() }, nil // it has no data that could be lost
}
