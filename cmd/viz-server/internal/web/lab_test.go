package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
)

// A link opens that very run at that moment, and what is wrong with one is said, never shown as markup.
func TestLabReadsLinks(t *testing.T) {
	srv := serve(t, web.Config{})
	const hostile = `<img src=x onerror=alert(1)>`
	for query, c := range map[string]struct {
		status int
		want   string
	}{
		"": {http.StatusOK, "recipe%3Dpredecessor-lock%26"},
		"recipe=unique-lock&clients=3&fault=&fault=crash+client-2+at+1s&at=2.5s&event=7&sum=ab": {http.StatusOK, "&amp;at=2.5s&amp;event=7&amp;sum=ab"},
		"recipe=unique-lock&latency=5ms&jitter=1ms&stagger=2ms":                                 {http.StatusOK, `name="latency" value="5ms"`},
		"recipe=xyzzy":                                         {http.StatusBadRequest, "There is no recipe"},
		"recipe=unique-lock&clients=1001":                      {http.StatusBadRequest, "to 1000 clients, not 1001"},
		"recipe=unique-lock&at=soon":                           {http.StatusBadRequest, "is not a time"},
		"recipe=unique-lock&event=-1":                          {http.StatusBadRequest, "is not the number of an event"},
		"recipe=unique-lock&sum=zz":                            {http.StatusBadRequest, "is not the hash"},
		"recipe=unique-lock&colour=red":                        {http.StatusBadRequest, "no parameter"},
		"recipe=" + url.QueryEscape(hostile):                   {http.StatusBadRequest, "&lt;img"},
		"recipe=unique-lock&fault=" + url.QueryEscape(hostile): {http.StatusBadRequest, "&lt;img"},
		"recipe=" + strings.Repeat("x", 3000):                  {http.StatusBadRequest, "at most 2048 bytes"},
		"%zz":                                                  {http.StatusBadRequest, "damaged"},
	} {
		status, _, body := get(t, srv.URL+"/lab?"+query)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%.60q: status %d, want %d with %q", query, status, c.status, c.want)
		}
		if strings.Contains(body, hostile) {
			t.Errorf("%.60q: the page has %q as markup", query, hostile)
		}
	}
}

func TestComparePage(t *testing.T) {
	srv := serve(t, web.Config{})
	for query, c := range map[string]struct {
		status int
		want   string
	}{
		"recipe=unique-lock&clients=2,9":      {http.StatusOK, "<td>8</td>"},
		"recipe=xyzzy":                        {http.StatusBadRequest, "There is no recipe"},
		"clients=many":                        {http.StatusBadRequest, "is not a list of numbers"},
		"clients=1,2,3,4,5,6,7,8,9":           {http.StatusBadRequest, "up to 8 numbers"},
		"recipe=unique-lock&clients=2&live=1": {http.StatusBadRequest, "without a ZooKeeper"},
		strings.Repeat("recipe=barrier&", 7):  {http.StatusBadRequest, "up to 6 recipes"},
	} {
		status, _, body := get(t, srv.URL+"/lab/compare?"+query)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%q: status %d, want %d with %q", query, status, c.status, c.want)
		}
	}
}
