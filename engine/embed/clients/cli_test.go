package clients

import (
	"os/exec"
	"testing"
)

// zkCli holds talks with ZooKeeper's Java command line.
func zkCli(t *testing.T, addr string) {
	const program = "/usr/share/zookeeper/bin/zkCli.sh"
	need(t, program, "zookeeper")
	k := talk{t: t, ready: "state:SyncConnected", settle: "sync /", settled: "Sync is OK"}
	k.start = func() *exec.Cmd {
		cmd := command(t, program, "-server", addr)
		cmd.Env = append(cmd.Environ(), "JVMFLAGS=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
		return cmd
	}
	k.follow("testdata/talk/zkcli.txt")

	w := newWitness(t, addr)
	w.wantNoEphemerals("/zkcli")
	w.wantLeft("/zkcli", "kept", "n-0000000001")
	w.wantData("/zkcli/kept", "again")
}

// cliMT holds talks with the command line that comes with ZooKeeper's C client.
func cliMT(t *testing.T, addr string) {
	const program = "/usr/lib/zookeeper/bin/cli_mt"
	need(t, program, "zookeeper-bin")
	k := talk{t: t, ready: "Got a new session id", start: func() *exec.Cmd {
		return command(t, program, "-h", addr)
	}}
	k.follow("testdata/talk/cli_mt.txt")

	w := newWitness(t, addr)
	w.wantNoEphemerals("/cmt")
	w.wantLeft("/cmt", "kept", "n-0000000002", "container", "ttl")
	w.wantData("/cmt/kept", "again")
}
