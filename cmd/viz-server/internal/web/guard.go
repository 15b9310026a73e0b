package web

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// policy is what a page of ours may do: run our own scripts and WebAssembly, and talk to us. Ebiten sets
// styles through the DOM, which style-src allows without 'unsafe-inline'.
const policy = "default-src 'none'; " +
	"script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; frame-src 'self'; manifest-src 'self'; " +
	"frame-ancestors 'self'; base-uri 'none'; form-action 'self'; object-src 'none'"

// picturePolicy is for an SVG that is opened by itself.
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"

// guard refuses what does not come from our own pages or from a program that means us, and marks every
// answer with what browsers may do with it.
type guard struct {
	hosts []string // names under which the server may be asked for, besides IP addresses
	next  http.Handler
}

// newGuard accepts the names in addr (the address to listen at), localhost and this machine's name. Any IP
// address is accepted too, since a class reaches its teacher's machine by it: a foreign page can make a
// browser come here under its own domain's name only (DNS rebinding), never under a number.
func newGuard(addr string, next http.Handler) guard {
	hosts := []string{"localhost"}
	if host, _, err := net.SplitHostPort(addr); err == nil && host != "" {
		hosts = append(hosts, host)
	}
	if name, err := os.Hostname(); err == nil && name != "" {
		short, _, _ := strings.Cut(name, ".")
		hosts = append(hosts, name, short, short+".local")
	}
	return guard{hosts: hosts, next: next}
}

// ServeHTTP passes a request on, or says what is wrong with it.
func (g guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	switch {
	case !g.isOurs(r.Host):
		http.Error(w, fmt.Sprintf("This server does not answer to the name %q. Use its IP address or localhost.", clip(r.Host)), http.StatusMisdirectedRequest)
	case !sameOrigin(r):
		http.Error(w, "This server answers its own pages only.", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "Only GET and HEAD are allowed.", http.StatusMethodNotAllowed)
	default:
		g.next.ServeHTTP(w, r)
	}
}

// isOurs reports whether the Host header names this server.
func (g guard) isOurs(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if net.ParseIP(name) != nil {
		return true
	}
	name = strings.TrimSuffix(name, ".")
	for _, ours := range g.hosts {
		if strings.EqualFold(name, ours) {
			return true
		}
	}
	return false
}

// sameOrigin reports whether a request comes from our own page, from no page at all, or is a person's who
// follows a link. Browsers say so in two headers, of which older ones know only the first.
func sameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		if r.Header.Get("Sec-Fetch-Mode") != "navigate" {
			return false
		}
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, r.Host)
}
