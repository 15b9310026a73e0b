// Package front decides what is believed of a request before a page answers it: whether a proxy that the operator
// trusts has passed it on, and for whom, and whether the one who asks may come in.
//
// It writes no answer and knows no page: package web does. It holds the token, which it neither prints nor returns.
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
	"slices"
	"strings"
)

// MinToken is the length of the shortest token, in bytes: nobody guesses one over the network.
const MinToken = 16

// cookieName is that of the cookie which shows that its browser has given the token.
const cookieName = "zkviz-token"

// Config says who is believed. Its zero value trusts no proxy and lets everybody in.
type Config struct {
	// Token lets anybody in who knows it; empty for none. It has MinToken bytes at least.
	Token string
	// UserHeader is what a proxy names a user in, whom that lets in; empty for none. It needs Proxies.
	UserHeader string
	// Proxies are the addresses of those whose headers are believed.
	Proxies []netip.Prefix
}

// Validate refuses what would let in others than meant.
func (c Config) Validate() error {
	switch {
	case c.Token != "" && len(c.Token) < MinToken:
		return fmt.Errorf("a token has %d characters at least, not %d; openssl rand -hex 16 makes one", MinToken,
			len(c.Token))
	case strings.ContainsFunc(c.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("a token has no spaces, and no characters beyond ASCII; openssl rand -hex 16 makes one")
	case c.UserHeader != "" && len(c.Proxies) == 0:
		return errors.New("anybody can send a header: say whose is believed")
	case strings.ContainsFunc(c.UserHeader, func(r rune) bool { return r <= ' ' || r > '~' || r == ':' }):
		return fmt.Errorf("%q is not the name of a header", c.UserHeader)
	}
	return nil
}

// Front is what stands before the pages, by a valid Config.
type Front struct {
	Config
	proof []byte // what a browser keeps of the token
}

// New makes a Front.
func New(c Config) Front {
	f := Front{Config: c}
	if c.Token != "" {
		mac := hmac.New(sha256.New, []byte(c.Token))
		mac.Write([]byte("a browser was given this token"))
		f.proof = mac.Sum(nil)
	}
	return f
}

// Receive takes from a request what nobody may say who isn't a trusted proxy, and has it come from whom such a proxy
// passes it on for. Call it once, before anything else reads the request.
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

// client is the last address of a chain of proxies that isn't one of those that are trusted.
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

// addressOf is the address in "address:port"; none if there is none.
func addressOf(remote string) netip.Addr {
	if at, err := netip.ParseAddrPort(remote); err == nil {
		return at.Addr().Unmap().WithZone("")
	}
	return netip.Addr{}
}

// Asks reports whether anything is asked of those who come.
func (f Front) Asks() bool { return f.Token != "" || f.UserHeader != "" }

// TakesToken reports whether a token lets one in.
func (f Front) TakesToken() bool { return f.Token != "" }

// Admits reports whether a request that was received may come in, and as which user if a proxy named one.
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

// Knows reports whether that is the token, in a time that tells nothing of it.
func (f Front) Knows(token string) bool {
	given, right := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(f.Token))
	return f.Token != "" && hmac.Equal(given[:], right[:])
}

// Cookie is what a browser that has given the token is to keep, for addresses below a path. It isn't the token, and no
// script and no page of another site can use it.
func (f Front) Cookie(r *http.Request, path string) *http.Cookie {
	return &http.Cookie{
		Name: cookieName, Value: base64.RawURLEncoding.EncodeToString(f.proof), Path: path, HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
		MaxAge: 30 * 24 * 60 * 60,
	}
}
