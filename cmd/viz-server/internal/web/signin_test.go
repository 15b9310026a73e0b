package web_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/front"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
)

const token = "0123456789abcdef"

// TestTokenLetsIn checks that a client without the token gets neither pages nor data.
func TestTokenLetsIn(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Base: "/zkviz", Pseudo: true, Front: front.Config{Token: token}})
	bearer := []string{"Authorization", "Bearer " + token}
	for _, c := range []struct {
		path    string
		headers []string
		want    int
	}{
		{"/zkviz/", nil, 401},
		{"/zkviz/lessons/the-herd", nil, 401},
		{"/zkviz/en-XA/lab", nil, 401},
		{"/zkviz/stage", nil, 401},
		{"/zkviz/ws", nil, 401},
		{"/zkviz/api/figures?recipe=unique-lock&clients=2", nil, 401},
		{"/zkviz/api/trace?run=a&branch=0", nil, 401},
		{"/zkviz/nowhere", nil, 401},
		{"/zkviz/static/app.css", nil, 200},
		{"/zkviz/static/../lab", nil, 401},
		{"/zkviz/", []string{"Authorization", "Bearer " + token[1:]}, 401},
		{"/zkviz/?token=" + token[1:], nil, 401},
		{"/healthz", nil, 200},
		{"/zkviz/", bearer, 200},
		{"/zkviz/en-XA/lab", bearer, 200},
		{"/zkviz/nowhere", bearer, 404},
	} {
		status, h, body := webtest.Ask(t, srv.Client(), "GET", srv.URL+c.path, "", c.headers...)
		if status != c.want && !(c.want == 401 && status == http.StatusTemporaryRedirect) ||
			status == 401 && h.Get("WWW-Authenticate") == "" || strings.Contains(body, token) {
			t.Errorf("%s with %q: %d, want %d", c.path, c.headers, status, c.want)
		}
	}
}

// TestTokenInABrowser checks that the form comes with the requested page and leads back to it. So does an address with
// the token, from which the token vanishes.
func TestTokenInABrowser(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Base: "/zkviz", Pseudo: true, Front: front.Config{Token: token}})
	html := []string{"Accept", "text/html,*/*", "Origin", srv.URL}
	at := srv.URL + "/zkviz/en-XA/live?path=%2Fa"
	status, _, body := webtest.Ask(t, srv.Client(), "GET", at, "", html...)
	if status != 401 || !strings.Contains(body, `action="/zkviz/sign-in"`) || !strings.Contains(body, `lang="en-XA"`) ||
		!strings.Contains(body, `name="next" value="/zkviz/en-XA/live?path=%2Fa"`) || strings.Contains(body, "alert") {
		t.Errorf("the form: %d %s", status, body)
	}
	form := url.Values{"next": {"/zkviz/en-XA/live?path=%2Fa"}, "token": {"wrong"}}
	status, h, body := webtest.Ask(t, srv.Client(), "POST", srv.URL+"/zkviz/sign-in", form.Encode(), html...)
	if status != 401 || h.Get("Set-Cookie") != "" || !strings.Contains(body, `role="alert"`) ||
		!strings.Contains(body, `value="/zkviz/en-XA/live?path=%2Fa"`) || !strings.Contains(body, `lang="en-XA"`) {
		t.Errorf("a wrong token: %d %s", status, body)
	}
	form.Set("token", " "+token+"\n")
	status, h, _ = webtest.Ask(t, srv.Client(), "POST", srv.URL+"/zkviz/sign-in", form.Encode(), html...)
	cookie, _, _ := strings.Cut(h.Get("Set-Cookie"), ";")
	if status != 303 || h.Get("Location") != "/zkviz/en-XA/live?path=%2Fa" || cookie == "" {
		t.Fatalf("the right token: %d to %s with %s", status, h.Get("Location"), cookie)
	}
	if status, _, _ := webtest.Ask(t, srv.Client(), "POST", srv.URL+"/zkviz/sign-in", form.Encode(), "Origin",
		"http://evil.example"); status != 403 {
		t.Errorf("a form of another site: %d", status)
	}
	if status, _, _ := webtest.Ask(t, srv.Client(), "GET", at, "", "Cookie", cookie); status != 200 {
		t.Errorf("with the cookie: %d", status)
	}
	conn, _, err := websocket.Dial(t.Context(), srv.URL+"/zkviz/ws", &websocket.DialOptions{
		HTTPHeader: http.Header{"Origin": {srv.URL}, "Cookie": {cookie}}})
	if err != nil {
		t.Errorf("a websocket with the cookie: %v", err)
	} else {
		_ = conn.CloseNow()
	}
	for _, next := range []string{"https://evil.example/", "//evil.example/", `/\evil.example`, "/lab", "javascript:a()",
		"/zkviz/../../x\r\n", ""} {
		form.Set("next", next)
		_, h, _ := webtest.Ask(t, srv.Client(), "POST", srv.URL+"/zkviz/sign-in", form.Encode(), html...)
		if h.Get("Location") != "/zkviz/" {
			t.Errorf("on to %q: %q", next, h.Get("Location"))
		}
	}
	status, h, body = webtest.Ask(t, srv.Client(), "GET", srv.URL+"/zkviz/lab?token="+token+"&recipe=barrier", "", html...)
	if status != 200 || !strings.HasPrefix(h.Get("Set-Cookie"), cookie) || strings.Contains(body, token) ||
		!strings.Contains(body, `content="0;url=/zkviz/lab?recipe=barrier"`) || h.Get("Cache-Control") != "no-store" {
		t.Errorf("an address with the token: %d %v %s", status, h, body)
	}
	status, h, body = webtest.Ask(t, srv.Client(), "GET", srv.URL+"/zkviz/lab", "", "Sec-Fetch-Site", "cross-site",
		"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")
	if status != 200 || h.Get("Set-Cookie") != "" || !strings.Contains(body, `content="0;url=/zkviz/lab"`) {
		t.Errorf("a link of another site: %d %s", status, body)
	}
}

// TestProxyNamesTheUser checks that the header works only through the proxy.
func TestProxyNamesTheUser(t *testing.T) {
	proxy := front.Config{UserHeader: "X-User", Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}}
	srv := webtest.Serve(t, web.Config{Front: proxy})
	for _, c := range []struct {
		from    byte
		headers []string
		want    int
	}{
		{2, []string{"X-User", "ann"}, 200},
		{2, nil, 401},
		{1, []string{"X-User", "ann"}, 401},
		{1, nil, 401},
	} {
		if status, _, body := webtest.Ask(t, webtest.From(c.from), "GET", srv.URL+"/lab", "", append(c.headers, "Accept",
			"text/html")...); status != c.want || status == 401 && !strings.Contains(body, "through its proxy") {
			t.Errorf("from 127.0.0.%d with %q: %d %s", c.from, c.headers, status, body)
		}
	}
}
