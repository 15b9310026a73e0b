package web

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/event/sentence"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// policy allows our pages to run our own scripts and WebAssembly, and to talk to this server. Ebiten sets styles
// through the DOM, which style-src allows without 'unsafe-inline'.
const policy = "default-src 'none'; " +
	"script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; frame-src 'self'; manifest-src 'self'; " +
	ancestors + "; base-uri 'none'; form-action 'self'; object-src 'none'"

// ancestors is the part of the policy that says whose pages may show ours in a frame: only our own.
const ancestors = "frame-ancestors 'self'"

// maxForm is the maximum size of a posted form in bytes.
const maxForm = 8 << 10

// guard rejects requests that come neither from our own pages nor from a program that names this server, and sets the
// security headers of every answer.
type guard struct {
	hosts []string // accepted names in Host, besides IP addresses
	named []string // those from the operator, accepted as Origin even if a proxy sends another Host
	posts []string // patterns of paths that accept forms from our own pages; no other request changes anything
	embed embedding
	next  http.Handler
}

// newGuard accepts the host in addr (the address to listen on), localhost, this machine's name, and the operator's
// names in named, each NAME or NAME:PORT. It also accepts any IP address, because a class reaches its teacher's machine
// by it. DNS rebinding works only with a domain's name, never with a number.
func newGuard(addr string, named []string, next http.Handler, posts ...string) guard {
	hosts := []string{"localhost"}
	for _, name := range named {
		hosts = append(hosts, nameOf(name))
	}
	if host, _, err := net.SplitHostPort(addr); err == nil && host != "" {
		hosts = append(hosts, host)
	}
	if name, err := os.Hostname(); err == nil && name != "" {
		short, _, _ := strings.Cut(name, ".")
		hosts = append(hosts, name, short, short+".local")
	}
	return guard{hosts: hosts, named: named, posts: posts, next: next}
}

// ServeHTTP passes a request on, or answers with the reason for rejecting it.
func (g guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", g.embed.policy(r))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, browsers post our forms with Origin: null
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	posts := r.Method == http.MethodPost && g.takesForm(r.URL.Path)
	switch {
	case !g.isOurs(r.Host):
		refuse(w, http.StatusMisdirectedRequest, "guard.host", sentence.Quote(r.Host))
	case !g.sameOrigin(r):
		refuse(w, http.StatusForbidden, "guard.origin")
	case posts && !g.fromOurPage(r):
		refuse(w, http.StatusForbidden, "guard.form")
	case !reads && !posts:
		h.Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "guard.method")
	case reads && r.ContentLength != 0:
		refuse(w, http.StatusBadRequest, "guard.body")
	default:
		g.pass(w, r)
	}
}

// takesForm reports whether a path accepts forms.
func (g guard) takesForm(at string) bool {
	return slices.ContainsFunc(g.posts, func(pattern string) bool {
		ok, _ := path.Match(pattern, at) // a pattern that is none accepts nothing
		return ok
	})
}

// pass passes a request on with its whole body. From then on the handler decides how long it takes.
func (g guard) pass(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		form, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
		if err != nil {
			refuse(w, http.StatusRequestEntityTooLarge, "guard.long", sentence.Number(maxForm))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(form))
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // fails only for a recorder in a test
	g.next.ServeHTTP(w, r)
}

// refuse answers without waiting for the rest of the body, and ends the connection. net/http first reads and drops up
// to 256 KiB of it, because a browser whose connection ends while it sends doesn't show the answer. The reason is in
// the project's language, because the requested language isn't known yet.
func refuse(w http.ResponseWriter, status int, key string, args ...sentence.Arg) {
	w.Header().Set("Connection", "close")
	http.Error(w, page.Frame{Words: uistrings.English()}.Sentence(sentence.Of(key, args...)), status)
}

// isOurs reports whether the Host header names this server.
func (g guard) isOurs(host string) bool {
	name := nameOf(host)
	if net.ParseIP(name) != nil {
		return true
	}
	name = strings.TrimSuffix(name, ".")
	return slices.ContainsFunc(g.hosts, func(ours string) bool { return strings.EqualFold(name, ours) })
}

// nameOf returns a host without its port.
func nameOf(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// sameOrigin reports whether a request comes from our own page, from no page, or from a person who follows a link.
// Browsers say so in headers, of which older browsers send only Origin.
func (g guard) sameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		if !followsLink(r.Header) && !g.embed.opensFrame(r) {
			return false
		}
	}
	return r.Header.Get("Origin") == "" || g.hasOurOrigin(r)
}

// followsLink reports whether a foreign page's request opens our page in a tab. A prefetched page may never be seen.
func followsLink(h http.Header) bool {
	dest := h.Get("Sec-Fetch-Dest")
	return h.Get("Sec-Fetch-Mode") == "navigate" && (dest == "" || dest == "document") &&
		!strings.Contains(h.Get("Sec-Purpose"), "prefetch")
}

// fromOurPage reports whether a request proves that it comes from our page. Browsers that know both headers send both.
func (g guard) fromOurPage(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return g.hasOurOrigin(r) && (site == "" || site == "same-origin")
}

// hasOurOrigin reports whether the Origin header names the request's host or one of the operator's names.
func (g guard) hasOurOrigin(r *http.Request) bool {
	u, err := url.Parse(r.Header.Get("Origin"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return isNamed(u.Host, r, g.named)
}

// isNamed reports whether a host, with its port, is the one that a request names, or one of the operator's names.
func isNamed(host string, r *http.Request, named []string) bool {
	return strings.EqualFold(host, r.Host) ||
		slices.ContainsFunc(named, func(ours string) bool { return strings.EqualFold(host, ours) })
}
