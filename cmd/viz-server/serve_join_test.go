package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/learnertest"
)

// TestNamedJoins joins two named clusters, each by its own settings, beside one that is only read. The pages say of
// each which it is, and show its locks.
func TestNamedJoins(t *testing.T) {
	t.Parallel()
	addr, conn := inside(t)
	makeLocks(t, conn)
	leader := learnertest.Start(t, oneLock, 9).Addr
	file := written(t, fmt.Sprintf(`
[[cluster]]
name = "joined"
zk = %q
observe-ensemble = [%q]

[[cluster]]
name = "read"
zk = %[1]q

[[cluster]]
name = "gone"
zk = %[1]q
observe-ensemble = ["127.0.0.1:1"]
`, addr, leader))
	address, stop := served(t, "--clusters", file)
	for cluster, want := range map[string]string{"joined": "/app/l", "read": "", "gone": ""} {
		r, err := http.Get(address + "/live?cluster=" + cluster)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if joined := strings.Contains(string(text), "every transaction"); err != nil || joined != (want != "") {
			t.Errorf("%s: joined %v, %v", cluster, joined, err)
		}
		if want == "" {
			continue
		}
		if r, err = http.Get(address + "/live/locks?cluster=" + cluster); err != nil {
			t.Fatal(err)
		}
		text, err = io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s: %v\n%s", cluster, want, err, text)
		}
	}
	code, log := stop()
	for _, want := range []string{
		`"msg":"joined the ensemble as an observer: zkviz sees every transaction from now on","cluster":"joined"`,
		`"cluster":"gone","why":"none of 127.0.0.1:1 answers as a leader does`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("exit code %d; the log lacks %s:\n%s", code, want, log)
		}
	}
	bad := written(t, "[[cluster]]\nname=\"b\"\nzk=\""+addr+"\"\nobserve-ensemble=[\"nowhere\"]")
	var said bytes.Buffer
	code = execute([]string{"serve", "--addr", "127.0.0.1:0", "--clusters", bad},
		&terminal{ctx: t.Context(), out: io.Discard, err: &said})
	if want := "--clusters: b: the key observe-ensemble: "; code != exitTrouble || !strings.Contains(said.String(), want) {
		t.Errorf("exit code %d; it lacks %q: %s", code, want, &said)
	}
}
