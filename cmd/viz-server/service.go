package main

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/front"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// serviceFlags sets how pages are served to a team.
type serviceFlags struct {
	Config    string   `placeholder:"FILE" help:"A TOML file with flags by name, like zk-path = \"/zkviz\". Environment variables override it, and flags override both."`
	ReadOnly  bool     `name:"read-only" help:"Run nothing on --zk and the other real systems: pages only look at them. This is the default if other machines can reach the pages; --zk-write changes it."`
	AllowHost []string `name:"allow-host" placeholder:"NAME" help:"A name that DNS or a reverse proxy gives this server, as NAME or NAME:PORT. The server refuses requests for any other name. Separate several by commas."`
	BasePath  string   `name:"base-path" placeholder:"PATH" help:"The path below which a reverse proxy offers the pages, like /zkviz. The proxy must pass it on."`

	EmbedOrigin []string `name:"embed-origin" placeholder:"ORIGIN" help:"A site whose pages may show lessons and runs of the Lab in frames, like https://course.example.com, or * for all (default: none). Separate several by commas."`

	TokenFile  string   `name:"token-file" placeholder:"FILE" help:"A file with a token that opens the pages. ZKVIZ_TOKEN may hold the token instead. Send it as Authorization: Bearer TOKEN, or once as ?token=TOKEN; a browser asks for it."`
	AuthHeader string   `name:"auth-header" placeholder:"NAME" help:"The header in which a proxy of --trust-proxy names the user, like X-Forwarded-User. The server refuses requests without it, unless they have the token."`
	TrustProxy []string `name:"trust-proxy" placeholder:"CIDR" help:"The addresses of the proxies whose X-Forwarded-For, X-Forwarded-Proto and --auth-header the server trusts, like 127.0.0.1 or 10.0.0.0/8. Separate several by commas."`

	MetricsAddr string        `name:"metrics-addr" placeholder:"HOST:PORT" help:"Where to serve /metrics for Prometheus, along with /healthz and /readyz, without authentication (default: no metrics)."`
	StopWithin  time.Duration `name:"stop-within" default:"20s" placeholder:"D" help:"How long the server may take to stop, while it tells pages and lets runs on a cluster clean up (default: ${default})."`

	loggingFlags
}

// exposed reports whether other machines can reach the pages at addr.
func (f serviceFlags) exposed(addr string) bool { return !embed.Loopback(addr) || f.proxied() }

// proxied reports whether the flags suggest a proxy that lets others in.
func (f serviceFlags) proxied() bool {
	return len(f.AllowHost) > 0 || len(f.TrustProxy) > 0 || f.BasePath != ""
}

// validate refuses unusable values.
func (f serviceFlags) validate() error {
	for _, name := range f.AllowHost {
		if err := validateHost(name); err != nil {
			return fmt.Errorf("--allow-host: %w", err)
		}
	}
	if err := validateBase(f.BasePath); err != nil {
		return fmt.Errorf("--base-path: %w", err)
	}
	for _, origin := range f.EmbedOrigin {
		if err := validateOrigin(origin); err != nil {
			return fmt.Errorf("--embed-origin: %w", err)
		}
	}
	if f.StopWithin <= 0 {
		return fmt.Errorf("--stop-within: %v is too short; write a time like 20s", f.StopWithin)
	}
	return nil
}

// validateHost refuses names that no browser sends as a host.
func validateHost(name string) error {
	host, port, given := strings.Cut(name, ":")
	if n, err := strconv.Atoi(port); host == "" || strings.ContainsAny(host, "/*@?# \t") ||
		given && (err != nil || n < 1 || n > 65535) {
		return fmt.Errorf("%q is not a name like viz.example.com or viz.example.com:8443", name)
	}
	return nil
}

// validateOrigin refuses what no browser calls a page's origin, or knows in a policy, like an IPv6 address.
func validateOrigin(origin string) error {
	u, err := url.Parse(origin)
	odd := strings.Trim(origin, "abcdefghijklmnopqrstuvwxyz0123456789-.:/")
	if origin == "*" || err == nil && odd == "" && u.Hostname() != "" && origin == u.Scheme+"://"+u.Host &&
		(u.Scheme == "https" && u.Port() != "443" || u.Scheme == "http" && u.Port() != "80") {
		return nil
	}
	return fmt.Errorf("%q is not an origin like https://course.example.com or http://localhost:8000", origin)
}

// validateBase refuses paths that can't start an address unescaped.
func validateBase(base string) error {
	if base == "" {
		return nil
	}
	names := strings.Split(base, "/")
	for i, name := range names {
		odd := strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
		if (i == 0) != (name == "") || odd != "" || name == "." || name == ".." {
			return fmt.Errorf("%q is not a path like /zkviz or /team/zkviz, of letters, digits and -._~", base)
		}
	}
	return nil
}

// frontConfig returns the configuration for proxies and access.
func (f serviceFlags) frontConfig() (front.Config, error) {
	c := front.Config{UserHeader: f.AuthHeader}
	for _, text := range f.TrustProxy {
		p, err := netip.ParsePrefix(text)
		if addr, addrErr := netip.ParseAddr(text); addrErr == nil && addr.Zone() == "" {
			p, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil {
			return c, fmt.Errorf("--trust-proxy: %q is not an address or CIDR like 127.0.0.1 or 10.0.0.0/8", text)
		}
		c.Proxies = append(c.Proxies, p)
	}
	if f.AuthHeader != "" && len(c.Proxies) == 0 {
		return c, errors.New("--auth-header: anybody can send a header; name the proxies to trust with --trust-proxy")
	}
	var err error
	if c.Token, err = f.token(); err != nil {
		return c, err
	}
	return c, c.Validate()
}

// authenticates reports whether visitors must identify themselves.
func (f serviceFlags) authenticates() bool {
	return f.AuthHeader != "" || f.TokenFile != "" || os.Getenv(tokenVariable) != ""
}

// tokenVariable is the environment variable that may hold the token.
const tokenVariable = "ZKVIZ_TOKEN"

// maxToken is the maximum length of a token in bytes.
const maxToken = 4 << 10

// token returns the token that pages ask for, empty for none.
func (f serviceFlags) token() (string, error) { return tokenIn(f.TokenFile) }

// tokenIn returns the token in a file, or in the environment if there is no file.
func tokenIn(file string) (string, error) {
	if file == "" {
		return os.Getenv(tokenVariable), nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" || len(token) > maxToken {
		return "", fmt.Errorf("--token-file: %s must hold only a token, of at most %d characters", file, maxToken)
	}
	return token, nil
}

// errReadOrWrite refuses contradictory flags.
var errReadOrWrite = errors.New("--read-only and --zk-write contradict each other: leave one out")
