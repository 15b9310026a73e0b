// Package front decides how far to trust a request before a page answers it: whether a trusted proxy has passed it on,
// which client it comes from, and whether that client may come in.
//
// It writes no answers and knows no pages: package web does. It holds the token and never prints or returns it.
package front

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// MinToken is the minimum length of a token in bytes. A token of that length can't be guessed over the network.
const MinToken = 16

// cookieName names the cookie that proves that its browser has given the token.
const cookieName = "zkviz-token"

// Config says which proxies and clients to trust. Its zero value trusts no proxy and admits everybody.
type Config struct {
	// Token admits every client that sends it. It has at least MinToken bytes; empty means no token.
	Token string
	// UserHeader is the header in which a proxy names the user; empty for none. It requires Proxies.
	UserHeader string
	// Proxies are the addresses of the proxies whose headers are trusted.
	Proxies []netip.Prefix
}

// Validate rejects configurations that would admit clients by mistake.
func (c Config) Validate() error {
	switch {
	case c.Token != "" && len(c.Token) < MinToken:
		return fmt.Errorf("a token needs at least %d characters, not %d; openssl rand -hex 16 makes one", MinToken,
			len(c.Token))
	case strings.ContainsFunc(c.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("a token has no spaces, and no characters beyond ASCII; openssl rand -hex 16 makes one")
	case c.UserHeader != "" && len(c.Proxies) == 0:
		return errors.New("anybody can send a header: name the proxies to trust")
	case strings.ContainsFunc(c.UserHeader, func(r rune) bool { return r <= ' ' || r > '~' || r == ':' }):
		return fmt.Errorf("%q is not the name of a header", c.UserHeader)
	}
	return nil
}

// Front checks requests by a valid Config.
type Front struct {
	Config
	proof []byte // the cookie's value, derived from the token
}

// New makes a Front from a valid Config.
func New(c Config) Front {
	f := Front{Config: c}
	if c.Token != "" {
		mac := hmac.New(sha256.New, []byte(c.Token))
		mac.Write([]byte("a browser was given this token"))
		f.proof = mac.Sum(nil)
	}
	return f
}

// Receive removes the headers that only a trusted proxy may set. If the request comes from such a proxy, Receive sets
// its RemoteAddr to the client's address. Call it once, before anything else reads the request.
func (f Front) Receive(r *http.Request) {
	if !f.trusts(addressOf(r.RemoteAddr)) {
		for _, name := range []string{f.UserHeader, "X-Forwarded-For", "X-Forwarded-Proto"} {
			r.Header.Del(name)
		}
		return
	}
	if client, ok := f.client(r.Header.Values("X-Forwarded-For")); ok {
		r.RemoteAddr = net.JoinHostPort(client.String(), "0")
	}
}

// client returns the last address in a chain of proxies that isn't itself a trusted proxy.
func (f Front) client(headers []string) (netip.Addr, bool) {
	chain := strings.Split(strings.Join(headers, ","), ",")
	for _, hop := range slices.Backward(chain) {
		addr, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			return netip.Addr{}, false
		}
		if addr = addr.Unmap().WithZone(""); !f.trusts(addr) {
			return addr, true
		}
	}
	return netip.Addr{}, false
}

func (f Front) trusts(addr netip.Addr) bool {
	return slices.ContainsFunc(f.Proxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// addressOf returns the address in "address:port", or the zero Addr if there is none.
func addressOf(remote string) netip.Addr {
	if at, err := netip.ParseAddrPort(remote); err == nil {
		return at.Addr().Unmap().WithZone("")
	}
	return netip.Addr{}
}

// Asks reports whether clients must identify themselves.
func (f Front) Asks() bool { return f.Token != "" || f.UserHeader != "" }

// TakesToken reports whether clients can come in with a token.
func (f Front) TakesToken() bool { return f.Token != "" }

// Admits reports whether a received request may come in, and returns the user whom a proxy named, if any.
func (f Front) Admits(r *http.Request) (user string, ok bool) {
	if f.UserHeader != "" {
		if user = r.Header.Get(f.UserHeader); user != "" {
			return user, true
		}
	}
	if f.Token == "" {
		return "", !f.Asks()
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && f.Knows(token) {
		return "", true
	}
	for _, c := range r.CookiesNamed(cookieName) {
		shown, err := base64.RawURLEncoding.DecodeString(c.Value)
		if err == nil && hmac.Equal(shown, f.proof) {
			return "", true
		}
	}
	return "", false
}

// Knows reports whether token is the right one. It takes constant time, which reveals nothing about the token.
func (f Front) Knows(token string) bool {
	given, right := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(f.Token))
	return f.Token != "" && hmac.Equal(given[:], right[:])
}

// Secure reports whether a received request came over TLS, to this server or to a trusted proxy.
func Secure(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}

// Address returns the absolute address of a path, by the name that a received request has for this server.
func Address(r *http.Request, path string) *url.URL {
	u := &url.URL{Scheme: "http", Host: r.Host, Path: path}
	if Secure(r) {
		u.Scheme = "https"
	}
	return u
}

// Cookie returns the cookie for a browser that has given the token, for addresses below path. It doesn't contain the
// token, and neither scripts nor other sites' pages can use it.
func (f Front) Cookie(r *http.Request, path string) *http.Cookie {
	return &http.Cookie{
		Name: cookieName, Value: base64.RawURLEncoding.EncodeToString(f.proof), Path: path, HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: Secure(r),
		MaxAge: 30 * 24 * 60 * 60,
	}
}
