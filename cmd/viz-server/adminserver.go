package main

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/zkviz/zkviz/engine/observe/inquiry"
	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// adminServerFlag names AdminServers, which answer over HTTP what four-letter words ask other servers.
type adminServerFlag struct {
	AdminServer []string `name:"admin-server" placeholder:"URL" help:"Ask the AdminServers at these addresses, such as http://zk1:8080, about clients and their last heartbeats, instead of sending four-letter words to their servers. The first address with a host stands for the first server of --zk on that host, and so on."`
}

// poller returns a poller that asks the servers about sessions, or nil if there are no servers.
func (f adminServerFlag) poller(servers []string, by access.Dialer) (*sessions.Poller, error) {
	if len(servers) == 0 && len(f.AdminServer) > 0 {
		return nil, errors.New("--admin-server: also name the servers for clients, with --zk")
	}
	if len(servers) == 0 {
		return nil, nil
	}
	p, err := pollerOf(servers, f.AdminServer, by)
	if err != nil {
		return nil, fmt.Errorf("--admin-server: %w", err)
	}
	return p, nil
}

// pollerOf returns a poller for the servers, or for the AdminServers at these URLs.
func pollerOf(servers, urls []string, by access.Dialer) (*sessions.Poller, error) {
	var admin []*url.URL
	for _, text := range urls {
		u, err := inquiry.ParseAdmin(text)
		if err != nil {
			return nil, err
		}
		admin = append(admin, u)
	}
	return sessions.New(sessions.Config{Servers: servers, Access: by, Admin: admin}), nil
}
