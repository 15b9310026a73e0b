package shared

import (
	"errors"
	"net/url"
	"slices"
	"strings"
)

// schemes lists those that the client of NATS knows.
var schemes = []string{"nats", "tls", "ws", "wss"}

// hosts returns the hosts that Config.URL names, without passwords.
func hosts(urls string) (all []string, err error) {
	for one := range strings.SplitSeq(urls, ",") {
		one = strings.TrimSpace(one)
		if !strings.Contains(one, "://") {
			one = "nats://" + one
		}
		u, err := url.Parse(one)
		if err != nil || u.Hostname() == "" || !slices.Contains(schemes, u.Scheme) {
			return nil, errors.New("an address like nats://host:4222 is wanted, or several with commas") // without what's in it
		}
		all = append(all, u.Host)
	}
	return all, nil
}

// checkURL returns an error unless the URL names hosts, or is empty.
func checkURL(urls string) error {
	if urls == "" {
		return nil
	}
	_, err := hosts(urls)
	return err
}

// Hosts returns the hosts that the configuration names, with commas, and without passwords; "" if there are none.
func (c Config) Hosts() string {
	if c.URL == "" {
		return ""
	}
	all, _ := hosts(c.URL) // what isn't an address isn't shown: it may hold a password
	return strings.Join(all, ", ")
}

// redacted says which NATS that is, without passwords.
func redacted(cfg Config) string {
	switch at := cfg.Hosts(); {
	case cfg.URL == "":
		return "the NATS inside"
	case at != "":
		return "NATS at " + at
	}
	return "NATS"
}
