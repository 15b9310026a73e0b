package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"
)

// TestLocksAskAdminServers checks that locks asks an AdminServer about clients, and refuses addresses of none.
func TestLocksAskAdminServers(t *testing.T) {
	t.Parallel()
	addr, conn := inside(t)
	acl := zk.WorldACL(zk.PermAll)
	if _, err := conn.Multi(&zk.CreateRequest{Path: "/l", Acl: acl},
		&zk.CreateRequest{Path: "/l/lock-0000000000", Flags: zk.FlagEphemeral, Acl: acl}); err != nil {
		t.Fatal(err)
	}
	admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/commands/connections" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `{"command":"connections","error":null,"connections":[`+
			`{"remote_socket_address":"203.0.113.7:5","session_id":%d}]}`, conn.SessionID())
	}))
	t.Cleanup(admin.Close)
	for url, want := range map[string]string{
		admin.URL:  " 203.0.113.7:5 for ",
		"zk1:8080": "--admin-server: ",
	} {
		var out, errs bytes.Buffer
		code := execute([]string{"locks", "/l", "--zk", addr, "--admin-server", url}, &terminal{ctx: t.Context(), out: &out,
			err: &errs})
		if all := out.String() + errs.String(); !strings.Contains(all, want) || (code == exitOK) != (want[0] == ' ') {
			t.Errorf("%s: %d, %s", url, code, all)
		}
	}
}
