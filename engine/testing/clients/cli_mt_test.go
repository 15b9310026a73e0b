package clients

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/testing/clienttest"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// cliMT follows scripts with the command line of ZooKeeper's C client.
func cliMT(t *testing.T, addr string) {
	conn := connect(t, addr)
	if _, err := conn.Create("/cmt-secret", []byte("s"), 0, zk.DigestACL(zk.PermAll, "ann", "geheim")); err != nil {
		t.Fatal(err)
	}
	cliMTTalk(t, addr).follow("testdata/talk/cli_mt.txt")

	w := newWitness(t, addr)
	w.wantNoEphemerals("/cmt")
	w.wantLeft("/cmt", "kept", "n-0000000002", "container", "ttl")
	w.wantData("/cmt/kept", "again")
	t.Run("reconnect", func(t *testing.T) { cliMTReconnect(t, addr) })
}

func cliMTTalk(t *testing.T, addr string, args ...string) *talk {
	clienttest.Need(t, clienttest.CliMT)
	args = append([]string{"-h", addr}, args...)
	return &talk{t: t, ready: "Got a new session id",
		start: func() *exec.Cmd { return clienttest.CliMT.Command(within(t), args...) }}
}

// cliMTReconnect breaks the connection of cli_mt, which must resume its session and set its watches again.
func cliMTReconnect(t *testing.T, addr string) {
	file := filepath.Join(t.TempDir(), "session")
	k := cliMTTalk(t, addr, "-m", file)
	k.hold("before", "a> create +e /cmt/mine\n~ name = /cmt/mine\n"+
		"a> get /cmt/kept\n~ value_len = 5\n~ ephemeralOwner = 0\n")
	takeOver(t, addr, file)
	a := k.line("a")
	a.wanted = []string{"~ Watcher SESSION_EVENT state = CONNECTED_STATE"}
	k.hear(a, "the new connection")
	k.hold("after", "a> aset /cmt/kept again\n~ Watcher CHANGED_EVENT state = CONNECTED_STATE for path /cmt/kept\n"+
		"~ version=3	aversion=0\n~ ephemeralOwner = 0\n")
	newWitness(t, addr).wantLeft("/cmt", "kept", "n-0000000002", "container", "ttl", "mine")
	k.end()
}

// takeOver connects to the session that cli_mt saved in a file. The server then closes cli_mt's own connection.
// takeOver disconnects without closing the session.
func takeOver(t *testing.T, addr, file string) {
	t.Helper()
	id, err := os.ReadFile(file)
	if err == nil && len(id) != 8+16 {
		err = fmt.Errorf("%s has %d bytes, not the 24 of a session and its password", file, len(id))
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := peer.Dial(addr, wire.ConnectRequest{
		TimeoutMS: int32(session.Milliseconds()),
		Session:   int64(binary.NativeEndian.Uint64(id)),
		Password:  id[8:],
	})
	if err == nil { // otherwise cli_mt was back before the server could answer, and ended this connection
		p.Abort()
	}
}
