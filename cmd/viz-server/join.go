package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/access"
	"github.com/zkviz/zkviz/engine/admin"
	"github.com/zkviz/zkviz/engine/feed"
)

// joinTLSFlags say how the servers of the ensemble that is joined speak to each other.
type joinTLSFlags struct {
	JoinTLS           bool   `name:"observe-ensemble-tls" help:"Speak TLS with the servers that are joined (sslQuorum). The flags below imply it."`
	JoinTLSCA         string `name:"observe-ensemble-tls-ca" placeholder:"FILE" help:"Who signs their certificates, in PEM. Without it they are this system's authorities."`
	JoinTLSCert       string `name:"observe-ensemble-tls-cert" placeholder:"FILE" help:"The certificate to show them, in PEM."`
	JoinTLSKey        string `name:"observe-ensemble-tls-key" placeholder:"FILE" help:"The private key of --observe-ensemble-tls-cert, in PEM."`
	JoinTLSServerName string `name:"observe-ensemble-tls-server-name" placeholder:"HOST" help:"What their certificates are for, where that isn't the host that is joined."`
}

// ofJoining makes an error name these flags.
const ofJoining access.Names = "--observe-ensemble-"

// config is that of connections to quorum ports, nil if they are not over TLS.
func (f joinTLSFlags) config() (*tls.Config, error) {
	return access.Files{On: f.JoinTLS, CA: f.JoinTLSCA, Cert: f.JoinTLSCert, Key: f.JoinTLSKey,
		ServerName: f.JoinTLSServerName, Names: ofJoining}.Config()
}

// joinWithin is for how long the server waits until it has joined the ensemble, before it answers.
const joinWithin = 5 * time.Second

// join joins the ensemble that is to be observed, and says how that goes; nil if there is none. The caller calls parted
// in the end.
func (c *serveCmd) join(ctx context.Context, log *slog.Logger) (f *feed.Feed, parted func(), err error) {
	if len(c.Join) == 0 {
		return nil, func() {}, nil
	}
	if len(c.ZK) == 0 {
		return nil, nil, errors.New("--observe-ensemble: name the servers for clients, too, with --zk")
	}
	secure, err := c.joinTLSFlags.config()
	if err != nil {
		return nil, nil, err
	}
	reach := access.Dialer{TLS: secure, Names: ofJoining, Say: c.access.Say}
	cfg := feed.Config{Servers: c.Join, Dial: reach.Open, Tell: func(why error) {
		if why == nil {
			log.Info("joined the ensemble as an observer")
			return
		}
		log.Warn("not joined the ensemble: pages that are opened until it is read with a session", "why", reach.Word(why))
	}}
	if slices.Equal(c.Join, []string{auto}) {
		cfg.Servers, cfg.Find = nil, func(ctx context.Context) ([]string, error) {
			reach := c.access
			reach.Chroot = "" // what is to be read is above it
			return admin.QuorumPorts(ctx, admin.Config{Servers: c.ZK, Access: reach})
		}
	}
	f = feed.New(cfg)
	ctx, leave := context.WithCancel(ctx)
	left := make(chan error, 1)
	go func() { left <- f.Run(ctx) }()
	within, cancel := context.WithTimeout(ctx, joinWithin)
	defer cancel()
	f.Wait(within)
	select {
	case err := <-left: // it ends at once only if it is asked for what cannot be
		leave()
		return nil, nil, fmt.Errorf("--observe-ensemble: %w", err)
	default:
	}
	return f, func() { leave(); <-left }, nil
}
