package zoo_test

import (
	"html"
	"net"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/stores/redis/port"
	"github.com/zkviz/zkviz/engine/testing/redistest"
)

// TestZooPage checks the page with and without a ZooKeeper inside, and with a hostile path.
func TestZooPage(t *testing.T) {
	_, _, off := webtest.Get(t, webtest.Serve(t, web.Config{}).URL+"/zoo")
	if !strings.Contains(off, "--zk-listen 127.0.0.1:2181") {
		t.Error("the page does not say how to start a ZooKeeper inside")
	}
	url := webtest.Serve(t, web.Config{Zoo: webtest.NewZoo()}).URL
	status, _, on := webtest.Get(t, url+"/zoo")
	for _, want := range []string{
		"zkCli.sh -server 127.0.0.1:2181", "Join.java 127.0.0.1:2181", "join.py 127.0.0.1:2181", "go run . 127.0.0.1:2181",
		"/stage?zoo=%2Fzkviz%2Fqueue", `data-do="more"`,
	} {
		if status != 200 || !strings.Contains(on, want) {
			t.Errorf("%d: the page has no %q", status, want)
		}
	}
	status, _, evil := webtest.Get(t, url+"/zoo?path=/$(reboot)%22%3E%3Cscript%3E")
	if status != 200 || strings.Contains(evil, `"><script>`) {
		t.Errorf("%d: a hostile path was taken for markup", status)
	}
	for _, block := range strings.Split(evil, "<pre")[1:] {
		if text, _, _ := strings.Cut(block, "</pre>"); strings.Contains(text, "reboot") {
			t.Errorf("a line to paste has what the address said: %s", text)
		}
	}
	everywhere := webtest.NewZoo()
	everywhere.Addr.IP = net.IPv4zero
	if _, _, on := webtest.Get(t, webtest.Serve(t, web.Config{Zoo: everywhere}).URL+"/zoo"); !strings.Contains(on,
		"-server 127.0.0.1:2181\n") {
		t.Error("where it listens at every address, the page does not name the one that the reader came by")
	}
	if status, _, bad := webtest.Get(t, url+"/zoo?path=nonsense"); status != 400 ||
		!strings.Contains(bad, "does not begin with /") {
		t.Errorf("a path that is none: %d", status)
	}
}

// TestRedisPage checks that the page has the lines to paste with the reader's own address, or says how to start it.
func TestRedisPage(t *testing.T) {
	s := redistest.Simulated(t, port.Config{})
	_, port, err := net.SplitHostPort(s.Place())
	if err != nil {
		t.Fatal(err)
	}
	_, _, on := webtest.Get(t, webtest.Serve(t, web.Config{Redis: s}).URL+"/zoo/redis")
	on = html.UnescapeString(on)
	for _, line := range []string{
		"redis-cli -h 127.0.0.1 -p " + port, `redis.Redis(host="127.0.0.1", port=` + port, `r.lock("lock", timeout=10)`,
		"/stage?zoo=%2F&system=redis",
	} {
		if !strings.Contains(on, line) {
			t.Errorf("the page lacks %s", line)
		}
	}
	without := webtest.Serve(t, web.Config{})
	if _, _, off := webtest.Get(t, without.URL+"/zoo/redis"); !strings.Contains(off, "--redis-listen") {
		t.Error("without a Redis the page does not say how to start one")
	}
}
