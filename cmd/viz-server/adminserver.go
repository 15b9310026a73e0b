package main

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/observe/inquiry"
	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// adminServerFlag names AdminServers, which answer over HTTP what four-letter words ask other servers.
type adminServerFlag struct {
	AdminServer []string `name:"admin-server" placeholder:"URL" help:"Ask the AdminServers at these addresses, such as http://zk1:8080, about clients and their last heartbeats, instead of sending four-letter words to their servers. The first address with a host stands for the first server of --zk on that host, and so on."`
}

// pollers ask a ZooKeeper's servers about themselves while somebody wants to know. Both are nil if there are none.
type pollers struct {
	sessions *sessions.Poller
	ensemble *ensemble.Poller
}

// pollers returns pollers that ask the servers.
func (f adminServerFlag) pollers(servers []string, by access.Dialer) (p pollers, err error) {
	if len(servers) == 0 && len(f.AdminServer) > 0 {
		return p, errors.New("--admin-server: also name the servers for clients, with --zk")
	}
	if len(servers) == 0 {
		return p, nil
	}
	if p, err = pollersOf(servers, f.AdminServer, by); err != nil {
		return p, fmt.Errorf("--admin-server: %w", err)
	}
	return p, nil
}

// pollersOf returns pollers for the servers, or for the AdminServers at these URLs.
func pollersOf(servers, urls []string, by access.Dialer) (p pollers, err error) {
	var admin []*url.URL
	for _, text := range urls {
		u, err := inquiry.ParseAdmin(text)
		if err != nil {
			return p, err
		}
		admin = append(admin, u)
	}
	return pollers{sessions.New(sessions.Config{Servers: servers, Access: by, Admin: admin}),
		ensemble.New(inquiry.Servers(servers, by, admin), by, 0)}, nil
}
