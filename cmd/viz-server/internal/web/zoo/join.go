package zoo

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
func (s *Pages) showZoo(w http.ResponseWriter, r *http.Request) {
	p := page.ZooProps{
		Frame: s.cfg.Site.Frame(r, "zoo"), Address: s.Address(r), Queue: join.Path, Path: r.URL.Query().Get("path"),
		Most: protocol.MaxContenders, Hold: contend.Holds, Servers: s.cfg.Servers,
		Tapped: s.cfg.Tapped,
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
			s.cfg.Site.Failed(w, r, err)
			return
		}
	}
	s.cfg.Site.Render(w, r, status, page.Zoo(p))
}

// Address returns the addresses of the ZooKeeper inside, empty if there is none.
func (s *Pages) Address(r *http.Request) string {
	if s.cfg.Address == "" {
		return ""
	}
	var all []string
	for addr := range strings.SplitSeq(s.cfg.Address, ",") {
		all = append(all, reachable(addr, r.Host))
	}
	return strings.Join(all, ",")
}

// reachable returns an address that the reader can connect to. If the server listens on every address, it takes the
// host that the reader has used.
func reachable(addr, asked string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		return addr
	}
	name := asked
	if h, _, err := net.SplitHostPort(asked); err == nil {
		name = h
	}
	// The name becomes part of lines for a shell.
	name = strings.Trim(name, "[]")
	if net.ParseIP(name) == nil && strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
		name = "localhost"
	}
	return net.JoinHostPort(name, port)
}

// ways returns the ways to join the queue from a terminal: by hand, and with the programs of static/join. The only part
// from a request is the address, which reachable has checked.
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

// ByHand returns the way without a program.
func (s *Pages) ByHand(addr string) page.Way { return byHand(addr) }

func byHand(addr string) page.Way {
	return page.Way{
		Name: "zkCli.sh", Needs: "zookeeper", By: true,
		Text: "PATH=$PATH:/usr/share/zookeeper/bin\n" + // Debian's path
			"zkCli.sh -server " + addr + "\n" +
			"create -s -e " + join.Path + "/me-lock-\n" +
			"ls " + join.Path + "\n",
	}
}

// paste returns shell lines that write a program into a file and run it. They contain no tabs, because a shell that
// can't tell pasted from typed text would complete names at each.
func paste(p join.Program, addr string) string {
	const end = "END_OF_FILE"
	before := ""
	if p.Language == "Go" { // a module with its one dependency
		before = "mkdir -p join && cd join && go mod init join\n"
	}
	return fmt.Sprintf("%scat > %s <<'%s'\n%s%s\n%s %s\n", before, path.Base(p.File), end,
		strings.ReplaceAll(p.Source, "\t", "    "), end, p.Run, addr)
}
