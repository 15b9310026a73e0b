package web

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/event/sentence"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// policy is what a page of ours may do: run our own scripts and WebAssembly, and talk to us. Ebiten sets
// styles through the DOM, which style-src allows without 'unsafe-inline'.
const policy = "default-src 'none'; " +
	"script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; frame-src 'self'; manifest-src 'self'; " +
	"frame-ancestors 'self'; base-uri 'none'; form-action 'self'; object-src 'none'"

// picturePolicy is for an SVG that is opened by itself.
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"

// maxForm is the longest body of a form that a page posts, in bytes.
const maxForm = 8 << 10

// guard refuses what does not come from our own pages or from a program that means us, and marks every
// answer with what browsers may do with it.
type guard struct {
	hosts []string // names under which the server may be asked for, besides IP addresses
	named []string // of these, what the operator calls it: a proxy may give another Host than the page's Origin has
	posts []string // paths to which our own pages may post a form; nothing else changes anything
	next  http.Handler
}

// newGuard accepts the names in addr (the address to listen at), localhost and this machine's name. Any IP
// address is accepted too, since a class reaches its teacher's machine by it: a foreign page can make a
// browser come here under its own domain's name only (DNS rebinding), never under a number. Named are other names that
// the operator says are this server's, each NAME or NAME:PORT.
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

// ServeHTTP passes a request on, or says what is wrong with it.
func (g guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, a browser posts our own forms with the Origin null
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	posts := r.Method == http.MethodPost && slices.Contains(g.posts, r.URL.Path)
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

// pass passes a request on, with all of its body. From then on it may take as long as its handler lets it.
func (g guard) pass(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		form, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
		if err != nil {
			refuse(w, http.StatusRequestEntityTooLarge, "guard.long", sentence.Number(maxForm))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(form))
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a recorder in a test has none
	g.next.ServeHTTP(w, r)
}

// refuse answers without waiting for the rest of a body, and ends the connection: after net/http has read and thrown
// away 256 KiB of that, as a browser whose connection ends while it sends doesn't show the answer. It says why in the
// project's language, as nothing has been read of what is asked for.
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

// nameOf is a host without its port.
func nameOf(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// sameOrigin reports whether a request comes from our own page, from no page at all, or is a person's who
// follows a link. Browsers say so in headers, of which older ones know only Origin.
func (g guard) sameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		if !followsLink(r.Header) {
			return false
		}
	}
	return r.Header.Get("Origin") == "" || g.hasOurOrigin(r)
}

// followsLink reports whether a request from a foreign page opens a page of ours in a tab. A foreign page could not
// show ours in a frame, and what it has fetched ahead may never be looked at.
func followsLink(h http.Header) bool {
	dest := h.Get("Sec-Fetch-Dest")
	return h.Get("Sec-Fetch-Mode") == "navigate" && (dest == "" || dest == "document") &&
		!strings.Contains(h.Get("Sec-Purpose"), "prefetch")
}

// fromOurPage reports whether a request proves that it comes from a page of this server: browsers that know both
// headers send both.
func (g guard) fromOurPage(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return g.hasOurOrigin(r) && (site == "" || site == "same-origin")
}

// hasOurOrigin reports whether the Origin header names the host that the request is for, or one that the operator has
// named.
func (g guard) hasOurOrigin(r *http.Request) bool {
	u, err := url.Parse(r.Header.Get("Origin"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return strings.EqualFold(u.Host, r.Host) ||
		slices.ContainsFunc(g.named, func(ours string) bool { return strings.EqualFold(u.Host, ours) })
}
