package front

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

const token = "0123456789abcdef"

func request(from string, headers ...string) *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = from
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		Config
		says string
	}{
		{Config{}, ""},
		{Config{Token: token}, ""},
		{Config{Token: token[1:]}, "not 15"},
		{Config{Token: token + "\n"}, "no spaces"},
		{Config{Token: token + "é"}, "beyond ASCII"},
		{Config{UserHeader: "X-User"}, "anybody can send a header"},
		{Config{UserHeader: "X-User: a", Proxies: []netip.Prefix{netip.MustParsePrefix("::1/128")}}, "not the name"},
		{Config{UserHeader: "X-User", Proxies: []netip.Prefix{netip.MustParsePrefix("::1/128")}}, ""},
	} {
		err := c.Validate()
		if (err == nil) != (c.says == "") || err != nil && (!strings.Contains(err.Error(), c.says) ||
			strings.Contains(err.Error(), token[1:])) {
			t.Errorf("%+v: %v, want %q", c.Config, err, c.says)
		}
	}
}

// TestReceive checks that only trusted proxies can set a request's origin and add headers.
func TestReceive(t *testing.T) {
	f := New(Config{UserHeader: "X-User", Proxies: []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}})
	for _, c := range []struct {
		from, chain, at string
		trusted         bool
	}{
		{"192.0.2.1:5", "198.51.100.7", "192.0.2.1:5", false},
		{"10.1.2.3:5", "198.51.100.7", "198.51.100.7:0", true},
		{"[::ffff:10.1.2.3]:5", "198.51.100.7", "198.51.100.7:0", true},
		{"10.1.2.3:5", "203.0.113.9, 198.51.100.7", "198.51.100.7:0", true}, // the client itself sent the first
		{"10.1.2.3:5", "198.51.100.7, 10.0.0.2, fd00::1", "198.51.100.7:0", true},
		{"10.1.2.3:5", "10.0.0.2", "10.1.2.3:5", true},
		{"10.1.2.3:5", "", "10.1.2.3:5", true},
		{"10.1.2.3:5", "198.51.100.7, unknown", "10.1.2.3:5", true},
		{"[fd00::9]:5", "2001:db8::1", "[2001:db8::1]:0", true},
		{"@", "198.51.100.7", "@", false},
	} {
		r := request(c.from, "X-Forwarded-For", c.chain, "x-user", "ann", "X-Forwarded-Proto", "https")
		f.Receive(r)
		user, ok := f.Admits(r)
		if r.RemoteAddr != c.at || ok != c.trusted || (user == "ann") != c.trusted ||
			f.Cookie(r, "/").Secure != c.trusted {
			t.Errorf("from %s for %q: at %s as %q, %v", c.from, c.chain, r.RemoteAddr, user, ok)
		}
	}
}

func TestAdmits(t *testing.T) {
	f := New(Config{Token: token})
	cookie := f.Cookie(request("192.0.2.1:5"), "/a/").String()
	for _, want := range []string{"Path=/a/", "HttpOnly", "SameSite=Strict"} {
		if !strings.Contains(cookie, want) || strings.Contains(cookie, token) || strings.Contains(cookie, "Secure") {
			t.Errorf("the cookie is %s", cookie)
		}
	}
	kept, _, _ := strings.Cut(cookie, ";")
	for _, c := range []struct {
		headers []string
		ok      bool
	}{
		{nil, false},
		{[]string{"Authorization", "Bearer " + token}, true},
		{[]string{"Authorization", "Bearer " + token + "0"}, false},
		{[]string{"Authorization", "Bearer "}, false},
		{[]string{"Authorization", token}, false},
		{[]string{"Cookie", kept}, true},
		{[]string{"Cookie", "zkviz-token=; " + kept}, true},
		{[]string{"Cookie", "zkviz-token=" + token}, false},
		{[]string{"Cookie", "zkviz-token="}, false},
		{[]string{"Cookie", kept + "A"}, false},
	} {
		if _, ok := f.Admits(request("192.0.2.1:5", c.headers...)); ok != c.ok {
			t.Errorf("%q: %v", c.headers, ok)
		}
	}
	other := New(Config{Token: token + "0"})
	if _, ok := other.Admits(request("192.0.2.1:5", "Cookie", kept)); ok {
		t.Error("the cookie of an old token is taken")
	}
	if _, ok := New(Config{}).Admits(request("192.0.2.1:5")); !ok {
		t.Error("a front that asks nothing admits nobody")
	}
	if New(Config{}).Knows("") {
		t.Error("no token is a token")
	}
}

// TestAddress checks that an absolute address has the name and the scheme by which a request has come.
func TestAddress(t *testing.T) {
	for want, r := range map[string]*http.Request{
		"http://example.com/zkviz/a%20b":  request("1.2.3.4:5"),
		"https://example.com/zkviz/a%20b": request("1.2.3.4:5", "X-Forwarded-Proto", "https"),
	} {
		if got := Address(r, "/zkviz/a b").String(); got != want {
			t.Errorf("the address is %s, not %s", got, want)
		}
	}
}
