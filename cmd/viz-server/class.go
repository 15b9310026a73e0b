package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"rsc.io/qr"
)

// classCmd begins a class at a running server, for a teacher who has a terminal at hand.
type classCmd struct {
	URL       string `name:"url" default:"http://127.0.0.1:8080" placeholder:"URL" help:"The server's address, as learners open it (default: ${default})."`
	At        string `default:"/" placeholder:"PAGE" help:"The page to begin at: the part of its address after the server's, as /lessons/the-herd (default: ${default})."`
	TokenFile string `name:"token-file" placeholder:"FILE" help:"A file with the server's token, if it has one. ZKVIZ_TOKEN may hold it instead."`
}

// classTimeout bounds the wait for the server's answer.
const classTimeout = 10 * time.Second

// Run begins a class, and prints its links and the QR code of the learners'.
func (c *classCmd) Run(term *terminal) error {
	server, err := url.Parse(strings.TrimSuffix(c.URL, "/"))
	if err != nil || server.Scheme != "http" && server.Scheme != "https" || server.Hostname() == "" ||
		server.User != nil || server.RawQuery != "" || server.Fragment != "" {
		return errors.New("--url: an address is like http://10.0.3.7:8080")
	}
	at, err := url.Parse(c.At)
	if err != nil || at.Host != "" || !strings.HasPrefix(at.Path, "/") {
		return fmt.Errorf("--at: %q is no page, like /lessons/the-herd", c.At)
	}
	token, err := tokenIn(c.TokenFile)
	if err != nil {
		return err
	}
	secret, err := c.begin(term.ctx, server, at, token)
	if err != nil {
		return err
	}
	learners := *secret
	learners.Fragment = ""
	return printClass(term, &learners, secret)
}

// begin asks the server for a class, and returns its teacher's link.
func (c *classCmd) begin(ctx context.Context, server, at *url.URL, token string) (*url.URL, error) {
	ctx, cancel := context.WithTimeout(ctx, classTimeout)
	defer cancel()
	form := url.Values{"page": {at.Path}, "query": {at.RawQuery}, "step": {at.Fragment}}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.String()+"/class/begin", strings.NewReader(form))
	if err != nil {
		return nil, fmt.Errorf("--url: %w", err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "text/plain")
	r.Header.Set("Origin", server.Scheme+"://"+server.Host)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultTransport.RoundTrip(r) // follows no redirect
	if err != nil {
		return nil, fmt.Errorf("no server replies at %s: %w; start one with viz-server --addr 0.0.0.0:8080, or give its "+
			"address with --url", c.URL, err)
	}
	defer resp.Body.Close()
	to, err := url.Parse(resp.Header.Get("Location"))
	if resp.StatusCode == http.StatusSeeOther && err == nil && strings.HasPrefix(to.Fragment, "teach=") {
		return server.ResolveReference(to), nil
	}
	why, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		why = []byte("it has no classes")
	}
	return nil, fmt.Errorf("%s begins no class: %s (status %d)", c.URL, strings.TrimSpace(string(why)), resp.StatusCode)
}

func printClass(term *terminal, learners, secret *url.URL) error {
	code, err := qr.Encode(learners.String(), qr.L)
	if err != nil {
		return fmt.Errorf("draw the QR code: %w", err)
	}
	fmt.Fprintf(term.out, "For learners:    %s\nFor you alone:   %s\n\n%s", learners, secret, halfBlocks(code))
	host := learners.Hostname()
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		term.say("Only this machine can open that. Let the server listen with --addr 0.0.0.0:8080, and give --url with " +
			"this machine's own address.")
	}
	return nil
}

// halfBlocks draws a QR code with two modules a character, light on a dark terminal.
func halfBlocks(code *qr.Code) string {
	const quiet = 2
	var b strings.Builder
	for y := -quiet; y < code.Size+quiet; y += 2 {
		for x := -quiet; x < code.Size+quiet; x++ {
			switch top, bottom := !code.Black(x, y), !code.Black(x, y+1); {
			case top && bottom:
				b.WriteString("█")
			case top:
				b.WriteString("▀")
			case bottom:
				b.WriteString("▄")
			default:
				b.WriteString(" ")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
