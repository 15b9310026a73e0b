package clients

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/clienttest"
)

// zkCli plays talks with ZooKeeper's Java command line.
func zkCli(t *testing.T, addr string) {
	k := zkCliTalk(t, addr)
	k.follow("testdata/talk/zkcli.txt")

	w := newWitness(t, addr)
	w.wantNoEphemerals("/zkcli")
	w.wantLeft("/zkcli", "kept", "n-0000000001")
	w.wantData("/zkcli/kept", "again")
}

func zkCliTalk(t *testing.T, addr string) *talk {
	clienttest.Need(t, clienttest.ZkCli)
	return &talk{t: t, ready: "state:SyncConnected", settle: "sync /", settled: "Sync is OK",
		start: func() *exec.Cmd { return clienttest.ZkCli.Command(within(t), "-server", addr) }}
}

// TestDocs replays the talk that docs/other-systems.md shows. Times and sessions differ each time.
func TestDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/other-systems.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := bytes.Cut(text, []byte("zkCli.sh -server 127.0.0.1:2181\n"))
	shown, _, closed := bytes.Cut(text, []byte("\n\n"))
	if !ok || !closed {
		t.Fatal("docs/other-systems.md shows no talk with zkCli.sh")
	}
	lines := regexp.MustCompile(`(?m)^    `).ReplaceAll(shown, nil)
	lines = regexp.MustCompile(`(?m)^((?:ctime|mtime|ephemeralOwner) = ).*`).ReplaceAll(lines, []byte("$1…"))
	k := zkCliTalk(t, startEmbedded(t))
	k.hold("docs/other-systems.md", string(lines))
	k.end()
}
