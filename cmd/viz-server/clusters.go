package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/connstring"
)

// clustersFlag names a file with more ZooKeepers.
type clustersFlag struct {
	Clusters string `name:"clusters" placeholder:"FILE" help:"A TOML file with more ZooKeepers. The Live page offers them by name, and only reads from them. Each has a [[cluster]] with name and zk, and may have auth-file, tls, tls-ca, tls-cert, tls-key, tls-server-name, admin-server (a list), observe-ensemble (a list) and observe-ensemble-tls, -tls-ca, -tls-cert, -tls-key and -tls-server-name, which mean the same as the flags."`
}

// namedCluster is one [[cluster]] entry of the file.
type namedCluster struct {
	Name       string `toml:"name"`
	ZK         string `toml:"zk"`
	AuthFile   string `toml:"auth-file"`
	TLS        bool   `toml:"tls"`
	CA         string `toml:"tls-ca"`
	Cert       string `toml:"tls-cert"`
	Key        string `toml:"tls-key"`
	ServerName string `toml:"tls-server-name"`

	AdminServer []string `toml:"admin-server"`

	Join           []string `toml:"observe-ensemble"`
	JoinTLS        bool     `toml:"observe-ensemble-tls"`
	JoinCA         string   `toml:"observe-ensemble-tls-ca"`
	JoinCert       string   `toml:"observe-ensemble-tls-cert"`
	JoinKey        string   `toml:"observe-ensemble-tls-key"`
	JoinServerName string   `toml:"observe-ensemble-tls-server-name"`
}

// joinable is a named cluster with the settings by which to join it.
type joinable struct {
	web.Named
	join joinFlags
}

// fileKeyNames makes errors name a key of the file instead of a flag.
const fileKeyNames access.Names = "the key "

// maxNamed is the maximum number of clusters in a file.
const maxNamed = 100

// maxClusterName is the maximum number of characters in a cluster's name.
const maxClusterName = 64

// clusterName doesn't limit the length: {0,63} would take 2.5 MB in every process, even without clusters.
var clusterName = regexp.MustCompile(`^[\pL\pN][\pL\pN ._-]*$`)

// named reads the file. Its errors contain none of the file's values, since those may be secrets.
func (f clustersFlag) named() ([]joinable, error) {
	if f.Clusters == "" {
		return nil, nil
	}
	var file struct {
		Cluster []namedCluster `toml:"cluster"`
	}
	meta, err := readTOML(f.Clusters, &file, `name = "production"`)
	if err != nil {
		return nil, fmt.Errorf("--clusters: %w", err)
	}
	if more := meta.Undecoded(); len(more) > 0 {
		return nil, fmt.Errorf("--clusters: %s: unknown key %s; viz-server serve --help lists the keys", f.Clusters,
			more[0])
	}
	if n := len(file.Cluster); n == 0 || n > maxNamed {
		return nil, fmt.Errorf("--clusters: %s has %d clusters; write 1 to %d, each below a line [[cluster]]", f.Clusters, n,
			maxNamed)
	}
	var all []joinable
	seen := map[string]bool{}
	for i, c := range file.Cluster {
		n, err := c.named()
		if err == nil && seen[c.Name] {
			err = errors.New("another cluster has the same name")
		}
		if err != nil {
			return nil, fmt.Errorf("--clusters: %s, cluster %d: %w", f.Clusters, i+1, err)
		}
		seen[c.Name] = true
		all = append(all, n)
	}
	return all, nil
}

// typedCluster returns the cluster of a connection string that a reader typed, with identities as in a file.
func typedCluster(servers, auth string) (n web.Named, err error) {
	a, err := connstring.Parse(servers)
	if err != nil {
		return n, err
	}
	by := access.Dialer{Chroot: a.Chroot, Say: voice().Error}
	if by.Auth, err = access.ReadIdentities(strings.NewReader(auth)); err != nil {
		return n, err
	}
	return zooKeeper(strings.Join(a.Servers, ",")+a.Chroot, a.Servers, nil, by)
}

// zooKeeper returns a ZooKeeper that is asked about itself at its servers, or at AdminServers with these URLs.
func zooKeeper(name string, servers, urls []string, by access.Dialer) (web.Named, error) {
	p, err := pollersOf(servers, urls, by)
	return web.Named{Name: name, On: cluster.Cluster{Servers: servers, Access: by, Sessions: p.sessions,
		Ensemble: p.ensemble}}, err
}

// named converts the entry to what the web pages use.
func (c namedCluster) named() (n joinable, err error) {
	if !clusterName.MatchString(c.Name) || utf8.RuneCountInString(c.Name) > maxClusterName {
		return n, errors.New("its name must have 1 to 64 letters, digits, spaces, dots, dashes and underscores")
	}
	a, err := connstring.Parse(c.ZK)
	if err != nil {
		return n, fmt.Errorf("zk: %w", err)
	}
	by := access.Dialer{Chroot: a.Chroot, Names: fileKeyNames, Say: voice().Error}
	if by.Auth, err = identities("auth-file", c.AuthFile, ""); err != nil {
		return n, err
	}
	by.TLS, err = access.Files{On: c.TLS, CA: c.CA, Cert: c.Cert, Key: c.Key, ServerName: c.ServerName,
		Names: fileKeyNames}.Config()
	if err != nil {
		return n, err
	}
	if n.Named, err = zooKeeper(c.Name, a.Servers, c.AdminServer, by); err != nil {
		return n, fmt.Errorf("admin-server: %w", err)
	}
	n.join = joinFlags{Join: c.Join, names: fileKeyNames + "observe-ensemble-",
		joinTLSFlags: joinTLSFlags{c.JoinTLS, c.JoinCA, c.JoinCert, c.JoinKey, c.JoinServerName}}
	_, err = n.join.config()
	return n, err
}
