package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// healthCmd asks a server about its health, for supervisors that can only start a program.
type healthCmd struct {
	Addr string `default:"127.0.0.1:8080" env:"ZKVIZ_ADDR" placeholder:"HOST:PORT" help:"The server's address, as given to serve (default: ${default})."`
}

// healthTimeout bounds the wait for the server's answer.
const healthTimeout = 5 * time.Second

// Run prints the server's answer and fails if the server isn't ready.
func (c *healthCmd) Run(term *terminal) error {
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return fmt.Errorf("--addr: %q is not HOST:PORT, like 127.0.0.1:8080", c.Addr)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	ctx, cancel := context.WithTimeout(term.ctx, healthTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("no server replies at %s: %w", c.Addr, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return fmt.Errorf("read the reply of %s: %w", c.Addr, err)
	}
	fmt.Fprintln(term.out, strings.TrimSpace(string(body)))
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server at %s isn't ready", c.Addr)
	}
	return nil
}
