package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/embed"
)

// serviceFlags say how pages are served to a team.
type serviceFlags struct {
	Config    string   `placeholder:"FILE" help:"A TOML file with flags by their names, like zk-path = \"/zkviz\". Variables beat it, and flags beat both."`
	ReadOnly  bool     `name:"read-only" help:"Run nothing on --zk and on other systems that are named: pages only look at them. So it is anyway if other machines can reach the pages, unless --zk-write allows more."`
	AllowHost []string `name:"allow-host" placeholder:"NAME" help:"A name that DNS or a reverse proxy gives this server, as NAME or NAME:PORT. Requests by names that nobody gave are refused. Separate several by commas."`
}

// open reports whether others than those at this machine can reach the pages at addr.
func (f serviceFlags) open(addr string) bool { return !embed.Loopback(addr) || len(f.AllowHost) > 0 }

// validate refuses what can't be meant.
func (f serviceFlags) validate() error {
	for _, name := range f.AllowHost {
		if err := validateHost(name); err != nil {
			return fmt.Errorf("--allow-host: %w", err)
		}
	}
	return nil
}

// validateHost refuses what no browser sends as the name of a host.
func validateHost(name string) error {
	host, port, given := strings.Cut(name, ":")
	if n, err := strconv.Atoi(port); host == "" || strings.ContainsAny(host, "/*@?# \t") ||
		given && (err != nil || n < 1 || n > 65535) {
		return fmt.Errorf("%q is not a name like viz.example.com or viz.example.com:8443", name)
	}
	return nil
}

// errReadOrWrite refuses two flags that contradict each other.
var errReadOrWrite = errors.New("--read-only and --zk-write contradict each other: leave one out")
