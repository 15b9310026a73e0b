package lab_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/run"
)

// TestLabPutsARunBeside checks that a link puts another run beside its own, with the differences that it states.
func TestLabPutsARunBeside(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	const own = "recipe=no-second-look&clients=4&fault=crash+client-2+at+3s"
	const crash = "crash client-2 at 3s"
	nested := func(q string) string { return "&beside=" + url.QueryEscape(q) }
	for more, c := range map[string]struct{ want, fault string }{
		"&beside=predecessor-lock":                           {"recipe=predecessor-lock clients=4 seed=1", crash},
		"&beside-seed=7":                                     {"recipe=no-second-look clients=4 seed=7", crash},
		nested("fault="):                                     {"recipe=no-second-look clients=4 seed=1", ""},
		nested("clients=9&seed=3"):                           {"recipe=no-second-look clients=9 seed=3", crash},
		"&beside=unique-lock&title=x":                        {"recipe=unique-lock clients=4 seed=1", crash},
		"&beside=unique-lock&beside-seed=2&in-step=handover": {"recipe=unique-lock clients=4 seed=2", crash},
	} {
		status, _, body := webtest.Get(t, srv.URL+"/lab?"+own+more)
		m := regexp.MustCompile(`&amp;beside=([^&"]+)`).FindStringSubmatch(body)
		if status != http.StatusOK || m == nil {
			t.Errorf("%s: status %d, %q", more, status, m)
			continue
		}
		query, err := url.QueryUnescape(m[1])
		if err != nil {
			t.Fatal(err)
		}
		sc, err := run.ParseQuery(query)
		if err != nil {
			t.Errorf("%s: %v", more, err)
		}
		for _, want := range strings.Fields(c.want) {
			name, value, _ := strings.Cut(want, "=")
			if got := sc.Written(name); len(got) != 1 || got[0] != value {
				t.Errorf("%s: %s is %q, not %q", more, name, got, value)
			}
		}
		if got := strings.Join(sc.Written("fault"), " "); got != c.fault {
			t.Errorf("%s: its faults are %q, not %q", more, got, c.fault)
		}
		if strings.Contains(more, "in-step") != strings.Contains(body, "&amp;in-step=handover") {
			t.Errorf("%s: what is in step is lost", more)
		}
	}
	for more, want := range map[string]string{
		"&beside=xyzzy":         "there is no recipe",
		nested("colour=red"):    "no parameter",
		nested("clients=10000"): "to 1000 clients",
		"&beside-seed=many":     "seed",
		"&beside=%25zz=":        "damaged",
		"&in-step=waltz":        "by time or by handover",
		nested("<img src=x>"):   "&lt;img",
	} {
		status, _, body := webtest.Get(t, srv.URL+"/lab?"+own+more)
		if status != http.StatusBadRequest || !strings.Contains(body, want) || strings.Contains(body, "<img src=x>") {
			t.Errorf("%s: status %d, want one with %q", more, status, want)
		}
	}
	if _, _, body := webtest.Get(t, srv.URL+"/lab?"+own); strings.Contains(body, "&amp;beside=") {
		t.Error("there is a run beside one that stands alone")
	}
}
