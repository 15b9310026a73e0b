package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

type serveCmd struct {
	Addr        string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Where to listen (default: ${default}). Port 0 picks a free one."`
	ZKListen    string `name:"zk-listen" placeholder:"HOST:PORT" help:"Run a ZooKeeper inside the server, for your own programs, and listen for them at this address. The Zoo page shows them. With auto, it listens at 127.0.0.1:2181 or the next free port."`
	ZKServers   int    `name:"zk-servers" default:"1" placeholder:"N" help:"How many servers the ZooKeeper inside has (default: ${default}). Two or more form an ensemble: each has a port of its own, and the Zoo page shows the servers and can crash them."`
	RedisListen string `name:"redis-listen" placeholder:"HOST:PORT" help:"Run a simulated Redis inside the server, in real time, for your own programs, and listen for them at this address. The Zoo page shows them. With auto, it listens at 127.0.0.1:6379 or the next free port."`
	joinFlags
	adminServerFlag
	throughFlag
	Past []string `placeholder:"FILE" help:"Transaction logs and snapshots of a ZooKeeper, or the version-2 folders that hold them. The Past page finds and shows any moment of them."`
	recordFlags
	alertFlags
	ZKWrite bool `name:"zk-write" help:"Let pages run recipes on --zk and on the other real systems, even if other machines can reach the pages. Without this flag, such a server only reads from --zk."`
	clusterFlags
	clustersFlag
	natsFlags
	serviceFlags

	unknown []string   // warnings about variables that set nothing
	others  []joinable // the named clusters
}

// serveMemory is the size in bytes from which garbage is collected as often as necessary. What pages and clients make
// the server keep takes less, unless they reach every limit at once. Where the system allows 1 GB, much of it must
// stay free: returned memory stays fragmented, in pieces too small for messages of a megabyte.
const serveMemory = 560 << 20

// limitMemory sets serveMemory, unless the operator has set another bound.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(serveMemory)
	}
}

func (c *serveCmd) Run(term *terminal) error {
	if err := c.validate(); err != nil {
		return err
	}
	cfg, err := c.config()
	if err != nil {
		return err
	}
	limitMemory()
	if !c.exposed(c.Addr) {
		cfg.Typed = typedCluster
	}
	cfg.Log = c.logger(term.log())
	c.warn(cfg.Log)
	if err := c.alertFlags.configure(&cfg, c.MetricsAddr != ""); err != nil {
		return err
	}
	recorded, err := c.recording(&cfg)
	if err != nil {
		return err
	}
	defer recorded()
	unshare, err := c.share(&cfg, cfg.Log)
	if err != nil {
		return err
	}
	defer unshare()
	leave, err := c.joinEnsembles(term.ctx, &cfg)
	if err != nil {
		return err
	}
	defer leave()
	read, err := c.readPast(term, &cfg)
	if err != nil {
		return fmt.Errorf("--past: %w", err)
	}
	defer read()
	inside, err := listenInside(term.ctx, c.ZKListen, c.ZKServers, c.ZK, lineLogger{cfg.Log})
	if err != nil {
		return err
	}
	redis, err := listenRedis(term.ctx, c.RedisListen, c.Redis, lineLogger{cfg.Log})
	if err != nil {
		if inside != nil {
			err = errors.Join(err, inside.Close())
		}
		return err
	}
	var all []io.Closer
	if inside != nil {
		cfg.Zoo, all = inside, append(all, inside)
	}
	if redis != nil {
		cfg.Redis, all = redis, append(all, redis)
	}
	cfg.Listening = func(url string) {
		c.announce(term, cfg.Log, "", url)
		if inside != nil {
			c.announce(term, cfg.Log, "ZooKeeper for programs of your own", inside.ConnectString())
		}
		if redis != nil {
			c.announce(term, cfg.Log, "Redis for programs of your own", redis.Place())
		}
	}
	err = web.Serve(term.ctx, cfg)
	for _, c := range all {
		err = errors.Join(err, c.Close())
	}
	return err
}

// readPast starts to read the named servers' files, if any. The caller calls end.
func (c *serveCmd) readPast(term *terminal, cfg *web.Config) (end func(), err error) {
	if len(c.Past) == 0 {
		return func() {}, nil
	}
	files, err := findPast(c.Past)
	if err != nil {
		return nil, err
	}
	cfg.Past, end, err = startIndex(term, files)
	return end, err
}

// announce says where something listens: on stdout for a person, or in the log if that is JSON for a program.
func (c *serveCmd) announce(term *terminal, log *slog.Logger, what, at string) {
	switch {
	case c.LogFormat == "json":
		log.Info("listening", "at", at, "what", cmp.Or(what, "pages"))
	case what == "":
		fmt.Fprintln(term.out, at)
	default:
		fmt.Fprintf(term.out, "%s: %s\n", what, at)
	}
}

// validate refuses unusable flags and parses the clusters.
func (c *serveCmd) validate() error {
	if c.ReadOnly && c.ZKWrite {
		return errReadOrWrite
	}
	if err := c.serviceFlags.validate(); err != nil {
		return err
	}
	return c.clusterFlags.validate()
}

// config returns the pages' configuration from valid flags.
func (c *serveCmd) config() (web.Config, error) {
	front, err := c.frontConfig()
	if err != nil {
		return web.Config{}, err
	}
	if c.others, err = c.named(); err != nil {
		return web.Config{}, err
	}
	var named []web.Named
	for _, n := range c.others {
		named = append(named, n.Named)
	}
	tap, err := c.remote()
	if err != nil {
		return web.Config{}, err
	}
	if tap != nil && len(c.ZK) == 0 {
		return web.Config{}, errors.New("--tap: also name the servers, with --zk")
	}
	p, err := c.pollers(c.ZK, c.access)
	return web.Config{
		Addr: c.Addr, Hosts: c.AllowHost, Base: c.BasePath, Embed: c.EmbedOrigin, Front: front,
		OperatorAddr: c.MetricsAddr,
		StopWithin:   c.StopWithin, Version: buildInfo().Main.Version,
		ZK: c.ZK, Access: c.access, ZKPath: c.ZKPath, ZKPathExists: c.ZKPathExists, ReadOnly: c.readOnly(),
		Elsewhere: c.systems, Named: named, Sessions: p.sessions, Ensemble: p.ensemble, Through: tap,
	}, err
}

// readOnly reports whether pages may only read --zk and run nothing on other systems.
func (c *serveCmd) readOnly() bool {
	return c.cluster().Given() && (c.ReadOnly || c.exposed(c.Addr) && !c.ZKWrite)
}

// warning explains what others can do if they can reach the server without credentials.
func (c *serveCmd) warning() string {
	if !c.exposed(c.Addr) || c.authenticates() {
		return ""
	}
	what := "see its pages and start simulated runs; without --token-file or --auth-header it doesn't authenticate anyone"
	switch servers, all := strings.Join(c.ZK, ","), strings.Join(c.cluster().All(), ","); {
	case c.readOnly() && len(c.ZK) == 0:
		what += ". Pages run nothing on " + all + c.unless()
	case c.readOnly():
		what += ". They can read every znode of " + servers + " that no ACL protects. Pages run nothing there" + c.unless()
	case len(c.ZK) > 0:
		what += ". They can read every znode of " + servers + " that no ACL protects, and run recipes there below " + c.ZKPath
	case all != "":
		what += ", and run recipes on " + all
	}
	if c.Clusters != "" {
		what += ". They can read every znode of the clusters in " + c.Clusters + " that no ACL protects"
	}
	at := c.Addr
	if embed.Loopback(at) {
		at = "this server through a proxy"
	}
	return "other machines can reach " + at + " and " + what
}

// warn logs all warnings about the flags.
func (c *serveCmd) warn(log *slog.Logger) {
	for _, warning := range append(c.unknown, c.warning()) {
		if warning != "" {
			log.Warn(warning)
		}
	}
}

// unless names the flag that decides about writing.
func (c *serveCmd) unless() string {
	if c.ReadOnly {
		return " because of --read-only"
	}
	return " unless --zk-write allows it"
}
