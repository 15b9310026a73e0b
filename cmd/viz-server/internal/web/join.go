package web

import (
	"fmt"
	"net"
	"net/http"
	"path"
	"strings"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/host/contend"
	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/static/join"
)

// showZoo answers /zoo?path=PATH.
func (s *site) showZoo(w http.ResponseWriter, r *http.Request) {
	p := page.ZooProps{
		Frame: s.frame(r, "zoo"), Address: s.zooAddress(r), Queue: join.Path, Path: r.URL.Query().Get("path"),
		Most: protocol.MaxContenders, Hold: contend.Holds, Servers: s.zooServers,
		Tapped: s.tapped,
	}
	switch {
	case p.Path != "":
	case p.Tapped:
		p.Path = "/"
	default:
		p.Path = join.Path
	}
	status := http.StatusOK
	if err := protocol.ValidatePath(p.Path); err != nil {
		p.Path, p.Error, status = protocol.Clip(p.Path), sentence.From(err), http.StatusBadRequest
	}
	if p.Address != "" && !p.Tapped {
		var err error
		if p.Ways, err = ways(p.Address); err != nil {
			s.failed(w, r, err)
			return
		}
	}
	s.render(w, r, status, page.Zoo(p))
}

// zooAddress is where the ZooKeeper inside can be reached, empty if there is none.
func (s *site) zooAddress(r *http.Request) string {
	if s.zoo == "" {
		return ""
	}
	var all []string
	for addr := range strings.SplitSeq(s.zoo, ",") {
		all = append(all, reachable(addr, r.Host))
	}
	return strings.Join(all, ",")
}

// reachable is an address that a reader can connect to. Where the server listens at every address of its
// machine, that is the one by which the reader has come.
func reachable(addr, asked string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		return addr
	}
	name := asked
	if h, _, err := net.SplitHostPort(asked); err == nil {
		name = h
	}
	// It goes into lines that somebody pastes into a shell.
	name = strings.Trim(name, "[]")
	if net.ParseIP(name) == nil && strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
		name = "localhost"
	}
	return net.JoinHostPort(name, port)
}

// ways are the ways to join the queue from a terminal: by hand, and with the programs of static/join. Nothing
// in them comes from a request but the address, which reachable has made sure of.
func ways(addr string) ([]page.Way, error) {
	all := []page.Way{byHand(addr)}
	programs, err := join.Programs()
	if err != nil {
		return nil, err
	}
	for _, p := range programs {
		w := page.Way{Name: p.Language + ", " + p.Client, Needs: p.Debian, Elsewhere: p.Elsewhere}
		w.Text = paste(p, addr)
		all = append(all, w)
	}
	return all, nil
}

// byHand is the way for those who have no program.
func byHand(addr string) page.Way {
	return page.Way{
		Name: "zkCli.sh", Needs: "zookeeper", By: true,
		Text: "PATH=$PATH:/usr/share/zookeeper/bin\n" + // where Debian has it
			"zkCli.sh -server " + addr + "\n" +
			"create -s -e " + join.Path + "/me-lock-\n" +
			"ls " + join.Path + "\n",
	}
}

// paste writes a program into a file and runs it. It has no tabs: a shell that does not know what is pasted from what
// is typed would complete at each.
func paste(p join.Program, addr string) string {
	const end = "END_OF_FILE"
	before := ""
	if p.Language == "Go" { // a module of its own, with its one dependency
		before = "mkdir -p join && cd join && go mod init join\n"
	}
	return fmt.Sprintf("%scat > %s <<'%s'\n%s%s\n%s %s\n", before, path.Base(p.File), end,
		strings.ReplaceAll(p.Source, "\t", "    "), end, p.Run, addr)
}
