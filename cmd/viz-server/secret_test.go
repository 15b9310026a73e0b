package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
)

// planted is a password that must never appear.
const planted = "geheim-4711"

// guarded starts a ZooKeeper with a znode that only planted opens. Runs must work below it.
func guarded(t *testing.T) (addr string) {
	t.Helper()
	addr, conn := inside(t)
	defer conn.Close()
	if _, err := conn.Create("/app", nil, 0, zk.DigestACL(zk.PermAll, "ann", planted)); err != nil {
		t.Fatal(err)
	}
	return addr
}

// written writes a file that the test removes at its end.
func written(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestWhoAsks runs below a chroot that needs credentials, from a file or the environment. Neither the output nor the
// trace may contain the password, and the trace may not contain the chroot.
func TestWhoAsks(t *testing.T) {
	addr := guarded(t)
	file := written(t, "digest:ann:"+planted+"\n")
	trace := filepath.Join(t.TempDir(), "trace")
	command := func(want int, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		code := execute(append(args, "--zk", "zk://"+addr+"/app"), &terminal{ctx: t.Context(), out: &out, err: &errs})
		all := out.String() + errs.String()
		if code != want || strings.Contains(all, planted) {
			t.Errorf("%q: exit code %d, not %d; it says %s", args, code, want, all)
		}
		return all
	}
	if said := command(exitTrouble, "run", "unique-lock"); !strings.Contains(said, "an ACL forbids it") {
		t.Errorf("without the password it says %s", said)
	}
	command(exitOK, "run", "unique-lock", "--zk-auth-file", file, "--trace", trace)
	if data, err := os.ReadFile(trace); err != nil || bytes.Contains(data, []byte(planted)) ||
		bytes.Contains(data, []byte("/app")) || !bytes.Contains(data, []byte("/zkviz/run-")) {
		t.Errorf("the trace is %.400s, %v", data, err)
	}
	t.Setenv(authVariable, "digest:ann:"+planted)
	command(exitOK, "compare", "unique-lock", "--clients", "2", "--json")
}

// TestSecretsStaySecret passes right and wrong passwords in every possible way to a server without a reachable
// cluster. No output and no page may contain them.
func TestSecretsStaySecret(t *testing.T) {
	nobody := "127.0.0.1:1"
	file := written(t, "digest:ann:"+planted+"\n")
	wrong := written(t, planted+"\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--zk", nobody, "--zk-auth", "digest:ann:" + planted}, "in the list of processes"},
		{[]string{"--zk", nobody, "--zk-auth-file", "digest:ann:" + planted}, "in the list of processes"},
		{[]string{"--zk", "zk://ann:" + planted + "@" + nobody}, "in the list of processes"},
		{[]string{"--zk", nobody, "--zk-auth-file", wrong}, "line 1 is not SCHEME:SECRET"},
		{[]string{"--zk", nobody, "--zk-auth-file", file + "-not-there"}, "no such file"},
		{[]string{"--zk", nobody, "--zk-tls-ca", file}, "no certificate in PEM"},
		{[]string{"--zk", nobody, "--zk-tls-cert", file, "--zk-tls-key", wrong}, "can't be used"},
		{[]string{"--redis", "redis://ann:" + planted + "@" + nobody + "/x"}, "--redis"},
		{[]string{"--postgres", "postgres://ann:" + planted + "@/x?port=y"}, "--postgres"},
		{[]string{"--mysql", "mysql://ann:" + planted + "@" + nobody + ":x"}, "--mysql"},
		{[]string{"--etcd", "http://ann:" + planted + "@" + nobody + ":x"}, "--etcd"},
	} {
		var errs bytes.Buffer
		args := append([]string{"run", "unique-lock"}, c.args...)
		code := execute(args, &terminal{ctx: t.Context(), out: &errs, err: &errs})
		if code != exitTrouble || strings.Contains(errs.String(), planted) || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%q: exit code %d; it says %s", c.args, code, errs.String())
		}
	}
	t.Setenv(authVariable, "digest:ann:"+planted)
	t.Setenv("REDISCLI_AUTH", planted)
	t.Setenv("PGPASSWORD", planted)
	t.Setenv("MYSQL_PWD", planted)
	t.Setenv("ETCDCTL_PASSWORD", planted)
	pages, said := pagesOf(t, []string{"--zk", nobody + "/app", "--zk-auth-file", file, "--redis", nobody, "--postgres",
		"postgres://ann@" + nobody + "/x", "--mysql", "mysql://ann@" + nobody, "--etcd", nobody},
		"/live", "/live?path=/", "/lab", "/lab/compare", "/locks", "/zoo", "/recipes", "/stage")
	if strings.Contains(said, planted) || !strings.Contains(said, nobody) {
		t.Errorf("it says %s", said)
	}
	for path, body := range pages {
		if strings.Contains(body, planted) {
			t.Errorf("%s has the password", path)
		}
	}
	if live := pages["/live"]; !strings.Contains(live, nobody+"/app") {
		t.Errorf("the page Live does not say where it looks: %s", live)
	}
}

// pagesOf runs a server until its pages are fetched, and returns them with the server's output.
func pagesOf(t *testing.T, args []string, paths ...string) (pages map[string]string, said string) {
	t.Helper()
	ctx, interrupt := context.WithTimeout(t.Context(), 10*time.Minute)
	defer interrupt()
	printed, out := io.Pipe()
	var errs bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- execute(append([]string{"--addr", "127.0.0.1:0"}, args...), &terminal{ctx: ctx, out: out, err: &errs})
		out.Close()
	}()
	line := make([]byte, 1000)
	n, err := printed.Read(line)
	if err != nil {
		t.Fatalf("no address was printed: exit code %d; %s", <-code, errs.String())
	}
	go io.Copy(io.Discard, printed)
	url := strings.TrimSuffix(strings.Fields(string(line[:n]))[0], "/")
	pages = map[string]string{}
	for _, path := range paths {
		page, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(page.Body)
		page.Body.Close()
		pages[path] = string(body)
	}
	interrupt()
	if got := <-code; got != exitOK {
		t.Errorf("exit code %d", got)
	}
	return pages, string(line[:n]) + errs.String()
}
