package main

import (
	"fmt"

	"github.com/zkviz/zkviz/engine/redis/wire"
	"github.com/zkviz/zkviz/engine/run/cluster"
)

// elsewhereFlags name real systems other than ZooKeeper that a command may use.
type elsewhereFlags struct {
	Redis []string `name:"redis" placeholder:"HOST:PORT" help:"A real Redis to run on, as host:port or redis://user:password@host:port/0. Separate several by commas."`
}

// elsewhere reads them. Its errors have no passwords.
func (f elsewhereFlags) elsewhere() (e cluster.Elsewhere, err error) {
	for _, text := range f.Redis {
		a, err := wire.Parse(text)
		if err != nil {
			return e, fmt.Errorf("--redis: %w", err)
		}
		e.Redis = append(e.Redis, a)
	}
	return e, nil
}
