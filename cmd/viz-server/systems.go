package main

import (
	"os"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run/cluster"
)

// systemFlags names the real systems other than ZooKeeper that a command may use.
type systemFlags struct {
	Redis    []string `name:"redis" placeholder:"HOST:PORT" help:"A real Redis to run on, as host:port or redis://user:password@host:port/0. Separate several by commas. REDISCLI_AUTH may hold the password."`
	Postgres string   `name:"postgres" placeholder:"URL" help:"A real PostgreSQL to run on, as postgres://user:password@host:port/database. PGPASSWORD may hold the password."`
	MySQL    string   `name:"mysql" placeholder:"URL" help:"A real MySQL or MariaDB to run on, as mysql://user:password@host:port. MYSQL_PWD may hold the password."`
	Etcd     string   `name:"etcd" placeholder:"HOST:PORT" help:"A real etcd to run on, as host:port or http://user:password@host:port. ETCDCTL_PASSWORD may hold the password."`
}

// parseSystems parses the addresses. Its errors contain no passwords.
func (f systemFlags) parseSystems() (cluster.Elsewhere, error) {
	e := cluster.Elsewhere{}
	for kind, addresses := range map[event.SystemKind][]string{
		event.RedisSystem: f.Redis, event.PostgresSystem: {f.Postgres}, event.MySQLSystem: {f.MySQL},
		event.EtcdSystem: {f.Etcd},
	} {
		for _, a := range addresses {
			if a == "" {
				continue
			}
			if err := e.Add(kind, a, os.Getenv); err != nil {
				return nil, err
			}
		}
	}
	return e, nil
}
