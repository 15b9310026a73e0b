package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// started is a viz-server in a process of its own, which the test ends if it still runs.
type started struct {
	*httptest.Server // only its URL
	cmd              *exec.Cmd
}

func startServer(t *testing.T, flags ...string) started {
	t.Helper()
	s := started{cmd: exec.Command("viz-server", append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...)...)}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); _ = s.cmd.Wait() }) // it may be over
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s.Server = &httptest.Server{URL: strings.TrimSuffix(strings.TrimSpace(line), "/")}
	return s
}

func (s started) signal(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

// get loads an address of the server, again until ok.
func (s started) get(t *testing.T, at string, ok func(status int, body string) bool) string {
	t.Helper()
	for {
		if status, _, body := webtest.Get(t, s.URL+at); ok(status, body) {
			return body
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// linked waits until the server has its NATS.
func (s started) linked(t *testing.T) {
	t.Helper()
	s.get(t, "/healthz", func(_ int, body string) bool { return body == "ok\n" })
}

// learner returns what a learner's page says first.
func learner(name string) string {
	return fmt.Sprintf(`{"do":"join","key":%q,"name":%q,"follows":true}`, name+strings.Repeat("-", 16), name)
}

func tells(what string) func(webtest.View) bool {
	return func(v webtest.View) bool { return v.Say == what }
}

func dots(want string) func(webtest.View) bool {
	return func(v webtest.View) bool { return v.Dots == want }
}

// results returns what the teacher saves, as JSON.
func (s started) results(t *testing.T, name, secret string) string {
	t.Helper()
	form := url.Values{"secret": {secret}, "form": {"json"}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/class/"+name+"/results",
		strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", s.URL)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestClassOverServers has a class at two servers. The one that decides is killed, and later the other one is paused:
// the pages at the one that's left go on, and nothing that was confirmed is lost or there twice.
func TestClassOverServers(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for leases to expire")
	}
	n := natstest.Start(t)
	a, b := startServer(t, "--nats", n.URL()), startServer(t, "--nats", n.URL())
	a.linked(t)
	b.linked(t)
	name, secret := webtest.BeginClass(t, a.Server, "/lab")
	hello := fmt.Sprintf(`{"do":"hello","secret":%q}`, secret)
	teacher, ann := webtest.Enter(t, b.Server, name, hello), webtest.Enter(t, b.Server, name, learner("ann"))
	ann.Until(tells("you"))
	bob := webtest.Enter(t, a.Server, name, learner("bob"))
	teacher.Until(dots("hh"))
	teacher.Send(`{"do":"pose","question":{"id":"q/1","choices":2,"right":0}}`)
	for _, p := range []*webtest.Pupil{ann, bob} {
		p.Until(func(v webtest.View) bool { return v.Question != nil })
	}
	bob.Send(`{"do":"answer","number":1,"choice":0}`)
	teacher.Until(dots("hH"))

	a.signal(t, syscall.SIGKILL)
	ann.Send(`{"do":"answer","number":1,"choice":1}`)
	teacher.Until(dots("HG"))
	a = startServer(t, "--nats", n.URL())
	a.linked(t)
	bob = webtest.Enter(t, a.Server, name, learner("bob"))
	if you := bob.Until(tells("you")); you.Number != 2 || you.Choice == nil || *you.Choice != 0 {
		t.Errorf("bob has come back as %+v", you)
	}
	teacher.Until(dots("HH"))

	b.signal(t, syscall.SIGSTOP)
	bob.Send(`{"do":"answer","number":1,"choice":1}`)
	bob.Until(func(v webtest.View) bool { return v.Choice != nil && *v.Choice == 1 })
	b.signal(t, syscall.SIGCONT)
	teacher.Send(`{"do":"reveal"}`)
	v := bob.Until(func(v webtest.View) bool { return v.Question != nil && v.Question.Revealed })
	if c := v.Question.Counts; len(c) != 2 || c[0] != 0 || c[1] != 2 {
		t.Errorf("bob sees %v", c)
	}
	all := a.results(t, name, secret)
	if got := b.results(t, name, secret); got != all || strings.Count(all, `"joined"`) != 2 {
		t.Errorf("the results of one server are\n%s\nand of the other\n%s", all, got)
	}
}

// TestServersWithoutNATS cuts a server off: it says so, goes on with what it has, and comes back by itself. It knows of
// no class that it hadn't.
func TestServersWithoutNATS(t *testing.T) {
	n := natstest.Start(t)
	link := n.Relay(t)
	a, b := startServer(t, "--nats", link.URL()), startServer(t, "--nats", n.URL())
	a.linked(t)
	b.linked(t)
	name, secret := webtest.BeginClass(t, b.Server, "/lab")
	teacher := webtest.Enter(t, b.Server, name, fmt.Sprintf(`{"do":"hello","secret":%q}`, secret))
	ann := webtest.Enter(t, a.Server, name, learner("ann"))
	teacher.Until(dots("h"))
	other, _ := webtest.BeginClass(t, b.Server, "/lab")
	link.Cut()
	ann.Until(func(v webtest.View) bool { return v.Say == "apart" && v.Apart })
	a.get(t, "/healthz", func(_ int, body string) bool { return strings.Contains(body, "no connection to NATS") })
	a.get(t, "/readyz", func(status int, body string) bool {
		return strings.Contains(body, `"nats":"not connected"`)
	})
	if status, _, body := webtest.Get(t, a.URL+"/class/"+other); status != http.StatusServiceUnavailable ||
		!strings.Contains(body, "can&#39;t be looked up now") {
		t.Errorf("a class of others is %d", status)
	}
	if status, _, _ := webtest.Get(t, a.URL+"/class/"+name); status != http.StatusOK {
		t.Errorf("its own class is %d", status)
	}
	teacher.Send(`{"do":"lead","place":{"page":"/lessons/the-herd"}}`)
	teacher.Until(func(v webtest.View) bool { return v.Page == "/lessons/the-herd" })
	link.Heal()
	back, led := false, false // in either order
	ann.Until(func(v webtest.View) bool {
		back = back || v.Say == "apart" && !v.Apart
		led = led || v.Page == "/lessons/the-herd"
		return back && led
	})
	a.get(t, "/class/"+other, func(status int, _ string) bool { return status == http.StatusOK })
}

// TestClassDir restarts a server that keeps classes in a folder.
func TestClassDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "classes")
	a := startServer(t, "--class-dir", dir)
	name, secret := webtest.BeginClass(t, a.Server, "/lab")
	webtest.Enter(t, a.Server, name, learner("ann")).Until(tells("you"))
	before := a.results(t, name, secret)
	a.signal(t, syscall.SIGTERM)
	_ = a.cmd.Wait()
	a = startServer(t, "--class-dir", dir)
	if after := a.results(t, name, secret); after != before || !strings.Contains(after, `"ann"`) {
		t.Errorf("after a restart the results are\n%s\nand were\n%s", after, before)
	}
	ann := webtest.Enter(t, a.Server, name, learner("ann"))
	if you := ann.Until(tells("you")); you.Number != 1 {
		t.Errorf("ann has come back as %+v", you)
	}
}

// TestNATSFlags checks what serve refuses, without a word of what is secret.
func TestNATSFlags(t *testing.T) {
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--nats", "http://me:geheim@x"}, "--nats: an address like nats://host:4222"},
		{[]string{"--nats", "nats://me:geheim@x", "--class-dir", "y"}, "--class-dir: with --nats"},
		{[]string{"--nats-creds", "geheim"}, "--nats-creds: name the NATS"},
		{[]string{"--nats", "nats://me:geheim@x", "--nats-creds", "/no/such/file"}, "--nats: open /no/such/file"},
	} {
		flags := append([]string{"serve", "--addr", "127.0.0.1:0"}, c.flags...)
		out, err := exec.Command("viz-server", flags...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) || strings.Contains(string(out), "geheim") {
			t.Errorf("%q: %v, %s", c.flags, err, out)
		}
	}
}
