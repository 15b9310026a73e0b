package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestGuard(t *testing.T) {
	g := newGuard("teacher.school:8080", nil, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	for _, c := range []struct {
		host, origin, method string
		want                 int
	}{
		{"127.0.0.1:8080", "", "GET", 200},
		{"localhost:8080", "http://localhost:8080", "GET", 200},
		{"LOCALHOST:8080", "", "HEAD", 200},
		{"localhost.", "", "GET", 200},
		{"[::1]:8080", "http://[::1]:8080", "GET", 200},
		{"192.168.1.20:8080", "http://192.168.1.20:8080", "GET", 200},
		{"teacher.school:8080", "https://teacher.school:8080", "GET", 200},

		{"evil.example", "", "GET", 421},
		{"evil.example:8080", "http://evil.example:8080", "GET", 421}, // its name resolves to this server: DNS rebinding
		{"localhost.evil.example", "", "GET", 421},
		{"127.0.0.1.evil.example", "", "GET", 421},
		{"", "", "GET", 421},
		{"[::1", "", "GET", 200},
		{"127.0.0.1:8080", "http://evil.example", "GET", 403},
		{"127.0.0.1:8080", "http://127.0.0.1:9090", "GET", 403}, // another program on this machine
		{"127.0.0.1:8080", "null", "GET", 403},                  // a sandboxed frame or a file
		{"127.0.0.1:8080", "file://127.0.0.1:8080", "GET", 403},
		{"127.0.0.1:8080", "http://127.0.0.1:8080@evil.example", "GET", 403},
		{"127.0.0.1:8080", "", "POST", 405},
		{"127.0.0.1:8080", "", "DELETE", 405},
	} {
		w := asked(g, c.method, "/", c.host, c.origin)
		if w.Code != c.want {
			t.Errorf("%s to %q from %q: %d, want %d", c.method, c.host, c.origin, w.Code, c.want)
		}
		for _, h := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy",
			"Cross-Origin-Resource-Policy"} {
			if w.Header().Get(h) == "" {
				t.Errorf("the answer %d has no %s", w.Code, h)
			}
		}
	}
}

// TestForeignPagesGetNothing checks that a foreign page's requests are refused, except when a person follows its link.
func TestForeignPagesGetNothing(t *testing.T) {
	g := newGuard("", nil, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	for _, c := range []struct {
		site, mode, dest, purpose string
		want                      int
	}{
		{"same-origin", "cors", "empty", "", 200},
		{"none", "navigate", "document", "", 200},
		{"cross-site", "navigate", "document", "", 200},
		{"cross-site", "navigate", "", "", 200},
		{"same-origin", "navigate", "iframe", "", 200},
		{"cross-site", "no-cors", "image", "", 403},
		{"same-site", "no-cors", "script", "", 403}, // another program on this machine
		{"cross-site", "websocket", "websocket", "", 403},
		{"cross-site", "navigate", "iframe", "", 403}, // the browser wouldn't show it, but the server would compute it
		{"same-site", "navigate", "frame", "", 403},
		{"cross-site", "navigate", "object", "", 403},
		{"cross-site", "navigate", "document", "prefetch;prerender", 403},
	} {
		r := httptest.NewRequest("GET", "http://127.0.0.1/api/figures", nil)
		r.Header.Set("Sec-Fetch-Site", c.site)
		r.Header.Set("Sec-Fetch-Mode", c.mode)
		for name, value := range map[string]string{"Sec-Fetch-Dest": c.dest, "Sec-Purpose": c.purpose} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		if g.ServeHTTP(w, r); w.Code != c.want {
			t.Errorf("%+v: %d", c, w.Code)
		}
	}
}

func TestPolicyAllowsNothingInline(t *testing.T) {
	if strings.Contains(policy, "unsafe-inline") || strings.Contains(policy, "'unsafe-eval'") ||
		strings.Contains(policy, "*") {
		t.Errorf("the policy is too wide: %s", policy)
	}
	for _, part := range []string{"default-src 'none'", "'wasm-unsafe-eval'", "frame-ancestors 'self'",
		"base-uri 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy lacks %s", part)
		}
	}
}

// TestNamesThatAProxyGives checks that those are accepted as Host, and as Origin even if the proxy sends another Host.
func TestNamesThatAProxyGives(t *testing.T) {
	g := newGuard("127.0.0.1:8080", []string{"viz.example.com", "viz.example.org:8443"},
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), "/form")
	for _, c := range []struct {
		host, origin, method string
		want                 int
	}{
		{"viz.example.com", "", "GET", 200},
		{"VIZ.example.com.", "", "GET", 200},
		{"viz.example.com", "https://viz.example.com", "POST", 200},
		{"127.0.0.1:8080", "https://viz.example.com", "POST", 200},
		{"127.0.0.1:8080", "https://viz.example.org:8443", "GET", 200},
		{"127.0.0.1:8080", "https://viz.example.com:8443", "GET", 403}, // another program there
		{"127.0.0.1:8080", "https://evil.example", "GET", 403},
		{"viz.example.com", "https://evil.viz.example.com", "GET", 403},
		{"127.0.0.1:8080", "file://viz.example.com", "GET", 403},
		{"viz.example.net", "", "GET", 421},
		{"sub.viz.example.com", "", "GET", 421},
	} {
		if w := asked(g, c.method, "/form", c.host, c.origin); w.Code != c.want {
			t.Errorf("%s to %q from %q: %d, want %d", c.method, c.host, c.origin, w.Code, c.want)
		}
	}
}

// asked returns the answer to a request for a host, with an origin unless that is empty.
func asked(h http.Handler, method, path, host, origin string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	r.Host = host
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
