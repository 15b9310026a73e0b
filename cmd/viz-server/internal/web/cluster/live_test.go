package cluster_test

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
)

func TestHostilePathOnThePage(t *testing.T) {
	srv := webtest.Serve(t, web.Config{ZK: []string{"127.0.0.1:1"}, Cluster: &webtest.Cluster{}})
	for _, path := range []string{`/"><script>alert(1)</script>`, `/a' onload='x`, "/\u202eevil",
		strings.Repeat("/x", 4000)} {
		_, _, body := webtest.Get(t, srv.URL+"/live?path="+url.QueryEscape(path))
		if strings.Contains(body, "<script>alert") || strings.Contains(body, "onload='") {
			t.Errorf("the page has %q as it is", path)
		}
	}
}

// TestLivePage checks that a bad path gets the form and a reason, and the form says if the cluster is away.
func TestLivePage(t *testing.T) {
	nobody := webtest.Serve(t, web.Config{ZK: []string{"127.0.0.1:1"}, Cluster: &webtest.Cluster{}})
	somebody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer somebody.Close()
	there := webtest.Serve(t, web.Config{ZK: []string{somebody.Addr().String()}, Cluster: &webtest.Cluster{}})
	const away = "Can&#39;t reach 127.0.0.1:1: "
	for _, test := range []struct {
		url    string
		status int
		want   string
		away   bool
	}{
		{nobody.URL + "/live", 200, `name="path"`, true},
		{nobody.URL + "/live?path=/a", 200, `id="seen"`, true},
		{nobody.URL + "/live?path=relative", 400, "does not begin with /", true},
		{there.URL + "/live", 200, `name="path"`, false},
		{there.URL + "/live?path=relative", 400, "does not begin with /", false},
		{there.URL + "/live?path=/%00", 400, "it has the character U+0000", false},
	} {
		status, _, body := webtest.Get(t, test.url)
		if status != test.status || !strings.Contains(body, test.want) || strings.Contains(body, away) != test.away {
			t.Errorf("%s: %d; says %q: %v; says that nobody is there: %v", test.url, status, test.want,
				strings.Contains(body, test.want), strings.Contains(body, away))
		}
	}
}

// TestLiveDialsForAll checks that reloading the page doesn't open connection after connection to the cluster.
func TestLiveDialsForAll(t *testing.T) {
	zk, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var dials atomic.Int32
	go func() {
		for {
			conn, err := zk.Accept()
			if err != nil {
				return
			}
			dials.Add(1)
			_, _ = io.ReadFull(conn, make([]byte, 4))                 // the page shows the outcome
			_, _ = io.WriteString(conn, "Zookeeper version: 3.8.0\n") // likewise
			conn.Close()
		}
	}()
	srv := webtest.Serve(t, web.Config{ZK: []string{zk.Addr().String()}, Cluster: &webtest.Cluster{}})
	begin := time.Now()
	for range 40 {
		if status, _, _ := webtest.Get(t, srv.URL+"/live"); status != http.StatusOK {
			t.Errorf("%d", status)
		}
	}
	zk.Close()
	// One at the start, and one each two seconds: the machine may be slow.
	if n, most := dials.Load(), 2+int32(time.Since(begin)/(2*time.Second)); n > most {
		t.Errorf("%d connections to the cluster for 40 pages, want up to %d", n, most)
	}
}
