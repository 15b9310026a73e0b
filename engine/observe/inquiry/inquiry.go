// Package inquiry reaches a ZooKeeper's servers for what they say about themselves: by four-letter words, or by the
// AdminServers that the operator named. It has no session, and changes nothing but a server's counts of connections.
//
// engine/observe/sessions and engine/observe/ensemble ask through it, and judge the answers.
package inquiry

import (
	"crypto/tls"
	"net"
	"net/url"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// MaxAnswer limits the bytes of one answer.
const MaxAnswer = 16 << 20

// Whitelist is the setting that lets a server answer everything that zkviz asks by four-letter words.
const Whitelist = "4lw.commands.whitelist=srvr,mntr,cons,dump,wchs,wchp"

// Server is a server to ask.
type Server struct {
	Addr  string       // host:port
	Admin *AdminServer // asked instead of four-letter words; nil if there is none
}

// Servers returns the servers at these addresses, at which clients connect. The first of the AdminServers, from
// ParseAdmin, of a host answers for the first server of that host, and so on. One without a server is added.
func Servers(addrs []string, by access.Dialer, admin []*url.URL) (all []Server) {
	left := append([]*url.URL(nil), admin...)
	for _, addr := range addrs {
		s := Server{Addr: addr}
		host, _, _ := net.SplitHostPort(addr) // it is valid for dialling
		for i, u := range left {
			if u != nil && u.Hostname() == host {
				s.Admin, left[i] = NewAdminServer(u, secure(by, host)), nil
				break
			}
		}
		all = append(all, s)
	}
	for _, u := range left {
		if u != nil {
			all = append(all, Server{u.Host, NewAdminServer(u, secure(by, u.Hostname()))})
		}
	}
	return all
}

// secure returns the TLS configuration for a host, or nil for the default.
func secure(by access.Dialer, host string) *tls.Config {
	if by.TLS == nil {
		return nil
	}
	cfg := by.TLS.Clone()
	if cfg.ServerName == "" {
		cfg.ServerName = host
	}
	return cfg
}

// Refused is the key of the sentence about a refused word.
const Refused = "sessions.refused"

// Refusal says that a server's whitelist lacks a word, and how to allow it.
func Refusal(addr, word string) sentence.Sentence {
	return sentence.Of(Refused, sentence.Text(addr), sentence.Text(word), sentence.Text(Whitelist))
}
