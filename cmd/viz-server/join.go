package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// joinFlags makes a command join the ensemble of --zk. Before it has joined, and if it can't, it reads as a client.
type joinFlags struct {
	Join []string `name:"observe-ensemble" placeholder:"HOST:PORT" help:"Join the ensemble of --zk as an observer that never votes, through its servers' quorum ports (the first of the two in server.N=host:2888:3888), to see every transaction: each change, who made it, and why a znode goes. With auto, zkviz takes the ports from /zookeeper/config. If it can't join, it reads the znodes instead and says why."`

	joinTLSFlags

	names access.Names // of these flags, for errors; empty for joinFlagNames
}

// joinTLSFlags holds the flags for TLS between the joined ensemble's servers.
type joinTLSFlags struct {
	JoinTLS           bool   `name:"observe-ensemble-tls" help:"Connect to the quorum ports with TLS (sslQuorum). The flags below imply it."`
	JoinTLSCA         string `name:"observe-ensemble-tls-ca" placeholder:"FILE" help:"The authority that signs those servers' certificates, in PEM (default: this system's authorities)."`
	JoinTLSCert       string `name:"observe-ensemble-tls-cert" placeholder:"FILE" help:"The certificate to present to those servers, in PEM."`
	JoinTLSKey        string `name:"observe-ensemble-tls-key" placeholder:"FILE" help:"The private key of --observe-ensemble-tls-cert, in PEM."`
	JoinTLSServerName string `name:"observe-ensemble-tls-server-name" placeholder:"HOST" help:"The name in those servers' certificates, if it isn't the host in --observe-ensemble."`
}

// joinFlagNames makes errors name these flags.
const joinFlagNames access.Names = "--observe-ensemble-"

func (f joinFlags) flagNames() access.Names { return cmp.Or(f.names, joinFlagNames) }

// config returns the TLS configuration for quorum ports, or nil without TLS.
func (f joinFlags) config() (*tls.Config, error) {
	return access.Files{On: f.JoinTLS, CA: f.JoinTLSCA, Cert: f.JoinTLSCert, Key: f.JoinTLSKey,
		ServerName: f.JoinTLSServerName, Names: f.flagNames()}.Config()
}

// membership is the program's place in an ensemble that it joins. The zero value has none to join.
type membership struct {
	feed     *feed.Feed // nil if there is nothing to join
	cancel   context.CancelFunc
	done     chan error // gets the result at the end
	progress *joinProgress
	flag     string // by which it joins, for errors
}

// join starts to join the ensemble, if the flags name one, and reports progress to say. The servers are those of
// --zk, reached through by. learn is feed.Config.Learn. The caller calls leave at the end.
func (f joinFlags) join(
	ctx context.Context, servers []string, by access.Dialer, report joinReport, learn feed.Learn,
) (membership, error) {
	if len(f.Join) == 0 {
		return membership{}, nil
	}
	if len(servers) == 0 {
		return membership{}, errors.New("--observe-ensemble: also name the servers for clients, with --zk")
	}
	secure, err := f.config()
	if err != nil {
		return membership{}, err
	}
	dialer := access.Dialer{TLS: secure, Names: f.flagNames(), Say: by.Say}
	m := membership{flag: strings.TrimSuffix(string(f.flagNames()), "-"), done: make(chan error, 1),
		progress: &joinProgress{report: report, word: dialer.Word}}
	cfg := feed.Config{Servers: f.Join, Dial: dialer.Open, Learn: learn, Report: m.progress.update, Describe: dialer.Word}
	if slices.Equal(f.Join, []string{auto}) {
		by.Chroot = "" // the configuration is above the chroot
		cfg.Servers, cfg.Find = nil, func(ctx context.Context) ([]string, error) {
			return admin.QuorumPorts(ctx, admin.Config{Servers: servers, Access: by})
		}
	}
	m.feed = feed.New(cfg)
	ctx, m.cancel = context.WithCancel(ctx)
	go func() { m.done <- m.feed.Run(ctx) }()
	return m, nil
}

// wait waits until the ensemble is joined, joining has failed, or ctx ends. It reports whether the outcome is known.
// It returns an error if the flags name something that can't be joined.
func (m membership) wait(ctx context.Context) (known bool, err error) {
	if m.feed == nil {
		return true, nil
	}
	known = m.feed.Wait(ctx)
	if !m.feed.Ended() { // it ends at once only if the request is impossible
		return known, nil
	}
	err = <-m.done
	m.done <- err
	return known, fmt.Errorf("%s: %w", m.flag, err)
}

// leave leaves the ensemble and waits for that.
func (m membership) leave() {
	if m.feed != nil {
		m.cancel()
		<-m.done
		m.progress.stop()
	}
}
