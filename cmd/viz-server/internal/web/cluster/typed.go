package cluster

import (
	"net/http"
	"net/url"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

const (
	connectAt = "/live/connect"
	forgetAt  = "/live/forget"
)

// Posts returns the addresses that take forms.
func Posts() []string { return []string{connectAt, forgetAt} }

// Typed lets readers type the address of a ZooKeeper, on a server that only this machine can reach. What they type,
// credentials too, stays in memory until they forget it or the server ends.
type Typed struct {
	// Cluster returns what was typed: a connection string, and identities, one SCHEME:SECRET a line, or none. Its errors
	// have no secrets.
	Cluster func(servers, identities string) (Named, error)
	// Add lets the stage of a page show a cluster, in place of one with the same name, and Remove ends that.
	Add    func(name string, on cluster.Cluster)
	Remove func(name string)
}

// connect answers the form that names a ZooKeeper, and leads to its locks. It connects to nothing itself.
func (s *Pages) connect(w http.ResponseWriter, r *http.Request) {
	if !s.takes(w, r) {
		return
	}
	servers := r.PostForm.Get("zk")
	n, err := s.typed.Cluster(servers, r.PostForm.Get("auth"))
	if err != nil {
		p := page.LiveProps{Frame: s.site.Frame(r, "live"), Wrong: sentence.From(err), Typed: protocol.Clip(servers)}
		if err := s.chooseCluster(&p, ""); err != nil {
			p.Error = sentence.From(err)
		}
		s.site.Render(w, r, http.StatusBadRequest, page.Live(p))
		return
	}
	forgotten, ok := s.known.put(n)
	for _, name := range forgotten {
		s.typed.Remove(name)
	}
	if ok {
		s.typed.Add(n.Name, n.On)
	}
	s.lead(w, r, liveLocksAt+"?"+url.Values{"cluster": {n.Name}}.Encode())
}

// forget answers the button that forgets a ZooKeeper that was typed.
func (s *Pages) forget(w http.ResponseWriter, r *http.Request) {
	if !s.takes(w, r) {
		return
	}
	if name := r.PostForm.Get("cluster"); s.known.forget(name) {
		s.typed.Remove(name)
	}
	s.lead(w, r, "/live")
}

// takes parses a form, or refuses it. A server for others keeps to its operator's list.
func (s *Pages) takes(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case s.typed == nil:
		s.site.Refuse(w, r, http.StatusForbidden, sentence.Error("refused.typed"))
	case r.Method != http.MethodPost:
		s.lead(w, r, "/live")
	case r.ParseForm() != nil:
		s.site.Refuse(w, r, http.StatusBadRequest, sentence.Error("bad.form"))
	default:
		return true
	}
	return false
}

func (s *Pages) lead(w http.ResponseWriter, r *http.Request, to string) {
	http.Redirect(w, r, s.site.At(site.LanguageOf(r), to), http.StatusSeeOther)
}
