package web_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/front"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
)

// course is a site that may show pages in frames.
const course = "https://course.example"

// inFrame holds the headers with which a browser opens a page in a frame on another site.
var inFrame = []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}

// TestWhoMayEmbed checks which pages browsers may show in frames, and that nobody's may without the flag.
func TestWhoMayEmbed(t *testing.T) {
	const alone, with = "frame-ancestors 'self';", "frame-ancestors 'self' " + course + " http://127.0.0.1:9000;"
	open := webtest.Serve(t, web.Config{Base: "/zkviz", Pseudo: true, Embed: []string{course, "http://127.0.0.1:9000"}})
	closed := webtest.Serve(t, web.Config{Base: "/zkviz", Pseudo: true})
	all := webtest.Serve(t, web.Config{Base: "/zkviz", Pseudo: true, Embed: []string{"*"}})
	for path, embeds := range map[string]bool{
		"/zkviz/lessons/the-herd?embed=words,steps": true,
		"/zkviz/lessons/the-herd?at=2s&embed":       true,
		"/zkviz/en-XA/lessons/the-herd?embed=":      true,
		"/zkviz/lab?recipe=barrier&embed=play":      true,
		"/zkviz/lab?recipe=none&embed=play":         true, // says so in the frame
		"/zkviz/lessons/the-herd":                   false,
		"/zkviz/lab?recipe=barrier":                 false,
		"/zkviz/lab?recipe=barrier#?embed":          false,
		"/zkviz/lab/compare?embed=play":             false,
		"/zkviz/labs?embed=play":                    false,
		"/zkviz/lessons?embed=play":                 false,
		"/zkviz/?embed=play":                        false,
		"/zkviz/live?embed=play":                    false,
		"/zkviz/zoo?embed=play":                     false,
		"/zkviz/ws?embed=play":                      false,
		"/zkviz/api/trace?embed=play":               false,
		"/zkviz/static/app.js?embed=play":           false,
		"/lessons/the-herd?embed=play":              false,
	} {
		for srv, want := range map[string]string{open.URL: with, closed.URL: alone, all.URL: "frame-ancestors 'self' *;"} {
			framed, _, _ := webtest.Ask(t, http.DefaultClient, "GET", srv+path, "", inFrame...)
			_, h, _ := webtest.Get(t, srv+path)
			if !embeds {
				want = alone
			}
			if got := h.Get("Content-Security-Policy"); strings.Count(got, want) != 1 {
				t.Errorf("%s has the policy %s, without %s", path, got, want)
			}
			if (framed == http.StatusForbidden) != (want == alone) {
				t.Errorf("%s in a frame, with %s: %d", path, want, framed)
			}
		}
	}
	for _, path := range []string{"/zkviz/stage", "/zkviz/en-XA/stage?lesson=the-herd"} {
		if _, h, _ := webtest.Get(t, open.URL+path); !strings.Contains(h.Get("Content-Security-Policy"), with) {
			t.Errorf("%s can't be in a frame of such a page", path)
		}
		if status, _, _ := webtest.Ask(t, http.DefaultClient, "GET", open.URL+path, "", inFrame...); status != 403 {
			t.Errorf("%s in a frame of another site: %d", path, status)
		}
	}
	for _, dest := range []string{"object", "embed", "frame", "script", "image"} {
		headers := append(inFrame[:5:5], dest)
		at := open.URL + "/zkviz/lessons/the-herd?embed=play"
		if status, _, _ := webtest.Ask(t, http.DefaultClient, "GET", at, "", headers...); status != 403 {
			t.Errorf("as %s: %d", dest, status)
		}
	}
}

// TestEmbeddedPageIsOfFixedWords checks that nothing in an address gets into a page's markup.
func TestEmbeddedPageIsOfFixedWords(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Embed: []string{course}})
	const evil = `"><img src=x onerror=evil()>`
	q := url.Values{"embed": {"play," + evil}, "theme": {evil}}.Encode()
	for _, path := range []string{"/lessons/the-herd?", "/lab?recipe=barrier&"} {
		status, _, body := webtest.Get(t, srv.URL+path+q)
		if status != 200 || strings.Contains(body, "evil()>") || !strings.Contains(body, ` data-embed="`+course+`"`) {
			t.Errorf("%s: %d", path, status)
		}
	}
	for _, path := range []string{"/lessons/the-herd", "/lab"} {
		_, _, body := webtest.Get(t, webtest.Serve(t, web.Config{}).URL+path)
		for _, part := range []string{"oembed", `data-embed="h`, "leave-frame", "share-frame"} {
			if strings.Contains(body, part) {
				t.Errorf("nobody may embed %s, and it has %s", path, part)
			}
		}
	}
}

// TestOEmbed checks what programs are told that make frames of links.
func TestOEmbed(t *testing.T) {
	srv := webtest.Serve(t, web.Config{
		Base: "/zkviz", Pseudo: true, Embed: []string{"*"}, Hosts: []string{"Viz.example.com"},
	})
	herd := srv.URL + "/zkviz/lessons/the-herd"
	for _, c := range []struct{ address, more, src string }{
		{herd, "", herd + "?embed=words,steps,play"},
		{herd + "#release", "&format=json", herd + "?embed=words,steps,play#release"},
		{herd + "?at=2s&embed=faults&theme=dark#release", "", herd + "?embed=words,steps,play&at=2s#release"},
		{herd + `?at="><script>`, "", herd + "?embed=words,steps,play&at=%22%3E%3Cscript%3E"},
		{"/zkviz/en-XA/lessons/the-herd", "", srv.URL + "/zkviz/en-XA/lessons/the-herd?embed=words,steps,play"},
		{"https://viz.example.com/zkviz/lessons/the-herd", "",
			"https://viz.example.com/zkviz/lessons/the-herd?embed=words,steps,play"},
		{srv.URL + "/zkviz/lab?seed=2&recipe=barrier", "", srv.URL + "/zkviz/lab?embed=play&recipe=barrier&seed=2"},

		{"", "", ""},
		{"https://evil.example/zkviz/lessons/the-herd", "", ""},
		{"//evil.example/zkviz/lessons/the-herd", "", ""},
		{"http:/zkviz/lessons/the-herd", "", ""},
		{"javascript:alert(1)//zkviz/lessons/the-herd", "", ""},
		{strings.Replace(herd, "//", "//a:b@", 1), "", ""},
		{srv.URL + "/zkviz/lessons/none", "", ""},
		{herd + "#none", "", ""},
		{herd + ".html", "", ""},
		{srv.URL + "/lessons/the-herd", "", ""},
		{srv.URL + "/zkviz/live", "", ""},
		{srv.URL + "/zkviz/", "", ""},
		{herd + "?at=" + strings.Repeat("1", 3000), "", ""},
		{herd, "&maxwidth=319", ""},
		{herd, "&maxheight=239", ""},
		{herd, "&maxwidth=wide", ""},
		{herd, "&maxheight=-1", ""},
	} {
		at := srv.URL + "/zkviz/oembed?url=" + url.QueryEscape(c.address) + c.more
		status, h, body := webtest.Get(t, at)
		if c.src == "" {
			if status != http.StatusNotFound {
				t.Errorf("%s%s: %d %s", c.address, c.more, status, body)
			}
			continue
		}
		var got struct{ Version, Type, Title, HTML string }
		if err := json.Unmarshal([]byte(body), &got); err != nil || h.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v, %s", c.address, err, h.Get("Content-Type"))
		}
		if src := srcOf(t, got.HTML); src != c.src || got.Version != "1.0" || got.Type != "rich" || got.Title == "" {
			t.Errorf("%s: %+v with the address %s, want %s", c.address, got, src, c.src)
		}
	}
	at := srv.URL + "/zkviz/oembed?url=" + url.QueryEscape(herd)
	if status, _, _ := webtest.Get(t, at+"&format=xml"); status != http.StatusNotImplemented {
		t.Errorf("as XML: %d", status)
	}
	_, _, body := webtest.Get(t, at+"&maxwidth=500&maxheight=2000")
	if !strings.Contains(body, `"width":500,"height":600`) {
		t.Errorf("at most 500 by 2000: %s", body)
	}
	_, _, body = webtest.Get(t, herd)
	const link = `type="application/json+oembed" href="/zkviz/oembed?url=%2Fzkviz%2Flessons%2Fthe-herd"`
	if !strings.Contains(body, link) {
		t.Errorf("the lesson has no %s", link)
	}
	nobodys := webtest.Serve(t, web.Config{})
	if status, _, _ := webtest.Get(t, nobodys.URL+"/oembed?url=/lessons/the-herd"); status != http.StatusNotFound {
		t.Errorf("where nobody may embed: %d", status)
	}
}

// TestOEmbedOfFiles checks that an odd path of a site of files reaches the frame as it is.
func TestOEmbedOfFiles(t *testing.T) {
	site := (&url.URL{Scheme: "https", Host: "example.org", Path: `/a b/é%'"<&/`}).String()
	srv := httptest.NewServer(webtest.NewServer(t, web.Config{Exported: site}))
	defer srv.Close()
	_, _, body := webtest.Get(t, srv.URL+"/lessons/the-herd/oembed.json")
	var got struct{ HTML string }
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if src, want := srcOf(t, got.HTML), site+"lessons/the-herd.html?embed=words,steps,play"; src != want {
		t.Errorf("the frame shows %s, want %s", src, want)
	}
}

// srcOf returns the address of the one frame in a piece of HTML, which has nothing else.
func srcOf(t *testing.T, text string) (src string) {
	t.Helper()
	nodes, err := html.ParseFragment(strings.NewReader(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range nodes {
		for n := range root.Descendants() {
			if n.Type != html.ElementNode || n.Data == "head" || n.Data == "body" {
				continue
			}
			if n.Data != "iframe" || src != "" {
				t.Errorf("there is more than a frame: %s", text)
			}
			for _, a := range n.Attr {
				if a.Key == "src" {
					src = a.Val
				}
			}
		}
	}
	return src
}

// TestSignInStaysClosedInFrames checks that a frame on another site, where no cookie is sent, shows neither the page
// nor the form for the token.
func TestSignInStaysClosedInFrames(t *testing.T) {
	srv := webtest.Serve(t, web.Config{Embed: []string{course}, Front: front.Config{Token: token}})
	at := srv.URL + "/lessons/the-herd?embed=words&theme=dark&at=2s"
	headers := append([]string{"Accept", "text/html"}, inFrame...)
	for _, given := range []string{"", "&token=wrong"} {
		status, h, body := webtest.Ask(t, http.DefaultClient, "GET", at+given, "", headers...)
		if status != 401 || h.Get("WWW-Authenticate") == "" || h.Get("Cache-Control") != "no-store" ||
			!strings.Contains(body, `target="_blank" rel="noopener" href="/lessons/the-herd?at=2s"`) ||
			strings.Contains(body, "<form") {
			t.Errorf("%q: %d %v %s", given, status, h, body)
		}
	}
	headers = append(headers, "Authorization", "Bearer "+token)
	if status, _, _ := webtest.Ask(t, http.DefaultClient, "GET", at, "", headers...); status != 200 {
		t.Errorf("with the token: %d", status)
	}
}
