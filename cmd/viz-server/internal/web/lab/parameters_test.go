package lab_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	languages "github.com/zkviz/zkviz/static/strings"
)

// fields returns the values of the Lab's form by name.
func fields(body string) map[string]string {
	list := map[string]string{}
	form, _, _ := strings.Cut(body[strings.Index(body, "<form"):], "</form>")
	for _, m := range regexp.MustCompile(`<input[^>]* name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(form, -1) {
		if name := m[1]; list[name] == "" {
			list[name] = html.UnescapeString(m[2])
		}
	}
	chosen := regexp.MustCompile(
		`<select name="([^"]+)"[^>]*>\s*(?:<option[^>]*>[^<]*</option>\s*)*<option value="([^"]*)" selected`)
	for _, m := range chosen.FindAllStringSubmatch(form, -1) {
		list[m[1]] = m[2]
	}
	return list
}

// TestLabHasEveryParameter checks that each parameter of a scenario comes back in the Lab's form as given, so that
// sending it again repeats the run. A bad value is refused with the parameter table's own sentence.
func TestLabHasEveryParameter(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	given := map[string]string{
		"clients": "3", "rounds": "2", "hold": "5s", "seed": "7", "session-timeout": "6s", "latency": "2ms",
		"jitter": "1ms", "stagger": "0s", "servers": "3", "observers": "1",
		"database": "mysql", "store": "printer", "poll": "50ms", "first-number": "2147483647", "flaw": "acks-before-sync",
		"fault": "crash client-1 at 1s", "arrival": "client-2 at 1.5s for 20s",
	}
	for _, p := range run.Parameters()[1:] {
		if given[p.Name] == "" {
			t.Errorf("the test gives no %s", p.Name)
		}
		query := "recipe=barrier&" + p.Name + "=" + url.QueryEscape(given[p.Name])
		switch p.Name {
		case "jitter":
			query += "&latency=1s" // the limit of the jitter
		case "database":
			query = "recipe=db-version&database=mysql" // barrier has no tables
		case "store":
			query = strings.Replace(query, "barrier", "etcd-mutex", 1) // the others leave no choice
		case "arrival":
			query = strings.Replace(query, "barrier", "children-lock", 1) // nobody holds a barrier
		case "observers", "flaw":
			query += "&servers=3" // a single server has none
		}
		if status, _, body := webtest.Get(t, srv.URL+"/lab?"+query); status != http.StatusOK ||
			fields(body)[p.Name] != given[p.Name] {
			t.Errorf("%s: status %d, the form has %q", query, status, fields(body))
		}
		wrong := "recipe=barrier&" + p.Name + "=%3F"
		_, err := run.ParseQuery(wrong)
		_, _, body := webtest.Get(t, srv.URL+"/lab?"+wrong)
		said := sentence.Voice{Say: languages.English().Say}.Error(err)[1:]
		if !strings.Contains(html.UnescapeString(body), said) {
			t.Errorf("%s: the page does not say %q", wrong, err)
		}
	}
}

// TestFaultButtons checks that each fault that the stage offers for a client is in the table of faults and has words.
func TestFaultButtons(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	_, _, body := webtest.Get(t, srv.URL+"/lab")
	found := regexp.MustCompile(`data-fault="([^"]+)"`).FindAllStringSubmatch(body, -1)
	for _, m := range found {
		if k, ok := fault.ParseKind(m[1]); !ok || k.Target() != fault.ToClient {
			t.Errorf("there is a button for %q", m[1])
		}
	}
	if len(found) == 0 {
		t.Error("the lab has no buttons")
	}
}
